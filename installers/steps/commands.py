"""run, test and setup: from the facts to a finished environment, and on into the program."""

from __future__ import annotations

import io
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from installers.steps import facts as machine
from installers.steps import flavour as flavours
from installers.steps import stamp
from installers.steps.environment import Environment
from installers.steps.problem import SetupProblem
from installers.steps.runner import Runner
from installers.steps.setup import Setup


def main(root: Path, command: str, arguments: Sequence[str]) -> int:
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # a pipe on Windows knows few characters
    runner = Runner(root / "build/setup.log")
    try:
        environment = finished(root, runner, tests=command == "test", forgiving=command != "test")
    except SetupProblem as problem:
        explain(problem, runner.log)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. Run the same command again to go on from here.")
        return 130
    return 0 if command == "setup" else start(environment, command, arguments)


def finished(root: Path, runner: Runner, *, tests: bool, forgiving: bool) -> Environment:
    """The environment; made, mended, or, if its stamp fits, left alone. Raises SetupProblem."""
    flavour, notice = flavours.choose(machine.driver())
    environment = Environment(root, root / ".venv", sys.platform, platform.machine(), runner)
    value = stamp.fingerprint(root, sys.version, sys.base_prefix, flavour.name)
    if environment.python.exists() and stamp.is_valid(environment.folder, value, tests=tests):
        return environment
    if notice:
        runner.tell(notice)
    free = shutil.disk_usage(root).free
    setup = Setup(environment, machine.gather, flavour, tests=tests, forgiving=forgiving)
    setup.carry_out(free)
    stamp.write(environment.folder, value, tests=tests)
    return environment


def start(environment: Environment, command: str, arguments: Sequence[str]) -> int:
    """The app, from where the person stands, so that file names mean what they wrote; or the tests, offscreen."""
    python = str(environment.python)
    if command == "test":
        os.chdir(environment.root)
        os.environ["QT_QPA_PLATFORM"] = "offscreen"
        call = [python, "-m", "pytest", *arguments]
    else:
        call = [python, "-P", "-m", "app", *arguments]
    sys.stdout.flush()
    # Windows' exec returns to the prompt at once, while the program still runs.
    return subprocess.call(call) if sys.platform == "win32" else os.execv(python, call)


def explain(problem: SetupProblem, log: Path) -> None:
    print(f"\n{problem.sentence}")
    if problem.output:
        print("".join(f"    {line}\n" for line in problem.output.splitlines()[-12:]), end="")
        print(f"The whole log: {log}")
    print(problem.remedy)
