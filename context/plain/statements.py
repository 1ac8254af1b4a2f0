"""Statements of a dialogue: decisions, tasks and open points, each in the words that were said.

The learnt dialogue acts say which sentences these are (`context.reading.acts`). Here such a sentence becomes
a statement that can be read alone: with its antecedents (`context.plain.antecedents`), and with the
acceptance of what was proposed or asked for. The words of several utterances stand on a line each
(`context.statements.voices`). A question is a decision only with its acceptance; a task has an owner
and one due moment.

`excerpt` chooses the sentences of a long turn that are quoted as an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from context.evidence.facts import facts, matter
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.dates import moments_in
from context.language.due_moments import deadline_in
from context.language.meeting_again import names_it, without_its_name
from context.language.questions import sentences
from context.models import Statement, Utterance
from context.plain.acceptances import acceptance_of, acceptance_threshold, answer_to, decides_nothing, echo
from context.plain.antecedents import (
    antecedent_of,
    are_promises_of_two,
    is_elliptical,
    with_antecedents,
)
from context.plain.dialogue import Dialogue
from context.plain.due_dates import places_of_due
from context.reading.acts import ACTS, SETTLING_ACTS
from context.reading.owners import owner_of
from context.reading.replacing import SELDOM_RARITY, rarity
from context.retrieval.measures import tells
from context.retrieval.question_subject import coverage, topic_words
from context.statements.ledger import Ledger
from context.statements.voices import in_lines

SettlingAct = Literal["decision", "task", "open"]

MIN_CHANCE: Final[dict[SettlingAct, float]] = {"decision": 0.65, "task": 0.55, "open": 0.5}
"""The least chance of a statement of each kind: above it some five of six are one (`acts.scores.json`)."""
_MIN_EITHER_CHANCE: Final = 0.7
"""The least chance that a sentence is either a decision or a task: then it is the likelier of the two."""
_MAY_ACCEPT_CHANCE: Final = 0.25
"""Least chance of a decision that may accept what somebody else has put; see `acceptance_threshold`."""
_MAX_DISTANCE_UTTERANCES: Final = 1
"""Sentences that share their matter are one statement if their utterances are at most so far apart."""
_MAX_DISTANCE_OF_VALUE_UTTERANCES: Final = 3
"""The same of sentences that name the same day or figure, one of which cannot be read alone."""
_PROPOSAL, _DECISION = ACTS.index("proposal"), ACTS.index("decision")
_TASK, _OPEN, _ACCEPTANCE = ACTS.index("task"), ACTS.index("open"), ACTS.index("acceptance")
_OPEN_COLUMN: Final = SETTLING_ACTS.index("open")
_SURELY_OPEN_LOG_ODDS: Final = 5.0
"""Log odds, by its own words, above which a sentence surely leaves something open."""
_MIN_OPEN_ANSWER_CHANCE: Final = 0.28
"""The least chance of an open point that answers the question right before it: "Not decided yet"."""
_MIN_OPEN_ANSWER_LOG_ODDS: Final = 0.9
"""The least log odds, by its own words, of such an answer: "아직요" alone is said of anything."""
_TAKING_LOG_ODDS: Final = 2.5
"""The least log odds of a task, by its own words, of a sentence that also names the next meeting: "Let's meet
again on Friday, and I'll bring the draft"."""
_WHOLE_CHARS: Final = 280
"""A turn of so many characters is quoted whole."""
_EXCERPT_SENTENCES: Final = 2


class _Candidate(NamedTuple):
    """A sentence that may become a statement."""

    act: SettlingAct
    place: int
    margin: float
    """By how much its chance is above the least."""
    statement: Statement
    parts: set[int]
    """The places of the sentences whose words the statement has."""


