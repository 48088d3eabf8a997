"""Ctrl+C in the terminal, or a polite kill, closes the window as its close button does."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class QuitSignals(QObject):
    """While it lives. Python runs handlers only between its own instructions, of which Qt's loop has none: the
    signal's number, written into a socket, wakes Qt."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._in, self._out = socket.socketpair()
        self._in.setblocking(False)
        self._out.setblocking(False)
        self._notifier = QSocketNotifier(self._out.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._quit)
        self._before = {number: signal.signal(number, lambda *_: None) for number in _SIGNALS}
        self._wake_before = signal.set_wakeup_fd(self._in.fileno())

    def remove(self) -> None:
        signal.set_wakeup_fd(self._wake_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._notifier.setEnabled(False)
        self._in.close()
        self._out.close()

    def _quit(self) -> None:
        self._out.recv(64)
        QCoreApplication.quit()
