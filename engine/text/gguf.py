"""The tokenizer of a GGUF file, from its `tokenizer.ggml.*` metadata."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import tokenizers
from tokenizers import AddedToken, decoders, models

from engine.errors import TokenizerError
from engine.text.backend import Backend
from engine.text.sentencepiece import sentencepiece
from engine.text.splitting import SPLITTINGS, Splitting

PREFIX: Final = "tokenizer."
_KINDS = ("gpt2", "llama")
_NORMAL, _UNKNOWN, _CONTROL, _USER_DEFINED = 1, 2, 3, 4  # values of token_type
_ENDS = ("eos_token_id", "eot_token_id", "eom_token_id")  # of a text, of a turn, of a message
_CURE = "Choose the same model as a Hugging Face folder, or another GGUF file of it."


def build(metadata: Mapping[str, object], path: Path) -> Backend:
    """Raises TokenizerError for a vocabulary of a kind we do not know, or one that is not complete."""
    fields = _Fields(metadata, path)
    kind = fields.text("model")
    if kind not in _KINDS:
        raise fields.error(f"its tokenizer is of the kind {kind!r}; known are {', '.join(_KINDS)}")
    tokens = fields.texts("tokens")
    vocab = {token: id for id, token in reversed(list(enumerate(tokens)))}  # of doubles the first counts
    splitting = _splitting(fields) if kind == "gpt2" else None
    try:
        library = _byte_level(fields, vocab, splitting) if splitting else _sentencepiece(fields, tokens, vocab)
        _add_special(library, fields, tokens)
    except TokenizerError:
        raise
    except Exception as error:  # the library raises nothing more exact
        raise fields.error(f"its vocabulary and merges do not fit together ({error})") from error
    bos = fields.id("bos_token_id", len(tokens))
    adds = fields.flag("add_bos_token", splitting.start if splitting else True)
    ends = [fields.id(key, len(tokens)) for key in _ENDS]
    stops = frozenset(id for id in ends if id is not None)
    return Backend(library, path, bos, ends[0], adds and bos is not None, stops)


def _splitting(fields: _Fields) -> Splitting:
    name = fields.text("pre", "default")
    if name not in SPLITTINGS:
        raise fields.error(f"its way to split words, {name!r}, is not known; known are {', '.join(SPLITTINGS)}")
    return SPLITTINGS[name]


def _byte_level(fields: _Fields, vocab: Mapping[str, int], splitting: Splitting) -> tokenizers.Tokenizer:
    merges = [(left, right) for left, _, right in (merge.partition(" ") for merge in fields.texts("merges"))]
    model = models.BPE(vocab=dict(vocab), merges=merges, ignore_merges=splitting.whole_words)
    library = tokenizers.Tokenizer(model)
    if normalizer := splitting.normalizer():
        library.normalizer = normalizer
    library.pre_tokenizer = splitting.pre_tokenizer()
    library.decoder = decoders.ByteLevel()
    return library


def _sentencepiece(fields: _Fields, tokens: list[str], vocab: Mapping[str, int]) -> tokenizers.Tokenizer:
    kinds = fields.numbers("token_type", len(tokens))
    known = zip(tokens, fields.numbers("scores", len(tokens)), kinds, strict=True)
    scores = {token: score for token, score, kind in known if kind == _NORMAL}
    unknown = fields.id("unknown_token_id", len(tokens))
    prefix = fields.flag("add_space_prefix", True)
    return sentencepiece(vocab, scores, None if unknown is None else tokens[unknown], prefix=prefix)


def _add_special(library: tokenizers.Tokenizer, fields: _Fields, tokens: list[str]) -> None:
    """Control tokens are hidden from answers; user-defined ones are ordinary text that is never cut."""
    kinds = fields.numbers("token_type", len(tokens))
    added = [
        AddedToken(token, special=kind != _USER_DEFINED, normalized=False)
        for token, kind in zip(tokens, kinds, strict=True)
        if kind in (_UNKNOWN, _CONTROL, _USER_DEFINED) and token
    ]
    library.add_tokens(added)


class _Fields:
    """Typed access to the metadata; what is missing or of another type is a TokenizerError."""

    def __init__(self, metadata: Mapping[str, object], path: Path) -> None:
        self._metadata = metadata
        self._path = path

    def error(self, reason: str) -> TokenizerError:
        return TokenizerError(self._path, reason, _CURE)

    def _get(self, key: str) -> object:
        return self._metadata.get(f"{PREFIX}ggml.{key}")

    def text(self, key: str, default: str = "") -> str:
        value = self._get(key)
        return value if isinstance(value, str) else default

    def flag(self, key: str, default: bool) -> bool:
        value = self._get(key)
        return default if value is None else bool(value)

    def texts(self, key: str) -> list[str]:
        value = self._get(key)
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(f"tokenizer.ggml.{key} is missing from its metadata")
        return value

    def numbers(self, key: str, count: int) -> list[float]:
        value = self._get(key)
        if not isinstance(value, list) or len(value) != count:
            raise self.error(f"tokenizer.ggml.{key} should hold {count} numbers")
        return value

    def id(self, key: str, vocab: int) -> int | None:
        value = self._get(key)
        if value is None:
            return None
        if not isinstance(value, int) or not 0 <= value < vocab:
            raise self.error(f"tokenizer.ggml.{key} is {value}, which is no token of its {vocab}")
        return value
