"""Short texts about answers and the engine, in the person's own number format."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, QLocale

from app.bridge.state import EngineState
from app.chat.records import Measured, Message
from engine.messages import ModelCard

translate = QCoreApplication.translate  # under this name lupdate finds the texts


def count(number: int) -> str:
    return QLocale().toString(number)


def decimal(number: float, digits: int) -> str:
    return QLocale().toString(number, "f", digits)


def speed(tokens_per_s: float) -> str:
    """Such as "14.2 tok/s"."""
    return translate("Captions", "{speed} tok/s").format(speed=decimal(tokens_per_s, 1))


def seconds(duration: float) -> str:
    """Such as "340 ms" or "1.2 s"."""
    if duration < 1:
        return translate("Captions", "{n} ms").format(n=count(round(duration * 1000)))
    return translate("Captions", "{n} s").format(n=decimal(duration, 1))


def under_answer(message: Message) -> str:
    """What stands below an answer: why it ended, if that matters, and how it went."""
    parts = [ending(message)]
    if message.measured:
        parts += _figures(message.measured)
    return "  ·  ".join(part for part in parts if part)


def ending(message: Message) -> str:
    reason = message.measured.reason if message.measured else ""
    if message.state == "stopped" or reason == "cancelled":
        return translate("Captions", "Stopped")
    return translate("Captions", "Reached the limit") if reason == "length" else ""


def _figures(measured: Measured) -> list[str]:
    figures = [translate("Captions", "{n} tokens").format(n=count(measured.completion_tokens))]
    if measured.tokens_per_s > 0:
        figures.append(speed(measured.tokens_per_s))
    if measured.ttft_s > 0:
        figures.append(translate("Captions", "{time} to the first token").format(time=seconds(measured.ttft_s)))
    return figures


def progress(state: EngineState) -> str:
    """What an answer waits for: the model, or "Reading 1,234 / 5,000 tokens"; empty once it grows."""
    if state.phase in ("starting", "loading"):
        return translate("Captions", "Waiting for the model…")
    if state.phase != "reading":
        return ""
    if not state.total:
        return translate("Captions", "Reading…")
    return translate("Captions", "Reading {done} / {total} tokens").format(
        done=count(state.done), total=count(state.total)
    )


def status(state: EngineState) -> str:
    """The engine's state in a few words, below the model's name."""
    if state.phase == "loading":
        if not state.total:
            return translate("Captions", "Loading…")
        return translate("Captions", "Loading… {percent} %").format(
            percent=count(round(100 * state.done / state.total))
        )
    if state.phase == "dead":
        return translate("Captions", "Engine stopped")
    if state.phase == "starting":
        return translate("Captions", "Starting…")
    if state.model is None:
        return translate("Captions", "No model loaded")
    doing = {"reading": translate("Captions", "Reading"), "answering": translate("Captions", "Answering")}.get(
        state.phase, translate("Captions", "Ready")
    )
    return " · ".join(part for part in (doing, _device(state.model.device), _weights(state.model)) if part)


def _device(device: str) -> str:
    """ "cpu" as people write it; other names as they are."""
    return device.upper() if device.lower() in ("cpu", "gpu") else device


def _weights(model: ModelCard) -> str:
    """Such as "bf16", or "EXL3 3 bits" of packed weights."""
    if model.bits is None:
        return {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}.get(model.dtype, model.dtype)
    return translate("Captions", "{format} {n} bits").format(format=model.format.upper(), n=_bits(model.bits))


def _bits(bits: float) -> str:
    """With as many digits as it has, two at most."""
    return decimal(bits, next(digits for digits in (0, 1, 2) if digits == 2 or round(bits, 2) == round(bits, digits)))


def description(model: ModelCard) -> str:
    """What is known of a loaded model, a line each."""
    lines = [
        model.name,
        translate("Captions", "{architecture}, {n} million parameters").format(
            architecture=model.architecture, n=count(round(model.parameters / 1e6))
        ),
        translate("Captions", "{weights}, {size} of weights").format(
            weights=_weights(model), size=QLocale().formattedDataSize(model.weight_bytes)
        ),
    ]
    if model.head_bits is not None:
        lines.append(translate("Captions", "Output head: {n} bits").format(n=_bits(model.head_bits)))
    if model.codebooks:
        lines.append(translate("Captions", "Codebook: {names}").format(names=", ".join(model.codebooks)))
    return "\n".join(lines)


def can_continue(message: Message) -> bool:
    """Whether the answer ended before the model wanted to."""
    reason = message.measured.reason if message.measured else ""
    return message.role == "assistant" and (message.state in ("stopped", "failed") or reason in ("length", "cancelled"))


def split_error(text: str) -> tuple[str, str]:
    """A failed answer's error as its first sentence and the rest, the remedy."""
    first, *rest = re.split(r"\n|(?<=[.!?]) (?=[A-Z])", text.strip(), maxsplit=1)
    return first, rest[0].strip() if rest else ""
