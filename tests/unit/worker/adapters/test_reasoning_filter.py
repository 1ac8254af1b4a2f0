"""What a model thought aloud is no part of its answer, however its text is cut into pieces."""

from __future__ import annotations

import pytest

from worker.adapters.reasoning_filter import ReasoningFilter, without_reasoning

ANSWER = "출시일은 22일입니다. [#12] On the 22nd; a < b, <b>, [T] and ◁ stay."
HARMONY = (
    "<|channel|>analysis<|message|>언제였지? The 22nd.<|end|><|start|>assistant<|channel|>final<|message|>"
    f"{ANSWER}<|return|>"
)
REPLIES = {
    "plain": ANSWER,
    "think": f"<think>\n언제였지? 22nd.\n</think>\n\n{ANSWER}",
    "think, empty": f"<think></think>{ANSWER}",
    "thinking": f"<thinking>음</thinking>{ANSWER}",
    "triangles": f"◁think▷음… ◁ 그건 ▷ 22일◁/think▷{ANSWER}",
    "magistral": f"[THINK]음[/THINK]{ANSWER}",
    "thinks again": f"<think>a</think><think>b</think>{ANSWER}",
    "within": f"<think>a <think> b</think>{ANSWER}",
    "harmony": HARMONY,
    "harmony from its start": f"<|start|>assistant{HARMONY}",
    "harmony, constrained": f"<|channel|>final <|constrain|>JSON<|message|>{ANSWER}<|end|>",
    "harmony, a tool": f'<|channel|>commentary to=functions.x <|constrain|>json<|message|>{{"a": 1}}<|call|>{HARMONY}',
    "harmony, no last mark": HARMONY.removesuffix("<|return|>"),
}


@pytest.mark.parametrize("name", REPLIES)
@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_streamed_in_pieces(name: str, size: int) -> None:
    reading, text = ReasoningFilter(), REPLIES[name]
    got = "".join(reading.feed(text[at : at + size]) for at in range(0, len(text), size)) + reading.finish()
    assert got == ANSWER
    assert reading.thought == (name != "plain")


@pytest.mark.parametrize("name", REPLIES)
def test_whole(name: str) -> None:
    assert without_reasoning(REPLIES[name]) == ANSWER


def test_words_are_not_held_back() -> None:
    reading = ReasoningFilter()
    assert [reading.feed(piece) for piece in ("출시일은 ", "22일 <", "b> 입니다")] == [
        "출시일은 ",
        "22일 ",
        "<b> 입니다",
    ]


@pytest.mark.parametrize(
    "text", ["<think>끝이 없는 생각", "<|channel|>analysis<|message|>never done", "◁think▷음"]
)
def test_a_thought_without_an_end_is_no_answer(text: str) -> None:
    reading = ReasoningFilter()
    assert reading.feed(text) + reading.finish() == ""
    assert without_reasoning(text) == ""
    assert reading.thought


def test_a_thought_that_the_prompt_opened_is_taken_out() -> None:
    text = f"음, 22일이었지.\n</think>\n\n{ANSWER}"
    assert without_reasoning(text) == ANSWER
    reading = ReasoningFilter()
    assert reading.feed(text) + reading.finish() == ANSWER, "it came in one piece"
    held = ReasoningFilter(begins_thinking=True)
    assert "".join(held.feed(letter) for letter in text) + held.finish() == ANSWER


def test_where_it_has_begun_to_stream_the_answer_begins_a_line() -> None:
    reading = ReasoningFilter()
    assert reading.feed("음, ") + reading.feed("</think>22일") == "음, \n22일"
    assert reading.ended_unopened


@pytest.mark.parametrize("text", ["태그 <think> 는 그대로 둡니다.", "A tag, <think>, stays. ◁think▷"])
def test_a_tag_within_an_answer_is_a_word(text: str) -> None:
    for size in (1, 4, 100):
        reading = ReasoningFilter()
        pieces = [reading.feed(text[at : at + size]) for at in range(0, len(text), size)]
        assert "".join(pieces) + reading.finish() == text
    assert without_reasoning(text) == text


def test_what_somebody_typed_costs_no_json() -> None:
    text = '{"summary": [{"text": "민지: </think> 와 <think>", "evidence": [1]}]}'
    assert without_reasoning(f" {text}\n") == text


def test_one_that_was_held_back_for_nothing_is_the_answer() -> None:
    reading = ReasoningFilter(begins_thinking=True)
    assert reading.feed(ANSWER) + reading.finish() == ANSWER
