"""`python -m app.bench`: the delay of the window's event loop while an answer streams."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from PySide6.QtWidgets import QApplication

from app.bench.event_loop import EventLoopBench
from app.bridge.process import ENGINE_COMMAND
from app.paths import paths
from app.settings.environment import has_display
from app.start import start


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m app.bench", description=__doc__)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--model", type=Path, help="a model folder or .gguf file (default: the starter model)")
    parser.add_argument("--rate", type=float, help="no model: a fixed text at so many tokens a second, e.g. 200")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    app = QApplication(["bench", *([] if has_display() else ["-platform", "offscreen"])])
    playback = (sys.executable, "-m", "app.bridge.playback", str(options.rate))
    with tempfile.TemporaryDirectory() as folder:
        started = start(paths(Path(folder)), options.model, playback if options.rate else ENGINE_COMMAND)
        bench = EventLoopBench(started, options.seconds)
        app.exec()
        started.close()
    facts = asdict(bench.result())
    if bench.problem:
        sys.stderr.write(f"{bench.problem}\n")
        return 1
    line = json.dumps(facts) if options.json else "  ".join(f"{name} {value}" for name, value in facts.items())
    sys.stdout.write(f"{line}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
