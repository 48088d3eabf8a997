"""What bytes a token stands for.

Text is defined by bytes: those of all tokens, side by side, read as UTF-8. So a stream of tokens can be read as
it comes, and gives the same as all of them at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tokenizers

from engine.errors import TokenizerError


def _byte_characters() -> dict[str, int]:
    """Byte-level BPE writes every byte as a visible character (Radford et al. 2019, GPT-2): printable Latin-1 as
    itself, the others from U+0100 on."""
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in visible]
    return {chr(byte): byte for byte in visible} | {chr(0x100 + n): byte for n, byte in enumerate(others)}


BYTE_OF = _byte_characters()
SPACE_MARK = "\u2581"
_BYTE_TOKEN = re.compile(r"<0x([0-9A-Fa-f]{2})>")


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a tokenizer's tokens are read.

    byte_level: characters are bytes (GPT-2). Otherwise as sentencepiece writes: `space` is a blank, and with
    byte_fallback <0x41> is a byte. drops_space: a blank at the very beginning of a text is not part of it.
    """

    byte_level: bool
    space: str = SPACE_MARK
    byte_fallback: bool = False
    drops_space: bool = False

    def bytes_of(self, token: str, *, added: bool) -> bytes:
        """Bytes of a token. added: it was added to the vocabulary as literal text, such as <|im_end|>."""
        if self.byte_level:
            literal = added or any(character not in BYTE_OF for character in token)
            return token.encode() if literal else bytes(BYTE_OF[character] for character in token)
        byte = _BYTE_TOKEN.fullmatch(token) if self.byte_fallback else None
        return bytes([int(byte[1], 16)]) if byte else token.replace(self.space, " ").encode()


def pieces_of(library: tokenizers.Tokenizer, source: Path) -> Pieces:
    """Reads the decoder of a tokenizer. Raises TokenizerError for one that is neither of the two kinds."""
    steps = list(_steps(json.loads(library.decoder.__getstate__()))) if library.decoder else []
    kinds = {step["type"] for step in steps}
    if "ByteLevel" in kinds and kinds <= {"ByteLevel", "Fuse", "ByteFallback"}:
        return Pieces(byte_level=True)
    metaspace = next((step for step in steps if step["type"] == "Metaspace"), None)
    space = metaspace["replacement"] if metaspace else _replaced_by_blank(steps)
    if space is None or not kinds <= {"Metaspace", "Replace", "ByteFallback", "Fuse", "Strip"}:
        found = ", ".join(sorted(kinds)) or "none"
        raise TokenizerError(source, f"its decoder ({found}) is neither byte-level nor like sentencepiece's")
    drops = any(step["type"] == "Strip" and step["content"] == " " and step["start"] for step in steps)
    drops = drops or (metaspace is not None and metaspace.get("prepend_scheme", "always") != "never")
    return Pieces(byte_level=False, space=space, byte_fallback="ByteFallback" in kinds, drops_space=drops)


def _steps(decoder: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The decoder's parts in order; sequences may be nested."""
    if decoder["type"] == "Sequence":
        for part in decoder["decoders"]:
            yield from _steps(part)
    else:
        yield decoder


def _replaced_by_blank(steps: Iterable[Mapping[str, Any]]) -> str | None:
    for step in steps:
        if step["type"] == "Replace" and step["content"] == " ":
            pattern = step["pattern"].get("String")
            return str(pattern) if pattern else None
    return None
