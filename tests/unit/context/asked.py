"""A question to some lines, as the engine without a model answers it, without vectors."""

from __future__ import annotations

from typing import Any

from context.plain.answer import QuotedAnswer
from context.plain.asking import Asking
from context.plain.door import answer as of_record
from context.plain.record import record_of

_OF_THE_RECORD = ("utterances", "segments", "language", "names", "index", "zone", "wake_words")


def answer(question: str, **given: Any) -> QuotedAnswer:
    """`given`: the fields of `Asking`, and what `record_of` takes."""
    record = record_of(question, **{name: given.pop(name) for name in _OF_THE_RECORD if name in given})
    return of_record(Asking(question=question, **given), record)
