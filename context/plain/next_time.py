"""Answers when people meet next, by the statement that names it (`context.statements.next_meeting`)."""

from __future__ import annotations

from typing import Final

from context.language.meeting_again import beside_it
from context.models import AgentCallType
from context.plain.answer import Quote, QuotedAnswer, answer_of_quotes
from context.plain.record import Record
from context.plain.settled import day_of
from context.prompts.answer_prompts import WORDING
from context.retrieval.answer_kinds import gives
from context.retrieval.question_subject import coverage, nouns
from context.statements.next_meeting import asks_next_time, next_meeting, without_question_words

_ALL: Final = 0.99
"""What is named holds all words of the question that ask for something beside the next meeting."""


def next_time(question: str, record: Record, wanted: AgentCallType) -> QuotedAnswer | None:
    """Quote who named the next meeting and its day; None where that is not asked, or nobody has said it."""
    if not asks_next_time(question):
        return None
    said = [each for place, each in enumerate(record.utterances) if not record.answers_nothing(place)]
    told = next_meeting(said)
    if told is None:
        return None
    more = beside_it(nouns(without_question_words(question)))
    if more and coverage(more, told.text) < _ALL:
        return None  # it asks for something else that is due then, or for another meeting than was named
    day = day_of(told, record)
    label = f"[{' · '.join(filter(None, (WORDING[record.language]['next_meeting'], day)))}]"
    parts = record.said_by(told)
    names_day = next((by for text, by in reversed(parts) if gives("when", text)), None)  # no "See you then"
    quotes = [Quote(text, by, label=label if by is names_day else "") for text, by in parts]
    return answer_of_quotes("found", quotes, record, wanted) if quotes else None
