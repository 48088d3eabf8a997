"""Pictures of the window in its states: python -m tests.app.screenshots FOLDER [--scheme dark] [--only NAME].

Set QT_SCALE_FACTOR=2 for a finer screen, QT_QPA_PLATFORM=offscreen for none.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.bridge.state import EngineState
from app.window import MainWindow
from engine.errors import DoesNotFit, EngineDied
from tests.app.fake_controller import CARD, MEASURED, READY, FakeController

ANSWER = """Here is a short plan. It uses **bold**, *italics*, `inline code` and a [link](https://example.org).

## Steps

1. Read the file with `pathlib`
2. Count the words:

   ```python
   from collections import Counter
   from pathlib import Path


   def count_words(path: Path, top: int = 10) -> list[tuple[str, int]]:
       \"\"\"The most frequent words of a text.\"\"\"
       words = path.read_text(encoding="utf-8").lower().split()
       return Counter(words).most_common(top)  # ties in order of appearance
   ```

3. Show them in a table
   - one row a word
   - the *rarest* last

| Language | Greeting | Speakers (millions) |
|:---------|:--------:|--------------------:|
| English | Hello | 1,456 |
| 中文 | 你好 | 1,138 |
| עברית | שלום | 9 |
| Emoji | 👋🏽 👩‍👩‍👧 | ∞ |

> A quote that runs over more than one line so that its bar can be seen next to
> both of them, with `code` in it.

日本語の文章もきれいに表示されます。絵文字 🎉🚀 も。

שלום עולם! זה טקסט בעברית עם המילה Python באמצע.
"""


@dataclass
class Stage:
    controller: FakeController
    window: MainWindow


@dataclass
class Remembered:
    geometry: bytes = b""
    sidebar_width: int = 0
    zoom: int = 100


def chats(controller: FakeController) -> None:
    for title, age in (
        ("Counting words in Python", 40),
        ("Why is the sky blue?", 60 * 25),
        ("A very long title that does not fit into the list and must be cut", 3600 * 5),
        ("מה שלומך היום?", 86400),
        ("Trip to Kyoto 京都", 86400 * 3),
        ("Regular expressions", 86400 * 30),
    ):
        controller.seed(title, age_s=age)
    controller.open_chat(controller.conversations[0].id)


def empty(stage: Stage) -> None:
    stage.controller.new_chat()


def no_model(stage: Stage) -> None:
    stage.controller.new_chat()
    stage.controller.set_state(EngineState("empty"))


def loading(stage: Stage) -> None:
    stage.controller.new_chat()
    stage.controller.set_state(EngineState("loading", CARD.source, step="Reading the weights", done=43, total=100))
    stage.window.chat_page.panel.composer.editor.setPlainText("While it loads I can already write,\nin two lines.")


def streaming(stage: Stage) -> None:
    chats(stage.controller)
    stage.controller.send("Count the words of a file in Python.\nPlease show me how, with a table of greetings.")
    stage.controller.set_state(replace(READY, phase="answering", tokens_per_s=14.2, context_used=540))
    stage.controller.say(ANSWER[:610])


def reading(stage: Stage) -> None:
    chats(stage.controller)
    stage.controller.send("Summarize this long text for me.")
    stage.controller.set_state(replace(READY, phase="reading", done=1234, total=5000, context_used=5000))


def answer(stage: Stage) -> None:
    chats(stage.controller)
    stage.controller.send("Count the words of a file in Python, and show me a table of greetings.")
    stage.controller.say(ANSWER)
    stage.controller.settle()
    stage.controller.set_state(replace(READY, tokens_per_s=14.2, context_used=540))


def answer_top(stage: Stage) -> None:
    answer(stage)
    QTest.qWait(50)
    stage.window.chat_page.panel.view.verticalScrollBar().setValue(0)


def stopped(stage: Stage) -> None:
    chats(stage.controller)
    stage.controller.send("Tell me a long story about an arbour.")
    stage.controller.say("Once upon a time there was an arbour, and beneath it a table with four chairs. In the")
    stage.controller.settle("stopped", measured=replace(MEASURED, reason="cancelled", completion_tokens=21))
    stage.controller.set_state(replace(READY, tokens_per_s=14.2, context_used=433))


def failed(stage: Stage) -> None:
    chats(stage.controller)
    stage.controller.send("Read this book.")
    stage.controller.settle(
        "failed",
        "The conversation has 9120 tokens; the context holds 8192. Start a new chat, shorten the conversation, "
        "or load the model with a larger context.",
        None,
    )
    problem = DoesNotFit("cpu", 31 * 2**30, 7 * 2**30, ("close other programs", "choose a smaller model")).problem()
    stage.controller.problem.emit(problem)


def dead(stage: Stage) -> None:
    chats(stage.controller)
    stage.controller.send("Tell me a long story about an arbour.")
    stage.controller.say("Once upon a time there was an arbour, and beneath it a table with four chairs. In the")
    died = EngineDied(-9).problem()
    stage.controller.settle("failed", str(died), None)
    stage.controller.set_state(EngineState("dead", CARD.source, problem=died))


def long_chat(stage: Stage) -> None:
    chats(stage.controller)
    turns = [
        ("user", f"Question {at // 2}") if at % 2 == 0 else ("assistant", f"Answer {at // 2}. " * 30)
        for at in range(200)
    ]
    chat = stage.controller.seed("A long chat", *turns)
    stage.controller.open_chat(chat.id)
    QTest.qWait(200)
    bar = stage.window.chat_page.panel.view.verticalScrollBar()
    bar.setValue(bar.maximum() - 900)


def narrow(stage: Stage) -> None:
    stage.window.resize(1024, 640)
    answer_top(stage)


def smallest(stage: Stage) -> None:
    stage.window.resize(720, 480)
    stopped(stage)


def toast(stage: Stage) -> None:
    answer(stage)
    stage.controller.delete_chat(stage.controller.conversations[1].id)


def pasted(stage: Stage) -> None:
    answer(stage)
    composer = stage.window.chat_page.panel.composer
    composer.editor.setPlainText("What does this log say?")
    composer.editor.pasted_long.emit("2024-05-01 12:00:00 INFO start of the log\n" * 20000)


def editing(stage: Stage) -> None:
    stopped(stage)
    stage.window.chat_page.edit_last()


def menu(stage: Stage) -> None:
    answer(stage)
    stage.window.chat_page.choose_model()


def help_sheet(stage: Stage) -> None:
    answer(stage)
    stage.window.show_help()


def keyboard(stage: Stage) -> None:
    answer(stage)
    stage.window.chat_page.sidebar.list.setFocus(Qt.FocusReason.TabFocusReason)


def zoomed(stage: Stage) -> None:
    answer_top(stage)
    stage.window.theme.set_zoom(150)


STATES: tuple[Callable[[Stage], None], ...] = (
    empty, no_model, loading, reading, streaming, answer, answer_top, stopped, failed, dead, long_chat,
    narrow, smallest, toast, pasted, editing, menu, help_sheet, keyboard, zoomed,
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scheme", choices=("light", "dark"), default="light")
    parser.add_argument("--only", default="")
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    app = QApplication(sys.argv[:1])
    for state in STATES:
        if wanted.only and state.__name__ not in wanted.only.split(","):
            continue
        controller = FakeController()
        window = MainWindow(controller, Remembered())
        window.theme.follow(Qt.ColorScheme.Dark if wanted.scheme == "dark" else Qt.ColorScheme.Light)
        window.resize(QSize(1240, 820))
        window.show()
        state(Stage(controller, window))
        QTest.qWait(250)
        picture = window.grab()
        top = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if top:
            painter = QPainter(picture)
            painter.drawPixmap(
                top.mapTo(window, QPoint(0, 0)) if top.isAncestorOf(window) else top.pos() - window.pos(), top.grab()
            )
            painter.end()
        picture.save(str(wanted.folder / f"{state.__name__}-{wanted.scheme}.png"))
        if top:
            top.close()
        window.close()
        window.deleteLater()
        app.processEvents()


if __name__ == "__main__":
    main()
