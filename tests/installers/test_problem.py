from __future__ import annotations

import pytest

from installers.steps.problem import remedy


@pytest.mark.parametrize(
    ("output", "word"),
    [
        ("NameResolutionError: Temporary failure in name resolution", "network"),
        ("WARNING: Retrying ... NewConnectionError\nNo matching distribution found for x", "network"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk"),
        (
            "(from versions: 2.9.0, 2.9.1)\nERROR: No matching distribution found for torch==2.13.0",
            "Python 3.11 to 3.14",
        ),
        ("(from versions: none)\nERROR: No matching distribution found for uv", "network"),
        ("SSL: CERTIFICATE_VERIFY_FAILED", "PIP_CERT"),
        ("something else", "last words"),
    ],
)
def test_a_failure_has_its_remedy(output: str, word: str) -> None:
    assert word in remedy(output)
