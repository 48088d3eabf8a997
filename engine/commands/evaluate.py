"""`tonnelle evaluate`: perplexity of a model, and how far it is from a reference."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from engine import settings
from engine.commands.options import wishes
from engine.errors import CorruptFile, InvalidRequest
from engine.generate.session import finish, load_model
from engine.model.model import Model
from engine.plan.plan import Wishes
from engine.quant.measure import Quality, measure
from engine.text.sources import load_text

ROWS, LENGTH = 8, 2048  # of the default text, where the model's context allows


def run(options: argparse.Namespace) -> int:
    wanted = wishes(options)
    model, context = _load(options.model, wanted)
    reference = _load(options.reference, wanted)[0] if options.reference else None
    rows = _read_ids(Path(options.ids)) if options.ids else _manual(Path(options.model), min(LENGTH, context))
    for number, quality in enumerate(measure(model, rows, reference), start=1):
        if sys.stderr.isatty():
            print(f"\r\033[Krow {number} of {len(rows)}: {quality.perplexity:.4f}", end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    print(json.dumps(dataclasses.asdict(quality)) if options.json else _in_words(quality))
    return 0


def _load(path: str, wanted: Wishes) -> tuple[Model, int]:
    model, plan = finish(load_model(Path(path), wanted, settings.read()))
    return model, plan.context


def _read_ids(path: Path) -> Tensor:
    """int64 [rows, length] from the tensor `input_ids`."""
    if not path.is_file():
        raise InvalidRequest("--ids", f"there is no file {path}")
    try:
        with safe_open(path, framework="pt") as file:
            if "input_ids" not in file.keys():  # noqa: SIM118  (it is no mapping)
                raise InvalidRequest("--ids", f"{path} holds no tensor input_ids")
            ids: Tensor = file.get_tensor("input_ids")
    except SafetensorError as error:
        raise CorruptFile(path, str(error)) from error
    if ids.dim() != 2:
        raise InvalidRequest("--ids", f"input_ids must be [rows, length], it has shape {list(ids.shape)}")
    return ids.long()


def _manual(model: Path, length: int) -> Tensor:
    """The topics of Python's own manual, in the order of their names: a text that every installation has.

    It differs a little between versions of Python; figures that are to be compared across machines need --ids.
    """
    from pydoc_data.topics import topics

    tokenizer = load_text(model).tokenizer
    ids = tokenizer.encode("\n".join(topics[name] for name in sorted(topics)), add_special=False)
    count = min(ROWS, len(ids) // length)
    return torch.tensor(ids[: count * length]).view(count, length)


def _in_words(quality: Quality) -> str:
    lines = [f"Perplexity {quality.perplexity:.4f} over {quality.tokens} tokens."]
    if quality.kl is not None and quality.agreement is not None:
        lines.append(f"KL from the reference {quality.kl:.5f}, the same first choice in {quality.agreement:.1%}.")
    return "\n".join(lines)
