"""TextStream: the joined pieces are the text, at every prefix, on both kinds of tokenizer and on the starter's."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken

from engine.generate.stream import TextStream
from engine.text.backend import Backend
from engine.text.sources import load_text
from engine.text.tokenizer import Tokenizer
from tests.tiny_tokenizers import byte_level, like_sentencepiece

BYTE_LEVEL = Tokenizer(Backend(byte_level(), Path("model"), 1, 2, False, frozenset({2})))
SENTENCEPIECE = Tokenizer(Backend(like_sentencepiece(), Path("model"), 1, 2, True, frozenset({2})))
KINDS = {"byte-level": BYTE_LEVEL, "sentencepiece": SENTENCEPIECE}
PROMPT = {"byte-level": [73], "sentencepiece": [1, 260]}


def of_bytes(tokenizer: Tokenizer, data: bytes) -> list[int]:
    """One token for each byte."""
    offset = 8 if tokenizer is BYTE_LEVEL else 3
    return [offset + byte for byte in data]


def pieces(
    tokenizer: Tokenizer, ids: Iterable[int], stop: tuple[str, ...] = (), prompt: Sequence[int] = ()
) -> list[str]:
    """What each token gives, then what the end gives."""
    stream = TextStream(tokenizer, prompt, stop)
    return [*(stream.push(id) for id in ids), stream.finish()]


def answer(tokenizer: Tokenizer, prompt: list[int], ids: list[int]) -> str:
    """The definition: the text of both, less the prompt's."""
    whole = tokenizer.decode([*prompt, *ids], skip_special=True)
    return whole.removeprefix(tokenizer.decode(prompt, skip_special=True))


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_c035_every_prefix_is_what_decoding_at_once_gives(kind: str, data: st.DataObject) -> None:
    """C035, C038: random tokens, special ones among them; what is delivered never changes afterwards."""
    tokenizer, prompt = KINDS[kind], PROMPT[kind]
    ids = data.draw(st.lists(st.integers(0, tokenizer.vocab - 1), max_size=30))
    stream, seen = TextStream(tokenizer, prompt), ""
    for count, id in enumerate(ids, 1):
        seen += stream.push(id)
        whole = answer(tokenizer, prompt, ids[:count])
        # Held back are the bytes of one unfinished character at the most; bytes that only look like its beginning
        # (ED A0, half a surrogate) may be two marks.
        assert whole.startswith(seen) and whole[len(seen) :] in ("", "\ufffd", "\ufffd\ufffd")
    assert seen + stream.finish() == answer(tokenizer, prompt, ids)


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(alphabet=st.characters(codec="utf-8", exclude_characters="<")))
def test_c035_texts_come_through_as_they_are(kind: str, text: str) -> None:
    """C035, C038: the text of an answer is the text that was encoded."""
    tokenizer = KINDS[kind]
    assert "".join(pieces(tokenizer, tokenizer.encode(text, add_special=False))) == text


def test_the_starter_streams_as_it_decodes(starter: Path) -> None:
    tokenizer = load_text(starter).tokenizer
    rows = json.loads((Path(__file__).parents[1] / "text" / "starter_ids.json").read_text(encoding="utf-8"))

    @given(st.lists(st.integers(0, tokenizer.vocab - 1), max_size=40))
    def random_ids(ids: list[int]) -> None:
        joined = "".join(pieces(tokenizer, ids, prompt=[520]))
        assert joined == tokenizer.decode(ids, skip_special=True)
        assert joined == tokenizer._library.decode(ids, skip_special_tokens=True)

    random_ids()
    for _, ids in rows:
        assert "".join(pieces(tokenizer, ids)) == tokenizer.decode(ids, skip_special=True)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["😀", "👨‍👩‍👧", "🇫🇷", "漢字", "e\u0301", "\ufffd!"])
def test_c035_characters_come_whole_and_at_once(kind: str, text: str) -> None:
    """C035: byte by byte; each character appears with its last byte, and never a replacement mark."""
    found = pieces(KINDS[kind], of_bytes(KINDS[kind], text.encode()), prompt=PROMPT[kind])
    expected = [part for character in text for part in [""] * (len(character.encode()) - 1) + [character]]
    assert found == [*expected, ""]


