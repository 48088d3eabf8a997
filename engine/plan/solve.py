"""solve(): where a model goes and how large its cache is. Pure, without torch, fast enough for a slider.

The rules, in order:
- Device "auto": the usable card with most free memory, if the model fits there as wished, then the next;
  if no card has room, the processor.
- Weights keep the checkpoint's dtype unless another is wished; the cache follows the weights. That of packed weights
  is float16 unless another is wished: their scales are, and bfloat16 would round more than the packing leaves room for.
- A context left open is the model's own, at most OPEN_CONTEXT, less if memory is short, not below LEAST_CONTEXT.
- The cache holds one such context unless more is wished, and one page beside: a conversation that continues
  in the middle of a shared page needs a copy of it.
- Every device keeps a reserve (see `places`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.errors import DoesNotFit, InvalidRequest
from engine.plan.machine import Machine
from engine.plan.memory import Footprint
from engine.plan.places import Place, cards, named, processor, why_no_card
from engine.plan.plan import PAGE_TOKENS, DType, Plan, Wishes
from engine.spec.model import ModelSpec

OPEN_CONTEXT = 32768
LEAST_CONTEXT = 1024


def solve(spec: ModelSpec, machine: Machine, wishes: Wishes | None = None) -> Plan:
    """The plan for this model here.

    Raises InvalidRequest for a wish that makes no sense, NoSuchDevice for a device that is not here, and
    DoesNotFit, with what would cure it, when memory is short.
    """
    wishes = wishes or Wishes()
    _check(spec, wishes)
    threads = wishes.threads or max(1, machine.cores - 1)
    if wishes.device != "auto":
        place = named(machine, wishes.device)
        where = f"On {place.label}, as asked for."
    else:
        place, where = _choose(spec, machine, wishes)
    load = _Load.of(spec, wishes, place)
    tokens = load.tokens_that_fit()
    if tokens is None:
        raise _lack(load, machine, wishes)
    return load.plan(tokens, threads, (where, load.about_dtype(wishes), load.about_context(tokens)))


def _check(spec: ModelSpec, wishes: Wishes) -> None:
    context, cache = wishes.context, wishes.cache_tokens
    if context is not None and context < 1:
        raise InvalidRequest("context", f"must be 1 token or more, not {context}")
    if context is not None and context > spec.context:
        raise InvalidRequest("context", f"the model was made for at most {spec.context} tokens, not {context}")
    if cache is not None and cache < (context or 1):
        raise InvalidRequest("cache_tokens", f"must hold one conversation of {context or 1} tokens, not {cache}")
    if wishes.threads is not None and wishes.threads < 1:
        raise InvalidRequest("threads", f"must be 1 or more, not {wishes.threads}")


def _choose(spec: ModelSpec, machine: Machine, wishes: Wishes) -> tuple[Place, str]:
    """The place for device "auto", and why."""
    full = []
    for place in cards(machine):
        load = _Load.of(spec, wishes, place)
        if load.tokens_that_fit() is not None:
            return place, f"On {place.label}, the card with most free memory that has room for it."
        full.append(f"{place.device} has {_gib(place.room)} free and {_gib(load.bytes(load.least))} are needed")
    return processor(machine), f"On the processor: {'; '.join(full) or why_no_card(machine)}."


@dataclass(frozen=True, slots=True)
class _Load:
    """A model on a place. context, cache: tokens wished for; least: tokens to which the cache may shrink."""

    spec: ModelSpec
    place: Place
    dtype: DType
    cache_dtype: DType
    context: int
    cache: int
    least: int
    footprint: Footprint

    @classmethod
    def of(cls, spec: ModelSpec, wishes: Wishes, place: Place) -> _Load:
        dtype = spec.dtype if wishes.dtype == "auto" else wishes.dtype
        context = wishes.context or min(spec.context, OPEN_CONTEXT, wishes.cache_tokens or OPEN_CONTEXT)
        cache = wishes.cache_tokens or context
        is_open = wishes.context is None and wishes.cache_tokens is None
        least = min(context, LEAST_CONTEXT) if is_open else cache
        cache_dtype: DType = "float16" if spec.quantization and wishes.dtype == "auto" else dtype
        footprint = Footprint(spec, dtype, cache_dtype, on_cpu=place.device == "cpu")
        return cls(spec, place, dtype, cache_dtype, context, cache, least, footprint)

    def tokens_that_fit(self) -> int | None:
        """Of the cache: as many as wished, or the most that fit, if that is enough."""
        most = self.most()
        return most if most >= self.least else None

    def most(self) -> int:
        """Tokens of cache that fit: all that are wished, or whole pages; 0 if not even one page fits."""
        if self.bytes(self.cache) <= self.place.room:
            return self.cache
        fits, fails = 0, -(-self.cache // PAGE_TOKENS)  # pages
        while fails - fits > 1:
            middle = (fits + fails) // 2
            if self.bytes(middle * PAGE_TOKENS) <= self.place.room:
                fits = middle
            else:
                fails = middle
        return fits * PAGE_TOKENS

    def bytes(self, tokens: int) -> int:
        return self.plan(tokens, threads=1, reasons=()).memory.total

    def plan(self, tokens: int, threads: int, reasons: tuple[str, ...]) -> Plan:
        """With a cache of so many tokens, and a context within it."""
        context = min(self.context, tokens)
        pages = -(-tokens // PAGE_TOKENS) + 1
        chunk = min(self.place.chunk, context)
        memory = self.footprint.memory(context, pages, chunk)
        device = self.place.device
        return Plan(device, self.dtype, self.cache_dtype, context, pages, chunk, threads, memory, reasons)

    def about_dtype(self, wishes: Wishes) -> str:
        origin = "the files have them" if wishes.dtype == "auto" else "asked for"
        packed = self.spec.quantization
        if packed is None:
            return f"Weights in {self.dtype}, as {origin}."
        bits = "" if packed.bits is None else f" at {packed.bits:.2f} bits"
        return f"Weights packed by {packed.method.upper()}{bits}, the others in {self.dtype}, as {origin}."

    def about_context(self, tokens: int) -> str:
        context, known = min(self.context, tokens), self.spec.context
        if context < self.context:
            return f"Context of {context} tokens: more does not fit into {_gib(self.place.room)} of free memory."
        if context == known:
            return f"Context of {context} tokens, the most this model knows."
        if context == OPEN_CONTEXT:
            return f"Context of {context} of the {known} tokens this model knows; ask for more if you need it."
        return f"Context of {context} tokens, as asked for."


def _lack(load: _Load, machine: Machine, wishes: Wishes) -> DoesNotFit:
    """The error, with every single change that would make the model fit."""
    cures = []
    most = load.most()
    if most >= load.context:
        cures.append(f"give the cache {most} tokens instead of {load.cache}")
    elif most:
        cures.append(f"load it with a context of at most {most} tokens")
    if load.dtype != load.spec.dtype and _fits(load.spec, replace(wishes, dtype="auto"), load.place):
        cures.append(f"load it in {load.spec.dtype}")
    for place in (*cards(machine), processor(machine)):
        if place.device != load.place.device and _fits(load.spec, wishes, place):
            cures.append(f"load it on {place.label}")
    return DoesNotFit(load.place.label, load.bytes(load.least), load.place.room, tuple(cures))


def _fits(spec: ModelSpec, wishes: Wishes, place: Place) -> bool:
    return _Load.of(spec, wishes, place).tokens_that_fit() is not None


def _gib(size: int) -> str:
    return f"{size / 2**30:.2f} GiB"
