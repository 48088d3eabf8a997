from __future__ import annotations

from PySide6.QtCore import QMargins
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.widgets.stack import Stack


class Brick(QWidget):
    """Always of the same area."""

    def __init__(self, area: int) -> None:
        super().__init__()
        self.area = area

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.area // width


def test_widgets_stand_below_one_another(qtbot: QtBot) -> None:
    stack = Stack(10)
    qtbot.addWidget(stack)
    stack.set_spacing(10, QMargins(5, 6, 5, 8))
    bricks = [Brick(1000), Brick(3000)]
    for brick in bricks:
        stack.add(brick)
    assert stack.heightForWidth(110) == 6 + 10 + 10 + 30 + 8
    assert [brick.geometry().getRect() for brick in bricks] == [(5, 6, 100, 10), (5, 26, 100, 30)]


def test_another_width_another_height(qtbot: QtBot) -> None:
    stack = Stack()
    qtbot.addWidget(stack)
    stack.add(Brick(10_000))
    assert stack.heightForWidth(100) == 100
    assert stack.heightForWidth(50) == 200


def test_a_changed_height_is_told_once(qtbot: QtBot) -> None:
    stack = Stack()
    qtbot.addWidget(stack)
    brick = Brick(1000)
    stack.add(brick)
    stack.resize(100, 10)
    stack.restack()
    brick.area = 2000
    with qtbot.waitSignal(stack.restacked):
        stack.restack()
    with qtbot.assertNotEmitted(stack.restacked):
        stack.restack()
    assert stack.heightForWidth(100) == 20


def test_hidden_widgets_take_no_room(qtbot: QtBot) -> None:
    stack = Stack(7)
    qtbot.addWidget(stack)
    one, other = Brick(1000), Brick(1000)
    stack.add(one)
    stack.insert(0, other)
    other.hide()
    assert stack.widgets == [other, one]
    assert stack.heightForWidth(100) == 10
    stack.take(one)
    stack.restack()
    assert stack.heightForWidth(100) == 0


def test_a_widget_is_not_wider_than_it_may_be(qtbot: QtBot) -> None:
    stack = Stack()
    qtbot.addWidget(stack)
    brick = Brick(1000)
    brick.setMaximumWidth(50)
    stack.add(brick)
    stack.heightForWidth(100)
    assert brick.geometry().getRect() == (25, 0, 50, 20)
