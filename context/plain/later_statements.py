"""What was said later of the matter of what an answer quotes: an old value is never told as if it stood.

What the ledger knows as a change is quoted beside the earlier words, and so is what likelier than not says
something else of their matter. A reader of two quotes with their times sees which is the later one, so that
in an answer less is needed than in a list, where every decision would stand beside some other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.facts import clash, facts, names_another
from context.language.dates import moments_in
from context.language.hours import without_hours
from context.language.korean import has_hangul
from context.language.said import Said, said_in
from context.models import Statement, Utterance
from context.people.exchanges import is_nod
from context.plain.answer import Quote
from context.plain.mentions import may_name, named_things
from context.plain.record import Record
from context.reading.acts import ACTS, log_odds
from context.reading.changing import may_change, names_nothing, replaces_own_value
from context.reading.replacing import SURE_CHANCE, revision_chance
from context.retrieval.answer_kinds import (
    AnswerKind,
    counts,
    gives,
    gives_figure,
    is_figure,
    kind_asked,
    unit_asked,
)
from context.retrieval.question_subject import coverage, topic_words
from context.topics.phrases.cues import nouns

_MIN_REVISION_CHANCE: Final = 0.5
"""From this chance on a statement is quoted beside what it seems to take up: of 200 changes in blind
pairs 72 % are, of 600 pairs of two matters, written to be alike, 10 %."""
_COMPARED_STATEMENTS: Final = 100
"""So many of the newest statements are compared with a quote; each takes a millisecond."""
_FULL_COVERAGE: Final = 0.99
"""An open point that leaves a settled matter open again has this share of the question's words."""
_MIN_COVERAGE: Final = 0.5
"""A sentence that says otherwise has at least this share of the question's words."""
_READ_UTTERANCES: Final = 200
"""So many of the newest utterances are read for what says otherwise, and decides nothing."""
_SETTLING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "proposal", "acceptance", "rejection")]
_MIN_SETTLING_LOG_ODDS: Final = -2.2
"""Log odds below which a sentence that names nothing but a value tells of it, and puts it
in no other's place: "그건 아홉 시에 끝나요" is above it, "I was there at nine" below."""


def later_quotes(question: str, quotes: Sequence[Quote], record: Record) -> list[Quote]:
    """Quotes of what took the place of what is quoted, or took up its matter, if not quoted already."""
    shown = {quote.utterance.id for quote in quotes}
    since: list[Quote] = []
    for quote in quotes:
        for text, said in _later_parts(question, quote, record):
            if said.id not in shown:
                shown.add(said.id)
                since.append(Quote(text, said))
    return since


def quotes_superseded(quotes: Sequence[Quote], record: Record) -> bool:
    """Whether a decision that is quoted holds no longer."""
    made = (_decision_of(quote.utterance, record) for quote in quotes)
    return any(decision.superseded_by for decision in made if decision is not None)


def _later_parts(question: str, quote: Quote, record: Record) -> list[tuple[str, Utterance]]:
    """What stands for the words of a quote now, each part with who said it; nothing where nothing does.

    Beside words that do not give what is asked for only a change that the ledger knows is told.
    """
    decision, kind = _decision_of(quote.utterance, record), kind_asked(question)
    now = record.statements().later(decision) if decision is not None else None
    if now is None and decision is not None and (against := record.said_against(decision)):
        return against[-1:]
    if now is None and (kind is None or gives(kind, quote.text, record.names)):
        now = _later_statement(kind, quote, record) or _open_point(question, quote, record)
        if now is None:
            return _differing_sentence(question, quote, record)
    return record.said_by(now) if now is not None else []


def _later_statement(kind: AnswerKind | None, quote: Quote, record: Record) -> Statement | None:
    """The later decision or task of that kind that likeliest says something else of a quote's matter."""
    ledger = record.statements()
    tasks = [each for each in ledger.pending if each.kind == "action"]
    later = [
        each
        for each in (*ledger.decisions, *tasks)
        if each.evidence
        and each.evidence[0] > quote.utterance.id
        and not each.superseded_by
        and (kind is None or gives(kind, each.text, record.names))
    ]
    newest = sorted(later, key=lambda each: each.evidence[-1])[-_COMPARED_STATEMENTS:]
    likely = [
        max((revision_chance(line, quote.text) for line in each.text.splitlines()), default=0.0)
        for each in newest
    ]
    most, place = max(zip(likely, range(len(newest)), strict=True), default=(0.0, -1))
    return newest[place] if most >= _MIN_REVISION_CHANCE else None


