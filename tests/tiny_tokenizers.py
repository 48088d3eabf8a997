"""Tiny tokenizers for tests, of the two kinds in use: byte-level, and like sentencepiece's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import tokenizers
from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers

from engine.text.pieces import BYTE_OF

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] + '\n' + message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
SPECIAL = ("<|pad|>", "<|start|>", "<|im_end|>", "<|im_start|>", "<|tool|>", "<|a|>", "<|b|>", "<|c|>")
SPACE_MARK = "\u2581"
CHARACTERS = "etaonihsrdlucmwfgypbvkxjqzTHEL.,:!1234567890é"
MERGES = (
    ("▁", "t"), ("h", "e"), ("i", "n"), ("e", "r"), ("▁t", "he"), ("▁", "a"), ("l", "l"), ("he", "ll"),
    ("hell", "o"), ("▁", "hello"), ("▁", "▁"), ("▁▁", "▁▁"), ("l", "i"), ("s", "t"), ("li", "st"),
)  # fmt: skip
WORDS = (" the", " and", "hello", "world", "list")  # each a token, with the pieces that lead to it


def byte_level() -> tokenizers.Tokenizer:
    """Ids 0 to 7: `SPECIAL`; 8 + b: the byte b; then the merges that make `WORDS`. At most 300 ids."""
    characters = {byte: character for character, byte in BYTE_OF.items()}
    vocab = {token: id for id, token in enumerate((*SPECIAL, *(characters[byte] for byte in range(256))))}
    merges: list[tuple[str, str]] = []
    for word in WORDS:
        letters = "".join(characters[byte] for byte in word.encode())
        for end in range(2, len(letters) + 1):
            if letters[:end] not in vocab:
                merges.append((letters[: end - 1], letters[end - 1]))
                vocab[letters[:end]] = len(vocab)
    library = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=merges))
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    library.decoder = decoders.ByteLevel()
    library.add_special_tokens(list(SPECIAL))
    return library


def like_sentencepiece(*, prefix: bool = True) -> tokenizers.Tokenizer:
    """As Llama 2 and Mistral: byte fallback and, with `prefix`, a blank before the text.

    Ids: <unk>, <s>, </s>, 3 + b: the byte b, single characters, then what `MERGES` make.
    """
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), SPACE_MARK, *CHARACTERS]
    tokens += [left + right for left, right in MERGES]
    vocab = {token: id for id, token in enumerate(tokens)}
    model = models.BPE(vocab=vocab, merges=list(MERGES), unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    library = tokenizers.Tokenizer(model)
    blanks = normalizers.Replace(" ", SPACE_MARK)
    library.normalizer = normalizers.Sequence([normalizers.Prepend(SPACE_MARK), blanks]) if prefix else blanks
    steps = [decoders.Replace(SPACE_MARK, " "), decoders.ByteFallback(), decoders.Fuse()]
    library.decoder = decoders.Sequence([*steps, decoders.Strip(" ", 1, 0)] if prefix else steps)
    library.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in tokens[:3]])
    return library


def byte_level_folder(folder: Path, **config: Any) -> Path:
    """Writes the byte-level tokenizer with a ChatML template into a folder, and returns it."""
    stated = {"bos_token": "<|start|>", "eos_token": "<|im_end|>", "pad_token": "<|pad|>", "chat_template": CHATML}
    return save(folder, byte_level(), **{**stated, **config})


def sentencepiece_folder(folder: Path, **config: Any) -> Path:
    """Writes the tokenizer with blanks as pieces into a folder, and returns it. There is no template."""
    stated = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "add_bos_token": True}
    return save(folder, like_sentencepiece(), **{**stated, **config})


def save(folder: Path, library: tokenizers.Tokenizer, **config: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    library.save(str(folder / "tokenizer.json"))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "clean_up_tokenization_spaces": False, **config}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder
