"""Tokenizer: text to token ids and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.errors import InvalidRequest
from engine.text.backend import Backend, library_ids
from engine.text.folder import read_folder
from engine.text.gguf import build
from engine.text.pieces import pieces_of


class Tokenizer:
    """A model's tokenizer. Immutable; may be used by several threads.

    vocab: number of ids, the largest plus one: ids may have gaps. bos_id, eos_id: start and end token, None where
    the model has none; bos_token, eos_token: their texts, empty then. stop_ids: every end token that the
    tokenizer's files name. special_ids: control tokens, which are not part of an answer's text.
    adds_bos: an encoded text begins with the start token. drops_space: a blank at the beginning of a text is an
    artefact of the tokenizer's and is not part of it.
    """

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._library = backend.library
        self._added = self._library.get_added_tokens_decoder()
        self._pieces = pieces_of(self._library, backend.source)
        self.vocab = max(self._library.get_vocab(with_added_tokens=True).values(), default=-1) + 1
        self.special_ids = frozenset(id for id, token in self._added.items() if token.special)
        self.bos_id, self.eos_id = backend.bos, backend.eos
        self.bos_token, self.eos_token = self._text_of(backend.bos), self._text_of(backend.eos)
        self.stop_ids = backend.stops
        self.adds_bos = backend.adds_bos
        self.drops_space = self._pieces.drops_space

    @classmethod
    def from_folder(cls, path: Path) -> Tokenizer:
        """From a Hugging Face folder. Raises TokenizerError or CorruptFile."""
        return cls(read_folder(path))

    @classmethod
    def from_gguf(cls, metadata: Mapping[str, object], path: Path) -> Tokenizer:
        """From the metadata of the GGUF file at `path`. Raises TokenizerError."""
        return cls(build(metadata, path))

    def with_stops(self, ids: Iterable[int]) -> Tokenizer:
        """The same with more end tokens."""
        return Tokenizer(replace(self._backend, stops=self.stop_ids.union(ids)))

    def encode(self, text: str, *, add_special: bool) -> list[int]:
        """Ids of a text; special tokens that it spells out become those tokens.

        add_special: put the start token before it, if the model wants one and the text does not begin with it:
        never two. No end token is ever added; a text that is to be continued would end there.
        Raises InvalidRequest for text that is not Unicode (half of a surrogate pair).
        """
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InvalidRequest("text", f"character {error.start} is half of a pair (a lone surrogate)") from error
        ids = library_ids(self._library, text, special=False)
        if add_special and self.adds_bos and self.bos_id is not None and ids[:1] != [self.bos_id]:
            return [self.bos_id, *ids]
        return ids

    def encode_prompt(self, text: str) -> list[int]:
        """Ids of what a chat template has rendered.

        One start token if the template writes it, or the tokenizer adds it, or both; none if neither does.
        """
        return self.encode(text, add_special=True)

    def decode(self, ids: Iterable[int], *, skip_special: bool = False) -> str:
        """Text of ids. Bytes that are not UTF-8 become U+FFFD. Nothing is cleaned up: "a , b" keeps its blank.

        Raises InvalidRequest for an id without a token.
        """
        kept = [self.token_bytes(id) for id in ids if not (skip_special and id in self.special_ids)]
        data = b"".join(kept)
        return (data[1:] if self.drops_space and data[:1] == b" " else data).decode(errors="replace")

    def token(self, id: int) -> str | None:
        """A token as the vocabulary writes it; None for an id without one."""
        if id < 0 or id >= self.vocab:
            return None
        added = self._added.get(id)
        return added.content if added else self._library.id_to_token(id)

    def token_bytes(self, id: int) -> bytes:
        """The bytes a token adds to a text; they need not be whole characters. Raises InvalidRequest."""
        token = self.token(id)
        if token is None:
            raise InvalidRequest("tokens", f"there is no token with the id {id} among the tokenizer's {self.vocab}")
        return self._pieces.bytes_of(token, added=id in self._added)

    def begins_text(self, prompt: Sequence[int]) -> bool:
        """Nothing of a text stands before what follows this prompt: it holds special tokens only."""
        return all(id in self.special_ids or not self.token(id) for id in prompt)

    def _text_of(self, id: int | None) -> str:
        return "" if id is None else self.token(id) or ""
