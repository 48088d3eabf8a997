"""Runner: carries out commands, shows how far they are, keeps all they say in a log."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """output: the last lines, as text."""

    code: int
    output: str

    @property
    def ok(self) -> bool:
        return self.code == 0


class Runner:
    """Prints one line a step with the seconds it took; on a terminal the line tells meanwhile what happens."""

    def __init__(self, log: Path) -> None:
        self.log = log
        self.last = ""  # output of the latest command that failed
        self._live = sys.stdout.isatty()
        self._title = ""
        self._start = 0.0

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        """A step's line; said at its start, and at its end with the time."""
        self._title, self._start = title, time.monotonic()
        print(f"… {title}", end="" if self._live else "\n", flush=True)
        try:
            yield
        except BaseException:
            print(f"\r\033[K✗ {title}" if self._live else f"✗ {title}", flush=True)
            raise
        seconds = time.monotonic() - self._start
        print(f"\r\033[K✓ {title} ({seconds:.0f} s)" if self._live else f"✓ {title} ({seconds:.0f} s)", flush=True)

    def run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Result:
        """One command to its end, without input. A program that is not there has exit code 127."""
        lines: list[str] = []
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("a", encoding="utf-8") as log:
            log.write(f"\n$ {' '.join(command)}\n")
            try:
                process = self._start_process(command, environment)
            except OSError as error:
                log.write(f"{error}\n")
                self.last = str(error)
                return Result(127, self.last)
            with process:
                assert process.stdout is not None
                for line in process.stdout:
                    log.write(line)
                    log.flush()
                    lines = [*lines[-19:], line.rstrip()]
                    self._show(line.strip())
        result = Result(process.returncode, "\n".join(lines))
        if not result.ok:
            self.last = result.output
        return result

    def tell(self, sentence: str) -> None:
        """A notice, on a line of its own."""
        print(f"\r\033[K  {sentence}" if self._live else f"  {sentence}", flush=True)

    def _start_process(self, command: Sequence[str], environment: Mapping[str, str] | None) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **(environment or {})},
        )

    def _show(self, line: str) -> None:
        if self._live and line:
            seconds = time.monotonic() - self._start
            print(f"\r\033[K… {self._title} ({seconds:.0f} s) {line[:60]}", end="", flush=True)