def add_statements(
    ledger: Ledger,
    dialogue: Dialogue,
    *,
    known: int = 0,
    names: Sequence[str] = (),
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> set[int]:
    """Add the statements of `dialogue` to `ledger`, and return the places of the sentences that are in one.

    `known`: so many of the first sentences were read before. One of them becomes a statement only where what
    followed has made it one. `names`: who is there, and may own a task. `wake_words`: what is said to the
    agent becomes no statement.
    """
    evidence = {id_ for each in (*ledger.decisions, *ledger.pending) for id_ in each.evidence}
    candidates = [
        _Candidate(act, place, margin, *made)
        for place, (act, margin) in _likely_sentences(dialogue, wake_words)
        if not (place < known and dialogue.sentences[place].utterance.id in evidence)
        and (made := _statement_at(dialogue, place, act, names)) is not None
    ]
    decisions = _distinct_decisions(dialogue, [each for each in candidates if each.act == "decision"])
    for each in decisions:
        ledger.decide(each.statement)
    decided = {place for each in candidates if each.act == "decision" for place in each.parts}
    taken: dict[SettlingAct, set[int]] = {"decision": {part for each in decisions for part in each.parts}}
    for each in candidates:
        if each.act == "decision" or (each.act == "open" and each.place in decided):
            continue  # what was put to the others, and they have decided it, is open no more
        if each.place not in (there := taken.setdefault(each.act, set())):
            there |= each.parts
            ledger.note(each.statement)
    return set().union(*taken.values())


def _distinct_decisions(dialogue: Dialogue, candidates: Sequence[_Candidate]) -> list[_Candidate]:
    """The decisions in order of place; an antecedent that two of them share goes with the likelier one.

    The other one stands by itself where it is informative, and else is left out as one more acceptance.
    """
    places = {each.place for each in candidates}
    decided = {place for each in candidates for place in each.parts}
    standing: list[_Candidate] = []
    taken: set[int] = set()
    for each in sorted(candidates, key=lambda one: -one.margin):
        place, parts = each.place, each.parts
        if place in taken or _is_nod_beside_decision(dialogue, place, decided - parts):
            continue
        tells = dialogue.is_informative(place)
        if parts & taken and not tells:
            continue
        if tells and parts & (taken | places - {place}):
            parts = {place}
        whole = each.statement if parts == each.parts else _statement(dialogue, [place], status="decided")
        standing.append(each._replace(statement=whole, parts=parts))
        taken |= parts
    return sorted(standing, key=lambda one: one.place)


def _likely_sentences(
    dialogue: Dialogue, wake_words: Sequence[str]
) -> list[tuple[int, tuple[SettlingAct, float]]]:
    """The sentences that are likely enough, in order, with act and margin; of one matter the likeliest."""
    chosen: dict[int, tuple[SettlingAct, float]] = {}
    margins = _margins(dialogue)
    for act, margin in margins.items():
        picked: list[int] = []
        likely = [place for place in range(len(dialogue.sentences)) if margin[place] >= 0]
        for place in sorted(likely, key=lambda i: -float(margin[i])):
            if any(margins[other][place] > margin[place] for other in MIN_CHANCE):
                continue
            if _is_nod_beside(dialogue, place, likely):
                continue
            to_agent = without_wake_word(dialogue.sentences[place].text, wake_words) is not None
            if not to_agent and all(_are_distinct(dialogue, place, other) for other in picked):
                picked.append(place)
        chosen |= {place: (act, float(margin[place])) for place in picked}
    return sorted(chosen.items())


def _margins(dialogue: Dialogue) -> dict[SettlingAct, NDArray[np.float32]]:
    """The margin of each sentence's chance above the least, for each act [sentences]."""
    chances = dialogue.acts.chances
    margins = {act: chances[:, SETTLING_ACTS.index(act)] - least for act, least in MIN_CHANCE.items()}
    margins["open"] = _open_margins(dialogue)
    may_answer = (chances[:, _OPEN_COLUMN] >= _MIN_OPEN_ANSWER_CHANCE) & (
        dialogue.acts.log_odds[:, _OPEN] >= _MIN_OPEN_ANSWER_LOG_ODDS
    )
    for place in np.flatnonzero((margins["open"] < 0) & may_answer).tolist():
        answers = is_elliptical(dialogue, place) and dialogue.question_before(place) is not None
        if answers and dialogue.leaves_open(place):
            margins["open"][place] = 0.0
    decision, task = margins["decision"], margins["task"]
    either = (
        chances[:, SETTLING_ACTS.index("decision")]
        + chances[:, SETTLING_ACTS.index("task")]
        - _MIN_EITHER_CHANCE
    )
    margins["decision"] = np.where(decision >= task, np.maximum(decision, either), decision)
    says_yes = np.array(
        [dialogue.acceptance_log_odds(place) > 0 for place in range(len(dialogue.sentences))], dtype=bool
    )
    may_take = (
        (decision < 0)
        & (task < 0)
        & (says_yes | (chances[:, SETTLING_ACTS.index("decision")] >= _MAY_ACCEPT_CHANCE))
    )
    for place in np.flatnonzero(may_take).tolist():
        least = acceptance_threshold(dialogue, place)
        if least is not None and chances[place, SETTLING_ACTS.index("decision")] >= least:
            margins["decision"][place] = max(0.0, margins["decision"][place])
    margins["task"] = np.where(task > decision, np.maximum(task, either), task)
    for place in np.flatnonzero((margins["task"] >= 0) | (margins["open"] >= 0)).tolist():
        if _only_meets_again(dialogue, place):
            margins["task"][place] = -1.0
            if dialogue.acts.log_odds[place, _OPEN] < _SURELY_OPEN_LOG_ODDS:
                margins["open"][place] = -1.0
    return margins


def _only_meets_again(dialogue: Dialogue, place: int) -> bool:
    """Whether a sentence says when they meet next and gives out no task: it has a line of its own, and is
    neither a task nor left open.
    """
    text = dialogue.sentences[place].text
    if dialogue.acts.log_odds[place, _TASK] >= _TAKING_LOG_ODDS or not names_it(text):
        return False
    return bool(moments_in(without_its_name(text)))


def _open_margins(dialogue: Dialogue) -> NDArray[np.float32]:
    """The margins of open points: what surely says that it is undecided is one wherever it stands."""
    own, chances = dialogue.acts.log_odds, dialogue.acts.chances[:, _OPEN_COLUMN]
    log_odds = own[:, _OPEN]
    sure = (log_odds >= _SURELY_OPEN_LOG_ODDS) & (own.argmax(axis=1) == _OPEN)
    margins = chances - MIN_CHANCE["open"]
    return np.where(sure, np.maximum(margins, 0.0), margins)


def _is_nod_beside(dialogue: Dialogue, place: int, likely: Iterable[int]) -> bool:
    """Whether a sentence is a nod in the turn of a likely one that tells what: "좋습니다. 20일로 하죠"."""
    turn, text = dialogue.sentences[place].utterance.id, dialogue.sentences[place].text
    return (
        dialogue.is_short(place)
        and not moments_in(text)
        and any(
            dialogue.sentences[other].utterance.id == turn and not dialogue.is_short(other)
            for other in likely
        )
    )


def _is_nod_beside_decision(dialogue: Dialogue, place: int, decided: Iterable[int]) -> bool:
    """Whether a sentence is a nod beside words of its turn that are part of another decision."""
    turn = dialogue.sentences[place].utterance.id
    short = dialogue.is_short(place) and not moments_in(dialogue.sentences[place].text)
    return short and any(dialogue.sentences[other].utterance.id == turn for other in decided)


def _are_distinct(dialogue: Dialogue, place: int, other: int) -> bool:
    """Whether two sentences that settle something are two statements, each on a matter of its own."""
    one, two = dialogue.sentences[place], dialogue.sentences[other]
    distance = abs(one.utterance.id - two.utterance.id)
    if distance > _MAX_DISTANCE_OF_VALUE_UTTERANCES:
        return True
    if are_promises_of_two(dialogue, *sorted((place, other))):
        return True
    on = {each: antecedent_of(dialogue, each) for each in (place, other) if is_elliptical(dialogue, each)}
    if on and _values(one.text) and _values(one.text) == _values(two.text):
        return False  # "24th, then." – "Good, the 24th of April it is."
    if distance > _MAX_DISTANCE_UTTERANCES:
        return True
    for elliptical, beside in ((place, two), (other, one)):
        if elliptical in on:
            before = on[elliptical]
            apart = before is not None and dialogue.sentences[before].utterance.id != beside.utterance.id
            return apart and not (one.utterance.id == two.utterance.id and len(set(on.values())) < len(on))
    about, former = matter(one.text), matter(two.text)
    seldom = [{word for word in each if rarity(word) >= SELDOM_RARITY} for each in (about, former)]
    if all(seldom):
        return seldom[0].isdisjoint(seldom[1])
    return 2 * len(about & former) < min(len(about), len(former))


def _values(text: str) -> frozenset[object]:
    """The days, hours and figures that a text names; a day is one with or without its month."""
    named = facts(text)
    days = named.days | {day for _, day in named.dates}
    return frozenset({*days, *named.weekdays, *named.hours, *(named.numbers - days)})


def _statement_at(
    dialogue: Dialogue, place: int, act: SettlingAct, names: Sequence[str]
) -> tuple[Statement, set[int]] | None:
    """The statement of a sentence, and the places whose words it has; None where it can't be read alone."""
    own, lines = dialogue.acts.log_odds[place], with_antecedents(dialogue, place)
    asks = dialogue.asks(place)
    if act == "decision":
        proposes = asks or own[_PROPOSAL] > max(own[_DECISION], 0.0)
        acceptance = acceptance_of(dialogue, place, nods=asks) if proposes else echo(dialogue, place)
        if acceptance is None and (answer := answer_to(dialogue, place)) is not None:
            return _statement(dialogue, [*lines, answer], status="decided"), {*lines, answer}
        # Neither a question that nobody accepts, nor "네, 그렇게 하죠" where nobody knows to what.
        if (asks and acceptance is None) or decides_nothing(dialogue, place, lines):
            return None
        places = lines if acceptance is None else [*lines, acceptance]
        return _statement(dialogue, places, status="decided"), set(places)
    if act == "open" or (len(lines) > 1 and dialogue.is_rejection(place)):
        if act == "open" and _leaves_open_too(dialogue, place + 1, place):
            lines = [*lines, place + 1]
        left = [each for each in lines if each >= place] if act == "open" else []
        due = next((due for each in left if (due := deadline_in(dialogue.sentences[each].text))), None)
        return _statement(dialogue, lines, status="open", kind="open", due=due), set(lines)
    return _task(dialogue, place, lines, names)


def _leaves_open_too(dialogue: Dialogue, behind: int, place: int) -> bool:
    """Whether the sentence right behind one leaves its matter open: "Let us leave that for next week"."""
    return (
        behind < len(dialogue.sentences)
        and dialogue.acts.chances[behind, _OPEN_COLUMN] >= MIN_CHANCE["open"]
        and not _are_distinct(dialogue, behind, place)
    )


def _task(
    dialogue: Dialogue, place: int, lines: list[int], names: Sequence[str]
) -> tuple[Statement, set[int]]:
    """The task that a sentence gives out or takes on, and its acceptance; `lines`: with its antecedents."""
    asks = dialogue.asks(place)
    owner = _owner(dialogue, place, lines, names)
    given = asks or owner != dialogue.sentences[place].utterance.speaker_name
    acceptance = acceptance_of(dialogue, place, task=True, nods=asks) if given else None
    if (
        owner is None
        and acceptance is not None
        and dialogue.acts.log_odds[acceptance, _TASK] > dialogue.acts.log_odds[acceptance, _ACCEPTANCE]
    ):
        owner = owner_of(dialogue.sentences, acceptance, names)
    places = lines if acceptance is None else [*lines, acceptance]
    # The words that take it on tell best until when, then those behind them: 제가 보낼게요. 금요일까지요.
    tells = [each for each in places if each not in lines[:-1] or _gives_due(dialogue, each)]
    due = next((due for each in reversed(tells) if (due := deadline_in(dialogue.sentences[each].text))), None)
    for last in dict.fromkeys((place, places[-1])):
        if due is None and (behind := places_of_due(dialogue.sentences, last + 1)):
            due = deadline_in(dialogue.sentences[behind[-1]].text)
            places = [*places, *behind]
    return _statement(dialogue, places, status="open", kind="action", owner=owner, due=due), set(places)


def _owner(dialogue: Dialogue, place: int, lines: Sequence[int], names: Sequence[str]) -> str | None:
    """The owner of the task that a sentence gives out or takes on; `lines`: with its antecedents.

    What only goes on in its speaker's turn ("By Wednesday.") does not name the deed, nor who does it; the
    sentence before it does. "Great, by Friday, please" leaves it with whoever has taken it on.
    """
    turn, before = dialogue.turn_id(place), list(reversed(lines[:-1]))
    deed = next((each for each in before if dialogue.turn_id(each) == turn), place)
    gives = [deed, *(each for each in before if dialogue.acts.log_odds[each, _TASK] > 0)]
    return next((name for each in gives if (name := owner_of(dialogue.sentences, each, names))), None)


def _gives_due(dialogue: Dialogue, place: int) -> bool:
    """Whether a day in an antecedent of a task is its due, since it gives the task out or names a limit."""
    own, text = dialogue.acts.log_odds[place], dialogue.sentences[place].text
    return bool(own[_TASK] > own[_PROPOSAL]) or any(moment.limits for moment in moments_in(text))


def _statement(dialogue: Dialogue, places: Sequence[int], **more: Any) -> Statement:
    """One statement of the sentences at `places`, each utterance's on a line of its own."""
    parts = [dialogue.sentences[place] for place in sorted(set(places))]
    evidence = tuple(dict.fromkeys(part.utterance.id for part in parts))
    return Statement(text=in_lines(parts), evidence=evidence, **more)


def excerpt(question: str, utterance: Utterance) -> str:
    """The words of an utterance to quote: all, or of a long one the two neighbouring sentences that fit best.

    They hold most of the question's words. What nobody put stops into is cut off at 560 characters.
    """
    text = utterance.text
    parts = sentences(text) if len(text) > _WHOLE_CHARS else []
    if len(parts) < _EXCERPT_SENTENCES + 1:
        return text if len(text) <= 2 * _WHOLE_CHARS else f"{text[: 2 * _WHOLE_CHARS].rstrip()}…"
    topic = topic_words(question)
    scores = [coverage(topic, part) + 0.3 * tells(question, part) for part in parts]
    first = max(range(len(parts) - 1), key=lambda place: (scores[place] + scores[place + 1], -place))
    return " ".join(parts[first : first + _EXCERPT_SENTENCES])
