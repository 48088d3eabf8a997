"""`tonnelle evaluate`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file

from engine.__main__ import main


@pytest.fixture
def ids(tmp_path: Path) -> Path:
    rows = torch.randint(8, 264, (2, 100), generator=torch.Generator().manual_seed(1))
    save_file({"input_ids": rows}, tmp_path / "ids.safetensors")
    return tmp_path / "ids.safetensors"


def evaluate(*arguments: str) -> int:
    return main(["evaluate", "--device", "cpu", *arguments])


def test_perplexity_and_distance(capsys: pytest.CaptureFixture[str], tiny_chat_model: Path, ids: Path) -> None:
    model = str(tiny_chat_model)
    assert evaluate(model, "--ids", str(ids), "--reference", model, "--json") == 0
    quality = json.loads(capsys.readouterr().out)
    assert quality["tokens"] == 198 and quality["perplexity"] > 1
    assert quality["kl"] == pytest.approx(0, abs=1e-9) and quality["agreement"] == 1
    assert evaluate(model, "--ids", str(ids)) == 0
    assert f"{quality['perplexity']:.4f}" in capsys.readouterr().out


def test_without_ids_it_reads_the_manual(capsys: pytest.CaptureFixture[str], tiny_chat_model: Path) -> None:
    assert evaluate(str(tiny_chat_model), "--context", "256", "--json") == 0
    assert json.loads(capsys.readouterr().out)["tokens"] == 8 * 255


@pytest.mark.parametrize("broken", ["absent", "no safetensors", "other tensor", "flat", "too large"])
def test_bad_ids_are_one_sentence(
    broken: str, capsys: pytest.CaptureFixture[str], tiny_chat_model: Path, tmp_path: Path
) -> None:
    file = tmp_path / "bad.safetensors"
    if broken == "no safetensors":
        file.write_text("hello")
    elif broken != "absent":
        tensors = {
            "other tensor": {"tokens": torch.zeros(1, 4, dtype=torch.int64)},
            "flat": {"input_ids": torch.zeros(4, dtype=torch.int64)},
            "too large": {"input_ids": torch.full((1, 4), 10**6)},
        }
        save_file(tensors[broken], file)
    assert evaluate(str(tiny_chat_model), "--ids", str(file)) == 1
    printed = capsys.readouterr()
    assert printed.err.strip() and "Traceback" not in printed.err and printed.out == ""
