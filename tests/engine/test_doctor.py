from __future__ import annotations

import json
import sys
from importlib import metadata
from pathlib import Path

import pytest

from engine import doctor
from engine.doctor import DoctorReport, Finding, as_json, render, report
from engine.plan.machine import Gpu, Machine

GIB = 2**30
PLAIN = Machine(cores=2, ram_total=16 * GIB, ram_free=8 * GIB)
OLD_CARD = Gpu(0, "GPU-1", "Card", 8 * GIB, 8 * GIB, (5, 0), usable=False, reason="it is too old")


def finding(topic: str, machine: Machine = PLAIN, *, compiled: bool = True) -> Finding:
    return next(found for found in look(machine, compiled).findings if found.topic == topic)


def look(machine: Machine = PLAIN, compiled: bool = True) -> DoctorReport:
    return report("for avx2" if compiled else "not built", compiled=compiled, machine=machine)


def test_every_finding_that_is_amiss_has_a_remedy_or_is_a_notice() -> None:
    for found in look(compiled=False).findings:
        assert found.facts
        assert found.state == "ok" or found.remedy


def test_torch_and_python_are_named() -> None:
    import torch

    assert finding("torch").facts.startswith(torch.__version__)
    assert sys.executable in finding("Python").facts


def test_missing_kernels_are_a_warning() -> None:
    assert finding("Fast kernels").state == "ok"
    assert finding("Fast kernels", compiled=False).state == "warn"


def test_little_memory_is_a_warning() -> None:
    assert finding("Memory", machine=Machine(2, 16 * GIB, GIB)).state == "warn"


def test_c101_an_unusable_card_is_listed_with_its_reason() -> None:
    """C101: incompatible cards are listed with the reason."""
    found = finding("Graphics card", machine=Machine(2, GIB, GIB, gpus=(OLD_CARD,)))
    assert (found.state, found.remedy) == ("warn", "Not used: it is too old.")


def test_notices_of_the_probe_are_shown() -> None:
    assert finding("Graphics cards", machine=Machine(2, GIB, GIB, notices=("no driver",))).facts == "no driver"


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(doctor, "_loads", lambda library: library != "libEGL.so.1")
    found = finding("Libraries of the window")
    assert found.state == "missing"
    assert found.facts == "not found: libEGL.so.1"


def test_a_missing_starter_and_qt_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "find_starter", lambda: None)
    monkeypatch.setattr(metadata, "version", absent)
    assert finding("Starter model").state == "missing"
    assert finding("Qt").state == "missing"


def test_a_broken_torch_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise OSError("libtorch.so: bad file")

    monkeypatch.setattr(doctor, "import_module", broken)
    found = finding("torch")
    assert found.state == "missing"
    assert "bad file" in found.facts


def test_missing_fonts_are_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(doctor, "FONT_FOLDERS", (str(tmp_path),))
    assert finding("Font for emoji").state == "warn"
    (tmp_path / "NotoColorEmoji.ttf").touch()
    assert finding("Font for emoji").state == "ok"


def test_it_renders_for_people_and_for_programs() -> None:
    made = look(compiled=False)
    text = render(made)
    assert "not built" in text
    assert doctor.AGAIN in text
    assert not made.well
    facts = json.loads(json.dumps(as_json(made)))
    assert facts["well"] is False
    assert {"topic", "state", "facts", "remedy"} == set(facts["findings"][0])
