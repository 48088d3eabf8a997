"""Generator on a scripted model and on a tiny real one."""

from __future__ import annotations

import random

import pytest
import torch

from engine.errors import InvalidRequest, PromptTooLong
from engine.generate.generator import Generator
from engine.messages import Event, Failed, Finished, Prefilling, Token
from engine.model.build import build
from engine.model.model import Model
from engine.params import SamplingParams
from engine.plan.plan import Memory, Plan
from engine.spec.model import AttentionSpec, LayerSpec, MlpSpec, ModelSpec, RopeSpec
from engine.spec.names import slots
from engine.text.tokenizer import Tokenizer
from tests.tiny_tokenizers import byte_level_folder

GREEDY = SamplingParams(temperature=0)


def spec(vocab: int = 256, stop: frozenset[int] = frozenset({2}), hidden: int = 256) -> ModelSpec:
    attention = AttentionSpec(4, 2, 32, RopeSpec(10000.0, 32), 32**-0.5)
    layer = LayerSpec(attention, MlpSpec(64))
    return ModelSpec("LlamaForCausalLM", hidden, vocab, (layer, layer), 1e-5, False, 2048, "float32", None, stop)


def plan(context: int, pages: int, chunk: int) -> Plan:
    return Plan("cpu", "float32", "float32", context, pages, chunk, 1, Memory(0, 0, 0))


def chain(follows: dict[int, int]) -> Model:
    """A real model that walks a script: the next token depends on the last one only."""
    model_spec = spec()
    tensors = {slot.name: torch.zeros(slot.shape) for slot in slots(model_spec)}
    tensors["embedding.weight"] = torch.eye(256)
    tensors["norm.weight"] = torch.ones(256)
    for token, following in follows.items():
        tensors["head.weight"][following, token] = 10.0
    return build(model_spec, plan(1024, 6, 64), tensors)


def random_model(pages: int = 8, chunk: int = 64) -> Model:
    generator = torch.Generator().manual_seed(4)
    tensors = {slot.name: torch.randn(slot.shape, generator=generator) * 0.2 for slot in slots(spec())}
    for name in tensors:
        if "norm" in name:
            tensors[name] = torch.ones_like(tensors[name])
    return build(spec(), plan(2048, pages, chunk), tensors)


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory: pytest.TempPathFactory) -> Tokenizer:
    return Tokenizer.from_folder(byte_level_folder(tmp_path_factory.mktemp("tokenizer")))


def generator_of(model: Model, tokenizer: Tokenizer, *, context: int = 1024, chunk: int = 64) -> Generator:
    pages = model.cache.keys[0].shape[0]
    return Generator(model, tokenizer, frozenset({2, 7}), context=context, pages=pages, chunk=chunk)


def drain(generator: Generator) -> list[Event]:
    events: list[Event] = []
    while not generator.idle:
        events += generator.step()
        generator.cache.check_integrity()
    return events


def text_of(events: list[Event], id: str) -> str:
    return "".join(event.text for event in events if isinstance(event, Token) and event.id == id)


def finished(events: list[Event], id: str) -> Finished:
    (event,) = [event for event in events if isinstance(event, Finished) and event.id == id]
    return event


def test_c008_any_end_token_ends_the_answer_and_is_not_shown(tokenizer: Tokenizer) -> None:
    """C008: the walk 10, 11, 7, 12 stops at 7, one of several end tokens."""
    generator = generator_of(chain({10: 11, 11: 7, 7: 12, 12: 12}), tokenizer)
    generator.add("a", [10], GREEDY)
    events = drain(generator)
    assert text_of(events, "a") == tokenizer.decode([11])
    end = finished(events, "a")
    assert (end.reason, end.usage.prompt_tokens, end.usage.completion_tokens) == ("stop", 1, 2)


