"""What was said later of the matter of what an answer quotes: an old value is never told as if it stood.

What the ledger knows as a change is quoted beside the earlier words, and so is what likelier than not says
something else of their matter. A reader of two quotes with their times sees which is the later one, so that
in an answer less is needed than in a list, where every decision would stand beside some other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.facts import Facts, clash, facts, names_another, normal
from context.language.dates import moments_in
from context.language.hours import without_hours
from context.language.korean import has_hangul
from context.language.questions import clauses
from context.language.spoken_sentences import SpokenSentence, split_utterances
from context.models import Statement, Utterance
from context.people.exchanges import is_nod
from context.plain.answer import Quote
from context.plain.mentions import may_name, named_things
from context.plain.record import Record
from context.plain.word_weights import named_weight
from context.reading.acts import ACTS, log_odds
from context.reading.changing import may_change, names_nothing, replaces_own_value
from context.reading.replacing import SURE_CHANCE, revision_chance
from context.retrieval.answer_kinds import FIGURES, gives, gives_figure, is_figure, kind_asked
from context.retrieval.measures import tells, tells_another
from context.retrieval.question_subject import coverage, topic_words
from context.topics.phrases.cues import nouns

_MIN_REVISION_CHANCE: Final = 0.5
"""From this chance on a statement is quoted beside what it seems to take up: of 200 changes in blind
pairs 72 % are, of 600 pairs of two matters, written to be alike, 10 %."""
_COMPARED_STATEMENTS: Final = 100
"""So many of the newest statements are compared with a quote; each takes a millisecond."""
_FULL_COVERAGE: Final = 0.99
"""An open point that leaves a settled matter open again has this share of the question's words."""
_READ_UTTERANCES: Final = 200
"""So many of the newest utterances are read for what says otherwise, and decides nothing."""
_SETTLING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "proposal", "acceptance", "rejection")]
_TAKING_COLUMNS: Final = [ACTS.index(act) for act in ("decision", "proposal", "task")]
_MIN_NAMED_WEIGHT: Final = 0.45
"""A sentence that gives another value names the matter if it has this share of the weight of its words."""
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
    decision = _decision_of(quote.utterance, record)
    now = record.statements().later(decision) if decision is not None else None
    if now is None and decision is not None and (against := record.said_against(decision)):
        return against[-1:]
    if now is None and _may_tell(question, quote.text, record.names):
        now = _later_statement(question, quote, record) or _open_point(question, quote, record)
        if now is None:
            return _differing_sentence(question, quote, record)
    return record.said_by(now) if now is not None else []


def _may_tell(question: str, text: str, names: Sequence[str] = ()) -> bool:
    """Whether a text tells what is asked for, or may do so: a place is not always told by its particle."""
    return kind_asked(question) not in FIGURES or tells(question, text, names)


def _later_statement(question: str, quote: Quote, record: Record) -> Statement | None:
    """The later decision or task of that kind that likeliest says something else of a quote's matter."""
    ledger = record.statements()
    tasks = [each for each in ledger.pending if each.kind == "action"]
    later = [
        each
        for each in (*ledger.decisions, *tasks)
        if each.evidence
        and each.evidence[0] > quote.utterance.id
        and not each.superseded_by
        and _may_tell(question, each.text, record.names)
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
    """The last sentence that says another day or figure than the quote, or another person, though undecided.

    It names what is asked about, or the value in whose place it puts another, or nothing but another value.
    """
    newest = range(len(record.utterances))[-_READ_UTTERANCES:]
    later = [
        record.utterances[place]
        for place in newest
        if record.utterances[place].id > quote.utterance.id and not record.answers_nothing(place)
    ]
    kind = kind_asked(question)
    says_otherwise = _says_other_person if kind == "who" else _says_other_value
    if kind == "why" or not (kind == "who" or facts(quote.text)):
        return []  # a reason has no value
    said = split_utterances(later)
    for place in range(len(said) - 1, -1, -1):
        text = said[place].text
        if "?" not in text and says_otherwise(question, said, place, quote.text):
            return [(text, said[place].utterance)]
    return []


def _says_other_person(question: str, said: Sequence[SpokenSentence], place: int, earlier: str) -> bool:
    """Whether the sentence at `place` settles the matter of a question for a person, in other words."""
    text = said[place].text
    return (
        normal(text) != normal(earlier)
        and gives("who", text)
        and named_weight(topic_words(question), text) >= _MIN_NAMED_WEIGHT
        and float(log_odds(text)[_TAKING_COLUMNS].max()) >= 0.0
    )


def _says_other_value(question: str, said: Sequence[SpokenSentence], place: int, earlier: str) -> bool:
    """Whether the sentence at `place` says another day or figure than an earlier one, of its matter."""
    text, topic = said[place].text, topic_words(question)
    named = named_weight(topic, text) >= _MIN_NAMED_WEIGHT
    if (named or replaces_own_value(text)) and _differs(text, earlier):
        return True
    if not _gives_another_value(question, text, earlier):
        return False
    revises = revision_chance(text, earlier) >= _MIN_REVISION_CHANCE
    if tells(question, text) and (revises or named):
        return True
    return _names_only_another(question, text, earlier) and _is_nearest(question, earlier, said, place)


def _gives_another_value(question: str, later: str, earlier: str) -> bool:
    """Whether a sentence names another value than an earlier one, which may be what is asked for.

    A Korean value tells by its counter what it counts, and has to be of the kind that is asked for.
    """
    if not _is_another(facts(later), facts(earlier)):
        return False
    if has_hangul(later):
        return tells(question, later)
    return gives_figure(kind_asked(question), later) and not tells_another(question, later)


def _is_another(later: Facts, earlier: Facts) -> bool:
    return clash(later, earlier) or names_another(later, earlier)


def _names_only_another(question: str, later: str, earlier: str) -> bool:
    """Whether a clause of a sentence puts another value, and names nothing beside it that is not asked about.

    "Let's say nine", "열 시로요", "It has to be fifteen, otherwise we lose money"; "Eight is too early for
    the kids, nine it is" names the former value first. What a clause without a value names is what the
    sentence is about.
    """
    for clause in clauses(later):
        if not _names_more(question, clause):
            if _is_another(facts(clause), facts(earlier)) and (_settles(later) or _settles(clause)):
                return True
        elif not facts(clause):
            return False
    return False


def _settles(text: str) -> bool:
    return float(log_odds(text)[_SETTLING_COLUMNS].max()) >= _MIN_SETTLING_LOG_ODDS


def _names_more(question: str, text: str) -> bool:
    """Whether a text names a thing that is not asked about."""
    rest = _without_values(text)
    named = [word for word in named_things(rest) if not names_nothing(word)]
    named += [noun for noun in nouns(rest) if may_name(noun)]
    return any(not (is_nod(word) or coverage((word,), question)) for word in named)


def _is_nearest(question: str, earlier: str, said: Sequence[SpokenSentence], place: int) -> bool:
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
    between = [getattr(facts(each.text), sort) for each in said[:place] if _may_tell(question, each.text)]
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
    return clash(facts(later), facts(earlier)) and revision_chance(later, earlier) >= SURE_CHANCE


def _decision_of(utterance: Utterance, record: Record) -> Statement | None:
    """The decision that rests on an utterance; of several, the newest."""
    made = record.statements().decisions
    return next((each for each in reversed(made) if utterance.id in each.evidence), None)
