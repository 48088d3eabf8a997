"""Lists that exist twice since their owners may not import each other."""

from __future__ import annotations

from engine import doctor
from installers.steps import flavour
from installers.steps.needs import LINUX


def test_doctor_looks_for_the_libraries_that_the_installer_brings() -> None:
    found = {f"lib{name}" for name in (*doctor.QT_LIBRARIES, *doctor.SCREEN_LIBRARIES)}
    assert found == {need.key for need in LINUX if need.kind == "library"}


def test_doctor_looks_for_the_fonts_that_the_installer_brings() -> None:
    assert set(doctor.FONTS.values()) == {need.patterns for need in LINUX if need.kind == "font"}


def test_installer_and_planner_agree_on_drivers() -> None:
    from engine.plan.torch_build import CUDA_12, CUDA_13

    assert (flavour.CU126.driver, flavour.CU130.driver) == (CUDA_12.driver, CUDA_13.driver)


def test_planner_and_kernels_agree_on_what_exists_at_a_time() -> None:
    from engine.plan import memory
    from kernels.aten import attention, linear
    from kernels.native import exl3

    assert (memory.QUERY_BLOCK, memory.WIDENED) == (attention.QUERY_BLOCK, linear.LARGE_BLOCK)
    assert memory.WIDENED == exl3.DECODED