def test_c037_held_text_is_delivered_at_every_kind_of_end(tokenizer: Tokenizer) -> None:
    """C037: the text ends in what might begin a stop string, by end token, limit, or cancel."""
    letters = {letter: tokenizer.encode(letter, add_special=False)[0] for letter in "xyEN"}
    walk = {letters["x"]: letters["E"], letters["E"]: letters["N"], letters["N"]: 7}
    stop = SamplingParams(temperature=0, stop=("END!",))
    generator = generator_of(chain(walk), tokenizer)
    generator.add("end", [letters["x"]], stop)
    assert text_of(drain(generator), "end") == "EN"
    generator.add("limit", [letters["x"]], SamplingParams(temperature=0, stop=("END!",), max_tokens=2))
    events = drain(generator)
    assert text_of(events, "limit") == "EN" and finished(events, "limit").reason == "length"
    generator.add("cancel", [letters["x"]], stop)
    events = [*generator.step(), *generator.step(), *generator.cancel("cancel")]
    assert text_of(events, "cancel") == "EN" and finished(events, "cancel").reason == "cancelled"
    assert events[-1] == finished(events, "cancel")


def test_c065_without_a_limit_it_ends_with_the_context(tokenizer: Tokenizer) -> None:
    """C065: a model that never ends; context 128, prompt 100."""
    generator = generator_of(chain({10: 10}), tokenizer, context=128)
    generator.add("a", [10] * 100, GREEDY)
    end = finished(drain(generator), "a")
    assert (end.reason, end.usage.completion_tokens) == ("length", 28)
    generator.add("b", [10] * 100, SamplingParams(temperature=0, max_tokens=1000))
    assert finished(drain(generator), "b").usage.completion_tokens == 28


def test_c056_c055_what_can_never_fit_is_refused_with_both_numbers(tokenizer: Tokenizer) -> None:
    """C055, C056: longer than the context; longer than the cache."""
    generator = generator_of(chain({10: 10}), tokenizer, context=256)
    with pytest.raises(PromptTooLong) as caught:
        generator.add("a", [10] * 1000, GREEDY)
    assert (caught.value.tokens, caught.value.context) == (1000, 256)
    with pytest.raises(PromptTooLong):
        generator_of(chain({10: 10}), tokenizer, context=4096).add("a", [10] * 1536, GREEDY)
    generator.add("b", [10], SamplingParams(temperature=0, max_tokens=3))
    assert finished(drain(generator), "b").usage.completion_tokens == 3


@pytest.mark.parametrize("token", [256, 100_000, -1])
def test_c019_ids_outside_the_vocabulary_are_refused(token: int, tokenizer: Tokenizer) -> None:
    """C019: the request fails, the engine goes on."""
    generator = generator_of(chain({10: 11, 11: 7}), tokenizer)
    with pytest.raises(InvalidRequest, match=str(token)):
        generator.add("a", [10, token], GREEDY)
    generator.add("a", [10], GREEDY)
    assert finished(drain(generator), "a").reason == "stop"


@pytest.mark.parametrize("length", [255, 256, 257, 512])
def test_c058_a_repeated_prompt_gives_the_same_answer_from_the_cache(length: int, tokenizer: Tokenizer) -> None:
    """C058: prompts around the page size, sent twice, then with one token more."""
    prompt = [random.Random(length).randrange(8, 256) for _ in range(length)]
    generator = generator_of(random_model(), tokenizer)
    params = SamplingParams(temperature=0, max_tokens=12)
    texts, cached = [], []
    for id in ("cold", "warm"):
        generator.add(id, prompt, params)
        events = drain(generator)
        texts.append(text_of(events, id))
        cached.append(finished(events, id).usage.cached_tokens)
    assert texts[0] == texts[1] and cached == [0, length - 1]
    generator.add("more", [*prompt, 9], SamplingParams(temperature=0, max_tokens=1))
    usage = finished(drain(generator), "more").usage
    assert usage.cached_tokens == length and usage.completion_tokens == 1


