from __future__ import annotations

from pathlib import Path

from engine.plan.cgroup import ControlGroup


def group(folder: Path, files: dict[str, str], path: str = "/") -> ControlGroup:
    root, membership = folder / "cgroup", folder / "membership"
    membership.write_text(f"0::{path}\n")
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return ControlGroup(root, membership)


def test_no_control_groups_mean_no_limits(tmp_path: Path) -> None:
    none = ControlGroup(tmp_path / "nothing", tmp_path / "nothing either")
    assert (none.cpus(), none.memory()) == (None, None)


def test_a_container_sees_its_quota_at_the_root(tmp_path: Path) -> None:
    limited = group(tmp_path, {"cpu.max": "150000 100000\n", "memory.max": "4000\n", "memory.current": "1000\n"})
    assert limited.cpus() == 1.5
    assert limited.memory() == (4000, 3000)


def test_the_narrowest_level_wins(tmp_path: Path) -> None:
    files = {
        "a/cpu.max": "200000 100000",
        "a/memory.max": "1000",
        "a/memory.current": "900",
        "a/b/cpu.max": "max 100000",
        "a/b/memory.max": "5000",
        "a/b/memory.current": "100",
    }
    limited = group(tmp_path, files, "/a/b")
    assert limited.cpus() == 2.0
    assert limited.memory() == (1000, 100)


def test_cached_files_count_as_free(tmp_path: Path) -> None:
    files = {"memory.max": "1000", "memory.current": "900", "memory.stat": "anon 100\ninactive_file 700\n"}
    assert group(tmp_path, files).memory() == (1000, 800)


def test_no_limit_is_written_as_max(tmp_path: Path) -> None:
    unlimited = group(tmp_path, {"cpu.max": "max 100000", "memory.max": "max", "memory.current": "5"})
    assert (unlimited.cpus(), unlimited.memory()) == (None, None)
