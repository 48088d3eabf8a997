"""What the installed build of torch asks of a card and its driver, known without importing torch."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path


@dataclass(frozen=True, slots=True)
class TorchBuild:
    """One flavour of torch.

    driver: oldest major version of NVIDIA's driver; 0: the build cannot use cards at all.
    capabilities: lowest and highest compute capability that it has kernels for.
    """

    name: str
    driver: int = 0
    capabilities: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0))


CPU = TorchBuild("cpu")
# Our own kernels start at 7.5. CUDA 12 runs on any driver from 525 on (528 on Windows, same major family);
# its builds end at Hopper, while CUDA 13 knows Blackwell and later ones through PTX.
CUDA_12 = TorchBuild("CUDA 12", 525, ((7, 5), (9, 9)))
CUDA_13 = TorchBuild("CUDA 13", 580, ((7, 5), (99, 0)))


def installed() -> TorchBuild | None:
    """The build that is installed; None: no torch, or only pieces of it. Its `version.py` is read, not run."""
    try:
        version = Path(str(metadata.distribution("torch").locate_file("torch/version.py"))).read_text()
    except (metadata.PackageNotFoundError, OSError):
        return None
    cuda = re.search(r"^cuda\b.*=\s*['\"]([\d.]+)['\"]", version, re.MULTILINE)
    return for_cuda(cuda.group(1) if cuda else None)


def for_cuda(version: str | None) -> TorchBuild:
    """version: of CUDA, as torch.version.cuda has it."""
    if version is None:
        return CPU
    return CUDA_12 if version.startswith("12.") else CUDA_13
