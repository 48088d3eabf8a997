"""Where a model's tokenizer and chat template are found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.errors import BrokenTemplate, CorruptFile, NotAModel
from engine.spec.gguf_file import open_gguf
from engine.text.files import read_object
from engine.text.gguf import PREFIX
from engine.text.template import ChatTemplate
from engine.text.tokenizer import Tokenizer


@dataclass(frozen=True, slots=True)
class Text:
    """What stands between words and ids. template: None for a model that has none."""

    tokenizer: Tokenizer
    template: ChatTemplate | None


@dataclass(frozen=True, slots=True)
class Source:
    """A template's text, and where it was found."""

    text: str
    name: str


def load_text(path: Path) -> Text:
    """For a Hugging Face folder or a .gguf file.

    The template's end of turn joins the tokenizer's `stop_ids`: some models name only another end token.
    Raises TokenizerError, BrokenTemplate, CorruptFile or NotAModel.
    """
    if path.is_dir():
        return _text(Tokenizer.from_folder(path), folder_template(path))
    if path.suffix.lower() != ".gguf":
        raise NotAModel(path, "it is neither a folder nor a .gguf file")
    metadata = open_gguf(path, lists=PREFIX).metadata
    return _text(Tokenizer.from_gguf(metadata, path), gguf_template(metadata, path))


def folder_template(path: Path) -> Source | None:
    """The first of chat_template.jinja, chat_template.json, tokenizer_config.json that has one, or None."""
    file = path / "chat_template.jinja"
    if file.is_file():
        try:
            return _source(file.read_text(encoding="utf-8"), str(file))
        except UnicodeDecodeError as error:
            raise CorruptFile(file, f"it is not text ({error})") from error
    for name in ("chat_template.json", "tokenizer_config.json"):
        source = _source(read_object(path / name).get("chat_template"), str(path / name))
        if source:
            return source
    return None


def gguf_template(metadata: Mapping[str, object], path: Path) -> Source | None:
    return _source(metadata.get("tokenizer.chat_template"), str(path))


def _source(value: object, name: str) -> Source | None:
    """A template is written as its text, or as a list of named ones: then "default", or the only one."""
    if isinstance(value, list):
        named = {item.get("name"): item.get("template") for item in value if isinstance(item, dict)}
        if len(named) > 1 and "default" not in named:
            raise BrokenTemplate(f"of its templates {', '.join(map(str, named))} none is the default", 0, name)
        value = named.get("default") or next(iter(named.values()), None)
    return Source(value, name) if isinstance(value, str) and value else None


def _text(tokenizer: Tokenizer, source: Source | None) -> Text:
    if source is None:
        return Text(tokenizer, None)
    bos, eos = tokenizer.bos_token, tokenizer.eos_token
    template = ChatTemplate(source.text, name=source.name, bos_token=bos, eos_token=eos)
    end = tokenizer.encode(template.ending().lstrip(), add_special=False)[:1]
    return Text(tokenizer.with_stops(id for id in end if id in tokenizer.special_ids), template)
