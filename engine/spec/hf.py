"""A Hugging Face folder's description: config.json, generation_config.json."""

from __future__ import annotations

from pathlib import Path

from engine.errors import AdapterOnly, NotAModel, UnknownArchitecture
from engine.spec.config import Config
from engine.spec.declare import Declaration
from engine.spec.model import ModelSpec
from engine.spec.registry import architectures, find, find_by_type


def read_folder(folder: Path) -> tuple[ModelSpec, Declaration]:
    """Raises NotAModel, AdapterOnly, CorruptFile, ConfigError or UnknownArchitecture."""
    if not folder.is_dir():
        raise NotAModel(folder, "there is no such folder or file")
    file = folder / "config.json"
    if not file.is_file():
        if (folder / "adapter_config.json").is_file():
            adapter = Config.read(folder / "adapter_config.json")
            raise AdapterOnly(folder, adapter.text("base_model_name_or_path", ""))
        raise NotAModel(folder, "it has no config.json")
    outer = Config.read(file)
    quantized = outer.within("quantization_config")
    if quantized:
        method = quantized.text("quant_method", "an unnamed method")
        raise NotAModel(folder, f"its weights are quantized by {method}, which this version cannot run")
    declaration = _declaration(outer)
    inner = outer.within("text_config")
    # Of a nested text section and copies at the top level, the section is the one that its authors keep up to date.
    config = Config({**outer.values, **inner.values}, file, inner.section) if inner else outer
    beside = folder / "generation_config.json"
    stop_ids = Config.read(beside).ids("eos_token_id") if beside.is_file() else frozenset()
    return declaration.read(config, stop_ids), declaration


def _declaration(config: Config) -> Declaration:
    """By the architecture that is named; where none or several are, by the model's type."""
    named = config.values.get("architectures")
    names = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    if len(names) == 1:
        return find(names[0])
    model_type = config.text("model_type", "")
    declaration = find_by_type(model_type)
    if declaration is None:
        raise UnknownArchitecture(model_type or ", ".join(names) or "(none named)", architectures())
    return declaration
