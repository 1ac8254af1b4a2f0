"""A question to some lines, as the engine without a model answers it, without vectors."""

from __future__ import annotations

from typing import Any

from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.since_moment import since_in
from context.plain.answer import QuotedAnswer
from context.plain.facade import answer as of_record
from context.plain.record import record_of
from context.question import Question
from context.reading.requests import request_in

_OF_THE_RECORD = ("utterances", "segments", "language", "names", "people", "index", "zone", "wake_words")


def question(text: str, **given: Any) -> Question:
    """A question as it was read, in no meeting; `given`: its fields."""
    matter = without_wake_word(text, DEFAULT_WAKE_WORDS) or text
    read = {"intent": request_in(matter).intent, "matter": matter, "since": since_in(matter)}
    return Question.model_validate(
        {"id": "q1", "by": "minji", "via": "chat", "text": text, "at_ms": 10**9, **read, **given}
    )


def answer(text: str, **given: Any) -> QuotedAnswer:
    """`given`: the fields of the question, what `record_of` takes, and what `answer` takes."""
    record = record_of(text, **{name: given.pop(name) for name in _OF_THE_RECORD if name in given})
    besides = {name: given.pop(name) for name in ("earlier", "meaning", "thresholds") if name in given}
    return of_record(question(text, **given), record, **besides)
