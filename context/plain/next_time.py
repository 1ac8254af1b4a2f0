"""Answers when or where people meet next, by the statement of it (`context.statements.next_meeting`)."""

from __future__ import annotations

import re
from typing import Final

from context.language.dates import moments_in
from context.language.hours import hour_in
from context.language.meeting_again import asks_for_it, beside_it, without_its_name
from context.models import AgentCallType
from context.plain.answer import Quote, QuotedAnswer, answer_of_quotes
from context.plain.record import Record
from context.plain.settled_statements import day_of
from context.prompts.answer_prompts import WORDING
from context.retrieval.answer_kinds import gives, kind_asked, names_a_kind
from context.retrieval.question_subject import coverage, nouns
from context.statements.next_meeting import asks_next_time, next_meeting, without_question_words

_FULL_COVERAGE: Final = 0.99
"""What is named holds all words of the question that ask for something beside the next meeting."""
_PLACE: Final = re.compile(r"\S에서(?=\s|[,.?!]|$)|\b(?:in|at) [a-z]", re.IGNORECASE)
"""A word by which a sentence names a place, once its days and hours are out of it."""


def next_time(question: str, record: Record, call_type: AgentCallType) -> QuotedAnswer | None:
    """Quote who named the next meeting and its day; None where that is not asked, or nobody has said it.

    Its place is told by the same words, if they name one.
    """
    asks_place = kind_asked(question) == "where" and asks_for_it(without_question_words(question))
    if not (asks_place or asks_next_time(question)):
        return None
    said = [each for place, each in enumerate(record.utterances) if not record.answers_nothing(place)]
    told = next_meeting(said)
    if told is None or (asks_place and not _names_place(told.text)):
        return None
    more = [
        word
        for word in beside_it(nouns(without_question_words(question)))
        if not (asks_place and names_a_kind(word) == "where")
    ]
    if more and coverage(more, told.text) < _FULL_COVERAGE:
        return None  # it asks for something else that is due then, or for another meeting than was named
    day = day_of(told, record)
    label = f"[{' · '.join(filter(None, (WORDING[record.language]['next_meeting'], day)))}]"
    parts = record.said_by(told)
    names_day = next((by for text, by in reversed(parts) if gives("when", text)), None)  # no "See you then"
    quotes = [Quote(text, by, label=label if by is names_day else "") for text, by in parts]
    return answer_of_quotes("found", quotes, record, call_type) if quotes else None


def _names_place(text: str) -> bool:
    """Whether a sentence that names the next meeting says where it is."""
    rest = without_its_name(text)
    for words in (hour_in(rest), *(moment.words for moment in moments_in(rest))):
        rest = rest.replace(words, " ") if words else rest
    return _PLACE.search(rest) is not None
