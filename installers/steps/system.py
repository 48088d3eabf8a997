"""The system's packages: installed if we are root; else, or where that fails, the person is told what to type."""

from __future__ import annotations

from collections.abc import Callable

from installers.steps import needs
from installers.steps.facts import Facts
from installers.steps.needs import Need
from installers.steps.problem import SetupProblem
from installers.steps.runner import Runner

OLDEST_LIBC = (2, 34)  # of Qt's wheels
UNATTENDED = {"DEBIAN_FRONTEND": "noninteractive"}


def prepare(gather: Callable[[], Facts], runner: Runner) -> Facts:
    """The facts once the system has what can be had. SetupProblem if something essential is lacking."""
    facts = gather()
    if (0, 0) < facts.libc < OLDEST_LIBC:
        version = ".".join(map(str, facts.libc))
        newer = "Use Debian 12, Ubuntu 22.04 or something newer."
        raise SetupProblem(f"This system's C library ({version}) is too old for Qt.", newer)
    if facts.root and packages(facts):
        with runner.step(f"system packages: {' '.join(packages(facts))}"):
            _install(packages(facts), facts.family, runner)
            facts = gather()
    tell_missing(facts, runner)
    return facts


def packages(facts: Facts) -> tuple[str, ...]:
    """What is to be installed."""
    return needs.packages(_lacking(facts), facts.family, facts.python, system_python=facts.system_python)


def tell_missing(facts: Facts, runner: Runner) -> None:
    lacking = _lacking(facts)
    if not lacking:
        return
    command = needs.by_hand(packages(facts), facts.family)
    how = f"Type this, then run this again:\n    {command}" if command else "Install it from the system's packages."
    purposes = dict.fromkeys(need.why for need in lacking)
    keys = {why: ", ".join(need.key for need in lacking if need.why == why) for why in purposes}
    what = "; ".join(f"for {why}: {names}" for why, names in keys.items())
    if any(need.essential for need in lacking):
        raise SetupProblem(f"The system lacks, {what}.", how, runner.last)
    runner.tell(f"The system lacks, {what}. Going on without. {how}")


def _install(names: tuple[str, ...], family: str, runner: Runner) -> None:
    """All at once; if that fails, one by one, so that a name this release does not know spoils only itself."""
    results = [runner.run(command, UNATTENDED) for command in needs.install_commands(names, family)]
    if results and not results[-1].ok and len(names) > 1:
        for name in names:
            runner.run(needs.install_commands([name], family)[-1], UNATTENDED)


def _lacking(facts: Facts) -> tuple[Need, ...]:
    return needs.missing(facts.platform, facts.present)
