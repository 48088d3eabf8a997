"""Setup: fills an environment step by step. Each step looks at what is there, so that an interrupted one goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from installers.steps import flavour as flavours
from installers.steps import stamp, system
from installers.steps.environment import Environment
from installers.steps.facts import Facts
from installers.steps.flavour import Flavour
from installers.steps.problem import DoesNotLoad, SetupProblem, remedy


@dataclass(frozen=True)
class Setup:
    """gather: reads the facts, again after packages were installed. tests: with what they need.
    forgiving: go on without our native kernels if they do not build."""

    environment: Environment
    gather: Callable[[], Facts]
    flavour: Flavour
    tests: bool
    forgiving: bool

    def carry_out(self, free: int) -> None:
        """Everything, in order. free: bytes of disk. Raises SetupProblem."""
        environment, runner = self.environment, self.environment.runner
        self._check_folder(free)
        runner.log.unlink(missing_ok=True)
        runner.tell(f"Setting up {environment.folder}. This is done once; if it is interrupted, run it again.")
        facts = system.prepare(self.gather, runner)
        stamp.remove(environment.folder)
        with runner.step("Python environment"):
            kept = environment.make(facts.python)
        try:
            self._fill(facts)
        except DoesNotLoad:
            if not kept:
                raise
            runner.tell("What was there is damaged, perhaps since it was broken off; all of it is made anew.")
            with runner.step("Python environment"):
                environment.clear()
            self._fill(facts)

    def _fill(self, facts: Facts) -> None:
        """torch, ourselves, the starter model. DoesNotLoad if it does not load in the end."""
        environment, runner = self.environment, self.environment.runner
        with runner.step(f"torch {flavours.TORCH} ({self.flavour.name})"):
            found = environment.install_torch(self.flavour)
        extras = (("test",) if self.tests else ()) + (("cuda",) if found.cuda else ())
        with runner.step("Tonnelle and its libraries"):
            self._install_ourselves(extras, native=_can_build(facts))
        with runner.step("starter model"):
            environment.install_starter()
        with runner.step("first look"):
            environment.check()

    def _install_ourselves(self, extras: tuple[str, ...], *, native: bool) -> None:
        environment, runner = self.environment, self.environment.runner
        result = environment.install_ourselves(extras, native=native)
        if not result.ok and native and self.forgiving:
            runner.tell("Our kernels for the processor did not build; it goes on without them, more slowly.")
            result = environment.install_ourselves(extras, native=False)
        if not result.ok:
            raise SetupProblem("Tonnelle could not be installed.", remedy(result.output), result.output)

    def _check_folder(self, free: int) -> None:
        folder = self.environment.folder
        try:
            folder.mkdir(exist_ok=True)
            (folder / "writable").touch()
            (folder / "writable").unlink()
        except OSError as error:
            words = "Copy the project into a folder that you can write to, or make this one yours, and run this again."
            raise SetupProblem(f"{folder} cannot be written to ({error.strerror}).", words) from None
        if free < self.flavour.disk * 10**9 and flavours.installed(self.environment.site_packages) is None:
            sentence = f"The disk has {free / 1e9:.1f} GB free; about {self.flavour.disk} GB are needed."
            raise SetupProblem(sentence, "Free some space first.")


def _can_build(facts: Facts) -> bool:
    """Whether C++ can be compiled against this Python; on Windows its headers come with it."""
    return "compiler" in facts.present and ("headers" in facts.present or facts.platform == "win32")
