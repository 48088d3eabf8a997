"""Session: a loaded model with everything that chatting with it takes; and how it is loaded."""

from __future__ import annotations

import time
from collections.abc import Generator as Steps
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import torch

from engine.errors import NoTemplate, OutOfMemory
from engine.generate.generator import Generator
from engine.layers.processor import set_threads
from engine.layers.weight import Stored
from engine.messages import Chat, ModelCard
from engine.model.build import build
from engine.model.memory import free_bytes, is_out_of_memory
from engine.model.model import Model
from engine.plan.plan import Plan, Wishes
from engine.plan.probe import probe
from engine.plan.solve import solve
from engine.settings import EngineSettings
from engine.text.history import fit_history
from engine.text.sources import Text, load_text
from engine.weights.checkpoint import Checkpoint, open_checkpoint
from engine.weights.load import stream

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LoadStep:
    """Progress of loading: a phrase for people, and bytes."""

    step: str
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Session:
    """A model that can chat."""

    card: ModelCard
    plan: Plan
    text: Text
    generator: Generator

    @property
    def model(self) -> Model:
        return self.generator.model

    def chat(self, chat: Chat, asked: float | None = None) -> None:
        """Queues the chat. Raises NoTemplate, TemplateError, PromptTooLong or InvalidRequest."""
        asked = time.perf_counter() if asked is None else asked
        template = self.text.template
        if template is None:
            raise NoTemplate(self.card.name)
        prompt = template.render(fit_history(chat.messages), continue_last=chat.continue_last)
        self.generator.add(chat.id, self.text.tokenizer.encode_prompt(prompt), chat.params, asked)


def load_session(path: Path, wishes: Wishes, settings: EngineSettings) -> Steps[LoadStep, None, Session]:
    """Loads the model at `path`; every step is a place where the caller may stop.

    Peak memory: the plan's, and one tensor more. Raises the errors of reading, planning and OutOfMemory.
    """
    yield LoadStep("Reading the description", 0, 0)
    checkpoint = open_checkpoint(path)
    yield LoadStep("Reading the tokenizer", 0, 0)
    text = load_text(path)
    plan = _plan(checkpoint, wishes, settings)
    model = yield from _load_model(checkpoint, plan)
    stop_ids = checkpoint.spec.stop_ids | text.tokenizer.stop_ids
    generator = Generator(model, text.tokenizer, stop_ids, context=plan.context, pages=plan.pages, chunk=plan.chunk)
    return Session(_card(checkpoint, plan, text, generator), plan, text, generator)


def load_model(path: Path, wishes: Wishes, settings: EngineSettings) -> Steps[LoadStep, None, tuple[Model, Plan]]:
    """The model alone, for measuring it."""
    checkpoint = open_checkpoint(path)
    plan = _plan(checkpoint, wishes, settings)
    model = yield from _load_model(checkpoint, plan)
    return model, plan


def finish(steps: Steps[LoadStep, None, T]) -> T:
    """Carries a load through to its end, for those who show no progress."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def _plan(checkpoint: Checkpoint, wishes: Wishes, settings: EngineSettings) -> Plan:
    """The plan for this machine; what is not wished for may be set by the environment."""
    wished = replace(
        wishes,
        threads=wishes.threads or settings.threads,
        device=settings.device if wishes.device == "auto" else wishes.device,
    )
    return solve(checkpoint.spec, probe(settings), wished)


def _load_model(checkpoint: Checkpoint, plan: Plan) -> Steps[LoadStep, None, Model]:
    set_threads(plan.threads)
    tensors: dict[str, Stored] = {}
    try:
        for loaded in stream(checkpoint, plan.device, plan.dtype):
            tensors[loaded.slot.name] = loaded.tensor
            yield LoadStep("Loading weights", loaded.done, loaded.total)
        return build(checkpoint.spec, plan, tensors)
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        device = torch.device(plan.device)
        tensors.clear()
        raise OutOfMemory(plan.device, plan.memory.total, free_bytes(device), "loading the model") from error


def _card(checkpoint: Checkpoint, plan: Plan, text: Text, generator: Generator) -> ModelCard:
    spec = checkpoint.spec
    warnings = [*spec.warnings, *checkpoint.warnings]
    if text.tokenizer.vocab > spec.vocab:
        warnings.append(
            f"The tokenizer knows {text.tokenizer.vocab} tokens, the model {spec.vocab}; "
            "requests with the others will be refused."
        )
    if text.template is None:
        warnings.append("There is no chat template: this is a base model, or its template file is absent.")
    model, packed = generator.model, spec.quantization
    return ModelCard(
        name=checkpoint.name,
        source=str(checkpoint.path),
        architecture=spec.architecture,
        format=checkpoint.format,
        parameters=checkpoint.parameters,
        weight_bytes=plan.memory.weights,
        cache_bytes=model.cache.bytes,
        context=generator.context,
        device=plan.device,
        dtype=plan.dtype,
        has_template=text.template is not None,
        warnings=tuple(warnings),
        bits=packed.bits if packed else None,
        head_bits=packed.head_bits if packed else None,
        codebooks=packed.codebooks if packed else (),
    )
