from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import app

ROOT = Path(app.__file__).parents[1]


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot send itself these")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_loop_in_order(name: str) -> None:
    script = f"""
import os, signal
from PySide6.QtCore import QCoreApplication, QTimer
from app.quit_signals import QuitSignals

app = QCoreApplication([])
signals = QuitSignals()
QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.{name}))
print("ended", app.exec())
signals.remove()
print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.stdout == "ended 0\nTrue\n", done.stderr
