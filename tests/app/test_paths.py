from __future__ import annotations

from pathlib import Path

from app.paths import paths


def test_all_files_are_in_the_folder_that_was_named(tmp_path: Path) -> None:
    files = paths(tmp_path)
    assert {files.chats.parent, files.settings.parent, files.engine_log.parent, files.window_log.parent} == {tmp_path}
    assert len({files.chats, files.settings, files.engine_log, files.window_log}) == 4


def test_the_usual_folder_is_absolute_and_ours() -> None:
    assert paths().data.is_absolute() and paths().data.name == "tonnelle"


def test_a_relative_folder_stays_where_it_was_named(tmp_path: Path) -> None:
    assert paths(Path("here")).data == Path.cwd() / "here"
