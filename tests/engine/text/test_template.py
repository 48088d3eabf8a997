"""Chat templates: as transformers renders them, refusals, continuing an answer."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from transformers import PreTrainedTokenizerFast

from engine.errors import BrokenTemplate, InvalidRequest, TemplateError
from engine.text.history import Turn, fit_history
from engine.text.template import ChatTemplate
from engine.text.tokenizer import Tokenizer
from tests.engine.text import templates
from tests.engine.text.templates import STYLES
from tests.tiny_tokenizers import byte_level, byte_level_folder

TOKENS = {"bos_token": "<|start|>", "eos_token": "<|im_end|>"}
QUESTION = Turn("user", " What is it?\n")
SYSTEM = Turn("system", "Be brief; say “é”.")
CONVERSATIONS = {
    "a question": [QUESTION],
    "three turns": [QUESTION, Turn("assistant", "\nIt is 🌳. "), Turn("user", "And {{ that }}?")],
    "with a system": [SYSTEM, QUESTION, Turn("assistant", "Yes."), Turn("user", "No <|im_end|>")],
}
PARTIALS = ["The list: 1,", "The list: 1, ", "<think>\nLet me see", " \n\n", "  indented", "a\ue000b"]


def template(style: str) -> ChatTemplate:
    return ChatTemplate(STYLES[style], bos_token=TOKENS["bos_token"], eos_token=TOKENS["eos_token"])


@pytest.mark.parametrize(
    ("style", "conversation"),
    [(style, name) for style in STYLES for name in CONVERSATIONS if (style, name) != ("turns", "with a system")],
)
def test_c028_prompts_are_those_of_transformers(style: str, conversation: str) -> None:
    """C028: the same text, character by character, in every style."""
    turns = CONVERSATIONS[conversation]
    reference = PreTrainedTokenizerFast(tokenizer_object=byte_level(), chat_template=STYLES[style], **TOKENS)  # type: ignore[no-untyped-call]
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    expected = reference.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
    assert template(style).render(turns) == expected


def test_c028_the_date_is_the_one_of_the_clock() -> None:
    """C028: strftime_now."""
    dated = ChatTemplate("{{ strftime_now('%d %b %Y') }}", now=lambda: datetime(2026, 7, 4))
    assert dated.render([QUESTION]) == datetime(2026, 7, 4).strftime("%d %b %Y")


def test_c026_a_refused_system_text_moves_into_the_question() -> None:
    """C026: the template raises on a system role."""
    expected = "<|start|><start_of_turn>user\ns\n\nu<end_of_turn>\n<start_of_turn>model\n"
    assert template("turns").render([Turn("system", "s"), Turn("user", "u")]) == expected


@pytest.mark.parametrize("turns", [[Turn("assistant", "a"), QUESTION], [QUESTION, QUESTION]])
def test_c026_a_refusal_carries_the_words_of_the_template(turns: list[Turn]) -> None:
    """C026: assistant first, two users in a row. The next request is served."""
    strict = template("turns")
    with pytest.raises(TemplateError) as caught:
        strict.render(turns)
    assert caught.value.message == "Roles must alternate." and caught.value.line == 3
    assert type(caught.value) is TemplateError and "Roles must alternate." in caught.value.sentence()
    assert strict.render([QUESTION])


def test_c026_an_empty_conversation_is_refused() -> None:
    """C026: an empty message list."""
    with pytest.raises(InvalidRequest, match="messages"):
        template("chatml").render([])


@pytest.mark.parametrize(
    "history",
    [
        [Turn("user", "one"), Turn("assistant", ""), Turn("user", "two")],
        [Turn("user", "one"), Turn("assistant", "Well, I "), Turn("user", "two")],
        [Turn("user", "one"), Turn("user", "two"), Turn("assistant", "three"), Turn("user", "four")],
        [Turn("system", "s"), Turn("user", "one"), Turn("assistant", ""), Turn("user", "two")],
    ],
    ids=["stopped before the first word", "stopped later", "deleted in the middle", "with a system"],
)
@pytest.mark.parametrize("style", STYLES)
def test_c031_no_chat_is_broken_for_good(style: str, history: list[Turn]) -> None:
    """C031: every style takes what is left of a conversation."""
    prompt = template(style).render(fit_history(history))
    assert "one" in prompt and history[-1].content in prompt


@pytest.mark.parametrize("partial", PARTIALS)
@pytest.mark.parametrize("style", STYLES)
def test_c032_a_continued_prompt_ends_with_the_text_itself(style: str, partial: str) -> None:
    """C032: no end mark, no new header, no blank lost or doubled; the same as when the answer began."""
    before = [QUESTION, Turn("assistant", "Yes."), Turn("user", "Go on.")]
    asked = template(style).render(before)
    continued = template(style).render([*before, Turn("assistant", partial)], continue_last=True)
    if style == "thinks in history" and "<think>" not in partial:
        asked += "<think>\n\n</think>\n\n"  # as this family writes an answer without a thought
    if style == "thinks when asked" and "<think>" in partial:
        asked = asked.removesuffix("<think>\n")  # not twice
    assert continued == asked + partial


def test_c032_the_ids_are_those_made_by_hand(tmp_path: Path) -> None:
    """C032: compared as ids."""
    tokenizer = Tokenizer.from_folder(byte_level_folder(tmp_path))
    for partial in ("The list: 1,", "The list: 1, ", "<think>\nLet"):
        turns = [Turn("user", "hi"), Turn("assistant", partial)]
        ids = tokenizer.encode_prompt(template("chatml").render(turns, continue_last=True))
        start, end = (tokenizer.encode(mark, add_special=False) for mark in ("<|im_start|>", "<|im_end|>"))
        text = [tokenizer.encode(part, add_special=False) for part in ("user\nhi", "\n", "assistant\n" + partial)]
        assert ids == start + text[0] + end + text[1] + start + text[2]


def test_c032_a_template_that_ignores_the_request_for_an_answer() -> None:
    """C032: the header is then found where the template writes an assistant's text."""
    source = "{% for m in messages %}<{{ m.role }}>{{ m.content | trim }}</>{% endfor %}"
    turns = [Turn("user", "u"), Turn("assistant", " a ")]
    assert ChatTemplate(source).render(turns, continue_last=True) == "<user>u</><assistant> a "