def test_sharing_the_machine_changes_no_text(tokenizer: Tokenizer) -> None:
    """Twelve answers at once on few pages, sampled with seeds: each equals its single run."""
    shared = [random.Random(1).randrange(8, 256) for _ in range(300)]
    prompts = {str(n): shared[: 25 * n] + [random.Random(n).randrange(8, 256) for _ in range(9)] for n in range(12)}
    params = {id: SamplingParams(temperature=1.0, seed=int(id), max_tokens=20) for id in prompts}
    alone = {}
    for id, prompt in prompts.items():
        generator = generator_of(random_model(), tokenizer)
        generator.add(id, prompt, params[id])
        alone[id] = text_of(drain(generator), id)
    generator = generator_of(random_model(pages=6), tokenizer)
    for id, prompt in prompts.items():
        generator.add(id, prompt, params[id])
    events = drain(generator)
    assert {id: text_of(events, id) for id in prompts} == alone
    assert generator.cache.used == 0


def test_cancel_takes_effect_at_once_and_frees_its_pages(tokenizer: Tokenizer) -> None:
    generator = generator_of(chain({10: 10}), tokenizer)
    generator.add("a", [10] * 300, GREEDY)
    events = generator.step()
    assert events == [Prefilling("a", 64, 300, 0)]
    (end,) = generator.cancel("a")
    assert isinstance(end, Finished) and end.reason == "cancelled" and end.usage.completion_tokens == 0
    assert generator.idle and generator.cache.used == 0
    assert generator.cancel("a") == []


def test_c007_nan_ends_one_answer_with_an_error_and_leaves_no_trace(tokenizer: Tokenizer) -> None:
    """C007: never a silent stream of token 0; others in the batch and later requests are served."""
    model = chain({10: 11, 11: 12, 12: 7})
    model.embedding.weight[99] = float("nan")
    generator = generator_of(model, tokenizer)
    generator.add("bad", [99] * 70, GREEDY)
    generator.add("good", [10], GREEDY)
    events = drain(generator)
    (failure,) = [event for event in events if isinstance(event, Failed)]
    assert failure.id == "bad" and failure.problem.kind == "NonFiniteLogits"
    assert finished(events, "good").reason == "stop"
    assert generator.cache.used == 0
    generator.add("again", [10], GREEDY)
    assert finished(drain(generator), "again").reason == "stop"


def test_c100_no_memory_in_a_step_fails_its_requests_and_serves_the_next(
    tokenizer: Tokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C100: the allocator gives up in the middle of an answer."""
    generator = generator_of(chain({10: 11, 11: 7}), tokenizer)
    generator.add("a", [10], GREEDY)

    def fail(*_: object) -> None:
        raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")

    with monkeypatch.context() as patch:
        patch.setattr(generator.model, "forward", fail)
        (failure,) = generator.step()
    assert isinstance(failure, Failed) and failure.problem.kind == "OutOfMemory"
    generator.cache.check_integrity()
    generator.add("b", [10], GREEDY)
    assert finished(drain(generator), "b").reason == "stop"


def test_two_answers_may_not_share_an_id(tokenizer: Tokenizer) -> None:
    generator = generator_of(chain({10: 10}), tokenizer)
    generator.add("a", [10], GREEDY)
    with pytest.raises(InvalidRequest):
        generator.add("a", [10], GREEDY)


def test_timings_and_usage_are_those_of_the_answer(tokenizer: Tokenizer) -> None:
    generator = generator_of(chain({10: 10}), tokenizer)
    generator.add("a", [10, 10], SamplingParams(temperature=0, max_tokens=5))
    end = finished(drain(generator), "a")
    assert (end.usage.prompt_tokens, end.usage.completion_tokens) == (2, 5)
    assert end.timings.ttft_s > 0 and end.timings.decode_s > 0
    assert end.timings.tokens_per_s == pytest.approx(4 / end.timings.decode_s)
