"""EngineClient against real processes that play a script."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import QCoreApplication
from pytestqt.qtbot import QtBot

from app.bridge.client import EngineClient
from app.bridge.state import EngineState
from engine.errors import EngineDied, Problem
from engine.messages import ChatMessage, Failed, Finished
from tests.app.conftest import MakeClient
from tests.app.fake_engine import OUT_OF_MEMORY

HELLO = [ChatMessage("user", "Hello")]


class Ear:
    """Hears everything a client says, in order."""

    def __init__(self, client: EngineClient) -> None:
        self.heard: list[object] = []
        self.states: list[EngineState] = []
        client.token.connect(lambda id, text, tokens: self.heard.append((id, text, tokens)))
        for said in (client.finished, client.failed, client.died):
            said.connect(self.heard.append)
        client.state_changed.connect(self.states.append)

    @property
    def text(self) -> str:
        return "".join(item[1] for item in self.heard if isinstance(item, tuple))

    @property
    def phases(self) -> list[str]:
        """Without repetitions."""
        phases = [state.phase for state in self.states]
        return [phase for index, phase in enumerate(phases) if index == 0 or phases[index - 1] != phase]


def wait_phase(qtbot: QtBot, client: EngineClient, phase: str) -> None:
    qtbot.waitUntil(lambda: client.state.phase == phase, timeout=10_000)


def loaded(qtbot: QtBot, client: EngineClient) -> EngineClient:
    client.load("/models/tiny.gguf")
    wait_phase(qtbot, client, "ready")
    return client


def test_load_and_chat(qtbot: QtBot, fake_client: EngineClient) -> None:
    ear = Ear(fake_client)
    loaded(qtbot, fake_client)
    assert fake_client.state.model and fake_client.state.model.name == "tiny"
    with qtbot.waitSignal(fake_client.finished):
        id = fake_client.chat(HELLO)
    assert ear.text == "Hello, world."
    assert isinstance(ear.heard[-1], Finished) and ear.heard[-1].id == id
    assert ear.phases[:2] == ["loading", "ready"] and ear.phases[-1] == "ready"
    assert fake_client.state.tokens_per_s == 42.0
    assert fake_client.state.context_used == 8 + 4


def test_an_engine_without_a_model_is_empty(qtbot: QtBot, fake_client: EngineClient) -> None:
    assert fake_client.state.phase == "starting"
    wait_phase(qtbot, fake_client, "empty")
    assert fake_client.process_id and psutil.pid_exists(fake_client.process_id)


def test_tokens_are_gathered_and_keep_their_order(qtbot: QtBot, make_client: MakeClient) -> None:
    pieces = [f"{number} " for number in range(2000)]
    client = loaded(qtbot, make_client(answers=[pieces]))
    ear = Ear(client)
    with qtbot.waitSignal(client.finished, timeout=10_000):
        client.chat(HELLO)
    assert ear.text == "".join(pieces)
    assert len(ear.heard) < 500  # 2000 events in a burst
    assert isinstance(ear.heard[-1], Finished)
    assert ear.heard[-2][2] == 2000  # type: ignore[index]


def test_cancel_ends_the_tokens_at_once(qtbot: QtBot, make_client: MakeClient) -> None:
    client = loaded(qtbot, make_client(answers=[["word "] * 1000], token_s=0.01))
    ear = Ear(client)
    with qtbot.waitSignal(client.token):
        id = client.chat(HELLO)
    client.cancel(id)
    text = ear.text
    assert client.state.phase == "ready"
    qtbot.waitUntil(lambda: isinstance(ear.heard[-1], Finished))
    assert ear.text == text
    assert ear.heard[-1].reason == "cancelled"  # type: ignore[attr-defined]


def test_cancelled_load_leaves_no_model(qtbot: QtBot, make_client: MakeClient) -> None:
    client = make_client(load_s=30)
    id = client.load("/models/big.gguf")
    qtbot.waitUntil(lambda: client.state.done > 0)
    client.cancel(id)
    assert client.state.phase == "empty"
    pid = client.process_id
    client.cancel(id)  # a second time: nothing runs any more
    client.load("/models/other.gguf")
    qtbot.waitUntil(lambda: client.state.done > 0)
    assert client.process_id == pid and client.state.source.endswith("other.gguf")


def test_a_load_that_is_done_before_its_cancel_arrives_is_unloaded(qtbot: QtBot, make_client: MakeClient) -> None:
    client = make_client()
    wait_phase(qtbot, client, "empty")
    id = client.load("/models/tiny.gguf")
    time.sleep(0.3)  # the engine has loaded it, the window has not yet looked
    client.cancel(id)
    qtbot.wait(300)
    ear = Ear(client)
    with qtbot.waitSignal(client.failed):
        client.chat(HELLO)
    assert isinstance(ear.heard[-1], Failed) and ear.heard[-1].problem.kind == "NothingLoaded"
    assert client.state.phase == "empty"


def test_a_second_load_takes_the_place_of_the_first(qtbot: QtBot, make_client: MakeClient) -> None:
    client = make_client(load_s=0.5)
    client.load("/models/first.gguf")
    qtbot.waitUntil(lambda: client.state.done > 0)
    client.load("/models/second.gguf")
    wait_phase(qtbot, client, "ready")
    assert client.state.model and client.state.model.name == "second"


def test_failed_load_says_why_and_the_engine_lives(qtbot: QtBot, make_client: MakeClient) -> None:
    """C100: out of memory at load."""
    client = make_client(fail_load=True)
    client.load("/models/big.gguf")
    wait_phase(qtbot, client, "empty")
    assert client.state.problem == OUT_OF_MEMORY and client.state.source.endswith("big.gguf")
    assert client.process_id and psutil.pid_exists(client.process_id)


def test_failed_chat_keeps_what_was_said_and_the_model(qtbot: QtBot, make_client: MakeClient) -> None:
    """C100: out of memory in mid-answer."""
    client = loaded(qtbot, make_client(fail_at=2))
    ear = Ear(client)
    with qtbot.waitSignal(client.failed):
        id = client.chat(HELLO)
    assert ear.text == "Hello, "
    assert ear.heard[-1] == Failed(id, OUT_OF_MEMORY)
    assert client.state.phase == "ready"


@pytest.mark.skipif(sys.platform == "win32", reason="exit codes of killed processes are POSIX's")
def test_killed_engine_is_told_after_its_last_words_and_can_be_restarted(qtbot: QtBot, make_client: MakeClient) -> None:
    """C100: worker process killed by signal 9."""
    client = loaded(qtbot, make_client(crash_at=2))
    ear = Ear(client)
    with qtbot.waitSignal(client.died, timeout=10_000):
        client.chat(HELLO)
    assert ear.text == "Hello, "
    problem = ear.heard[-1]
    assert isinstance(problem, Problem) and problem.kind == "EngineDied" and "-9" in problem.sentence
    assert client.state.phase == "dead" and client.state.problem == problem
    assert client.state.source.endswith("tiny.gguf") and client.process_id is None
    with pytest.raises(EngineDied):
        client.chat(HELLO)

    client.restart()
    loaded(qtbot, client)
    assert client.process_id


def test_crash_while_loading_tells_the_exit_code_and_the_last_lines_of_the_log(
    qtbot: QtBot, make_client: MakeClient, tmp_path: Path
) -> None:
    client = make_client(crash_load=True)
    with qtbot.waitSignal(client.died, timeout=10_000) as died:
        client.load("/models/tiny.gguf")
    problem = died.args[0]
    assert "exit code 7" in problem.sentence
    assert ("engine log", "about to crash") in problem.details
    assert "about to crash" in (tmp_path / "engine.log").read_text()


def test_nonsense_from_the_engine_ends_it(qtbot: QtBot, make_client: MakeClient) -> None:
    client = loaded(qtbot, make_client(garble_at=1))
    pid = client.process_id
    with qtbot.waitSignal(client.died, timeout=10_000) as died:
        client.chat(HELLO)
    assert died.args[0].kind == "EngineGarbled"
    assert not psutil.pid_exists(pid)


def test_an_engine_that_cannot_be_started_is_a_problem(qtbot: QtBot, qapp: QCoreApplication, tmp_path: Path) -> None:
    client = EngineClient(tmp_path / "engine.log", [str(tmp_path / "absent")])
    with qtbot.waitSignal(client.died) as died:
        client.start()
    assert died.args[0].kind == "EngineNotStarted" and client.state.phase == "dead"
    client.close()


def test_a_log_that_cannot_be_written_does_no_harm(qtbot: QtBot, make_client: MakeClient, tmp_path: Path) -> None:
    (tmp_path / "engine.log").mkdir()
    loaded(qtbot, make_client())


def test_close_leaves_no_process(qtbot: QtBot, make_client: MakeClient) -> None:
    client = loaded(qtbot, make_client())
    pid = client.process_id
    client.close()
    assert not psutil.pid_exists(pid)


def test_close_while_loading(qtbot: QtBot, make_client: MakeClient) -> None:
    """C097: close the window during a load of 20 seconds."""
    client = make_client(load_s=20)
    client.load("/models/big.gguf")
    qtbot.waitUntil(lambda: client.state.done > 0)
    pid = client.process_id
    client.close()
    assert not psutil.pid_exists(pid)


def test_close_of_an_engine_that_hangs_kills_it(qtbot: QtBot, make_client: MakeClient) -> None:
    client = loaded(qtbot, make_client(hang_at=1, ignore_shutdown=True))
    with qtbot.waitSignal(client.token):
        client.chat(HELLO)
    pid = client.process_id
    time.sleep(0.2)  # it reaches the piece at which it hangs
    client.close()
    assert not psutil.pid_exists(pid)


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="processes cannot be stopped here")
def test_commands_to_an_engine_that_does_not_read_do_not_wait(qtbot: QtBot, make_client: MakeClient) -> None:
    """C097: the window never waits; a pipe holds 64 KB, this conversation has 5 MB."""
    client = loaded(qtbot, make_client())
    os.kill(client.process_id, signal.SIGSTOP)  # type: ignore[arg-type]
    client.chat([ChatMessage("user", "x" * 5_000_000)])
    QCoreApplication.processEvents()
    client.restart()
    loaded(qtbot, client)


@pytest.mark.skipif(sys.platform == "win32", reason="uses POSIX process states")
def test_no_engine_outlives_a_window_that_is_killed(tmp_path: Path) -> None:
    """The pipe closes with the window, in whatever way that ends."""
    import subprocess

    from tests.app import fake_engine

    script = f"""
import sys, time
from pathlib import Path
from app.bridge.process import EngineProcess
process = EngineProcess({fake_engine.command()!r}, Path({str(tmp_path / "log")!r}))
assert process.reader.receive() is not None
print(process.pid, flush=True)
time.sleep(60)
"""
    root = Path(fake_engine.__file__).parents[2]
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, cwd=root) as window:
        assert window.stdout
        pid = int(window.stdout.readline())
        assert psutil.pid_exists(pid)
        window.kill()
    deadline = time.monotonic() + 10
    while psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, "the engine outlived its window"
        time.sleep(0.02)


def test_events_do_not_wear_out_none(qtbot: QtBot, fake_client: EngineClient) -> None:
    """PySide6 6.12 on Python 3.11 loses a reference of None with every call that returns nothing, until it aborts."""
    QCoreApplication.processEvents()
    before = sys.getrefcount(None)
    for _ in range(2000):
        QCoreApplication.processEvents()
    assert abs(sys.getrefcount(None) - before) < 100
