"""The starter with wider layers that computes the same: hidden 576 → 768, heads 9 and 3 → 12 and 4.

- New hidden channels are zero wherever they are written, and nothing reads from them.
- RMSNorm takes its mean over 768 instead of 576 channels: weights times sqrt(576/768), epsilon times 576/768.
- New heads are copies of the first ones whose output is multiplied by zero.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn.functional import pad

HIDDEN, WIDE = 576, 768
MORE = WIDE - HIDDEN
HEAD = 64
QUERIES, KEYS = 3 * HEAD, HEAD  # rows of the new heads


def write_twin(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.suffix != ".safetensors":
            shutil.copy(path, target)
    stored = load_file(source / "model.safetensors")
    wide = {name: widened(name, tensor.float()).to(tensor.dtype).contiguous() for name, tensor in stored.items()}
    save_file(wide, target / "model.safetensors", metadata={"format": "pt"})
    config = json.loads((source / "config.json").read_text(encoding="utf-8"))
    config |= {"hidden_size": WIDE, "num_attention_heads": 12, "num_key_value_heads": 4, "head_dim": HEAD}
    config["rms_norm_eps"] *= HIDDEN / WIDE
    (target / "config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")


def widened(name: str, weight: Tensor) -> Tensor:
    """float32 [out, in] or, of a norm, [hidden]."""
    match name.split(".")[-2]:
        case "input_layernorm" | "post_attention_layernorm" | "norm":
            return pad(weight * (HIDDEN / WIDE) ** 0.5, (0, MORE), value=1.0)
        case "q_proj":
            return more_heads(weight, QUERIES)
        case "k_proj" | "v_proj":
            return more_heads(weight, KEYS)
        case "o_proj":
            return pad(weight, (0, QUERIES, 0, MORE))
        case "down_proj":
            return pad(weight, (0, 0, 0, MORE))
        case _:
            return pad(weight, (0, MORE))


def more_heads(weight: Tensor, rows: int) -> Tensor:
    """New columns zero, the first rows once more at the end."""
    wide = pad(weight, (0, MORE))
    return torch.cat([wide, wide[:rows]])


if __name__ == "__main__":
    write_twin(Path(sys.argv[1]), Path(sys.argv[2]))
