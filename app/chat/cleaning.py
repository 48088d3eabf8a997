"""Makes text from outside fit to be kept, tokenized and shown."""

from __future__ import annotations

import re

UNWANTED = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028\u2029]")


def cleaned(text: str) -> str:
    """The text without control characters, with "\\n" as its only line end, and lone surrogates as U+FFFD."""
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return UNWANTED.sub("", LINE_ENDS.sub("\n", paired))
