from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QLocale, Qt
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from app.bridge.state import EngineState
from app.chat.header import RECENT, Header
from app.chat.model_button import ModelButton
from app.theme.theme import Theme
from tests.app.fake_controller import CARD, READY


@pytest.fixture
def header(theme: Theme, qtbot: QtBot) -> Iterator[Header]:
    before = QLocale()
    QLocale.setDefault(QLocale("en_US"))
    made = Header(theme)
    qtbot.addWidget(made)
    made.resize(800, 60)
    made.show_state(READY)
    made.show()
    yield made
    QLocale.setDefault(before)


@pytest.mark.parametrize(
    ("state", "name"),
    [
        (READY, "Model: SmolLM2-135M-Instruct, Ready · CPU · bf16"),
        (EngineState("loading", "/models/other.gguf", done=1, total=4), "Model: other.gguf, Loading… 25 %"),
        (EngineState("empty"), "Model: Choose a model, No model loaded"),
        (EngineState("dead", CARD.source), "Model: SmolLM2-135M-Instruct.gguf, Engine stopped"),
    ],
)
def test_the_button_names_model_and_state(header: Header, state: EngineState, name: str) -> None:
    header.show_state(state)
    assert header.model.accessibleName() == name


def test_speed_and_context_are_shown(header: Header) -> None:
    header.show_state(replace(READY, tokens_per_s=14.23, context_used=1234))
    assert header.speed.text() == "14.2 tok/s"
    assert header.meter.toolTip() == "Context: 1,234 of 8,192 tokens used"
    header.show_state(EngineState("empty"))
    assert not header.speed.isVisible()
    assert not header.meter.isVisible()


def test_a_load_can_be_cancelled(header: Header, qtbot: QtBot) -> None:
    assert not header.cancel_button.isVisible()
    header.show_state(EngineState("loading", "/m", step="Reading the weights"))
    with qtbot.waitSignal(header.cancel):
        qtbot.mouseClick(header.cancel_button, Qt.MouseButton.LeftButton)


def test_the_menu_names_recent_models(header: Header, qtbot: QtBot) -> None:
    header.set_recent([f"/models/{n}.gguf" for n in range(20)])
    menu = header.menu()
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts[:2] == ["0.gguf", "1.gguf"]
    assert len(texts) == RECENT + 3
    with qtbot.waitSignal(header.load) as load:
        menu.actions()[1].trigger()
    assert load.args == ["/models/1.gguf"]
    with qtbot.waitSignal(header.reload):
        menu.actions()[-1].trigger()


def test_folders_and_files_are_asked_for(header: Header, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "/models/a folder")
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    with qtbot.waitSignal(header.load) as load:
        header.choose_folder()
    assert load.args == ["/models/a folder"]
    with qtbot.assertNotEmitted(header.load):
        header.choose_file()


def test_a_long_name_gives_way(header: Header, theme: Theme) -> None:
    header.show_state(replace(READY, model=replace(CARD, name="a very long name " * 20)))
    assert header.model.sizeHint().width() < 800
    assert header.model.minimumSizeHint().width() < 200


def test_it_is_painted_in_every_state(header: Header, theme: Theme) -> None:
    pictures = []
    for state in (READY, EngineState("loading", "/m"), EngineState("dead", "/m"), replace(READY, context_used=8000)):
        header.show_state(state)
        pictures.append(header.grab().toImage())
    assert all(one != other for one, other in pairwise(pictures))
    assert header.findChild(ModelButton) is header.model


def test_the_model_is_described_when_pointed_at(header: Header) -> None:
    assert header.model.toolTip().startswith("SmolLM2-135M-Instruct\nLlamaForCausalLM, 135 million parameters")
    header.show_state(EngineState("empty"))
    assert header.model.toolTip() == ""
