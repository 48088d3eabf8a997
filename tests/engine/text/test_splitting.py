"""Where words are cut, by hand for each family."""

from __future__ import annotations

import pytest

from engine.text.pieces import BYTE_OF
from engine.text.splitting import SPLITTINGS

TEXT = "Don't STOP2024 now!\n\n  x  = [1];/\n/ HTTPServer 'Tis Ünï"
GPT2 = "Don|'t| STOP|2024| now|!|\n\n | x| | =| [|1|];/|\n|/| HTTPServer| '|Tis| Ünï"
SMOLLM = "Don|'t| STOP|2|0|2|4| now|!|\n\n | x| | =| [|1|];/|\n|/| HTTPServer| '|Tis| Ünï"
LLAMA3 = "Don|'t| STOP|202|4| now|!\n\n| | x| | =| [|1|];/\n|/| HTTPServer| '|Tis| Ünï"
QWEN2 = "Don|'t| STOP|2|0|2|4| now|!\n\n| | x| | =| [|1|];/\n|/| HTTPServer| '|Tis| Ünï"
TEKKEN = "Don|'t| STOP|2|0|2|4| now|!\n\n| | x| | =| [|1|];/\n/| HTTPServer| '|Tis| Ünï"


def words(name: str, text: str) -> str:
    pieces = [piece for piece, _ in SPLITTINGS[name].pre_tokenizer().pre_tokenize_str(text)]
    return "|".join(bytes(BYTE_OF[character] for character in piece).decode() for piece in pieces)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("gpt-2", GPT2),
        ("default", GPT2),
        ("smollm", SMOLLM),
        ("llama-bpe", LLAMA3),
        ("llama3", LLAMA3),
        ("llama-v3", LLAMA3),
        ("qwen2", QWEN2),
        ("deepseek-r1-qwen", QWEN2),
        ("tekken", TEKKEN),
    ],
)
def test_words(name: str, expected: str) -> None:
    assert words(name, TEXT) == expected


def test_every_splitting_has_its_words_above() -> None:
    assert set(SPLITTINGS) == {
        "gpt-2", "default", "smollm", "llama-bpe", "llama3", "llama-v3", "qwen2", "deepseek-r1-qwen", "tekken",
    }  # fmt: skip


def test_capitals_begin_a_word_only_in_tekken() -> None:
    assert words("tekken", "camelCase HTTPServer") == "camel|Case| HTTPServer"
    assert words("llama3", "camelCase HTTPServer") == "camelCase| HTTPServer"


def test_qwen_composes_characters_first() -> None:
    normalizer = SPLITTINGS["qwen2"].normalizer()
    assert normalizer is not None and normalizer.normalize_str("e\u0301") == "é"
    assert SPLITTINGS["llama3"].normalizer() is None
