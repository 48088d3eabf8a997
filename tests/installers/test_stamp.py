from __future__ import annotations

from pathlib import Path

import pytest

from installers.steps import stamp


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in (
        "pyproject.toml",
        "kernels/cpu/CMakeLists.txt",
        "kernels/cpu/dot.cpp",
        "installers/bootstrap.py",
        "app/window.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


@pytest.mark.parametrize(
    "name", ["pyproject.toml", "kernels/cpu/CMakeLists.txt", "kernels/cpu/dot.cpp", "installers/bootstrap.py"]
)
def test_a_change_of_what_is_built_or_required_counts(root: Path, name: str) -> None:
    before = stamp.fingerprint(root, "3.11")
    (root / name).write_text("changed")
    assert stamp.fingerprint(root, "3.11") != before


def test_a_change_of_python_or_torch_counts(root: Path) -> None:
    assert (
        len({stamp.fingerprint(root, *facts) for facts in (("3.11", "cpu"), ("3.12", "cpu"), ("3.11", "cu130"))}) == 3
    )


def test_a_change_of_our_python_code_does_not(root: Path) -> None:
    before = stamp.fingerprint(root)
    (root / "app/window.py").write_text("changed")
    (root / "kernels/cpu/native.so").write_text("built")
    assert stamp.fingerprint(root) == before


def test_a_file_that_moves_counts(root: Path) -> None:
    before = stamp.fingerprint(root)
    (root / "kernels/cpu/dot.cpp").rename(root / "kernels/cpu/dash.cpp")
    assert stamp.fingerprint(root) != before


def test_a_stamp_is_valid_for_what_it_was_written(tmp_path: Path) -> None:
    assert not stamp.is_valid(tmp_path, "abc", tests=False)
    stamp.write(tmp_path, "abc", tests=False)
    assert stamp.is_valid(tmp_path, "abc", tests=False)
    assert not stamp.is_valid(tmp_path, "abc", tests=True)
    assert not stamp.is_valid(tmp_path, "abd", tests=False)
    stamp.write(tmp_path, "abc", tests=True)
    assert stamp.is_valid(tmp_path, "abc", tests=False)
    assert stamp.is_valid(tmp_path, "abc", tests=True)
    stamp.remove(tmp_path)
    stamp.remove(tmp_path)
    assert not stamp.is_valid(tmp_path, "abc", tests=False)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '"abc"', '{"fingerprint": "abc", "tests": "yes"}'])
def test_a_broken_stamp_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / stamp.NAME).write_text(text)
    assert not stamp.is_valid(tmp_path, "abc", tests=True)


def test_writing_leaves_no_draft(tmp_path: Path) -> None:
    stamp.write(tmp_path, "abc", tests=False)
    assert [path.name for path in tmp_path.iterdir()] == [stamp.NAME]