def test_c032_a_template_that_takes_no_answer_at_the_end() -> None:
    source = (
        "{% if messages[-1].role == 'assistant' %}{{ raise_exception('no') }}{% endif %}Q {{ messages[0].content }} A "
    )
    turns = [Turn("user", "u"), Turn("assistant", "a")]
    assert ChatTemplate(source).render(turns, continue_last=True) == "Q u A a"


def test_c031_continuing_an_answer_without_a_word_asks_for_one() -> None:
    """C031: stopped before the first token, then Continue."""
    turns = fit_history([Turn("user", "u"), Turn("assistant", "")])
    assert template("chatml").render(turns, continue_last=True) == template("chatml").render(turns)


def test_an_answer_to_nothing_cannot_be_continued() -> None:
    with pytest.raises(InvalidRequest, match="nothing before"):
        template("chatml").render([Turn("assistant", "a")], continue_last=True)


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("a\n{% if x %}\nb", 3, "end of template"),
        ("a\n{{ x + }}", 2, "unexpected"),
        ("{{ x }}\n\n{{ fetch(1) }}", 3, "'fetch'"),
        ("\n{{ x | unheard }}", 2, "unheard"),
        ("{% unheard %}", 1, "unheard"),
        ("{% break %}", 0, "break"),
    ],
)
def test_c034_c028_a_broken_template_is_told_when_it_is_loaded(source: str, line: int, words: str) -> None:
    """C034, C028: with its line and what is wrong; not at the first message."""
    with pytest.raises(BrokenTemplate) as caught:
        ChatTemplate(source, name="my template")
    assert caught.value.line == line and words in caught.value.message and "my template" in caught.value.sentence()


def test_c034_a_template_that_writes_nothing_is_an_error() -> None:
    """C034: an override that renders to an empty string."""
    with pytest.raises(TemplateError, match="nothing"):
        ChatTemplate("{# empty #}").render([QUESTION])


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("\n\n{{ messages[0].content + 1 }}", 3),
        ("{{ undefined.attribute }}", 1),
        ("{% macro m(x) %}{{ m(x) }}{% endmacro %}{{ m(1) }}", 1),
        ("\n{{ 1 // 0 }}", 2),
        ("{% for x in range(99999) %}{{ 'y' * 9999 }}{% endfor %}", 0),
    ],
)
def test_whatever_goes_wrong_in_a_template_is_its_error(source: str, line: int) -> None:
    with pytest.raises(TemplateError) as caught:
        ChatTemplate(source).render([QUESTION])
    assert caught.value.line == line and caught.value.message


def test_what_is_not_given_is_false() -> None:
    source = "{{ 1 if tools or documents or enable_thinking or bos_token else 0 }}"
    assert ChatTemplate(source).render([QUESTION]) == "0"


@pytest.mark.parametrize(
    ("style", "ending"),
    [("chatml", "<|im_end|>\n"), ("headers", "<|eot_id|>"), ("brackets", "<|im_end|>"), ("turns", "<end_of_turn>\n")],
)
def test_the_ending_of_a_turn(style: str, ending: str) -> None:
    assert template(style).ending() == ending


def test_a_template_without_answers_has_no_ending() -> None:
    assert ChatTemplate("{{ messages[0].content }}").ending() == ""
    refuses = "{% if messages[-1].role == 'assistant' %}{{ raise_exception('no') }}{% endif %}"
    assert ChatTemplate(refuses + templates.SHORT).ending() == ""
