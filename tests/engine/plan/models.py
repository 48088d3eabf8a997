"""Specs and machines that the tests of this room speak of."""

from __future__ import annotations

from engine.plan.machine import Gpu, Machine
from engine.spec.model import AttentionSpec, LayerSpec, MlpSpec, ModelSpec, RopeSpec

GIB = 2**30
MIB = 2**20


def model(
    *,
    layers: int = 4,
    hidden: int = 128,
    heads: int = 4,
    kv_heads: int = 2,
    intermediate: int = 256,
    vocab: int = 512,
    tied: bool = True,
    context: int = 4096,
    dtype: str = "bfloat16",
) -> ModelSpec:
    head_dim = hidden // heads
    attention = AttentionSpec(heads, kv_heads, head_dim, RopeSpec(10000.0, head_dim), head_dim**-0.5)
    layer = LayerSpec(attention, MlpSpec(intermediate))
    return ModelSpec(
        architecture="LlamaForCausalLM",
        hidden=hidden,
        vocab=vocab,
        layers=(layer,) * layers,
        norm_eps=1e-5,
        tied=tied,
        context=context,
        dtype=dtype,  # type: ignore[arg-type]
        bos_id=1,
        stop_ids=frozenset({2}),
    )


SMOLLM2 = model(
    layers=30, hidden=576, heads=9, kv_heads=3, intermediate=1536, vocab=49152, context=8192, dtype="bfloat16"
)
LLAMA_70B = model(
    layers=80, hidden=8192, heads=64, kv_heads=8, intermediate=28672, vocab=128256, tied=False, context=131072
)


def gpu(index: int, free: float, *, total: float | None = None, usable: bool = True, reason: str = "") -> Gpu:
    """free, total: GiB."""
    size = int((free if total is None else total) * GIB)
    return Gpu(index, f"GPU-{index}", f"Card {index}", size, int(free * GIB), (8, 9), usable, reason)


def machine(*gpus: Gpu, ram: float = 16, cores: int = 8) -> Machine:
    """ram: free, GiB."""
    return Machine(cores=cores, ram_total=64 * GIB, ram_free=int(ram * GIB), gpus=gpus)
