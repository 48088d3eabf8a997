"""The Jinja environment in which chat templates run: they come from strangers.

Helpers and whitespace rules are those that Hugging Face's templates are written against: block trimming,
`raise_exception`, `strftime_now`, `tojson` without HTML escapes, loop controls, and the training-only
`{% generation %}` marks, which change nothing here.

Limits: nothing outside the passed values can be reached or changed (Jinja's immutable sandbox); a `range` has at most
100 000 steps (the sandbox's own); repeated texts and powers are bounded here, and the output by `template`.
Loops nested in one another without output are not bounded.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.exceptions import SecurityError
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

LARGEST = 2**25  # characters of a text, items of a list, bits of a number


class Refusal(jinja2.TemplateError):
    """The template called `raise_exception`: it does not take this conversation."""


def make_environment(now: Callable[[], datetime]) -> jinja2.Environment:
    environment = _Sandbox(trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, "jinja2.ext.loopcontrols"])
    environment.filters["tojson"] = _to_json
    del environment.globals["lipsum"]  # text of any length
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = lambda format: now().strftime(format)
    return environment


def missing_helpers(environment: jinja2.Environment, tree: nodes.Template) -> Iterator[tuple[str, int]]:
    """(name, line) of functions, filters and tests that the template uses and the environment lacks.

    What the template asks about first, as in `{% if f is defined %}`, is its own affair.
    """
    asked = {test.node.name for test in tree.find_all(nodes.Test) if isinstance(test.node, nodes.Name)}
    asked |= {test.node.value for test in tree.find_all(nodes.Test) if isinstance(test.node, nodes.Const)}
    absent = meta.find_undeclared_variables(tree) - environment.globals.keys() - asked
    for call in tree.find_all(nodes.Call):
        if isinstance(call.node, nodes.Name) and call.node.name in absent:
            yield call.node.name, call.lineno
    for filter in tree.find_all(nodes.Filter):
        if filter.name not in environment.filters and filter.name not in asked:
            yield filter.name, filter.lineno
    for test in tree.find_all(nodes.Test):
        if test.name not in environment.tests and test.name not in asked:
            yield test.name, test.lineno


class _Sandbox(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset({"*", "**"})

    def call_binop(self, context: jinja2.runtime.Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "*" and _product(left, right) > LARGEST:
            raise SecurityError(f"a template may repeat a text up to {LARGEST} characters")
        if operator == "**" and _bits(left, right) > LARGEST:
            raise SecurityError("a template may not compute with numbers of this size")
        return super().call_binop(context, operator, left, right)


def _product(left: Any, right: Any) -> int:
    """Length of what repetition would make; 0 for the multiplication of numbers."""
    for sequence, times in ((left, right), (right, left)):
        if isinstance(sequence, str | list | tuple) and isinstance(times, int):
            return len(sequence) * times
    return 0


def _bits(left: Any, right: Any) -> int:
    """Size of a power; 0 when it is not one of whole numbers."""
    return left.bit_length() * right if isinstance(left, int) and isinstance(right, int) else 0


class _Generation(Extension):
    """`{% generation %}…{% endgeneration %}` marks what a model is trained on; here it is only a scope."""

    tags = {"generation"}  # noqa: RUF012  (the base class declares it so)

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.Scope(body, lineno=line)


def _raise_exception(message: object) -> None:
    raise Refusal(str(message))


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
