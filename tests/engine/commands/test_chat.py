"""`tonnelle chat` with a tiny model."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from engine.__main__ import main
from tests.exl3_models import Recipe, make_pair
from tests.tiny_tokenizers import byte_level_folder


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(["chat", "--device", "cpu", "--context", "512", *arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_one_question_streams_and_tells_its_speed(capsys: pytest.CaptureFixture[str], tiny_chat_model: Path) -> None:
    code, out, _ = run(capsys, "--model", str(tiny_chat_model), "--prompt", "hello", "--max-tokens", "5")
    assert code == 0 and "tokens/s" in out.splitlines()[-1]


def test_json_is_one_object(capsys: pytest.CaptureFixture[str], tiny_chat_model: Path) -> None:
    code, out, _ = run(
        capsys, "--model", str(tiny_chat_model), "--prompt", "hi", "--max-tokens", "4", "--temperature", "0", "--json"
    )
    answer = json.loads(out)
    assert code == 0 and answer["completion_tokens"] <= 4 and answer["finish_reason"] in ("length", "stop")


def test_without_prompt_and_terminal_the_question_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tiny_chat_model: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("hello"))
    code, out, _ = run(capsys, "--model", str(tiny_chat_model), "--max-tokens", "3")
    assert code == 0 and out


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_conversation_goes_on_until_the_end_of_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tiny_chat_model: Path
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("hello\n\nmore\n"))
    code, out, _ = run(capsys, "--model", str(tiny_chat_model), "--max-tokens", "3", "--system", "Be brief.")
    assert code == 0 and out.count("tokens/s") == 2


def test_a_conversation_that_grows_too_long_is_told_and_goes_on(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tiny_chat_model: Path
) -> None:
    """C056: both numbers, and the chat is not dead."""
    monkeypatch.setattr("sys.stdin", Terminal("word " * 800 + "\n"))
    code, out, _ = run(capsys, "--model", str(tiny_chat_model), "--max-tokens", "3")
    assert code == 0 and "512" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "absent/model", "--prompt", "x"], "absent/model"),
        (["--prompt", "x", "--temperature", "-1"], "temperature"),
        (["--prompt", "x", "--device", "cuda:99"], "cuda:99"),
        (["--prompt", "x", "--context", "999999999"], "context"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_1(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["chat", *arguments])
    printed = capsys.readouterr()
    assert code == 1 and words in printed.err and printed.out == ""
    assert "Traceback" not in printed.err


def test_a_model_without_template_says_so(capsys: pytest.CaptureFixture[str], tiny_base_model: Path) -> None:
    """C034: base models carry no template; nothing else is used in silence."""
    code, _, err = run(capsys, "--model", str(tiny_base_model), "--prompt", "hi")
    assert code == 1 and "chat template" in err and "chat_template.jinja" in err


def test_a_packed_model_chats_and_tells_its_bits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pair = make_pair({"_proj": Recipe(2.5), "lm_head": Recipe(6, "mcg")}, vocab_size=300, max_position_embeddings=512)
    folder = byte_level_folder(pair.write_packed(tmp_path))
    monkeypatch.setattr("sys.stdin", Terminal("hello\n"))
    code, out, _ = run(capsys, "--model", str(folder), "--max-tokens", "3")
    assert code == 0 and "tokens/s" in out
    assert "packed, EXL3 with 2.5 bits, 6 in the head, codebook mcg, mul1, 1 MiB on cpu." in out