def _open_point(question: str, quote: Quote, record: Record) -> Statement | None:
    """The last open point behind a quote that names all that is asked about: it is settled no more."""
    topic = topic_words(question)
    points = (
        each
        for each in reversed(record.statements().pending)
        if each.kind == "open" and each.status == "open" and each.evidence[-1:] > (quote.utterance.id,)
    )
    return next((each for each in points if coverage(topic, record.all_said(each)) >= _FULL_COVERAGE), None)


def _differing_sentence(question: str, quote: Quote, record: Record) -> list[tuple[str, Utterance]]:
    """The last sentence that says another day or figure than the quote, though nobody has decided it.

    It names what is asked about, or the value in whose place it puts another, or nothing but another value.
    """
    if not facts(quote.text):
        return []
    newest = range(len(record.utterances))[-_READ_UTTERANCES:]
    later = [
        record.utterances[place]
        for place in newest
        if record.utterances[place].id > quote.utterance.id and not record.answers_nothing(place)
    ]
    topic, said = topic_words(question), said_in(later)
    for place in range(len(said) - 1, -1, -1):
        text = said[place].text
        named = coverage(topic, text) >= _MIN_COVERAGE or replaces_own_value(text)
        if (named and _differs(text, quote.text)) or (
            _names_only_another(question, text, quote.text) and _is_nearest(quote.text, said, place)
        ):
            return [(text, said[place].utterance)]
    return []


def _names_only_another(question: str, later: str, earlier: str) -> bool:
    """Whether a sentence puts another value, and names nothing beside it that is not asked about.

    "Let's say nine", "열 시로요", "Let's make that five for the doors" to whoever asks when they open.

    A Korean value tells by its counter what it counts, and has to be of the kind that is asked for.
    """
    new_facts, former_facts = facts(later), facts(earlier)
    if "?" in later or not (clash(new_facts, former_facts) or names_another(new_facts, former_facts)):
        return False
    kind, unit = kind_asked(question), unit_asked(question)
    fits = gives(kind, later) if has_hangul(later) else gives_figure(kind, later)
    if not fits or not (unit is None or counts(unit, later)):
        return False
    rest = _without_values(later)
    named = [word for word in named_things(rest) if not names_nothing(word)]
    named += [noun for noun in nouns(rest) if may_name(noun)]
    named = [word for word in named if not (is_nod(word) or coverage((word,), question))]
    return not named and float(log_odds(later)[_SETTLING_COLUMNS].max()) >= _MIN_SETTLING_LOG_ODDS


def _is_nearest(earlier: str, said: Sequence[Said], place: int) -> bool:
    """Whether no sentence between names a third value of their sort, which the one at `place` may change.

    A bare number in place of an hour or a day ("Let's say eleven") is of the earlier one's sort.
    """
    new_facts, former_facts = facts(said[place].text), facts(earlier)
    sorts = ("hours", "dates", "days", "weekdays", "numbers")
    shared = (each for each in sorts if getattr(former_facts, each))
    sort = next((each for each in shared if getattr(new_facts, each) or new_facts.numbers), None)
    if sort is None:
        return True
    known = getattr(new_facts, sort) | getattr(former_facts, sort)
    between = [getattr(facts(each.text), sort) for each in said[:place]]
    return not any(values and values.isdisjoint(known) for values in between)


def _without_values(text: str) -> str:
    """A text without the days, hours and figures that it names."""
    for moment in reversed(moments_in(text)):
        text = f"{text[: moment.start]} {text[moment.end :]}"
    said = without_hours(text).split()
    return " ".join(word for word in said if not ((bare := word.strip(",.?!")) and is_figure(bare.lower())))


def _differs(later: str, earlier: str) -> bool:
    """Whether a sentence by its own words changes a value of another, or surely names one of its matter."""
    if may_change(later, earlier):
        return True
    clashes = "?" not in later and clash(facts(later), facts(earlier))
    return clashes and revision_chance(later, earlier) >= SURE_CHANCE


def _decision_of(utterance: Utterance, record: Record) -> Statement | None:
    """The decision that rests on an utterance; of several, the newest."""
    made = record.statements().decisions
    return next((each for each in reversed(made) if utterance.id in each.evidence), None)
