"""What was said later of the matter of what an answer quotes: an old value is never told as if it stood.

What the ledger knows as a change is quoted beside the earlier words, and so is what likelier than not says
something else of their matter. A reader of two quotes with their times sees which is the later one, so that
in an answer less is needed than in a list, where every decision would stand beside some other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.facts import agree, clash, facts, names_another
from context.language.dates import moments_in
from context.language.hours import without_hours
from context.language.korean import has_hangul
from context.language.said import Said, said_in
from context.models import Statement, Utterance
from context.plain.answer import Quote
from context.plain.naming import may_name, things
from context.plain.record import Record
from context.reading.acts import OWN_ACTS, log_odds
from context.reading.changing import may_change, names_nothing, puts_another
from context.reading.replacing import SURE_CHANCE, takes_up
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

_LIKELY: Final = 0.5
"""From this probability on a statement is quoted beside what it seems to take up: of 200 changes in blind
pairs 72 % are, of 600 pairs of two matters, written to be alike, 10 %."""
_COMPARED_COUNT: Final = 100
"""So many of the newest statements are compared with a quote; each takes a millisecond."""
_ALL_NAMED: Final = 0.99
"""An open point that leaves a settled matter open again has so much of the question's words."""
_NAMED: Final = 0.5
"""So much of the question's words has a sentence that says otherwise."""
_READ_COUNT: Final = 200
"""So many of the newest utterances are read for what says otherwise, and decides nothing."""
_SETTLES: Final = [OWN_ACTS.index(act) for act in ("decision", "proposal", "acceptance", "rejection")]
_HARDLY_SETTLES: Final = -2.2
"""Log odds below which a sentence that names nothing but a value tells of it, and puts it
in no other's place: "그건 아홉 시에 끝나요" is above it, "I was there at nine" below."""


def said_since(question: str, quotes: Sequence[Quote], record: Record) -> list[Quote]:
    """Quotes of what took the place of what is quoted, or took up its matter, if not quoted already."""
    shown = {quote.utterance.id for quote in quotes}
    since: list[Quote] = []
    for quote in quotes:
        for text, said in _since(question, quote, record):
            if said.id not in shown:
                shown.add(said.id)
                since.append(Quote(text, said))
    return since


def is_changed(quotes: Sequence[Quote], record: Record) -> bool:
    """Whether a decision that is quoted holds no longer."""
    made = (_decision_of(quote.utterance, record) for quote in quotes)
    return any(decision.superseded_by for decision in made if decision is not None)


def _since(question: str, quote: Quote, record: Record) -> list[tuple[str, Utterance]]:
    """What stands for the words of a quote now, each part with who said it; nothing where nothing does.

    Beside words that do not give what is asked for only a change that the ledger knows is told.
    """
    decision, kind = _decision_of(quote.utterance, record), kind_asked(question)
    now = record.statements().later(decision) if decision is not None else None
    if now is None and (kind is None or gives(kind, quote.text, record.names)):
        now = _likely_later(kind, quote, record) or _left_open(question, quote, record)
        if now is None:
            return _said_otherwise(question, quote, record)
    return record.said_by(now) if now is not None else []


def _likely_later(kind: AnswerKind | None, quote: Quote, record: Record) -> Statement | None:
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
    newest = sorted(later, key=lambda each: each.evidence[-1])[-_COMPARED_COUNT:]
    likely = [
        max((takes_up(line, quote.text) for line in each.text.splitlines()), default=0.0) for each in newest
    ]
    most, place = max(zip(likely, range(len(newest)), strict=True), default=(0.0, -1))
    return newest[place] if most >= _LIKELY else None


def _left_open(question: str, quote: Quote, record: Record) -> Statement | None:
    """The last open point behind a quote that names all that is asked about: it is settled no more."""
    topic = topic_words(question)
    points = (
        each
        for each in reversed(record.statements().pending)
        if each.kind == "open" and each.status == "open" and each.evidence[-1:] > (quote.utterance.id,)
    )
    return next((each for each in points if coverage(topic, record.all_said(each)) >= _ALL_NAMED), None)


def _said_otherwise(question: str, quote: Quote, record: Record) -> list[tuple[str, Utterance]]:
    """The last sentence that says another day or figure than the quote, though nobody has decided it.

    It names what is asked about, or the value in whose place it puts another, or nothing but another value.
    """
    if not facts(quote.text):
        return []
    newest = range(len(record.utterances))[-_READ_COUNT:]
    later = [
        record.utterances[place]
        for place in newest
        if record.utterances[place].id > quote.utterance.id and not record.answers_nothing(place)
    ]
    topic, said = topic_words(question), said_in(later)
    for place in range(len(said) - 1, -1, -1):
        text = said[place].text
        named = coverage(topic, text) >= _NAMED or puts_another(text)
        if (named and _says_otherwise(text, quote.text)) or (
            _names_only_another(question, text, quote.text) and _is_nearest(quote.text, said, place)
        ):
            return [(text, said[place].utterance)]
    return []


def _names_only_another(question: str, later: str, earlier: str) -> bool:
    """Whether a sentence puts another value, and names no thing beside it: "Let's say nine", "열 시로요".

    A Korean value tells by its counter what it counts, and has to be of the kind that is asked for.
    """
    now, before = facts(later), facts(earlier)
    if "?" in later or not (clash(now, before) or names_another(now, before)):
        return False
    kind, unit = kind_asked(question), unit_asked(question)
    fits = gives(kind, later) if has_hangul(later) else gives_figure(kind, later)
    if not fits or not (unit is None or counts(unit, later)):
        return False
    rest = _without_values(later)
    named = [word for word in things(rest) if not names_nothing(word)]
    named += [noun for noun in nouns(rest) if may_name(noun)]
    return not named and float(log_odds(later)[_SETTLES].max()) >= _HARDLY_SETTLES


def _is_nearest(earlier: str, said: Sequence[Said], place: int) -> bool:
    """Whether no sentence between names a third value, which the one at `place` may change as well."""
    now, before = facts(said[place].text), facts(earlier)
    between = [facts(each.text) for each in said[:place] if each.text != earlier]
    return not any(clash(now, each) and clash(before, each) for each in between if not agree(before, each))


def _without_values(text: str) -> str:
    """A text without the days, hours and figures that it names."""
    for moment in reversed(moments_in(text)):
        text = f"{text[: moment.start]} {text[moment.end :]}"
    said = without_hours(text).split()
    return " ".join(word for word in said if not ((bare := word.strip(",.?!")) and is_figure(bare.lower())))


def _says_otherwise(later: str, earlier: str) -> bool:
    """Whether a sentence by its own words changes a value of another, or surely names one of its matter."""
    if may_change(later, earlier):
        return True
    clashes = "?" not in later and clash(facts(later), facts(earlier))
    return clashes and takes_up(later, earlier) >= SURE_CHANCE


def _decision_of(utterance: Utterance, record: Record) -> Statement | None:
    """The decision that rests on an utterance; of several, the newest."""
    made = record.statements().decisions
    return next((each for each in reversed(made) if utterance.id in each.evidence), None)
