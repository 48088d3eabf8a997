"""A Hugging Face folder's description: config.json, generation_config.json.

Rules:
- The architecture is the one that is named; where none or several are, the model's type decides.
- A model of several kinds of input is run as its text part, if that is one we know; its values are those of the text
  section alone, however stale or complete the copies around it are.
- End tokens are those of all files together.
"""

from __future__ import annotations

from pathlib import Path

from engine.errors import AdapterOnly, NotAModel, UnknownArchitecture
from engine.spec.config import Config
from engine.spec.declare import Declaration
from engine.spec.exl3_config import METHOD
from engine.spec.model import ModelSpec
from engine.spec.registry import architectures, find, find_by_type

# Of the whole model: its text section may leave them out.
OUTER = ("tie_word_embeddings", "dtype", "torch_dtype", "bos_token_id")
# Beside config.json, by tools that did not write into it.
QUANTIZED = {"quantize_config.json": "gptq", "quant_config.json": "awq"}


def read_folder(folder: Path) -> tuple[ModelSpec, Declaration]:
    """Raises NotAModel, AdapterOnly, CorruptFile, ConfigError or UnknownArchitecture."""
    outer = _open(folder)
    inner = outer.within("text_config")
    _refuse_quantized(folder, outer, inner)
    config = outer
    if inner:
        config = Config({**_shared(outer), **inner.values}, inner.file, inner.section)
    declaration = _declaration(outer, inner)
    stop_ids = outer.ids("eos_token_id") | config.ids("eos_token_id")
    beside = folder / "generation_config.json"
    if beside.is_file():
        stop_ids |= Config.read(beside).ids("eos_token_id")
    return declaration.read(config, stop_ids), declaration


def _open(folder: Path) -> Config:
    if not folder.is_dir():
        raise NotAModel(folder, "there is no such folder or file")
    file = folder / "config.json"
    if file.is_file():
        return Config.read(file)
    if (folder / "adapter_config.json").is_file():
        adapter = Config.read(folder / "adapter_config.json")
        raise AdapterOnly(folder, adapter.text("base_model_name_or_path", ""))
    inside = sorted(path.name for path in folder.glob("*.gguf"))
    raise NotAModel(
        folder, f"it has no config.json{f', but {inside[0]}, which can be chosen itself' if inside else ''}"
    )


def _shared(outer: Config) -> dict[str, object]:
    return {key: outer.values[key] for key in OUTER if key in outer}


def _refuse_quantized(folder: Path, outer: Config, inner: Config | None) -> None:
    for config in filter(None, (outer, inner)):
        for key in ("quantization_config", "compression_config"):
            section = config.within(key)
            method = section.text("quant_method", "an unnamed method") if section and section.values else METHOD
            if method != METHOD:
                raise _quantized(folder, method)
    for name, method in QUANTIZED.items():
        if (folder / name).is_file():
            raise _quantized(folder, method)


def _quantized(folder: Path, method: str) -> NotAModel:
    return NotAModel(folder, f"its weights are quantized by {method}, which this version cannot run")


def _declaration(outer: Config, inner: Config | None) -> Declaration:
    """That of the whole; failing that, of its text section."""
    try:
        return _named(outer)
    except UnknownArchitecture:
        text = find_by_type(inner.text("model_type", "")) if inner else None
        if text is None:
            raise
        return text


def _named(config: Config) -> Declaration:
    named = config.values.get("architectures")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    if len(names) == 1:
        return find(names[0])
    model_type = config.text("model_type", "")
    declaration = find_by_type(model_type)
    if declaration is None:
        raise UnknownArchitecture(model_type or ", ".join(names) or "(none named)", architectures())
    return declaration
