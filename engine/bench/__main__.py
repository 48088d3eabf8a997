"""python -m engine.bench FOLDER: our decode and prefill speed against `transformers` on the same model.

Both run in this process, one after the other and again, in the same dtype on the same threads; greedy, the same
prompt, the same number of tokens. Reported is the best of the rounds of each and their ratio. `transformers`
is part of the `test` extra; without it only our own figures are shown.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from engine import settings
from engine.generate.session import Session, finish, load_session
from engine.messages import Finished, Prefilling
from engine.params import SamplingParams
from engine.plan.plan import Wishes


@dataclass(frozen=True, slots=True)
class Speed:
    """Tokens a second of reading a prompt, and of decoding after its first token."""

    prefill: float
    decode: float


def main() -> int:
    options = _options()
    wishes = Wishes(context=options.prompt + options.tokens + 1, **_given(options, "device", "dtype", "threads"))
    session = finish(load_session(options.folder, wishes, settings.read()))
    prompt = _prompt(session, options.prompt)
    contenders: dict[str, Callable[[int], Speed]] = {"tonnelle": lambda at: _ours(session, prompt, options.tokens, at)}
    if importlib.util.find_spec("transformers") and session.card.format == "safetensors":
        peer = _peer(options.folder, session)
        contenders["transformers"] = lambda _: _theirs(peer, prompt, options.tokens)
    rounds: dict[str, list[Speed]] = {name: [] for name in contenders}
    for number in range(options.rounds):
        for name, run in contenders.items():
            rounds[name].append(run(number))
    best = {name: Speed(max(s.prefill for s in all), max(s.decode for s in all)) for name, all in rounds.items()}
    print(json.dumps({name: asdict(speed) for name, speed in best.items()}) if options.json else _table(session, best))
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m engine.bench", description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="a model folder (GGUF and EXL3 are run without the peer)")
    parser.add_argument("--prompt", type=int, default=128, help="tokens of the prompt")
    parser.add_argument("--tokens", type=int, default=128, help="tokens to decode")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def _given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}


def _prompt(session: Session, length: int) -> list[int]:
    """A text of that many tokens, the same in each run."""
    words = "The quick brown fox jumps over the lazy dog and then rests in the shade of an old oak tree. "
    ids: list[int] = session.text.tokenizer.encode(words * (length // 8 + 1), add_special=False)
    return ids[:length]


def _ours(session: Session, prompt: list[int], tokens: int, number: int) -> Speed:
    """number: of the round; it changes the first token, so that the prefix cache does not know the prompt."""
    generator = session.generator
    generator.stop_ids = frozenset()
    start = time.perf_counter()
    salted = [prompt[number % len(prompt)] + number, *prompt[1:]]
    generator.add("bench", salted, SamplingParams(temperature=0, max_tokens=tokens))
    read = decode = 0.0
    while not generator.idle:
        for event in generator.step():
            if isinstance(event, Prefilling) and event.done == event.total:
                read = time.perf_counter() - start
            if isinstance(event, Finished):
                decode = event.timings.tokens_per_s
    return Speed(len(prompt) / read, decode)


def _peer(folder: Path, session: Session) -> Any:
    import transformers

    torch.set_num_threads(session.plan.threads)
    kind: Any = transformers.AutoModelForCausalLM
    return kind.from_pretrained(folder, dtype=getattr(torch, session.plan.dtype)).to(session.plan.device).eval()


@torch.inference_mode()
def _theirs(model: Any, prompt: list[int], tokens: int) -> Speed:
    """A plain cached loop: `generate` would only add to it."""
    start = time.perf_counter()
    output = model(torch.tensor([prompt], device=model.device), use_cache=True, logits_to_keep=1)
    token = output.logits[:, -1].argmax(-1, keepdim=True)
    token.item()
    read = time.perf_counter() - start
    start = time.perf_counter()
    for _ in range(tokens - 1):
        output = model(token, past_key_values=output.past_key_values, use_cache=True)
        token = output.logits[:, -1].argmax(-1, keepdim=True)
        token.item()
    return Speed(len(prompt) / read, (tokens - 1) / (time.perf_counter() - start))


def _table(session: Session, best: dict[str, Speed]) -> str:
    plan = session.plan
    lines = [f"{session.card.name}, {plan.dtype} on {plan.device}, {plan.threads} threads; tokens a second"]
    lines += [f"  {name:14} prefill {speed.prefill:9.1f}   decode {speed.decode:8.2f}" for name, speed in best.items()]
    if "transformers" in best:
        ours, theirs = best["tonnelle"], best["transformers"]
        ratios = ours.prefill / theirs.prefill, ours.decode / theirs.decode
        lines.append(f"  {'ratio':14} prefill {ratios[0]:9.2f}   decode {ratios[1]:8.2f}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
