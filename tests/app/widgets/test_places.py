"""Rail, splitter, card and what is held in the middle."""

from __future__ import annotations

from PySide6.QtCore import QMargins, Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.theme.theme import Theme
from app.widgets.card import Card
from app.widgets.centred import Centred
from app.widgets.rail import Rail, RailButton, RailEntry
from app.widgets.splitter import USUAL_SIDE, SideSplitter
from app.widgets.text_view import TextView


def test_the_rail_goes_from_page_to_page(theme: Theme, qtbot: QtBot) -> None:
    rail = Rail(theme, [RailEntry("Chat", "chat"), RailEntry("Models", "model")])
    qtbot.addWidget(rail)
    rail.resize(60, 400)
    rail.show()
    rail.show_page(0)
    chat, models = rail.findChildren(RailButton)
    with qtbot.waitSignal(rail.page_wanted) as wanted:
        qtbot.mouseClick(models, Qt.MouseButton.LeftButton)
    assert wanted.args == [1]
    assert models.isChecked()
    assert not chat.isChecked()
    assert (chat.accessibleName(), chat.toolTip()) == ("Chat", "Chat")
    with qtbot.waitSignal(rail.help_wanted):
        qtbot.mouseClick(rail.help_button, Qt.MouseButton.LeftButton)
    assert not rail.grab().toImage().isNull()


def test_the_side_keeps_its_width(qtbot: QtBot) -> None:
    splitter = SideSplitter(QWidget(), QWidget())
    qtbot.addWidget(splitter)
    splitter.resize(900, 300)
    splitter.show()
    assert splitter.sizes()[0] == splitter.side_width == USUAL_SIDE
    splitter.resize(1200, 300)
    assert splitter.sizes()[0] == USUAL_SIDE
    splitter.moveSplitter(333, 1)
    assert splitter.side_width == 333


def test_a_held_widget_is_in_the_middle_and_takes_no_room_while_hidden(qtbot: QtBot) -> None:
    widget = QWidget()
    holder = Centred(widget)
    qtbot.addWidget(holder)
    holder.set_size(200, QMargins(5, 5, 5, 5))
    holder.resize(500, 50)
    holder.show()
    assert widget.width() == 200
    assert abs(widget.geometry().center().x() - 249) <= 1
    widget.hide()
    assert holder.isHidden()
    widget.show()
    assert not holder.isHidden()


def test_a_card_says_its_words_as_they_are(theme: Theme, qtbot: QtBot) -> None:
    card = Card(theme, "danger")
    qtbot.addWidget(card)
    card.say("<b>It</b> failed.", "Try again.")
    assert card.sentence.textFormat() == Qt.TextFormat.PlainText
    assert card.accessibleName() == "<b>It</b> failed. Try again."
    card.say("Alone")
    assert card.remedy.isHidden()
    assert not card.grab().toImage().isNull()


def test_a_text_is_as_high_as_its_contents(theme: Theme, qtbot: QtBot) -> None:
    view = TextView("Text")
    qtbot.addWidget(view)
    view.setPlainText("words " * 50)
    assert view.heightForWidth(100) > 3 * view.heightForWidth(1000)
    assert view.verticalScrollBar().maximum() == 0
