"""Backend: a library tokenizer with what the model's files say about its special tokens."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import tokenizers


@dataclass(frozen=True, slots=True)
class Backend:
    """What `Tokenizer` is made of; built by `folder` and by `gguf`.

    source: the file or folder, for errors. bos, eos: ids, None where the model has none.
    adds_bos: an encoded text begins with the start token. stops: every end token that the files name.
    """

    library: tokenizers.Tokenizer
    source: Path
    bos: int | None
    eos: int | None
    adds_bos: bool
    stops: frozenset[int]


def library_ids(library: tokenizers.Tokenizer, text: str, *, special: bool) -> list[int]:
    """Ids of a text. special: with what the library's post-processor adds.

    As a batch of one: `encode` holds the interpreter's lock for the whole call, which stops every other thread.
    """
    (encoding,) = library.encode_batch_fast([text], add_special_tokens=special)
    return list(encoding.ids)
