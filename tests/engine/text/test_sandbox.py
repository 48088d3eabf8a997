"""The environment of templates: helpers, marks, limits."""

from __future__ import annotations

from datetime import datetime

import pytest
from jinja2.exceptions import SecurityError
from jinja2.nodes import Template

from engine.text.sandbox import Refusal, make_environment, missing_helpers

NOW = datetime(2026, 3, 9, 7, 5)
ENVIRONMENT = make_environment(lambda: NOW)


def render(source: str, **values: object) -> str:
    return ENVIRONMENT.from_string(source).render(**values)


def parse(source: str) -> Template:
    return ENVIRONMENT.parse(source)


@pytest.mark.parametrize("format", ["%d %b %Y", "%Y-%m-%d", "%B", "%H:%M"])
def test_c028_the_date(format: str) -> None:
    """C028: the current date in several formats."""
    assert render("{{ strftime_now('" + format + "') }}") == NOW.strftime(format)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ x | tojson }}", '{"k": "é<>&\'", "a": [1, null]}'),
        ("{{ x | tojson(indent=2) }}", '{\n  "k": "é<>&\'",\n  "a": [\n    1,\n    null\n  ]\n}'),
        ("{{ x | tojson(ensure_ascii=True) }}", '{"k": "\\u00e9<>&\'", "a": [1, null]}'),
        ("{{ x | tojson(separators=(',', ':'), sort_keys=True) }}", '{"a":[1,null],"k":"é<>&\'"}'),
        ("{% for k, v in x.items() %}{{ k }};{% endfor %}", "k;a;"),
        ("{% set n = namespace(i=0) %}{% for c in 'abc' %}{% set n.i = n.i + 1 %}{% endfor %}{{ n.i }}", "3"),
        ("{{ [1, 2, 3][1:] }}{{ 'abc'[::-1] }}", "[2, 3]cba"),
        ("{{ ' a '.strip() }}{{ 'a-b'.split('-')[1] }}{{ 'ab'.startswith('a') }}", "abTrue"),
        ("{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}", "12"),
        ("{{ x is mapping }}{{ [] is sequence }}{{ y is defined }}{{ x is string }}", "TrueTrueFalseFalse"),
        ("  {% if true %}\n  a\n  {% endif %}\nb", "  a\nb"),
        ("a {%- if true -%} b {%- endif %}", "ab"),
        ("{{ dict(a=1)['a'] }}{{ range(3) | list }}", "1[0, 1, 2]"),
    ],
)
def test_c028_helpers(source: str, text: str) -> None:
    """C028: JSON dumps, dict items, namespaces, slices, string methods, macros, tests, whitespace control."""
    assert render(source, x={"k": "é<>&'", "a": [1, None]}) == text


def test_c028_raise_keeps_the_words() -> None:
    """C028: raise with a message."""
    with pytest.raises(Refusal, match="only users"):
        render("{{ raise_exception('only users') }}")


def test_c029_training_marks_change_nothing() -> None:
    """C029: generation marks round a text, inside of loops too."""
    source = "{% for x in 'ab' %}{% generation %}\n[{{ x }}{{ loop.index }}]{% endgeneration %}{% endfor %}"
    assert render(source) == "[a1][b2]"


def test_c029_break_and_continue() -> None:
    """C029: loop controls."""
    source = "{% for x in 'abcd' %}{% if x == 'b' %}{% continue %}{% endif %}{{ x }}{% if x == 'c' %}{% break %}"
    assert render(source + "{% endif %}{% endfor %}") == "ac"


@pytest.mark.parametrize(
    ("source", "missing"),
    [
        ("a\n{{ fetch('x') }}", [("fetch", 2)]),
        ("{% if x %}\n\n{{ x | unheard }}{% endif %}", [("unheard", 3)]),
        ("{{ raise_exception('x') if x else strftime_now('%Y') }}", []),
        ("{% macro m() %}{% endmacro %}{{ m() }}{% set f = m %}{{ f() }}", []),
        ("{% if fetch is defined %}{{ fetch() }}{% endif %}", []),
        ("{% if 'unheard' is filter %}{{ x | unheard }}{% endif %}", []),
        ("{{ tools.items() }}{{ tools }}", []),
        ("{% for f in x %}{{ f() }}{% endfor %}{% call(y) g() %}{% endcall %}", [("g", 1)]),
    ],
)
def test_c028_what_is_missing_is_known_before_rendering(source: str, missing: list[tuple[str, int]]) -> None:
    """C028: a missing helper is named, with its line."""
    assert list(missing_helpers(ENVIRONMENT, parse(source))) == missing


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
        "{{ 'a' * 99999999 }}",
        "{{ 99999999 * [1] }}",
        "{{ 10 ** 100000000 }}",
    ],
)
def test_strangers_cannot_reach_out_or_fill_the_memory(source: str) -> None:
    with pytest.raises(SecurityError):
        render(source, messages=[])


def test_a_range_ends() -> None:
    with pytest.raises(OverflowError):
        render("{% for x in range(10 ** 9) %}{% endfor %}")
    assert render("{{ 'ab' * 3 }}{{ 3 * 4 }}{{ 2 ** 10 }}{{ 2 ** 0.5 < 2 }}") == "ababab121024True"
