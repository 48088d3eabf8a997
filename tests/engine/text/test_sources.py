"""Where tokenizer and template come from: folders and GGUF files."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import pytest

from engine.errors import BrokenTemplate, CorruptFile, NotAModel, TokenizerError
from engine.text.history import Turn
from engine.text.sources import folder_template, gguf_template, load_text
from tests.engine.text.templates import SHORT
from tests.tiny_tokenizers import CHATML, byte_level, byte_level_folder, save, sentencepiece_folder

TURNS = [Turn("user", "What is it?"), Turn("assistant", "A tree."), Turn("user", "Which?")]


def source(folder: Path) -> str | None:
    found = folder_template(folder)
    return found.text if found else None


def test_the_order_of_the_places(tmp_path: Path) -> None:
    assert source(tmp_path) is None
    (tmp_path / "tokenizer_config.json").write_text('{"chat_template": "third"}', encoding="utf-8")
    assert source(tmp_path) == "third"
    (tmp_path / "chat_template.json").write_text('{"chat_template": "second"}', encoding="utf-8")
    assert source(tmp_path) == "second"
    (tmp_path / "chat_template.jinja").write_text("first é", encoding="utf-8")
    assert source(tmp_path) == "first é"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([{"name": "rag", "template": "r"}, {"name": "default", "template": "d"}], "d"),
        ([{"name": "only", "template": "o"}], "o"),
        ([], None),
        ("", None),
        (None, None),
    ],
)
def test_named_templates(value: object, text: str | None, tmp_path: Path) -> None:
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"chat_template": value}), encoding="utf-8")
    assert source(tmp_path) == text


def test_named_templates_without_a_default(tmp_path: Path) -> None:
    named = [{"name": "rag", "template": "r"}, {"name": "tool_use", "template": "t"}]
    (tmp_path / "chat_template.json").write_text(json.dumps({"chat_template": named}), encoding="utf-8")
    with pytest.raises(BrokenTemplate, match="rag, tool_use"):
        folder_template(tmp_path)


def test_c034_a_base_model_has_none(tmp_path: Path) -> None:
    """C034: no template is not an error of loading, and no other model's format is taken."""
    text = load_text(sentencepiece_folder(tmp_path))
    assert text.template is None and text.tokenizer.bos_id == 1
    assert gguf_template({}, tmp_path) is None


def test_c034_a_broken_template_is_told_at_load_with_file_and_line(tmp_path: Path) -> None:
    """C034: syntax error."""
    byte_level_folder(tmp_path)
    (tmp_path / "chat_template.jinja").write_text("a\n{% if %}", encoding="utf-8")
    with pytest.raises(BrokenTemplate) as caught:
        load_text(tmp_path)
    assert caught.value.line == 2 and "chat_template.jinja" in caught.value.sentence()


def test_the_template_knows_start_and_end_token(tmp_path: Path) -> None:
    text = load_text(byte_level_folder(tmp_path, chat_template="{{ bos_token }}{{ eos_token }}"))
    assert text.template is not None and text.template.render(TURNS) == "<|start|><|im_end|>"


def test_c008_the_end_of_turn_that_the_template_writes_is_an_end(tmp_path: Path) -> None:
    """C008: eos_token names another one; what is no special token is none."""
    stop_ids = load_text(byte_level_folder(tmp_path, eos_token="<|pad|>")).tokenizer.stop_ids
    assert stop_ids == {0, 2}
    stop_ids = load_text(byte_level_folder(tmp_path, chat_template=SHORT)).tokenizer.stop_ids
    assert stop_ids == {2}


def test_a_gguf_file(tmp_path: Path) -> None:
    """The same words and the same prompt as the folder."""
    folder = load_text(byte_level_folder(tmp_path / "folder"))
    model = json.loads(byte_level().to_str())["model"]
    tokens = sorted(model["vocab"], key=model["vocab"].get)
    path = tmp_path / "model.GGUF"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([3 if id < 8 else 1 for id in range(len(tokens))])
    writer.add_token_merges([" ".join(merge) for merge in model["merges"]])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(CHATML)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()
    text = load_text(path)
    assert text.template is not None and folder.template is not None
    prompt = text.template.render(TURNS)
    assert prompt == folder.template.render(TURNS)
    assert text.tokenizer.encode_prompt(prompt) == folder.tokenizer.encode_prompt(prompt)
    assert text.tokenizer.stop_ids == folder.tokenizer.stop_ids == {2}


def test_the_starter_is_ready_to_chat(starter: Path) -> None:
    """The ids are those that transformers makes of the model's own files."""
    text = load_text(starter)
    assert text.template is not None
    system = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"
    prompt = text.template.render(TURNS)
    assert prompt.startswith(f"<|im_start|>system\n{system}<|im_end|>\n<|im_start|>user\nWhat is it?<|im_end|>")
    ids = text.tokenizer.encode_prompt(prompt)
    assert ids[:12] == [1, 9690, 198, 2683, 359, 253, 5356, 5646, 11173, 3365, 3511, 308]
    assert ids[-12:] == [198, 1, 4093, 198, 14413, 47, 2, 198, 1, 520, 9531, 198]
    assert text.tokenizer.stop_ids == {2}


def test_what_is_no_model_is_told(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError):
        load_text(tmp_path)
    with pytest.raises(NotAModel):
        load_text(tmp_path / "absent.gguf")
    with pytest.raises(NotAModel):
        load_text(tmp_path / "absent")
    (tmp_path / "a.gguf").write_bytes(b"GGUF\x03")
    with pytest.raises(CorruptFile):
        load_text(tmp_path / "a.gguf")
    save(tmp_path, byte_level())
    (tmp_path / "chat_template.jinja").write_bytes(b"\xff\xfe")
    with pytest.raises(CorruptFile, match="not text"):
        load_text(tmp_path)
