"""SetupProblem: why the set-up cannot go on, and what helps."""

from __future__ import annotations


class SetupProblem(Exception):
    """One sentence and a remedy; output: the last lines of what failed."""

    def __init__(self, sentence: str, remedy: str, output: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.remedy = remedy
        self.output = output


# What a failing pip writes, and what to do about it; the first that is found wins.
REMEDIES = (
    ("No space left on device", "Free some disk space and run this again."),
    ("Read-only file system", "Copy the project into a folder that you can write to and run this again there."),
    ("Permission denied", "Make sure that this folder and the .venv in it belong to you, then run this again."),
    ("CERTIFICATE_VERIFY_FAILED", "Set PIP_CERT to the certificate file of your network and run this again."),
    ("ProxyError", "Check HTTPS_PROXY, or pip's own proxy setting, and run this again."),
    ("name resolution", "Check the network connection and run this again; what is done is kept."),
    ("getaddrinfo failed", "Check the network connection and run this again; what is done is kept."),
    ("NewConnectionError", "Check the network connection and run this again; what is done is kept."),
    ("ConnectTimeout", "Check the network connection and run this again; what is done is kept."),
    ("Connection refused", "Check the network connection and run this again; what is done is kept."),
    ("Network is unreachable", "Check the network connection and run this again; what is done is kept."),
    ("CMake Error", "A C++ compiler of this machine failed; the log shows its words. `run` works without it, slower."),
    (
        "No matching distribution found",
        "Python 3.11 to 3.14 on 64-bit Linux or Windows is needed, and a package source.",
    ),
)


def remedy(output: str) -> str:
    """What helps against a failure with this output."""
    fallback = "The lines below are its last words; the whole log is named above."
    return next((advice for words, advice in REMEDIES if words in output), fallback)
