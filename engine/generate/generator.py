"""Generator: step() = schedule, run, commit."""

from __future__ import annotations

import time
from collections.abc import Sequence as Ordered
from dataclasses import dataclass, field

import torch
from torch import Tensor

from engine.cache.manager import CacheManager
from engine.errors import InvalidRequest, NonFiniteLogits, OutOfMemory, PromptTooLong, problem_of
from engine.generate.batch import Batch, make_batch
from engine.generate.scheduler import Scheduler, Work
from engine.generate.sequence import Sequence
from engine.generate.stream import TextStream
from engine.messages import Event, Failed, Finished, FinishReason, Prefilling, Timings, Token, Usage
from engine.model.memory import free_bytes, is_out_of_memory
from engine.model.model import Model
from engine.params import SamplingParams
from engine.plan.plan import PAGE_TOKENS
from engine.sample.sampler import Sampler
from engine.text.tokenizer import Tokenizer


@dataclass(slots=True)
class _Job:
    """What belongs to a sequence beyond the scheduler's interest. Times by time.perf_counter()."""

    sequence: Sequence
    sampler: Sampler
    stream: TextStream
    asked: float
    first: float = 0.0
    latest: float = 0.0
    generated: set[int] = field(default_factory=set)


class Generator:
    """Continuous batching over one model. Not thread-safe: one thread owns it."""

    def __init__(
        self, model: Model, tokenizer: Tokenizer, stop_ids: frozenset[int], *, context: int, pages: int, chunk: int
    ) -> None:
        """context: most tokens of one sequence. pages: of the model's cache. chunk: most tokens in one step."""
        self.model = model
        self.tokenizer = tokenizer
        self.stop_ids = stop_ids
        self.context = min(context, pages * PAGE_TOKENS)
        self.cache = CacheManager(pages)
        self.scheduler = Scheduler(self.cache, chunk)
        self._jobs: dict[str, _Job] = {}

    @property
    def idle(self) -> bool:
        return self.scheduler.idle

    @property
    def ids(self) -> list[str]:
        return list(self._jobs)

    def add(self, id: str, prompt: Ordered[int], params: SamplingParams, asked: float | None = None) -> None:
        """Queues an answer to `prompt`. asked: when the person asked, for the time to the first token.

        Raises PromptTooLong or InvalidRequest, and nothing has changed then.
        """
        if id in self._jobs:
            raise InvalidRequest("id", f"{id!r} is still running")
        if not prompt:
            raise InvalidRequest("prompt", "must hold at least one token")
        if len(prompt) >= self.context:
            raise PromptTooLong(len(prompt), self.context)
        vocab = self.model.embedding.vocab
        strange = next((token for token in prompt if not 0 <= token < vocab), None)
        if strange is not None:
            raise InvalidRequest("prompt", f"token id {strange} is outside the model's vocabulary of {vocab}")
        limit = self.context if params.max_tokens is None else min(self.context, len(prompt) + params.max_tokens)
        sequence = Sequence(id, list(prompt), len(prompt), limit)
        job = _Job(
            sequence,
            Sampler(params, exempt=self.stop_ids),
            TextStream(self.tokenizer, prompt, params.stop),
            time.perf_counter() if asked is None else asked,
        )
        self._jobs[id] = job
        self.scheduler.add(sequence)

    def cancel(self, id: str) -> list[Event]:
        """Ends an answer now; what it has written is delivered. Unknown ids: nothing."""
        job = self._jobs.get(id)
        return self._finish(job, "cancelled") if job else []

    def step(self) -> list[Event]:
        """Computes one step for everybody who is due. Never raises for the fault of one request."""
        work = self.scheduler.schedule()
        if not work:
            return []
        try:
            batch = make_batch(work, self.model.device)
            logits = self._run(work, batch)
        except Exception as error:  # whatever it is belongs to these requests, and the next ones must be served
            return [event for one in work for event in self._fail(one.sequence.id, self._explain(error))]
        return self._commit(work, batch, logits)

    def _run(self, work: list[Work], batch: Batch) -> Tensor:
        for one in work:
            lease = one.sequence.lease
            if lease and lease.copy:
                self.model.cache.copy_page(*lease.copy)
                lease.copy = None
        return self.model.forward(batch.tokens, batch.positions, batch.slots, batch.attention, batch.rows)

    def _commit(self, work: list[Work], batch: Batch, logits: Tensor) -> list[Event]:
        events: list[Event] = []
        for one in work:
            self.scheduler.commit(one)
            events += self._progress(one.sequence)
        greedy = logits.argmax(dim=1).tolist() if len(logits) else []
        finite = torch.isfinite(logits).all(dim=1).tolist()
        for row, one in enumerate(batch.sampling):
            job = self._jobs[one.sequence.id]
            if not finite[row]:
                events += self._fail(one.sequence.id, NonFiniteLogits(len(one.sequence.tokens)))
                continue
            token = greedy[row] if job.sampler.takes_argmax else job.sampler.sample(logits[row], job.generated)
            events += self._extend(job, token)
        return events

    def _progress(self, sequence: Sequence) -> list[Event]:
        if sequence.generated or sequence.computed > sequence.prompt_length:
            return []
        return [Prefilling(sequence.id, sequence.computed, sequence.prompt_length, sequence.cached)]

    def _extend(self, job: _Job, token: int) -> list[Event]:
        """One more token of an answer."""
        sequence = job.sequence
        job.latest = time.perf_counter()
        job.first = job.first or job.latest
        sequence.tokens.append(token)
        job.generated.add(token)
        if token in self.stop_ids:
            return self._finish(job, "stop")
        text = job.stream.push(token)
        events: list[Event] = [Token(sequence.id, text, sequence.generated)]
        if job.stream.stopped:
            return events + self._finish(job, "stop")
        return events + (self._finish(job, "length") if sequence.full else [])

    def _finish(self, job: _Job, reason: FinishReason) -> list[Event]:
        sequence = job.sequence
        del self._jobs[sequence.id]
        self.scheduler.remove(sequence)
        events: list[Event] = []
        rest = job.stream.finish()
        if rest:
            events.append(Token(sequence.id, rest, sequence.generated))
        usage = Usage(sequence.prompt_length, sequence.cached, sequence.generated)
        return [*events, Finished(sequence.id, reason, usage, _timings(job))]

    def _fail(self, id: str, error: Exception) -> list[Event]:
        job = self._jobs.pop(id)
        self.scheduler.abandon(job.sequence)
        return [Failed(id, problem_of(error))]

    def _explain(self, error: Exception) -> Exception:
        if not is_out_of_memory(error):
            return error
        device = self.model.device
        return OutOfMemory(str(device), 0, free_bytes(device), "computing an answer")


def _timings(job: _Job) -> Timings:
    """Zero seconds where no token came."""
    decode = job.latest - job.first
    later = job.sequence.generated - 1
    return Timings(
        ttft_s=job.first - job.asked if job.first else 0.0,
        decode_s=decode,
        tokens_per_s=later / decode if decode > 0 else 0.0,
    )
