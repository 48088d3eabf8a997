"""Options that several commands share."""

from __future__ import annotations

import argparse
from pathlib import Path

from engine.errors import NotAModel
from engine.plan.plan import Wishes
from engine.spec.starter import find_starter


def wishes(options: argparse.Namespace) -> Wishes:
    return Wishes(context=options.context, device=options.device, dtype=options.dtype, threads=options.threads)


def model_path(given: str | None) -> str:
    """The model that was named, or the starter. Raises NotAModel if that is not installed."""
    if given:
        return given
    starter = find_starter()
    if starter is None:
        raise NotAModel(Path("starter model"), "it is not installed; name a model with --model")
    return str(starter)
