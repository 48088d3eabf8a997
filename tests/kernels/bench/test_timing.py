"""The benchmark's own arithmetic."""

from __future__ import annotations

from kernels.bench.timing import Row, line, race


def test_contenders_take_turns_after_a_warm_up() -> None:
    order: list[str] = []
    best = race({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, rounds=2)
    assert order == ["a", "b"] * 3 and set(best) == {"a", "b"} and min(best.values()) >= 0


def test_a_line_compares_with_the_first_and_with_the_memory() -> None:
    text = line(Row("case", {"ours": 0.5, "torch": 1.0}, bytes=2 * 10**9), bandwidth=8e9)
    assert "ratio 2.00" in text and text.endswith("4.0 GB/s (0.50)")
    assert "GB/s" not in line(Row("case", {"ours": 2e-6}), bandwidth=1e9)
    assert "2.0 µs" in line(Row("case", {"ours": 2e-6}), bandwidth=1e9)
