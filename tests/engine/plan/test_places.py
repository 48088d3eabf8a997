from __future__ import annotations

import pytest

from engine.errors import InvalidRequest, NoSuchDevice
from engine.plan import places
from tests.engine.plan.models import GIB, MIB, gpu, machine


def test_the_reserve_is_left_out() -> None:
    assert places.processor(machine(ram=16)).room == 15 * GIB
    assert places.cards(machine(gpu(0, 10)))[0].room == 10 * GIB - 512 * MIB


def test_room_is_never_negative() -> None:
    assert places.processor(machine(ram=0.5)).room == 0


def test_cards_come_with_most_free_memory_first_and_unusable_ones_not() -> None:
    here = machine(gpu(0, 8), gpu(1, 20), gpu(2, 80, usable=False, reason="too old"))
    assert [place.device for place in places.cards(here)] == ["cuda:1", "cuda:0"]


@pytest.mark.parametrize("device", ["cuda:2", "cuda", "gpu", "", "cuda:00"])
def test_a_device_that_is_not_here(device: str) -> None:
    with pytest.raises(NoSuchDevice) as caught:
        places.named(machine(gpu(0, 8)), device)
    assert caught.value.have == ("cpu", "cuda:0 (Card 0)")


def test_c101_an_unusable_card_is_refused_with_its_reason() -> None:
    with pytest.raises(InvalidRequest, match="its driver is too old"):
        places.named(machine(gpu(0, 8, usable=False, reason="its driver is too old")), "cuda:0")


def test_why_no_card() -> None:
    assert places.why_no_card(machine()) == "there is no card that can be used"
    assert "too old" in places.why_no_card(machine(gpu(0, 8, usable=False, reason="too old")))
