"""SetupProblem: why the set-up cannot go on, and what helps."""

from __future__ import annotations


class SetupProblem(Exception):
    """One sentence and a remedy; output: the last lines of what failed."""

    def __init__(self, sentence: str, remedy: str, output: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.remedy = remedy
        self.output = output


class DoesNotLoad(SetupProblem):
    """All was installed, but it cannot be loaded."""


UNREACHABLE = (
    *("name resolution", "getaddrinfo failed", "NewConnectionError", "ConnectTimeout", "Connection refused"),
    *("Network is unreachable", "Read timed out", "dns error", "error sending request"),
)
NETWORK = "Check the network connection and run this again; what is done is kept."

# What a failing pip or uv writes, and what to do about it; the first that is found wins.
REMEDIES = (
    ("No space left on device", "Free some disk space and run this again."),
    ("Read-only file system", "Copy the project into a folder that you can write to and run this again there."),
    ("Permission denied", "Make sure that this folder and the .venv in it belong to you, then run this again."),
    ("CERTIFICATE_VERIFY_FAILED", "Set PIP_CERT to the certificate file of your network and run this again."),
    ("ProxyError", "Check HTTPS_PROXY, or pip's own proxy setting, and run this again."),
    *((words, NETWORK) for words in UNREACHABLE),
    ("CMake Error", "The C++ compiler of this machine failed; the log shows its words."),
    ("from versions: none", f"No package source could be reached, or it lacks this package. {NETWORK}"),
    ("No matching distribution found", "This needs Python 3.11 to 3.14 on 64-bit Linux or Windows."),
)


def remedy(output: str) -> str:
    """What helps against a failure with this output."""
    fallback = "The lines above are its last words; the log has all of them."
    return next((advice for words, advice in REMEDIES if words in output), fallback)


def is_unreachable(output: str) -> bool:
    """Whether the network is to blame, so that asking for something else is in vain."""
    return any(words in output for words in UNREACHABLE)
