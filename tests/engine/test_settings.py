from __future__ import annotations

import dataclasses

import pytest

from engine import settings
from engine.errors import InvalidRequest


def test_defaults_when_nothing_is_set() -> None:
    assert settings.read({}) == settings.EngineSettings()


def test_every_field_has_its_flag_and_every_flag_its_field() -> None:
    assert [flag.field for flag in settings.FLAGS] == [
        field.name for field in dataclasses.fields(settings.EngineSettings)
    ]


def test_values_are_read() -> None:
    environ = {
        "TONNELLE_THREADS": " 3 ",
        "TONNELLE_DEVICE": "cuda:1",
        "CUDA_VISIBLE_DEVICES": "1,0",
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
    }
    assert settings.read(environ) == settings.EngineSettings(3, "cuda:1", "1,0", "PCI_BUS_ID")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("TONNELLE_THREADS", "0"),
        ("TONNELLE_THREADS", "-1"),
        ("TONNELLE_THREADS", "two"),
        ("TONNELLE_THREADS", "1.5"),
        ("TONNELLE_DEVICE", "gpu"),
        ("TONNELLE_DEVICE", "cuda"),
        ("TONNELLE_DEVICE", "cuda:x"),
    ],
)
def test_a_bad_value_is_refused_by_the_name_of_its_variable(variable: str, value: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        settings.read({variable: value})
    assert caught.value.field == variable
    assert value in caught.value.sentence()


def test_an_empty_variable_of_ours_is_unset_but_an_empty_visibility_is_not() -> None:
    read = settings.read({"TONNELLE_THREADS": "", "CUDA_VISIBLE_DEVICES": ""})
    assert read.threads is None
    assert read.cuda_visible_devices == ""


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TONNELLE_THREADS", "5")
    assert settings.read().threads == 5
