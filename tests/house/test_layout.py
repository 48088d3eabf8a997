"""Every source file has its test, in the same place under tests/."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

# Source files without a test in their own place: what covers them, as glob of sources → why.
EXEMPT = {
    "engine/layers/*.py": "tests/engine/model/test_architectures.py runs every layer against another implementation",
    "engine/cache/*.py": "tests/engine/cache/test_manager.py drives them through the manager that owns them",
    "engine/messages/*.py": "data; tests/engine/messages/test_wire.py sends each of them",
    "engine/spec/model.py": "data without behaviour",
    "engine/model/build.py": "tests/engine/model/test_architectures.py builds every architecture with it",
    "engine/commands/options.py": "tests/engine/commands/test_chat.py loads by them, with good and bad values",
    "app/chat/answering.py": "tests/app/chat/test_controller.py: the controller is its only user",
    "app/chat/rescue.py": "tests/app/chat/test_database.py damages files and opens them",
    "kernels/ops/checks.py": "each op's test offers it what its checks must refuse",
    "kernels/runtime/threads.py": "tests/kernels/runtime/test_cpu_library.py sets the number of threads",
    "*/bench/*.py": "benchmarks: they measure and assert nothing",
}


def sources() -> list[Path]:
    files = [file for room in ("app", "engine", "kernels") for file in (ROOT / room).rglob("*.py")]
    return sorted(file.relative_to(ROOT) for file in files if file.name != "__init__.py")


def is_tested(source: Path) -> bool:
    """By the file of its name, or by one beside that which imports it. All implementations of an op in kernels
    share one test."""
    folder = ROOT / "tests" / (source.parts[0] if source.parts[0] == "kernels" else source.parent)
    if (folder / f"test_{source.stem.strip('_')}.py").is_file():
        return True
    module = ".".join(source.with_suffix("").parts)
    return any(module in imports(test) for test in folder.rglob("test_*.py"))


def is_exempt(source: Path) -> bool:
    return any(source.match(pattern) for pattern in EXEMPT)


@cache
def imports(file: Path) -> frozenset[str]:
    """Names of the modules, and of what is taken from them: the latter may be modules too."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(names)


def test_every_source_file_has_its_test() -> None:
    untested = [str(source) for source in sources() if not is_tested(source) and not is_exempt(source)]
    assert not untested, f"write tests/<folder>/test_<file>.py, or state in EXEMPT what covers it: {untested}"


def test_no_exemption_is_stale() -> None:
    assert [pattern for pattern in EXEMPT if not any(source.match(pattern) for source in sources())] == []


def test_every_folder_of_sources_is_a_package() -> None:
    """Without its __init__.py a folder escapes the import contracts and is not installed."""
    folders = {(ROOT / source).parent for source in sources()}
    assert [str(folder.relative_to(ROOT)) for folder in folders if not (folder / "__init__.py").is_file()] == []
