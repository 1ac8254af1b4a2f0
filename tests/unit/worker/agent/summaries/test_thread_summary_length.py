"""A summary of somebody's conversation, by a model and without: never more than was sent."""

from __future__ import annotations

import json

import pytest

from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryReady
from context.events.message import Message, chars_of
from context.thread.writing import EXTRACTIVE
from tests.fakes.llm import ScriptedModel
from tests.unit.cases import cases
from worker.agent.calls.calling import CalledModel
from worker.agent.summaries.thread_summarising import ThreadSummariser


def _wish(*contents: str) -> SummariseThread:
    messages = tuple(
        Message(role="user" if number % 2 == 0 else "assistant", content=text)
        for number, text in enumerate(contents)
    )
    return SummariseThread(
        version=1, purpose="merge", turns=(1,), messages=messages, previous="",
        original_chars=chars_of(messages), target_chars=chars_of(messages), compression_rate=1.0,
    )  # fmt: skip


@cases
async def test_a_models_summary_stands_unless_it_is_longer_than_the_conversation(
    contents: tuple[str, ...], written: str, stands: bool
) -> None:
    model = ScriptedModel([json.dumps({"summary": written})])
    wish = _wish(*contents)
    made = await ThreadSummariser(CalledModel(model)).summarise(wish)
    assert isinstance(made, ThreadSummaryReady)
    assert made.engine == (model.name if stands else EXTRACTIVE)
    assert 0 < len(made.text) <= wish.original_chars
    assert (made.text == written) == stands


@pytest.mark.parametrize("contents", [("x",), ("왜?",), ("안녕", "네."), ("Why?", "So."), ("a", "b", "c")])
async def test_without_a_model_no_summary_is_longer_either(contents: tuple[str, ...]) -> None:
    wish = _wish(*contents)
    made = await ThreadSummariser().summarise(wish)
    assert isinstance(made, ThreadSummaryReady)
    assert 0 < len(made.text) <= wish.original_chars
