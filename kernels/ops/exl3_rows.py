"""Rows of an EXL3 table of embeddings."""

from __future__ import annotations

import torch
from torch import Tensor

from kernels.ops.checks import refuse
from kernels.reference.exl3_rows import RING
from kernels.reference.exl3_rows import exl3_rows as reference
from kernels.reference.trellis import TILE
from kernels.runtime.choose import Implementation, choose, never

IMPLEMENTATIONS = (Implementation("reference", never, reference),)


def exl3_rows(trellis: Tensor, signs: Tensor, rows: Tensor, width: int) -> Tensor:
    """The rows of a table that is coded with the codebook mul1 in G rings of 256 values a row.

    trellis: int16 [vocab, G · (1 + 16 · K)]: of each ring its float16 scale and its bits. signs: float16 [G, 256].
    rows: int64 [T], which ones. width: values of a row that are wanted, at most 256 · G.
    Returns float32 [T, width]. Raises ValueError for arguments that do not fit together.
    """
    if signs.dim() != 2 or signs.shape[1] != RING or signs.dtype != torch.float16:
        refuse("exl3_rows", f"signs must be float16 [G, {RING}]", signs=signs)
    groups = signs.shape[0]
    if trellis.dim() != 2 or trellis.dtype != torch.int16 or (trellis.shape[1] - groups) % (groups * TILE):
        refuse("exl3_rows", "trellis must be int16 [vocab, G · (1 + 16 · K)]", trellis=trellis, signs=signs)
    if not 1 <= (trellis.shape[1] // groups - 1) // TILE <= 8:
        refuse("exl3_rows", "there are 1 to 8 bits a value", trellis=trellis, signs=signs)
    if rows.dim() != 1 or rows.dtype != torch.int64 or {trellis.device, signs.device} != {rows.device}:
        refuse("exl3_rows", "rows must be int64 [T] beside the table", rows=rows, trellis=trellis, signs=signs)
    if not 0 < width <= groups * RING:
        refuse("exl3_rows", f"width must be 1 to {groups * RING}, not {width}")
    return choose(IMPLEMENTATIONS, trellis, signs, rows, width).run(trellis, signs, rows, width)
