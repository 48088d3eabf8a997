"""`tonnelle doctor`: what the machine has and what is missing."""

from __future__ import annotations

import argparse
import json

from engine.doctor import as_json, render, report
from engine.layers.processor import native_isa, native_status


def run(options: argparse.Namespace) -> int:
    facts = report(native_status(), compiled=native_isa() is not None)
    print(json.dumps(as_json(facts), ensure_ascii=False, indent=2) if options.json else render(facts))
    return 0
