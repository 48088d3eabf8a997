"""quantization_config of an EXL3 folder, in config.json and in a file of its own: for people, never relied on.

Where it disagrees with the tensors, these are believed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from engine.errors import ConfigError, CorruptFile, some
from engine.spec.config import Config
from engine.spec.exl3 import MARKERS, Exl3Matrix, mean_rate

METHOD = "exl3"
BESIDE = "quantization_config.json"
SECTION = "quantization_config"
NEAR = 0.1  # bits: what an average may differ by from one that counts other layers too


def disagreements(folder: Path, matrices: Mapping[str, Exl3Matrix]) -> tuple[str, ...]:
    """One sentence for everything in which the files beside the weights say something else, or cannot be read.

    matrices: by key. Raises CorruptFile if config.json cannot be read.
    """
    outer = Config.read(folder / "config.json")
    found: dict[str, None] = {}
    try:
        beside = Config.read(folder / BESIDE) if (folder / BESIDE).is_file() else None
        for claim in (outer.within(SECTION), beside):
            found |= dict.fromkeys(_averages(claim, matrices) if claim else ())
        found |= dict.fromkeys(_storage(beside, matrices))
    except (CorruptFile, ConfigError) as error:
        found[f"{error.sentence()} The tensors alone are believed."] = None
    return tuple(found)


def _averages(claim: Config, matrices: Mapping[str, Exl3Matrix]) -> Iterable[str]:
    if claim.text("quant_method", "") != METHOD:
        return
    if not matrices:
        yield f"{claim.file.name} says that the weights are packed by EXL3; they are not, and are run as they are."
        return
    heads = tuple(matrix for key, matrix in matrices.items() if _is_head(key))
    layers = tuple(matrix for key, matrix in matrices.items() if not _is_head(key))
    for name, key, group in (("layers", "bits", layers), ("head", "head_bits", heads)):
        claimed = claim.number(key, None)
        if claimed is not None and group and abs(claimed - mean_rate(group)) > NEAR:
            yield (
                f"{claim.file.name} says {claimed:g} bits for the {name}, the tensors hold {mean_rate(group):.2f}; "
                "the tensors are believed."
            )


def _is_head(key: str) -> bool:
    return key.rpartition(".")[2] == "lm_head"


def _storage(beside: Config | None, matrices: Mapping[str, Exl3Matrix]) -> Iterable[str]:
    """Of the list of all tensors: where the bits or the codebook of a matrix are not those that are listed."""
    listed = beside.within("tensor_storage") if beside else None
    if listed is None:
        return
    others = tuple(key for key, matrix in matrices.items() if not _agrees(listed.within(key), matrix))
    if others:
        yield f"{BESIDE} lists other bits or another codebook for {some(others)}; the tensors are believed."


def _agrees(claim: Config | None, matrix: Exl3Matrix) -> bool:
    """What is not listed agrees: vision and drafting parts, and slices, never are by the name of the whole."""
    if claim is None:
        return True
    bits = claim.number("bits_per_weight", None)
    named = {codebook for codebook in MARKERS if f"{codebook}_multiplier" in claim} or {"3inst"}
    return (bits is None or bits == matrix.rate) and (bits is None or named == set(matrix.codebooks))
