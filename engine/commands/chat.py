"""`tonnelle chat`: a conversation in the terminal, or one question."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from engine.client import Client, Refused
from engine.commands.options import model_path, wishes
from engine.messages import ChatMessage, Finished, Loaded, ModelCard, Token
from engine.params import SamplingParams, usual_params


def run(options: argparse.Namespace) -> int:
    chosen = _chosen(options)
    SamplingParams(**chosen)  # before anything is loaded: a wrong value costs no time
    with Client() as client:
        card = _load(client, options)
        params = replace(usual_params(card.parameters), **chosen)
        history = [ChatMessage("system", options.system)] if options.system else []
        if options.prompt is not None or not sys.stdin.isatty():
            question = sys.stdin.read() if options.prompt is None else options.prompt
            history.append(ChatMessage("user", question))
            answer = _answer(client, history, params, show=not options.json)
            _report(answer, as_json=options.json)
        else:
            _converse(client, card, history, params)
    return 0


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    finished: Finished


def _chosen(options: argparse.Namespace) -> dict[str, Any]:
    """The sampling parameters that were given."""
    names = ("max_tokens", "temperature", "top_k", "top_p", "min_p", "repetition_penalty", "seed")
    given = {name: getattr(options, name) for name in names if getattr(options, name) is not None}
    return {**given, "stop": tuple(options.stop or ())}


def _load(client: Client, options: argparse.Namespace) -> ModelCard:
    shows = sys.stderr.isatty()
    events = client.load(model_path(options.model), wishes(options))
    while not isinstance(event := next(events), Loaded):
        if shows:
            percent = f" {100 * event.done // event.total} %" if event.total else ""
            print(f"\r\033[K{event.step}{percent}", end="", file=sys.stderr, flush=True)
    card = event.model
    if shows:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    for warning in card.warnings:
        print(f"Note: {warning}", file=sys.stderr)
    return card


def _answer(client: Client, history: Iterable[ChatMessage], params: SamplingParams, *, show: bool) -> Answer:
    pieces: list[str] = []
    events = client.chat(list(history), params)
    while not isinstance(event := next(events), Finished):
        if isinstance(event, Token):
            pieces.append(event.text)
            if show:
                print(event.text, end="", flush=True)
    if show:
        print()
    return Answer("".join(pieces), event)


def _report(answer: Answer, *, as_json: bool) -> None:
    usage, timings = answer.finished.usage, answer.finished.timings
    if as_json:
        facts = {
            "text": answer.text,
            "prompt_tokens": usage.prompt_tokens,
            "completion_tokens": usage.completion_tokens,
            "ttft_s": timings.ttft_s,
            "tokens_per_s": timings.tokens_per_s,
            "finish_reason": answer.finished.reason,
        }
        print(json.dumps(facts, ensure_ascii=False))
    else:
        print(_speed(answer.finished))


def _speed(finished: Finished) -> str:
    usage, timings = finished.usage, finished.timings
    return (
        f"[{usage.completion_tokens} tokens, {timings.tokens_per_s:.1f} tokens/s, first after {timings.ttft_s:.2f} s]"
    )


def _converse(client: Client, card: ModelCard, history: list[ChatMessage], params: SamplingParams) -> None:
    print(f"{card.name}{_packing(card)} on {card.device}. End with Ctrl+D; Ctrl+C stops an answer.")
    while True:
        try:
            question = input("\n> ").strip()
        except EOFError:
            print()
            return
        if not question:
            continue
        history.append(ChatMessage("user", question))
        history += _turn(client, history, params)


def _packing(card: ModelCard) -> str:
    """Such as ", EXL3 with 3 bits, 6 in the head, codebook mul1, 155 MiB"; nothing for weights that are not packed."""
    if not card.codebooks:
        return ""
    bits = "" if card.bits is None else f" with {round(card.bits, 2):g} bits"
    head = "" if card.head_bits is None else f", {round(card.head_bits, 2):g} in the head"
    names = ", ".join(card.codebooks)
    return f", {card.format.upper()}{bits}{head}, codebook {names}, {card.weight_bytes / 2**20:.0f} MiB"


def _turn(client: Client, history: list[ChatMessage], params: SamplingParams) -> list[ChatMessage]:
    """One answer; what there is of it when it is interrupted or fails stays in the conversation."""
    pieces: list[str] = []
    try:
        for event in client.chat(list(history), params):
            if isinstance(event, Token):
                pieces.append(event.text)
                print(event.text, end="", flush=True)
            elif isinstance(event, Finished):
                print(f"\n{_speed(event)}")
    except KeyboardInterrupt:
        print("\n[stopped]")
    except Refused as error:
        print(f"\n{error}")
    text = "".join(pieces)
    return [ChatMessage("assistant", text)] if text else []
