"""FakeRunner: records commands and answers them by a script."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from installers.steps.runner import Result, Runner

Answer = Callable[[Sequence[str]], Result | None]


class FakeRunner(Runner):
    """answer: the Result of a command; None: it succeeds and says nothing."""

    def __init__(self, folder: Path, answer: Answer = lambda command: None) -> None:
        super().__init__(folder / "setup.log")
        self.answer = answer
        self.commands: list[str] = []
        self.environments: list[Mapping[str, str]] = []
        self.steps: list[str] = []
        self.told: list[str] = []

    @contextlib.contextmanager
    def step(self, title: str) -> Iterator[None]:
        self.steps.append(title)
        yield

    def run(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> Result:
        self.commands.append(" ".join(command))
        self.environments.append(environment or {})
        result = self.answer(command) or Result(0, "")
        if not result.ok:
            self.last = result.output
        return result

    def tell(self, sentence: str) -> None:
        self.told.append(sentence)


def install_torch(site_packages: Path, version: str, cuda: str | None) -> None:
    """What pip leaves behind."""
    (site_packages / f"torch-{version}.dist-info").mkdir(parents=True)
    (site_packages / f"torch-{version}.dist-info/RECORD").touch()
    (site_packages / "torch").mkdir()
    (site_packages / "torch/version.py").write_text(f"cuda: Optional[str] = {cuda!r}\n")
