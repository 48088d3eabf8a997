"""TextStream: an answer's tokens, one at a time, as text that will not change any more.

Rules:
- The pieces joined are the text of all tokens at once, whatever the tokens' borders: a character is delivered when
  its last byte is there. Bytes that can never become a character show as U+FFFD, an incomplete end of the answer as
  one. So a piece is always valid Unicode.
- Special tokens are hidden, and so are ids without a token (a model's table may be larger than its vocabulary). End
  tokens need not be pushed.
- A stop string ends the text before its first character; of several the one that is complete first, of those that
  are complete with the same character the longest. A special token whose text is a stop string counts as one.
- Held back is only what may become a stop string, and the bytes of an unfinished character; `finish` delivers both.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence

from engine.text.tokenizer import Tokenizer


class TextStream:
    """One answer. stopped: a stop string was met, what came before it has been delivered and nothing follows."""

    def __init__(self, tokenizer: Tokenizer, prompt_ids: Sequence[int], stop: tuple[str, ...] = ()) -> None:
        """prompt_ids: what the answer follows; it decides whether the answer is the beginning of the text."""
        self.stopped = False
        self._tokenizer = tokenizer
        self._stop = stop
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self._drops_space = tokenizer.drops_space and tokenizer.begins_text(prompt_ids)

    def push(self, token: int) -> str:
        """Text that has become certain with this token, perhaps none. The cost does not grow with the answer."""
        if self.stopped or self._tokenizer.token(token) is None:
            return ""
        data = self._tokenizer.token_bytes(token)
        if token in self._tokenizer.special_ids:
            return self._stop_here() if data.decode(errors="replace") in self._stop else ""
        if self._drops_space and data:
            self._drops_space = False
            data = data.removeprefix(b" ")
        return self._release(self._decoder.decode(data))

    def finish(self) -> str:
        """What was held back, at the end of the answer, however it ended."""
        text = "" if self.stopped else self._release(self._decoder.decode(b"", final=True))
        rest, self._held = self._held, ""
        return text + rest

    def _release(self, text: str) -> str:
        """Adds text; returns what no stop string can claim any more."""
        pending = self._held + text
        end = self._first_stop(pending)
        if end is not None:
            self._held = ""
            self.stopped = True
            return pending[:end]
        keep = self._beginning_of_stop(pending)
        self._held = pending[len(pending) - keep :]
        return pending[: len(pending) - keep]

    def _stop_here(self) -> str:
        self.stopped = True
        rest = self._held + self._decoder.decode(b"", final=True)
        self._held = ""
        return rest

    def _first_stop(self, pending: str) -> int | None:
        """Where the first complete stop string begins."""
        found = [(pending.find(stop), len(stop)) for stop in self._stop]
        ends = [(start + length, start) for start, length in found if start >= 0]
        return min(ends)[1] if ends else None

    def _beginning_of_stop(self, pending: str) -> int:
        """Length of the longest end of `pending` with which a stop string begins."""
        longest = max((len(stop) for stop in self._stop), default=0) - 1
        for length in range(min(longest, len(pending)), 0, -1):
            if any(stop.startswith(pending[-length:]) for stop in self._stop):
                return length
        return 0
