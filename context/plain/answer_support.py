"""Whether what is quoted bears an answer: none rests on a rumour alone, or on the day of another thing."""

from __future__ import annotations

from collections.abc import Sequence

from context.evidence.rumours import is_rumour
from context.language.questions import sentences
from context.plain.answer import Quote
from context.plain.due_dates import tells_event_time
from context.plain.record import Record
from context.plain.settled_statements import statement_of
from context.retrieval.answer_kinds import FIGURES, AnswerKind, kind_asked
from context.retrieval.measures import tells
from context.retrieval.question_subject import coverage, topic_words


def supports_answer(question: str, quotes: Sequence[Quote], record: Record) -> bool:
    """Whether one of the sentences that tell most of what is asked vouches for it.

    Those are the ones that give the kind of answer that is asked for, where any does, with most of the
    question's words.
    """
    kind, topic = kind_asked(question), topic_words(question)
    told = [(quote, each) for quote in quotes for each in sentences(quote.text)]
    likely = [each for each in told if tells(question, each[1], record.names)]
    if not likely and kind in FIGURES:
        return False
    likely = likely or told
    most = max((coverage(topic, sentence) for _, sentence in likely), default=0.0)
    best = [each for each in likely if coverage(topic, each[1]) >= most]
    return any(_vouches(question, kind, quote, sentence, record) for quote, sentence in best)


def _vouches(question: str, kind: AnswerKind | None, quote: Quote, sentence: str, record: Record) -> bool:
    if is_rumour(sentence):
        return False
    statement = statement_of(quote.utterance, record) if kind == "when" else None
    is_task = statement is not None and statement.kind == "action"
    return not is_task or statement is None or tells_event_time(question, statement)
