"""The tokenizer of a Hugging Face folder.

tokenizer.json is the truth. The files beside it name the special tokens (tokenizer_config.json,
special_tokens_map.json) and add tokens that it lacks (added_tokens.json, added_tokens_decoder).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import tokenizers
from tokenizers import AddedToken

from engine.errors import TokenizerError
from engine.text.backend import Backend, library_ids
from engine.text.files import read_object

_CONVERT = (
    "Make it once with transformers: AutoTokenizer.from_pretrained(folder).save_pretrained(folder); "
    "it needs the packages sentencepiece and protobuf."
)
_NAMED = ("bos_token", "eos_token", "unk_token", "pad_token", "sep_token", "cls_token", "mask_token")
_LISTS = ("additional_special_tokens", "extra_special_tokens")


def read_folder(path: Path) -> Backend:
    """Raises TokenizerError or CorruptFile."""
    library = _open(path)
    config = read_object(path / "tokenizer_config.json")
    named = read_object(path / "special_tokens_map.json")
    special = {text for source in (config, named) for text in _named_tokens(source)}
    _complete(library, _side_tokens(path, config), special, path)
    bos = _id(library, config, "bos_token", named)
    eos = [library.token_to_id(_text(source.get("eos_token"))) for source in (config, named)]
    stops = frozenset(id for id in eos if id is not None)
    eos_id = next((id for id in eos if id is not None), None)
    return Backend(library, path, bos, eos_id, _adds_bos(library, config, bos), stops)


def _open(path: Path) -> tokenizers.Tokenizer:
    file = path / "tokenizer.json"
    if not file.is_file():
        if (path / "tokenizer.model").is_file():
            raise TokenizerError(path, "tokenizer.json is missing; tokenizer.model alone is not enough", _CONVERT)
        raise TokenizerError(path, "tokenizer.json is missing")
    try:
        library = tokenizers.Tokenizer.from_file(str(file))
    except Exception as error:  # the library raises nothing more exact
        cure = "Download this file again."
        raise TokenizerError(file, f"it cannot be read as a tokenizer ({error})", cure) from error
    library.no_truncation()  # both are left in by exporters, and would cut prompts or fill them up
    library.no_padding()
    return library


def _side_tokens(path: Path, config: Mapping[str, object]) -> dict[int, AddedToken]:
    """Tokens with their ids from the files beside tokenizer.json."""
    tokens: dict[int, AddedToken] = {}
    for text, id in read_object(path / "added_tokens.json").items():
        if isinstance(id, int):
            tokens[id] = AddedToken(text, normalized=False)
    described = config.get("added_tokens_decoder")
    for key, token in described.items() if isinstance(described, dict) else ():
        if key.isdecimal() and isinstance(token, dict) and _text(token):
            flags = {
                name: bool(token.get(name)) for name in ("single_word", "lstrip", "rstrip", "normalized", "special")
            }
            tokens[int(key)] = AddedToken(_text(token), **flags)
    return tokens


def _complete(library: tokenizers.Tokenizer, side: Mapping[int, AddedToken], special: set[str], path: Path) -> None:
    """Adds the tokens that the library lacks, each at exactly its id, and marks the special ones as such."""
    marked = {token.content for token in library.get_added_tokens_decoder().values() if token.special}
    for id, token in sorted(side.items()):
        known = library.token_to_id(token.content)
        if known is None or (token.special and token.content not in marked):
            library.add_tokens([token])
        given = library.token_to_id(token.content)
        if known is None and given != id:
            reason = f"the token {token.content!r} should have the id {id}, but the next free one is {given}"
            raise TokenizerError(path, reason, "Fetch all of the tokenizer's files again from one place.")
    unmarked = [text for text in sorted(special - marked) if library.token_to_id(text) is not None]
    library.add_special_tokens([AddedToken(text, special=True, normalized=False) for text in unmarked])


def _named_tokens(source: Mapping[str, object]) -> Iterator[str]:
    yield from (_text(source.get(key)) for key in _NAMED)
    for key in _LISTS:
        values = source.get(key)
        if isinstance(values, dict):
            values = list(values.values())
        yield from (_text(value) for value in (values if isinstance(values, list) else ()))


def _text(token: object) -> str:
    """A special token is written as its text, or as an object that holds it; or not at all."""
    if isinstance(token, dict):
        token = token.get("content")
    return token if isinstance(token, str) else ""


def _id(
    library: tokenizers.Tokenizer, first: Mapping[str, object], key: str, second: Mapping[str, object]
) -> int | None:
    text = _text(first.get(key)) or _text(second.get(key))
    return library.token_to_id(text) if text else None


def _adds_bos(library: tokenizers.Tokenizer, config: Mapping[str, object], bos: int | None) -> bool:
    """As tokenizer_config.json says; where it is silent, as tokenizer.json's post-processor does."""
    if bos is None:
        return False
    stated = config.get("add_bos_token")
    if isinstance(stated, bool):
        return stated
    return library_ids(library, "a", special=True)[:1] == [bos]
