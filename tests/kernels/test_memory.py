"""The compiled kernels touch nothing behind the end of their arguments."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.kernels.processor import isas

# Every argument ends where a page without any rights begins: one byte too far ends the process.
CODE = """
import ctypes, mmap, sys, torch
from kernels import AttentionBatch, _native
from kernels.native.attention import attention_rows
from kernels.native.linear import linear_rows
from kernels.native.rows import gated_by, rms_norm_by, rotate_by, write_kv_by

PAGE, libc, kept = mmap.PAGESIZE, ctypes.CDLL(None, use_errno=True), []

def at_the_end(tensor):
    size = -(-tensor.nbytes // PAGE) * PAGE
    memory = mmap.mmap(-1, size + PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert libc.mprotect(ctypes.c_void_p(start + size), PAGE, 0) == 0
    kept.append(memory)
    bytes_ = torch.frombuffer(memory, dtype=torch.uint8, count=tensor.nbytes, offset=size - tensor.nbytes)
    return bytes_.view(tensor.dtype).view(tensor.shape).copy_(tensor)

for isa in _native.usable():
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        for inner in (1, 7, 16, 17, 47):
            weight = at_the_end(torch.randn(5, inner).to(dtype))
            for rows in (1, 3, 9):
                linear_rows(isa, at_the_end(torch.randn(rows, inner)), weight, at_the_end(torch.randn(5)))
            k_cache, v_cache = (at_the_end(torch.zeros(2, 64, 1, inner).to(dtype)) for _ in range(2))
            k = at_the_end(torch.randn(1, 1, inner))
            write_kv_by(isa, k, k, k_cache, v_cache, torch.tensor([127]))
            batch = AttentionBatch.make(page_tables=[[0, 1]], query_lens=[1], kv_lens=[128], device=k.device)
            attention_rows(isa, at_the_end(torch.randn(1, 3, inner)), k_cache, v_cache, batch, scale=1.0)
    for size in (2, 7, 16, 17, 47):
        x, weight = at_the_end(torch.randn(2, size)), at_the_end(torch.randn(size))
        rms_norm_by(isa, x, weight, 1e-5)
        gated_by(isa, x, x, "silu")
        turn = at_the_end(torch.randn(2, size // 2))
        rotate_by(isa, at_the_end(torch.randn(2, 1, size)), turn, turn)
print("whole")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="protects pages as Linux does")
@pytest.mark.skipif(not isas(), reason="the compiled module is not built")
def test_tails_at_the_end_of_readable_memory() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, "whole"), done.stderr
