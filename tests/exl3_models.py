"""Tiny models packed by EXL3, each with the plain twin that it stands for.

The packed words are random, which the format allows; the plain matrices follow from them by the format's definition.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import torch
from safetensors.torch import save_file
from torch import Tensor

from kernels.reference.exl3 import reconstruct
from kernels.reference.exl3_rows import exl3_rows
from tests import tiny_models

MARKERS = {"mcg": 0xCBAC1FED, "mul1": 0x83DCD12D}
Tensors = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How one matrix is packed. signs: as old files have it. slices: into how many parts, along a side."""

    rate: float = 3.0
    codebook: str = "mul1"
    signs: bool = False
    slices: int = 1
    along: Literal["in", "out"] = "out"


def marker(codebook: str) -> Tensor:
    return torch.tensor(MARKERS[codebook] - 2**32, dtype=torch.int32)


def round_up(size: int, multiple: int = 128) -> int:
    return -(-size // multiple) * multiple


def pack(out: int, inner: int, recipe: Recipe, seed: int) -> tuple[Tensors, Tensor]:
    """The tensors of one part by suffix, padded; and the matrix [out, inner] that they stand for."""
    parts, weight = _pack(out, inner, recipe, seed)
    return {suffix: tensor.clone() for suffix, tensor in parts.items()}, weight.clone()


@cache
def _pack(out: int, inner: int, recipe: Recipe, seed: int) -> tuple[Tensors, Tensor]:
    wide_out, wide_in = round_up(out), round_up(inner)
    generator = torch.Generator().manual_seed(seed)
    shape = (wide_in // 16, wide_out // 16, int(16 * recipe.rate))
    trellis = torch.randint(-(2**15), 2**15, shape, generator=generator, dtype=torch.int16)
    suh, svh = (1 - 2.0 * torch.randint(0, 2, (size,), generator=generator) for size in (wide_in, wide_out))
    parts = {"trellis": trellis}
    if recipe.signs:
        parts |= {"su": _packed_signs(suh), "sv": _packed_signs(svh)}
    else:
        suh *= 0.08 + 0.04 * torch.rand(wide_in, generator=generator)
        svh[out:] = 0
        parts |= {"suh": suh.half(), "svh": svh.half()}
    if recipe.codebook in MARKERS:
        parts[recipe.codebook] = marker(recipe.codebook)
    weight = reconstruct(trellis, suh.half(), svh.half(), recipe.codebook).T[:out, :inner]
    return parts, weight.contiguous()


def _packed_signs(signs: Tensor) -> Tensor:
    """A bit for each sign, set for minus, the lowest first."""
    bits = (signs.view(-1, 16) < 0).int() << torch.arange(16)
    return bits.sum(1).to(torch.int16)


def pack_layer(key: str, shape: tuple[int, int], recipe: Recipe, seed: int) -> tuple[Tensors, Tensor]:
    """The tensors of one layer by name, and its matrix."""
    out, inner = shape
    if recipe.slices == 1:
        parts, weight = pack(out, inner, recipe, seed)
        return {f"{key}.{suffix}": tensor for suffix, tensor in parts.items()}, weight
    whole = out if recipe.along == "out" else inner
    step = whole // recipe.slices // 128 * 128
    sizes = [step] * (recipe.slices - 1) + [whole - step * (recipe.slices - 1)]
    named: Tensors = {}
    weights = []
    for index, size in enumerate(sizes):
        sides = (size, inner) if recipe.along == "out" else (out, size)
        parts, weight = pack(*sides, recipe, seed * 100 + index)
        named |= {f"{key}.slice.{index}.{suffix}": tensor for suffix, tensor in parts.items()}
        weights.append(weight)
    return named, torch.cat(weights, 0 if recipe.along == "out" else 1)


def pack_table(key: str, shape: tuple[int, int], rate: int, seed: int) -> tuple[Tensors, Tensor]:
    """An embedding table, and its rows."""
    rows, width = shape
    groups = round_up(width, 256) // 256
    generator = torch.Generator().manual_seed(seed)
    rings = torch.randint(-(2**15), 2**15, (rows, groups, 1 + 16 * rate), generator=generator, dtype=torch.int16)
    rings[..., 0] = torch.full((rows, groups), 0.1).half().view(torch.int16)
    signs = (1 - 2.0 * torch.randint(0, 2, (groups, 256), generator=generator)).half()
    trellis = rings.flatten(1)
    return {f"{key}.trellis": trellis, f"{key}.signs": signs}, exl3_rows(
        trellis, signs, torch.arange(rows), width
    ).contiguous()


@dataclass(slots=True)
class Pair:
    """A model packed and plain: tensors of both, and the config of both."""

    config: dict[str, Any]
    packed: Tensors
    plain: Tensors
    recipes: Mapping[str, Recipe]
    claims: dict[str, Any] = field(default_factory=lambda: {"quant_method": "exl3", "version": "1.6.5"})

    def write(self, folder: Path) -> tuple[Path, Path]:
        """Both folders."""
        one, other = folder / "packed", folder / "plain"
        tiny_models.write_config(one, {**self.config, "quantization_config": self.claims})
        save_file(self.packed, one / "model.safetensors")
        return one, tiny_models.write_folder(other, self.config, self.plain)

    def write_packed(self, folder: Path) -> Path:
        return self.write(folder)[0]


def make_pair(recipes: Mapping[str, Recipe], architecture: str = "LlamaForCausalLM", **changes: Any) -> Pair:
    """recipes: by the end of a layer's name, the first that fits; layers that none fits stay as they are."""
    config = tiny_models.config(
        architecture,
        **{"hidden_size": 192, "intermediate_size": 320, "num_hidden_layers": 2, "head_dim": 48, **changes},
    )
    packed: Tensors = {}
    plain: Tensors = {}
    chosen: dict[str, Recipe] = {}
    for seed, (name, tensor) in enumerate(tiny_models.tensors(config).items()):
        key = name.removesuffix(".weight")
        recipe = next((recipes[end] for end in recipes if key.endswith(end)), None)
        plain[name] = tensor
        if recipe is None or name.endswith("bias") or "norm" in name:
            packed[name] = tensor
            continue
        chosen[key] = recipe
        parts, plain[name] = pack_layer(key, (tensor.shape[0], tensor.shape[1]), recipe, seed)
        packed |= parts
    return Pair(config, packed, plain, chosen)


def write_storage(folder: Path, pair: Pair, **changes: Any) -> None:
    """quantization_config.json, as the converter lists its tensors. changes: `bits_per_weight` and such, by key."""
    storage = {}
    for key, recipe in pair.recipes.items():
        entry: dict[str, Any] = {"quant_format": "exl3", "bits_per_weight": recipe.rate}
        if recipe.codebook in MARKERS:
            entry[f"{recipe.codebook}_multiplier"] = MARKERS[recipe.codebook]
        storage[key] = entry | changes.get(key, {})
    (folder / "quantization_config.json").write_text(json.dumps({**pair.claims, "tensor_storage": storage}))
