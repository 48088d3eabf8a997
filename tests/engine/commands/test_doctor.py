"""`tonnelle doctor`."""

from __future__ import annotations

import json

import pytest

from engine.__main__ import main


def test_in_words_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    words = capsys.readouterr().out
    assert "torch" in words and "starter" in words.lower()
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"]
