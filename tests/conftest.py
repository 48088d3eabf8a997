"""What holds for every test: no screen, no network, and GPU tests only where there are cards."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine.spec.starter import find_starter

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["HF_HUB_OFFLINE"] = "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips what needs more cards than there are; torch is only asked when a test needs one."""
    needed = {item: 2 if "multi_gpu" in item.keywords else 1 for item in items if _needs_cards(item)}
    if not needed:
        return
    import torch

    count = torch.cuda.device_count()
    for item, cards in needed.items():
        if cards > count:
            item.add_marker(pytest.mark.skip(reason=f"needs {cards} NVIDIA card(s) that torch can use, {count} here"))


def _needs_cards(item: pytest.Item) -> bool:
    return "gpu" in item.keywords or "multi_gpu" in item.keywords


@pytest.fixture(scope="session")
def starter() -> Path:
    """The starter model's GGUF file. `bootstrap.py test` installs it, so its absence is an error, not a skip."""
    file = find_starter()
    assert file is not None, "the starter model is not installed: run installers/bootstrap.py test"
    return file


@pytest.fixture(scope="session")
def starter_folder(starter: Path, pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The starter as a Hugging Face folder in bf16; made once and kept in pytest's cache, if there is one."""
    from tests.models import cached

    cache = pytestconfig.cache
    return cached.starter_folder(starter, cache.mkdir("models") if cache else tmp_path_factory.mktemp("models"))
