"""Tokenizer: text to ids and back, start tokens, ids that do not exist."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken

from engine.errors import InvalidRequest
from engine.text.backend import Backend, library_ids
from engine.text.tokenizer import Tokenizer
from tests.tiny_tokenizers import byte_level, byte_level_folder, like_sentencepiece, save, sentencepiece_folder

CODE = "def f(x):\n        return  [\tx ,\n\n  1]\n"


def of(library: object, bos: int | None = 1, eos: int | None = 2, *, adds: bool = False) -> Tokenizer:
    return Tokenizer(Backend(library, Path("model"), bos, eos, adds, frozenset({2})))  # type: ignore[arg-type]


BYTE_LEVEL, SENTENCEPIECE, NO_PREFIX = of(byte_level()), of(like_sentencepiece()), of(like_sentencepiece(prefix=False))
KINDS = {"byte-level": BYTE_LEVEL, "sentencepiece": SENTENCEPIECE, "no prefix": NO_PREFIX}


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text() | st.sampled_from([CODE, " a", "a ", "   ", "the list 😀 👩‍👩‍👧 漢字", "<|im_end|></s>"]))
def test_every_text_comes_back(kind: str, text: str) -> None:
    tokenizer = KINDS[kind]
    ids = tokenizer.encode(text, add_special=False)
    assert tokenizer.decode(ids) == text
    assert tokenizer.decode(ids) == tokenizer._library.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(alphabet="the list,hello 12\n🌳é"))
def test_ids_are_those_of_the_library(kind: str, text: str) -> None:
    tokenizer = KINDS[kind]
    assert tokenizer.encode(text, add_special=False) == tokenizer._library.encode(text).ids
    assert library_ids(tokenizer._library, text, special=True) == tokenizer._library.encode(text).ids


@given(ids=st.lists(st.integers(0, 280)))
def test_random_ids_decode_as_in_the_library(ids: list[int]) -> None:
    for skip in (False, True):
        expected = BYTE_LEVEL._library.decode(ids, skip_special_tokens=skip)
        assert BYTE_LEVEL.decode(ids, skip_special=skip) == expected


@pytest.mark.parametrize("writes", [False, True], ids=["template silent", "template writes"])
@pytest.mark.parametrize("adds", [False, True], ids=["tokenizer silent", "tokenizer adds"])
@pytest.mark.parametrize("folder", [byte_level_folder, sentencepiece_folder], ids=["byte-level", "sentencepiece"])
def test_c023_exactly_one_start_token(folder: object, adds: bool, writes: bool, tmp_path: Path) -> None:
    """C023: all four combinations of who writes it; none if neither does. The first three ids."""
    tokenizer = Tokenizer.from_folder(folder(tmp_path, add_bos_token=adds))  # type: ignore[operator]
    assert tokenizer.adds_bos is adds
    words = tokenizer.encode("hello", add_special=False)
    ids = tokenizer.encode_prompt(tokenizer.bos_token * writes + "hello")
    assert ids == [1] * (adds or writes) + words
    assert ids[:3].count(1) == (adds or writes)


def test_c023_raw_text_never_gets_two_start_tokens() -> None:
    """C023: the person has typed it already."""
    tokenizer = of(like_sentencepiece(), adds=True)
    assert tokenizer.encode("<s>hello", add_special=True).count(1) == 1
    assert tokenizer.encode("<s>hello", add_special=False).count(1) == 1
    assert tokenizer.encode("hello", add_special=True)[0] == 1
    assert tokenizer.encode("", add_special=True) == [1]
    assert of(like_sentencepiece(), bos=None, adds=True).encode("", add_special=True) == []


@pytest.mark.parametrize("id", [-1, 281, 100_000])
def test_c019_an_id_without_a_token_is_refused(id: int) -> None:
    """C019: raw ids out of range are an error of the request, never of the engine."""
    for method in (lambda: BYTE_LEVEL.decode([10, id]), lambda: BYTE_LEVEL.token_bytes(id)):
        with pytest.raises(InvalidRequest, match=str(id)):
            method()
    assert BYTE_LEVEL.token(id) is None and BYTE_LEVEL.decode([73]) == "A"


def test_c019_added_ids_above_the_vocabulary(tmp_path: Path) -> None:
    """C019: four tokens added above a base vocabulary."""
    base = byte_level().get_vocab_size()
    library = byte_level()
    library.add_tokens([AddedToken(f"<x{n}>", normalized=False) for n in range(4)])
    tokenizer = Tokenizer.from_folder(save(tmp_path, library))
    assert tokenizer.vocab == base + 4
    assert tokenizer.encode("a<x3>", add_special=False) == [105, base + 3]
    assert tokenizer.decode([base, base + 3]) == "<x0><x3>"


def test_c040_lone_bytes_are_text_and_their_bytes_are_known() -> None:
    """C040: 0xFF and 0xC3 as tokens of their own."""
    for byte in (0xFF, 0xC3):
        for tokenizer, id in ((BYTE_LEVEL, 8 + byte), (SENTENCEPIECE, 3 + byte)):
            assert tokenizer.token_bytes(id) == bytes([byte])
            assert tokenizer.decode([id]) == "\ufffd"


def test_c038_nothing_is_cleaned_up(tmp_path: Path) -> None:
    """C038: with the clean-up flag on and off; indentation of seven blanks and tabs is exact."""
    for clean in (True, False):
        tokenizer = Tokenizer.from_folder(sentencepiece_folder(tmp_path, clean_up_tokenization_spaces=clean))
        for text in ("a , b .", "       x\n\t\ty", " leading"):
            assert tokenizer.decode(tokenizer.encode(text, add_special=False)) == text


def test_added_text_outside_ascii_comes_back() -> None:
    library = byte_level()
    library.add_tokens([AddedToken("é!", normalized=False)])
    tokenizer = of(library)
    assert tokenizer.decode(tokenizer.encode("xé!y", add_special=False)) == "xé!y"


def test_half_a_character_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="surrogate"):
        BYTE_LEVEL.encode("a\ud83d", add_special=False)


def test_facts_about_special_tokens() -> None:
    assert (BYTE_LEVEL.bos_token, BYTE_LEVEL.eos_token, BYTE_LEVEL.vocab) == ("<|start|>", "<|im_end|>", 281)
    assert BYTE_LEVEL.special_ids == frozenset(range(8))
    assert BYTE_LEVEL.decode([3, 73, 2], skip_special=True) == "A"
    more = BYTE_LEVEL.with_stops([5])
    assert more.stop_ids == {2, 5} and BYTE_LEVEL.stop_ids == {2}
    nameless = of(byte_level(), None, None)
    assert (nameless.bos_id, nameless.bos_token, nameless.eos_id, nameless.eos_token) == (None, "", None, "")


def test_what_begins_a_text() -> None:
    assert SENTENCEPIECE.begins_text([]) and SENTENCEPIECE.begins_text([1, 1])
    assert not SENTENCEPIECE.begins_text([1, 260])
