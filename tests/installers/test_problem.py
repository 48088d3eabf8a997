from __future__ import annotations

import pytest

from installers.steps.problem import remedy


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("NameResolutionError: Temporary failure in name resolution", "network"),
        ("WARNING: Retrying ... NewConnectionError\nNo matching distribution found for x", "network"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk"),
        ("ERROR: No matching distribution found for torch==2.13.0", "Python 3.11 to 3.14"),
        ("SSL: CERTIFICATE_VERIFY_FAILED", "PIP_CERT"),
        ("something else", "last words"),
    ],
)
def test_a_failure_has_its_remedy(output: str, word: str) -> None:
    assert word in remedy(output)
