"""The one place where an exception that nobody caught becomes a line in the log and a Problem for the person."""

from __future__ import annotations

import logging
import sys
import threading
import traceback
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QMessageLogContext, QObject, QtMsgType, Signal, qInstallMessageHandler

from engine.errors import Problem, TonnelleError

_LOG_BYTES = 1_000_000
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
_log = logging.getLogger(__name__)
_qt_log = logging.getLogger("qt")


class Problems(QObject):
    """While installed it hears what nobody caught, in any thread, and Qt's own messages."""

    raised = Signal(object)  # Problem

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._handler: logging.Handler | None = None
        self._telling: set[int] = set()  # threads

    def install(self, log: Path) -> None:
        self._handler = _handler(log)
        logging.getLogger().addHandler(self._handler)
        sys.excepthook = self.hear
        threading.excepthook = self._hear_thread
        qInstallMessageHandler(log_qt_message)

    def remove(self) -> None:
        """Everything as it was at the start of Python."""
        qInstallMessageHandler(None)
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__
        if self._handler:
            logging.getLogger().removeHandler(self._handler)
            self._handler.close()
            self._handler = None

    def hear(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Like sys.excepthook."""
        if issubclass(kind, KeyboardInterrupt):
            QCoreApplication.quit()
            return
        _log.error("not caught", exc_info=(kind, error, trace))
        thread = threading.get_ident()
        if thread in self._telling:  # telling has failed itself; the log must do
            return
        self._telling.add(thread)
        try:
            self.raised.emit(problem_in_window(error))
        finally:
            self._telling.remove(thread)

    def _hear_thread(self, arguments: threading.ExceptHookArgs) -> None:
        if arguments.exc_value is not None:
            self.hear(arguments.exc_type, arguments.exc_value, arguments.exc_traceback)


def problem_in_window(error: BaseException) -> Problem:
    """An error of the tree tells itself; an unforeseen one keeps its traceback in the details."""
    if isinstance(error, TonnelleError):
        return error.problem()
    return Problem(
        kind=type(error).__name__,
        sentence=f"Something went wrong in the window: {type(error).__name__}: {error}",
        remedy="You can go on; if it returns, copy the details into a report.",
        details=(("traceback", "".join(traceback.format_exception(error))),),
    )


def log_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    _qt_log.log(_LEVELS[kind], "%s", message)


def _handler(log: Path) -> logging.Handler:
    """To a file of bounded size, or to standard error if that cannot be."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(log, maxBytes=_LOG_BYTES, backupCount=1, encoding="utf-8")
    except OSError:
        handler = logging.StreamHandler()
    handler.setLevel(logging.INFO)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    return handler
