"""Tokenizers from GGUF metadata, and the starter's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import TokenizerError
from engine.spec.gguf_file import open_gguf
from engine.text.gguf import PREFIX, build
from engine.text.tokenizer import Tokenizer
from tests.tiny_tokenizers import SPECIAL, byte_level, like_sentencepiece

FILE = Path("model.gguf")
TEXTS = ("hello the list", " world  and\n\tmore", "🌳 é 漢字", "<|im_start|>hello<|im_end|>", "<s>the list</s>", "")


def fields(**values: object) -> dict[str, object]:
    return {f"tokenizer.ggml.{key}": value for key, value in values.items() if value is not None}


def byte_level_fields(**changes: object) -> dict[str, object]:
    """The metadata of `byte_level()`, read off its saved form."""
    model = json.loads(byte_level().to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    stated = {
        "model": "gpt2",
        "pre": "gpt-2",
        "tokens": tokens,
        "token_type": [3 if token in SPECIAL else 1 for token in tokens],
        "merges": [" ".join(merge) for merge in model["merges"]],
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return fields(**{**stated, **changes})


def sentencepiece_fields(**changes: object) -> dict[str, object]:
    """The metadata of `like_sentencepiece()`: the score of a piece is its rank among the merges."""
    model = json.loads(like_sentencepiece().to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    ranks = {"".join(merge): -float(rank) for rank, merge in enumerate(model["merges"])}
    stated = {
        "model": "llama",
        "tokens": tokens,
        "scores": [ranks.get(token, -1000.0) for token in tokens],
        "token_type": [2, 3, 3, *[6] * 256, *[1] * (len(tokens) - 259)],
        "unknown_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
    }
    return fields(**{**stated, **changes})


def test_byte_level_equals_the_tokenizer_it_was_made_from() -> None:
    tokenizer = Tokenizer.from_gguf(byte_level_fields(), FILE)
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special=True)
        assert ids == byte_level().encode(text).ids
        assert tokenizer.decode(ids) == text
    assert tokenizer.special_ids == frozenset(range(8))
    assert (tokenizer.bos_token, tokenizer.eos_id, tokenizer.stop_ids) == ("<|start|>", 2, frozenset({2}))


@pytest.mark.parametrize("prefix", [None, True, False])
def test_sentencepiece_equals_the_tokenizer_it_was_made_from(prefix: bool | None) -> None:
    tokenizer = Tokenizer.from_gguf(sentencepiece_fields(add_space_prefix=prefix), FILE)
    reference = like_sentencepiece(prefix=prefix is not False)
    for text in TEXTS:
        ids = tokenizer.encode(text, add_special=False)
        assert ids == reference.encode(text).ids
        assert tokenizer.decode(ids) == reference.decode(ids, skip_special_tokens=False)
    assert tokenizer.drops_space is (prefix is not False)
    assert tokenizer.special_ids == {0, 1, 2}


@pytest.mark.parametrize(
    ("metadata", "adds"),
    [
        (byte_level_fields(), False),
        (byte_level_fields(pre="llama-bpe"), True),
        (byte_level_fields(pre="llama-bpe", add_bos_token=False), False),
        (byte_level_fields(add_bos_token=True), True),
        (byte_level_fields(add_bos_token=True, bos_token_id=None), False),
        (sentencepiece_fields(), True),
        (sentencepiece_fields(add_bos_token=False), False),
    ],
)
def test_the_start_token_is_added_as_stated_or_as_is_usual(metadata: dict[str, object], adds: bool) -> None:
    assert build(metadata, FILE).adds_bos is adds


def test_c008_every_end_that_the_file_names() -> None:
    """C008: end of text, of turn, of message."""
    assert build(byte_level_fields(eot_token_id=5, eom_token_id=6), FILE).stops == {2, 5, 6}
    assert build(byte_level_fields(eos_token_id=None), FILE).stops == frozenset()


def test_user_defined_tokens_are_text_and_are_not_cut() -> None:
    metadata = byte_level_fields()
    tokens, types = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    assert isinstance(tokens, list) and isinstance(types, list)
    tokens.append("<tool é>")
    types.append(4)
    tokenizer = Tokenizer.from_gguf(metadata, FILE)
    assert tokenizer.encode("a<tool é>", add_special=False) == [105, 281]
    assert tokenizer.decode([281], skip_special=True) == "<tool é>"


def test_control_tokens_are_not_made_of_letters() -> None:
    """A text that looks like a byte token stays text."""
    tokenizer = Tokenizer.from_gguf(sentencepiece_fields(), FILE)
    assert tokenizer.decode(tokenizer.encode("<0x41>", add_special=False)) == "<0x41>"


def test_of_tokens_with_the_same_text_the_first_counts() -> None:
    metadata = byte_level_fields()
    metadata["tokenizer.ggml.tokens"] = [*_list(metadata, "tokens"), "A"]
    metadata["tokenizer.ggml.token_type"] = [*_list(metadata, "token_type"), 5]
    assert Tokenizer.from_gguf(metadata, FILE).encode("A", add_special=False) == [8 + ord("A")]


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ({}, ["kind ''", "gpt2, llama"]),
        (byte_level_fields(model="rwkv"), ["rwkv", "gpt2, llama"]),
        (byte_level_fields(pre="klingon"), ["klingon", "smollm", "qwen2"]),
        (byte_level_fields(tokens=None), ["tokens"]),
        (byte_level_fields(merges=None), ["merges"]),
        (byte_level_fields(merges=["q zz"]), ["merges"]),
        (byte_level_fields(token_type=[1]), ["token_type"]),
        (byte_level_fields(eos_token_id=999), ["eos_token_id", "999"]),
        (sentencepiece_fields(scores=None), ["scores"]),
        (sentencepiece_fields(tokens=[1, 2]), ["tokens"]),
    ],
)
def test_what_cannot_be_built_is_told(metadata: dict[str, object], words: list[str]) -> None:
    with pytest.raises(TokenizerError) as caught:
        Tokenizer.from_gguf(metadata, FILE)
    assert all(word in caught.value.sentence() for word in ["model.gguf", *words])
    assert "folder" in caught.value.remedy()


def test_the_starter_gives_the_ids_of_its_reference(starter: Path) -> None:
    """`starter_ids.json`: texts (code, emoji, scripts, random) and their ids by transformers from the
    model's tokenizer.json."""
    tokenizer = Tokenizer.from_gguf(open_gguf(starter, lists=PREFIX).metadata, starter)
    rows = json.loads(Path(__file__).with_name("starter_ids.json").read_text(encoding="utf-8"))
    assert len(rows) > 30
    for text, ids in rows:
        assert tokenizer.encode(text, add_special=False) == ids
    assert (tokenizer.vocab, tokenizer.bos_id, tokenizer.eos_id, tokenizer.adds_bos) == (49152, 1, 2, False)


def _list(metadata: dict[str, object], key: str) -> list[object]:
    value = metadata[f"tokenizer.ggml.{key}"]
    assert isinstance(value, list)
    return value
