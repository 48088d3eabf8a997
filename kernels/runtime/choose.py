"""Choosing an implementation: the first of an ordered list that does not refuse, and why the others did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Implementation(Generic[P, R]):
    """One way to compute an op. refuses: why it cannot take these arguments, or "" if it can."""

    name: str
    refuses: Callable[P, str]
    run: Callable[P, R]


@dataclass(frozen=True, slots=True)
class Choice:
    """What would run, and what each better implementation had against the arguments."""

    taken: str
    refused: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        return "; ".join([f"{self.taken} is taken", *(f"{name} is not, as {reason}" for name, reason in self.refused)])


def choose(implementations: Sequence[Implementation[P, R]], *args: P.args, **kwargs: P.kwargs) -> Implementation[P, R]:
    """The first that takes the arguments; the last of the list, the definition, takes whatever passed the checks."""
    for implementation in implementations:
        if not implementation.refuses(*args, **kwargs):
            return implementation
    raise AssertionError("the last implementation of an op must take everything")


def explain(implementations: Sequence[Implementation[P, R]], *args: P.args, **kwargs: P.kwargs) -> Choice:
    """What `choose` takes for the same arguments, with the reasons."""
    taken = choose(implementations, *args, **kwargs)
    better = implementations[: list(implementations).index(taken)]
    return Choice(taken.name, tuple((one.name, one.refuses(*args, **kwargs)) for one in better))


def never(*_args: object, **_kwargs: object) -> str:
    """Refuses nothing: for definitions."""
    return ""
