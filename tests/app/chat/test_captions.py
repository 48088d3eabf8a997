from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QLocale

from app.bridge.state import EngineState
from app.chat import captions
from app.chat.records import Message
from tests.app.fake_controller import CARD, MEASURED, READY

DONE = Message(1, 1, "assistant", "text", "complete", 0.0, measured=MEASURED)


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    yield
    QLocale.setDefault(before)


def test_an_answer_in_figures() -> None:
    assert captions.under_answer(DONE) == "128 tokens  ·  14.2 tok/s  ·  340 ms to the first token"


@pytest.mark.parametrize(
    ("message", "ending"),
    [
        (DONE, ""),
        (replace(DONE, state="stopped", measured=None), "Stopped"),
        (replace(DONE, measured=replace(MEASURED, reason="length")), "Reached the limit"),
        (replace(DONE, measured=replace(MEASURED, reason="cancelled")), "Stopped"),
        (replace(DONE, state="failed", measured=None), ""),
    ],
)
def test_why_it_ended(message: Message, ending: str) -> None:
    assert captions.ending(message) == ending


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (DONE, False),
        (replace(DONE, state="stopped"), True),
        (replace(DONE, state="failed"), True),
        (replace(DONE, measured=replace(MEASURED, reason="length")), True),
        (replace(DONE, role="user", state="stopped"), False),
        (replace(DONE, state="streaming"), False),
    ],
)
def test_what_can_go_on(message: Message, expected: bool) -> None:
    assert captions.can_continue(message) is expected


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (READY, "Ready · CPU · bf16"),
        (replace(READY, phase="answering"), "Answering · CPU · bf16"),
        (replace(READY, phase="reading", model=replace(CARD, device="cuda:0")), "Reading · cuda:0 · bf16"),
        (replace(READY, model=replace(CARD, dtype="bfloat16")), "Ready · CPU · bf16"),
        (EngineState("loading", "/m", done=43, total=100), "Loading… 43 %"),
        (EngineState("loading", "/m"), "Loading…"),
        (EngineState("starting"), "Starting…"),
        (EngineState("empty"), "No model loaded"),
        (EngineState("dead"), "Engine stopped"),
    ],
)
def test_the_engine_in_words(state: EngineState, text: str) -> None:
    assert captions.status(state) == text


def test_what_an_answer_waits_for() -> None:
    reading = replace(READY, phase="reading", done=1234, total=5000)
    assert captions.progress(reading) == "Reading 1,234 / 5,000 tokens"
    assert captions.progress(replace(READY, phase="reading")) == "Reading…"
    assert captions.progress(EngineState("loading")) == "Waiting for the model…"
    assert captions.progress(replace(READY, phase="answering")) == ""


def test_numbers_are_written_as_the_person_does() -> None:
    QLocale.setDefault(QLocale("de_DE"))
    assert captions.count(12345) == "12.345"
    assert captions.speed(14.25) == "14,3 tok/s"
    assert captions.seconds(1.25) == "1,3 s"


def test_an_error_is_split_into_what_and_what_to_do() -> None:
    assert captions.split_error("It failed at a.b: 3. Try again. Or not.") == (
        "It failed at a.b: 3.",
        "Try again. Or not.",
    )
    assert captions.split_error("It failed") == ("It failed", "")
    assert captions.split_error("") == ("", "")


PACKED = replace(CARD, format="exl3", dtype="bfloat16", bits=3.0, head_bits=6.0, codebooks=("mul1",))


@pytest.mark.parametrize(
    ("bits", "words"), [(3.0, "EXL3 3 bits"), (2.5, "EXL3 2.5 bits"), (3.257, "EXL3 3.26 bits"), (None, "bf16")]
)
def test_packed_weights_are_told_by_their_bits(bits: float | None, words: str) -> None:
    model = replace(PACKED, bits=bits)
    assert captions.status(replace(READY, model=model)) == f"Ready · CPU · {words}"


def test_a_model_is_described() -> None:
    assert captions.description(PACKED).splitlines() == [
        "SmolLM2-135M-Instruct",
        "LlamaForCausalLM, 135 million parameters",
        "EXL3 3 bits, 257.49 MiB of weights",
        "Output head: 6 bits",
        "Codebook: mul1",
    ]
    assert len(captions.description(CARD).splitlines()) == 3
