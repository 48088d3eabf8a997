"""How byte-level BPE cuts a text into words before it merges: GGUF files only name the rule.

The patterns are part of the models: each is what the tokenizer.json of the family's own release says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tokenizers import Regex, normalizers, pre_tokenizers


@dataclass(frozen=True, slots=True)
class Splitting:
    """One rule.

    pattern: of a word; empty is GPT-2's own. digits: every digit is a word of its own, before anything else.
    nfc: the text is composed first (Unicode NFC). whole_words: a word that is a token is not merged from its parts.
    start: a start token is put before a text unless the file says otherwise.
    """

    pattern: str = ""
    digits: bool = False
    nfc: bool = False
    whole_words: bool = False
    start: bool = False

    def normalizer(self) -> normalizers.Normalizer | None:
        return normalizers.NFC() if self.nfc else None

    def pre_tokenizer(self) -> pre_tokenizers.PreTokenizer:
        steps: list[pre_tokenizers.PreTokenizer] = []
        if self.digits:
            steps.append(pre_tokenizers.Digits(individual_digits=True))
        if self.pattern:
            steps.append(pre_tokenizers.Split(Regex(self.pattern), behavior="isolated"))
        steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=not self.pattern))
        return pre_tokenizers.Sequence(steps)


_SUFFIXES = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_LETTERS = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_BLANKS = r"\s*[\r\n]+|\s+(?!\S)|\s+"
_UPPER, _LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"

_LLAMA3 = rf"{_SUFFIXES}|{_LETTERS}|\p{{N}}{{1,3}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_BLANKS}"
_QWEN2 = rf"{_SUFFIXES}|{_LETTERS}|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|{_BLANKS}"
_TEKKEN = (
    rf"[^\r\n\p{{L}}\p{{N}}]?{_UPPER}*{_LOWER}+|[^\r\n\p{{L}}\p{{N}}]?{_UPPER}+{_LOWER}*"
    rf"|\p{{N}}| ?[^\s\p{{L}}\p{{N}}]+[\r\n/]*|{_BLANKS}"
)

SPLITTINGS: Mapping[str, Splitting] = MappingProxyType(
    {
        "default": Splitting(),
        "gpt-2": Splitting(),
        "smollm": Splitting(digits=True),
        "llama-bpe": Splitting(_LLAMA3, whole_words=True, start=True),
        "llama3": Splitting(_LLAMA3, whole_words=True, start=True),
        "llama-v3": Splitting(_LLAMA3, whole_words=True, start=True),
        "qwen2": Splitting(_QWEN2, nfc=True),
        "deepseek-r1-qwen": Splitting(_QWEN2, nfc=True),
        "tekken": Splitting(_TEKKEN, whole_words=True, start=True),
    }
)
