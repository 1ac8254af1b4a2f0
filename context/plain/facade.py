"""Answers without a language model: a question and the record in (`answer`), quotes with evidence out.

Theory of operation. A learnt head says what is asked for. What the record holds as a whole (decisions,
tasks, who spoke most) is listed from it. A question that one decision or task answers by itself is answered
by that. Anything else is looked up: trees over signals of words, meaning
and form put the likeliest utterances first, the decision that came of the likeliest is quoted with them, and
a calibrated probability says which of three outcomes is honest: an answer, the places that come closest, or
that the meeting does not say.

Whoever uses this engine imports it from here; `__all__` also has its summaries and what is quoted from
other meetings and documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from context.corpora.passage import Passage
from context.language.first_person import says_i
from context.models import AgentCallType, Statement, Utterance
from context.plain import lists, meeting_facts
from context.plain.answer import Quote, QuotedAnswer, answer_of_change, answer_of_quotes, no_answer
from context.plain.answer_inputs import DEFAULT_THRESHOLDS, QuestionVectors, Thresholds
from context.plain.answer_support import supports_answer
from context.plain.catch_up import catch_up
from context.plain.catch_up_depth import depth_of, whole_meeting
from context.plain.changes_since import changed_since, decided_here, subject_of
from context.plain.confidence import MAX_QUOTES, answer_chance, max_score_gap
from context.plain.later_statements import later_quotes, quotes_superseded
from context.plain.next_time import next_time
from context.plain.outside_quotes import with_outside_quotes
from context.plain.ranking import VECTOR_CANDIDATES, Ranking, places_by_words, rank_utterances
from context.plain.record import Record
from context.plain.settled_statements import (
    SETTLED_CHANCE,
    decision_behind,
    settling_statement,
    statement_label,
    statement_of,
)
from context.plain.statements import excerpt
from context.plain.summary import summarise
from context.question import Intent, Question
from context.retrieval.measures import tells, tells_another
from context.retrieval.question_subject import coverage, named_speakers, topic_words
from context.statements.next_meeting import asks_next_time

__all__ = [
    "VECTOR_CANDIDATES",
    "answer",
    "asks_next_time",
    "decided_here",
    "places_by_words",
    "summarise",
    "with_outside_quotes",
]

_MAX_UTTERANCES: Final[dict[Intent, int]] = {"summary_of": 6, "said_by": 5, "search": 5}
"""So many utterances are quoted at most; `MAX_QUOTES` for other intents."""
_MATTER_CHANCE: Final = 0.4
"""So sure an answer of several quotes about a matter has to be: none of them has to be the answer."""


def answer(
    question: Question,
    record: Record,
    *,
    meaning: QuestionVectors | None = None,
    earlier: Sequence[Passage] = (),
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> QuotedAnswer:
    """The answer to a question, made of quotes; its `certainty` is "none" where the meeting says nothing.

    `meaning`: the vectors of the question and of what was said, where there are any. `earlier`: passages of
    earlier meetings, for what changed since the last one.
    """
    call_type = question.call_type
    if question.since is not None:
        return changed_since(question.since, record, call_type, now_ms=question.at_ms, earlier=earlier)
    if (told_next := next_time(question.matter, record, call_type)) is not None:
        return told_next
    match question.intent:
        case "decisions":
            return lists.decisions(record, call_type)
        case "tasks":
            named = tuple(sorted(named_speakers(question.matter, record.names)))
            asker = record.name_of(question.by)
            mine = (asker,) if asker and says_i(question.matter) else ()
            return lists.tasks(record, named or mine)
        case "open":
            return lists.open_points(record, call_type)
        case "changed":
            return _answer_on_changes(question, record, meaning, thresholds)
        case "summary":
            return lists.main_points(record)
        case "catch_up":
            missed = question.missed or whole_meeting(record.utterances)
            return catch_up(depth_of(question.matter), missed, record)
        case "attendees":
            return meeting_facts.attendees(record.people, record, call_type)
        case "most_talk":
            return meeting_facts.speaking_times(record, call_type)
        case "topic_now":
            return meeting_facts.topic_now(record, call_type)
        case "topics":
            return meeting_facts.topics(record, call_type)
        case "duration":
            return meeting_facts.duration(record, call_type)
        case "fact" | "none" | "said_by" | "search" | "summary_of" | None:
            return _retrieved_answer(question, record, meaning, thresholds)


def _answer_on_changes(
    asked: Question, record: Record, meaning: QuestionVectors | None, thresholds: Thresholds
) -> QuotedAnswer:
    """The changes of what is asked about; where no decision on it was changed, a fact is asked for."""
    subject = subject_of(asked.matter)
    listed = lists.changes(record, asked.call_type, subject)
    return _retrieved_answer(asked, record, meaning, thresholds) if listed.declined and subject else listed


def _retrieved_answer(
    asked: Question, record: Record, meaning: QuestionVectors | None, thresholds: Thresholds
) -> QuotedAnswer:
    """The answer to a question that no list answers: the likeliest utterances, if they are likely enough."""
    question, intent, call_type = asked.matter, asked.intent or "fact", asked.call_type
    if intent == "said_by" and (said := _longest_turns(question, record)):
        return answer_of_quotes(
            "matter", [_labelled_quote(question, each, record) for each in said], record, call_type
        )
    if not record.utterances:
        return no_answer(record, call_type)
    best = rank_utterances(question, record.utterances, record.index, names=record.names, meaning=meaning)
    best = best.filtered([not record.answers_nothing(place) for place in best.places.tolist()])
    if not len(best.places):
        return no_answer(record, call_type)
    sure = answer_chance(question, best, record.utterances, by_words=best.by_words)
    if sure < thresholds.closest:
        return no_answer(record, call_type)
    return answer_of_ranking(asked, best, record, sure=sure, needed=thresholds.sure)


def answer_of_ranking(
    asked: Question, best: Ranking, record: Record, *, sure: float, needed: float
) -> QuotedAnswer:
    """The likeliest utterances, as the answer or as what comes closest, with what was settled on the matter.

    `best` holds one at least. `sure`: how likely they answer. `needed`: so likely an answer has to be.
    Training judges what this quotes.
    """
    question, intent, call_type = asked.matter, asked.intent or "fact", asked.call_type
    first = record.utterances[int(best.places[0])]
    statement = settling_statement(question, record) if intent in ("fact", "none") else None
    if statement is not None and first.id in statement.evidence and needed <= SETTLED_CHANCE:
        whole = _quotes_of_settled(statement, question, record)
        return _answer_with_later(question, whole, "found", record, call_type)
    if statement is None and intent in ("fact", "none"):
        statement = decision_behind(first, record)
    settled = _quotes_of_settled(statement, question, record) if statement is not None else []
    of_a_matter = intent in ("said_by", "summary_of")
    closest = sure < (min(_MATTER_CHANCE, needed) if of_a_matter else needed)

    def quoted(within: float) -> list[Quote]:
        chosen = _best_utterances(question, intent, best, record, within=within)
        return _one_per_utterance(
            [*settled, *(quote for each in chosen for quote in _quotes_of_utterance(question, each, record))]
        )

    quotes = quoted(np.inf if closest or of_a_matter else max_score_gap(sure))
    quotes = quotes if closest else _of_the_sort(question, quotes, record)
    if not (closest or of_a_matter or supports_answer(question, quotes, record)):
        closest, quotes = True, quoted(np.inf)
    if closest:
        quotes = [*quotes, *later_quotes(question, quotes[:1], record)]
        shown = [_with_neighbours(quote, record) for quote in _one_per_utterance(quotes)]
        near = answer_of_quotes("closest", shown, record, call_type, "closest")
        return near.model_copy(update={"likely": sure})
    return _answer_with_later(question, quotes, "matter" if of_a_matter else "found", record, call_type)


def _answer_with_later(
    question: str, quotes: Sequence[Quote], lead: str, record: Record, call_type: AgentCallType
) -> QuotedAnswer:
    """The answer of these quotes, and of what took the place of the decisions among them."""
    later = later_quotes(question, quotes, record)
    if later and quotes_superseded(quotes, record):
        return answer_of_change([*quotes, *later], record, call_type)
    return answer_of_quotes(lead, [*quotes, *later], record, call_type)


def _quotes_of_settled(statement: Statement, question: str, record: Record) -> list[Quote]:
    """The quotes of a decision or task, behind those of the decisions whose place it took."""
    ledger = record.statements()
    former = [each for each in ledger.decisions if ledger.later(each) is statement]
    return _one_per_utterance(
        quote for each in (*former, statement) for quote in _statement_quotes(each, question, record)
    )


def _statement_quotes(statement: Statement, question: str, record: Record) -> list[Quote]:
    """All that was said of a statement, labelled where it answers best; no question that it answers."""
    topic = topic_words(question)
    parts = record.said_by(statement)
    if parts and tells(question, parts[-1][0], record.names):
        parts = [part for part in parts[:-1] if "?" not in part[0]] + parts[-1:]
    fits = [
        (tells(question, text, record.names), coverage(topic, text), place)
        for place, (text, _) in enumerate(parts)
    ]
    best = max(fits, default=(False, 0.0, 0))[2]
    note = record.became_of(statement) if statement.kind is None else ""
    plain = [Quote(excerpt(question, said), said) for _, said in parts]
    marked = (
        replace(each, note=note, label=statement_label(statement, record)) for each in plain[best : best + 1]
    )
    return [*plain[:best], *marked, *plain[best + 1 :]]


def _one_per_utterance(quotes: Iterable[Quote]) -> list[Quote]:
    """The quotes without those of an utterance that has one before them."""
    first: dict[int, Quote] = {}
    for quote in quotes:
        first.setdefault(quote.utterance.id, quote)
    return list(first.values())


def _of_the_sort(question: str, quotes: list[Quote], record: Record) -> list[Quote]:
    """The quotes without those that tell only values of another sort, where one tells what is asked for."""
    if not any(tells(question, quote.text, record.names) for quote in quotes):
        return quotes
    return [quote for quote in quotes if not tells_another(question, quote.text)]


def _longest_turns(question: str, record: Record) -> list[Utterance]:
    """The longest turns of the people whom a question names; none where it also asks for a matter."""
    people = named_speakers(question, record.names)
    parts = {part for name in people for part in name.lower().split()}
    matter = [word for word in topic_words(question) if not any(part in word for part in parts)]
    if not people or matter:
        return []
    theirs = [
        each
        for place, each in enumerate(record.utterances)
        if each.speaker_name in people and "?" not in each.text and not record.answers_nothing(place)
    ]
    return sorted(theirs, key=lambda each: -len(each.text))[: _MAX_UTTERANCES["said_by"]]


def _best_utterances(
    question: str, intent: Intent, best: Ranking, record: Record, *, within: float
) -> Sequence[Utterance]:
    """The best utterance and those at most `within` lower; questions only where nothing else is left."""
    people = named_speakers(question, record.names) if intent == "said_by" else frozenset[str]()
    scored = [
        (record.utterances[place], score)
        for place, score in zip(best.places.tolist(), best.scores.tolist(), strict=True)
    ]
    scored = [each for each in scored if each[0].speaker_name in people] or scored
    near = [said for said, score in scored if score >= scored[0][1] - within][
        : _MAX_UTTERANCES.get(intent, MAX_QUOTES)
    ]
    return [said for said in near if not said.text.rstrip().endswith("?")] or near


def _labelled_quote(question: str, utterance: Utterance, record: Record) -> Quote:
    statement = statement_of(utterance, record)
    if statement is None:
        return Quote(excerpt(question, utterance), utterance)
    note = record.became_of(statement) if statement.kind is None else ""
    says_it = utterance in [said for _, said in record.said_by(statement)]
    return Quote(
        excerpt(question, utterance), utterance, note, statement_label(statement, record) if says_it else ""
    )


def _quotes_of_utterance(question: str, utterance: Utterance, record: Record) -> list[Quote]:
    """The quote of an utterance; of a statement in several parts all of them, unless the last answers alone.

    What was put is not what was decided: "만 원 받자는 의견이 있었는데요. – 그러면 무료로 하죠."
    """
    quote = _labelled_quote(question, utterance, record)
    statement = statement_of(utterance, record)
    parts = record.said_by(statement) if statement is not None and quote.label else []
    if statement is None or not parts:
        return [quote]
    if utterance != parts[-1][1]:
        return _statement_quotes(statement, question, record)
    if tells(question, quote.text, record.names):
        return [quote]
    return [*(Quote(text, said) for text, said in parts[:-1]), quote]


def _with_neighbours(quote: Quote, record: Record) -> Quote:
    """The quote with the lines before and behind it, unless they are erased; a statement stands by itself."""
    if quote.label:
        return quote
    before, behind = (
        each if each is not None and each.text else None
        for each in map(record.get, (quote.utterance.id - 1, quote.utterance.id + 1))
    )
    return replace(quote, before=before, behind=behind)
