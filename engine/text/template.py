"""Chat templates: a conversation as the one text the model was trained to continue."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from datetime import datetime

import jinja2

from engine.errors import BrokenTemplate, InvalidRequest, TemplateError
from engine.text.history import Message, Turn, merge_system
from engine.text.sandbox import LARGEST, Refusal, make_environment, missing_helpers

_MARK = "\ue000\ue001\ue000"  # private use: templates neither cut nor rewrite it


class ChatTemplate:
    """A compiled chat template.

    Variables it does not get (tools, documents, enable_thinking, …) are undefined or None, both false.
    """

    def __init__(
        self,
        source: str,
        *,
        name: str = "",
        bos_token: str = "",
        eos_token: str = "",
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        """name: where the source comes from, for errors. now: the clock of strftime_now.

        Raises BrokenTemplate with the line: wrong syntax, or a function, filter or test that does not exist.
        """
        self.name = name
        self._tokens = {"bos_token": bos_token, "eos_token": eos_token}
        environment = make_environment(now)
        try:
            missing = next(missing_helpers(environment, environment.parse(source)), None)
            self._template = environment.from_string(source)
        except jinja2.TemplateSyntaxError as error:
            raise BrokenTemplate(error.message or "its syntax is wrong", error.lineno, name) from error
        except (SyntaxError, RecursionError) as error:  # of the Python code that Jinja made of it
            raise BrokenTemplate(str(error.args[0]), 0, name) from error
        if missing:
            raise BrokenTemplate(f"it uses {missing[0]!r}, which does not exist", missing[1], name)

    def render(self, messages: Sequence[Message], *, continue_last: bool = False) -> str:
        """The conversation, up to where the assistant's next words belong.

        continue_last: the prompt ends with the last assistant turn's text, exactly as it stands, so that the answer
        goes on from there. That text never passes through the template, which might trim it. In front of it stands
        what the template asks for an answer with, or what it writes before an assistant's text. They may differ by a
        beginning such as "<think>\\n": then the longer one is taken, unless the text has that beginning itself. If
        the last turn is not the assistant's there is nothing to continue, and this is an ordinary prompt.

        A template that refuses a conversation with a system turn is asked again by rule 3 of `history`.
        Raises TemplateError with the template's own words, InvalidRequest for an empty conversation.
        """
        turns = tuple(Turn(message.role, message.content) for message in messages)
        if not turns:
            raise InvalidRequest("messages", "there must be at least one message")
        if not continue_last or turns[-1].role != "assistant":
            return self._prompt(turns)
        if len(turns) == 1:
            raise InvalidRequest("messages", "there is nothing before the answer that is to be continued")
        return self._opening(turns[:-1], turns[-1].content) + turns[-1].content

    def ending(self) -> str:
        """What the template writes after an assistant's text at the end of a conversation; empty if unknown."""
        _, ending = self._around_answer((Turn("user", "a"),))
        return ending

    def _opening(self, before: tuple[Turn, ...], text: str) -> str:
        """What stands before an answer that begins with `text`."""
        asked = self._prompt(before)
        written, _ = self._around_answer(before)
        short, long = sorted((asked, written), key=len)
        if not short or not long.startswith(short):
            return asked
        extra = long[len(short) :].split()
        if not extra:
            return asked
        return short if text.lstrip().startswith(extra[0]) else long

    def _around_answer(self, before: tuple[Turn, ...]) -> tuple[str, str]:
        """What the template writes before and after an assistant's text; empty if it takes none here."""
        try:
            parts = self._prompt((*before, Turn("assistant", _MARK)), ask=False).split(_MARK)
        except TemplateError:
            return "", ""
        return (parts[0], parts[1]) if len(parts) == 2 else ("", "")

    def _prompt(self, turns: tuple[Turn, ...], *, ask: bool = True) -> str:
        refusal = Refusal()
        for attempt in dict.fromkeys((turns, merge_system(turns))):
            try:
                return self._render(attempt, ask)
            except Refusal as error:
                refusal = error
        raise TemplateError(str(refusal), _line(refusal)) from refusal

    def _render(self, turns: tuple[Turn, ...], ask: bool) -> str:
        messages = [{"role": turn.role, "content": turn.content} for turn in turns]
        values = {"messages": messages, "tools": None, "documents": None, "add_generation_prompt": ask}
        parts: list[str] = []
        size = 0
        try:
            for part in self._template.generate(**values, **self._tokens):
                size += len(part)
                if size > LARGEST:
                    raise OverflowError(f"it writes more than {LARGEST} characters")
                parts.append(part)
        except Refusal:
            raise
        except Exception as error:  # a template can fail in any way that Python code can
            raise TemplateError(str(error) or type(error).__name__, _line(error)) from error
        if not size:
            raise TemplateError("it writes nothing for this conversation")
        return "".join(parts)


def _line(error: BaseException) -> int:
    """Line of the template where it happened; Jinja puts its own lines into tracebacks."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == "<template>"]
    return lines[-1] or 0 if lines else 0
