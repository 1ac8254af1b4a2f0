"""The decisions, tasks and open points that answers tell beside a quote."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.language.dates import due_day, due_in
from context.models import Statement, Utterance
from context.plain.due_dates import tells_event_time
from context.plain.record import Record
from context.primitives.text import inert_name
from context.primitives.undated import dated
from context.prompts.answer_prompts import WORDING
from context.reading.changing import without_given_up_value
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.measures import tells, tells_another
from context.retrieval.question_subject import coverage, topic_words
from context.topics.phrases.cues import nouns

SETTLED_CHANCE: Final = 0.94
"""The chance that such a statement answers if the likeliest line is part of it: 60 of 64 labelled ones."""
_FULL_COVERAGE: Final = 0.99
"""A statement that answers by itself holds all words of the question's subject."""
_DECISION_REACH_UTTERANCES: Final = 6
"""The decision that came of a line begins at most so many utterances behind it."""


def settling_statement(question: str, record: Record) -> Statement | None:
    """The standing statement that names all that is asked about and gives what is asked for, if any.

    A task gives its owner and its due time, too. Who does it with a thing is told by whoever has the thing,
    in whatever words: "초안은 누가 써?" – "초안은 제가 작성하겠습니다." A day may be another deed's
    (`context.plain.due_dates`). Of several, the one that says most of the question counts, then the newest.
    """
    kind, topic = kind_asked(question), topic_words(question)
    if kind is None or not topic:
        return None
    things = _subject_nouns(question, topic) if kind == "who" else ()
    ledger = record.statements()
    standing = [each for each in ledger.decisions if not each.superseded_by]
    standing += [each for each in ledger.pending if each.kind == "action" and each.status == "open"]

    def answers(each: Statement) -> bool:
        if kind == "when" and each.kind == "action" and not tells_event_time(question, each):
            return False
        told = (
            (kind == "who" and each.owner)
            or (kind == "when" and each.due and not tells_another(question, each.due))
            or tells(question, each.text)
        )
        named = coverage(things, record.all_said(each)) if things else coverage(topic, each.text)
        return bool(told) and named >= _FULL_COVERAGE

    def fits(each: Statement) -> tuple[float, tuple[int, ...]]:
        """How much of the question it says, its verb too, then how new it is."""
        return coverage(topic, record.all_said(each)), each.evidence[-1:]

    return max(filter(answers, standing), key=fits, default=None)


def _subject_nouns(question: str, topic: Sequence[str]) -> tuple[str, ...]:
    """The nouns among the words that say what a question is about."""
    return tuple(noun for noun in nouns(question) if any(word.startswith(noun) for word in topic))


def decision_behind(utterance: Utterance, record: Record) -> Statement | None:
    """The next decision of its topic behind an utterance, if near; None where it is part of one itself.

    A matter is named first, and decided a few lines later in words that do not name it.
    """
    decisions = record.statements().decisions
    if any(utterance.id in each.evidence for each in decisions):
        return None
    behind = range(utterance.id + 1, utterance.id + _DECISION_REACH_UTTERANCES + 1)
    standing = (each for each in decisions if not each.superseded_by)
    near = (each for each in standing if any(number in behind for number in each.evidence))
    first = min(near, key=lambda each: each.evidence[-1], default=None)
    said = record.get(first.evidence[-1]) if first is not None else None
    return first if said is not None and said.topic_id == utterance.topic_id else None


def statement_of(utterance: Utterance, record: Record) -> Statement | None:
    """The statement that rests on an utterance: the newest decision, else the newest task or open point."""
    ledger = record.statements()
    for made in (ledger.decisions, ledger.pending):
        found = next((each for each in reversed(made) if utterance.id in each.evidence), None)
        if found is not None:
            return found
    return None


def statement_label(statement: Statement, record: Record) -> str:
    """The label of a statement in brackets: its kind, its owner, and the day that it names.

    `[결정 · 2026-12-12]`, `[할 일 · 김민지 · 기한 금요일]`. A day stands as its date where that is certain.
    """
    words = WORDING[record.language]
    if statement.kind is None:
        day = _date_or_words(due_in(without_given_up_value(statement.text)), statement, record)
        return f"[{' · '.join(filter(None, (words['decision'], day)))}]"
    if statement.kind == "open" and not statement.owner:
        return f"[{words['unsettled']}]"
    owner = inert_name(statement.owner or "") or words["nobody"]
    day = day_of(statement, record)
    due = f"{words['due']} {day}" if day else ""
    return f"[{' · '.join(filter(None, (words['task'], owner, due)))}]"


def day_of(statement: Statement, record: Record) -> str:
    """When a statement is due, or takes place: as its date where that is certain, else in its words."""
    return _date_or_words(statement.due, statement, record)


def _date_or_words(words: str | None, statement: Statement, record: Record) -> str:
    """The days and hours that are named, or their date where they mean one day; "" for none."""
    if not words:
        return ""
    said = record.get(statement.evidence[-1]) if statement.evidence else None
    if said is None or dated(said.absolute_timestamp) is None:
        return words
    day = due_day(words, record.clock(said).date())
    return day.isoformat() if day is not None else words
