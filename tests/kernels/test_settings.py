"""The two variables that change the kernels."""

from __future__ import annotations

import pytest

from kernels.settings import ISAS, KernelSettings, read


def test_defaults_and_values() -> None:
    assert read({}) == read({"TONNELLE_NATIVE": "", "TONNELLE_CPU_ISA": " "}) == KernelSettings(True, None)
    assert read({"TONNELLE_NATIVE": "0"}).native is False
    assert [read({"TONNELLE_CPU_ISA": name.upper()}).isa for name in ISAS] == list(ISAS)


@pytest.mark.parametrize(("variable", "value"), [("TONNELLE_NATIVE", "yes"), ("TONNELLE_CPU_ISA", "sse")])
def test_a_value_we_cannot_use_is_named(variable: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{variable} must be .*{value}"):
        read({variable: value})


def test_the_environment_is_read_when_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNELLE_CPU_ISA", "avx2")
    assert read().isa == "avx2"
