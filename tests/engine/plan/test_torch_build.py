from __future__ import annotations

from importlib import metadata
from pathlib import Path
from types import SimpleNamespace

import pytest

from engine.plan.torch_build import CPU, CUDA_12, CUDA_13, TorchBuild, for_cuda, installed

VERSION = """from typing import Optional

__version__ = '2.13.0'
cuda: Optional[str] = {cuda}
hip: Optional[str] = None
"""


@pytest.mark.parametrize(
    ("cuda", "expected"), [(None, CPU), ("12.6", CUDA_12), ("13.0", CUDA_13), ("13.2", CUDA_13), ("14.1", CUDA_13)]
)
def test_the_build_follows_its_cuda(cuda: str | None, expected: TorchBuild) -> None:
    assert for_cuda(cuda) == expected


@pytest.mark.parametrize(("cuda", "expected"), [("None", CPU), ("'13.0'", CUDA_13), ("'12.6'", CUDA_12)])
def test_the_installed_files_tell_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, cuda: str, expected: TorchBuild
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/version.py").write_text(VERSION.format(cuda=cuda))
    monkeypatch.setattr(metadata, "distribution", lambda name: SimpleNamespace(locate_file=tmp_path.joinpath))
    assert installed() == expected


def test_pieces_of_torch_are_not_torch(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(metadata, "distribution", lambda name: SimpleNamespace(locate_file=tmp_path.joinpath))
    assert installed() is None


def test_it_agrees_with_torch_itself() -> None:
    import torch

    assert installed() == for_cuda(torch.version.cuda)