@pytest.mark.parametrize("kind", KINDS)
def test_c035_bytes_that_never_become_a_character(kind: str) -> None:
    """C035: an incomplete start, then " a"; and an incomplete end, which shows once."""
    tokenizer = KINDS[kind]
    ids = [*of_bytes(tokenizer, b"\xe6\xbc"), *of_bytes(tokenizer, b" a"), *of_bytes(tokenizer, b"\xf0\x9f\x98")]
    assert pieces(tokenizer, ids, prompt=PROMPT[kind]) == ["", "", "\ufffd ", "a", "", "", "", "\ufffd"]


def test_c040_invalid_bytes_are_valid_text() -> None:
    """C040: 0xFF and 0xC3 alone; the pieces can be written as JSON."""
    found = pieces(BYTE_LEVEL, of_bytes(BYTE_LEVEL, b"\xff\xc3"))
    assert found == ["\ufffd", "", "\ufffd"]
    assert json.loads(json.dumps(found).encode()) == found


@pytest.mark.parametrize(
    ("script", "expected"),
    [("the EN", "the EN"), ("the ENTRY", "the ENTRY"), ("the END!more", "the "), ("END!", ""), ("xENEND!", "xEN")],
)
def test_c037_held_text_is_delivered_unless_the_stop_is_complete(script: str, expected: str) -> None:
    """C037: the stop string is END!; it ends by an end token, by the limit, by cancel: always through finish."""
    found = pieces(BYTE_LEVEL, of_bytes(BYTE_LEVEL, script.encode()), ("END!",))
    assert "".join(found) == expected


def test_c037_only_what_may_become_a_stop_is_held() -> None:
    """C037: text is delivered as soon as it cannot be part of one."""
    ids = of_bytes(BYTE_LEVEL, b"aENDx")
    assert pieces(BYTE_LEVEL, ids, ("END!",)) == ["a", "", "", "", "ENDx", ""]
    stream = TextStream(BYTE_LEVEL, [], ("END!",))
    assert [stream.push(id) for id in of_bytes(BYTE_LEVEL, b"END!")] == ["", "", "", ""]
    assert stream.stopped and stream.push(73) == "" and stream.finish() == "" == stream.finish()


@given(
    text=st.text(alphabet="abc", max_size=20),
    stop=st.lists(st.text(alphabet="abc", min_size=1, max_size=4), max_size=3),
)
def test_the_first_complete_stop_ends_the_text_wherever_tokens_end(text: str, stop: list[str]) -> None:
    """Character by character, and all in one token."""
    ends = [(at + len(one), at) for one in stop if (at := text.find(one)) >= 0]
    expected = text[: min(ends)[1]] if ends else text
    by_letters = of_bytes(BYTE_LEVEL, text.encode())
    assert "".join(pieces(BYTE_LEVEL, by_letters, tuple(stop))) == expected
    library = byte_level()
    library.add_tokens([AddedToken(text, normalized=False)] if text else [])
    whole = Tokenizer(Backend(library, Path("model"), 1, 2, False, frozenset()))
    ids = whole.encode(text, add_special=False)
    assert "".join(pieces(whole, ids, tuple(stop))) == expected


def test_a_special_token_may_be_a_stop_string() -> None:
    stream = TextStream(BYTE_LEVEL, [], ("<|tool|>", "xyz"))
    assert [stream.push(id) for id in [*of_bytes(BYTE_LEVEL, b"ax"), 4]] == ["a", "", "x"]
    assert stream.stopped and stream.finish() == ""


def test_special_tokens_and_ids_without_a_token_are_hidden() -> None:
    """A character whose bytes stand around a special token comes whole."""
    first, second = of_bytes(BYTE_LEVEL, "é".encode())
    assert pieces(BYTE_LEVEL, [first, 4, 100_000, second]) == ["", "", "", "é", ""]


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [([1], "the"), ([1, 260], " the"), ([], "the"), ([1, 259], " the")],
    ids=["start token only", "a letter", "nothing", "a blank"],
)
def test_c038_the_blank_before_a_text_belongs_to_the_prompt_or_to_nobody(prompt: list[int], expected: str) -> None:
    """C038: the first token carries a blank; it is part of the answer exactly when text precedes it."""
    (id,) = SENTENCEPIECE.encode("the", add_special=False)
    assert "".join(pieces(SENTENCEPIECE, [id], prompt=prompt)) == expected


def test_c038_blanks_between_tokens_are_exact() -> None:
    """C038: " a", " ,", "b"; seven blanks and tabs of code."""
    for text in (" a ,b", "x\n       y\n\t\tz", "1, 2 ,3"):
        ids = SENTENCEPIECE.encode(text, add_special=False)
        assert "".join(pieces(SENTENCEPIECE, ids)) == text
