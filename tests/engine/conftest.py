"""Models for the engine's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.model.test_architectures import make
from tests.tiny_tokenizers import byte_level_folder


@pytest.fixture(scope="session")
def tiny_chat_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a tiny random Llama, a byte-level tokenizer and a chat template."""
    folder = tmp_path_factory.mktemp("tiny-chat")
    make(folder, "LlamaForCausalLM", {"max_position_embeddings": 2048})
    return byte_level_folder(folder)


@pytest.fixture(scope="session")
def tiny_base_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without a chat template."""
    folder = tmp_path_factory.mktemp("tiny-base")
    make(folder, "LlamaForCausalLM", {})
    return byte_level_folder(folder, chat_template=None)
