from __future__ import annotations

import pytest

from engine.plan.visible import Placed, in_runtime_order, shown

SLOW = Placed("GPU-aaaa-1", "00000000:01:00.0", 1.0)
FAST = Placed("GPU-bbbb-2", "00000000:02:00.0", 2.0)
RUNTIME = [FAST, SLOW]  # the reverse of the management library's order


def test_c131_fastest_first_is_the_default_and_said_to_be_an_estimate() -> None:
    """C131: tool order differs from runtime order."""
    ordered, notices = in_runtime_order([SLOW, FAST], None)
    assert ordered == RUNTIME
    assert "CUDA_DEVICE_ORDER=PCI_BUS_ID" in notices[0]


def test_pci_order_is_exact() -> None:
    assert in_runtime_order([FAST, SLOW], "PCI_BUS_ID") == ([SLOW, FAST], [])


def test_equal_cards_keep_the_order_of_the_bus() -> None:
    twins = [Placed("GPU-b", "00000000:B1:00.0", 1.0), Placed("GPU-a", "00000000:1B:00.0", 1.0)]
    assert in_runtime_order(twins, None) == ([twins[1], twins[0]], [])


def test_an_unknown_order_is_reported() -> None:
    ordered, notices = in_runtime_order([FAST], "BY_TASTE")
    assert ordered == [FAST]
    assert "'BY_TASTE'" in notices[0]


@pytest.mark.parametrize(
    ("visible", "expected", "reported"),
    [
        (None, [FAST, SLOW], False),
        ("0", [FAST], False),
        ('"0"', [], True),
        ("1,0", [SLOW, FAST], False),
        (" 1 , 0 ", [SLOW, FAST], False),
        ("GPU-aaaa-1", [SLOW], False),
        ("GPU-aaaa", [SLOW], False),
        ("GPU-", [], True),
        ("", [], True),
        ("-1", [], True),
        ("0,-1,1", [FAST], False),
        ("7", [], True),
        ("0,7,1", [FAST], True),
        ("0,0", [FAST], True),
        ("0;1", [], True),
        ("²", [], True),
    ],
)
def test_c131_visibility(visible: str | None, expected: list[Placed], reported: bool) -> None:
    """C131: quoted or odd values of the visibility variable; bad ones are reported."""
    cards, notices = shown(RUNTIME, visible)
    assert cards == expected
    assert bool(notices) == reported
    assert not reported or repr(visible) in notices[0]


def test_hiding_nothing_on_a_machine_without_cards_is_not_reported() -> None:
    assert shown([], "") == ([], [])
