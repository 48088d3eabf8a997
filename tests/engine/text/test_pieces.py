"""Bytes of tokens, for each kind of decoder."""

from __future__ import annotations

from pathlib import Path

import pytest
import tokenizers
from tokenizers import decoders, models

from engine.errors import TokenizerError
from engine.text.pieces import BYTE_OF, Pieces, pieces_of

LLAMA = [decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()]


def read(decoder: decoders.Decoder | None) -> Pieces:
    library = tokenizers.Tokenizer(models.BPE())
    if decoder:
        library.decoder = decoder
    return pieces_of(library, Path("model"))


def test_the_decoders_of_todays_models_are_known() -> None:
    assert read(decoders.ByteLevel()) == Pieces(byte_level=True)
    assert read(decoders.Sequence([decoders.ByteLevel()])) == Pieces(byte_level=True)
    assert read(decoders.Sequence(LLAMA)) == Pieces(byte_level=False, byte_fallback=True)
    stripped = decoders.Sequence([*LLAMA, decoders.Strip(" ", 1, 0)])
    assert read(stripped) == Pieces(byte_level=False, byte_fallback=True, drops_space=True)
    assert read(decoders.Metaspace()) == Pieces(byte_level=False, drops_space=True)
    assert read(decoders.Metaspace(prepend_scheme="never")) == Pieces(byte_level=False)


@pytest.mark.parametrize("decoder", [None, decoders.WordPiece(), decoders.BPEDecoder(), decoders.CTC()])
def test_another_kind_is_refused_by_name(decoder: decoders.Decoder | None) -> None:
    with pytest.raises(TokenizerError, match=type(decoder).__name__ if decoder else "none"):
        read(decoder)


def test_the_256_characters_of_byte_level_are_those_of_the_library() -> None:
    decoder = decoders.ByteLevel()
    assert sorted(BYTE_OF.values()) == list(range(256))
    for text in ("A !\n\u00ad", "é→🌳"):
        written = "".join({byte: character for character, byte in BYTE_OF.items()}[byte] for byte in text.encode())
        assert decoder.decode([written]) == text


def test_bytes_of_tokens() -> None:
    byte_level = Pieces(byte_level=True)
    assert byte_level.bytes_of("\u0120a\u010a", added=False) == b" a\n"
    assert byte_level.bytes_of("é", added=True) == "é".encode()
    assert byte_level.bytes_of("é", added=False) == b"\xe9"
    assert byte_level.bytes_of("<｜end▁x｜>", added=False) == "<｜end▁x｜>".encode()
    llama = Pieces(byte_level=False, byte_fallback=True)
    assert llama.bytes_of("\u2581a\u2581", added=False) == b" a "
    assert llama.bytes_of("<0xF0>", added=False) == b"\xf0"
    assert Pieces(byte_level=False).bytes_of("<0xF0>", added=False) == b"<0xF0>"
