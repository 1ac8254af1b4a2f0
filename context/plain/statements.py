"""Statements of a stretch of talk: decisions, tasks and open points, each in the words that were said.

Which sentences these are, the learnt acts say (`context.reading.acts`). Here such a sentence becomes a
statement that can be read alone: with the lines that it leans on (`context.plain.leaning`), and with the yes
to what was proposed or asked for. What several utterances said stands on a line each
(`context.statements.voices`). A question is a decision only with the yes that follows; a task has an owner
and one due moment.

`telling` chooses the sentences of a long turn that are quoted as an answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from context.evidence.facts import matter
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.dates import moments_in
from context.language.due_moments import deadline_in
from context.language.meeting_again import names_it, without_its_name
from context.language.questions import sentences
from context.language.said import Said
from context.models import Statement, Utterance
from context.plain.dues import due_behind
from context.plain.leaning import Talk
from context.reading.acts import OWN_ACTS, SETTLING_ACTS
from context.reading.owners import owner_of
from context.reading.replacing import SELDOM_RARITY, rarity
from context.retrieval.answer_kinds import gives, kind_asked
from context.retrieval.question_subject import coverage, topic_words
from context.statements.ledger import Ledger
from context.statements.voices import in_lines

Kept = Literal["decision", "task", "open"]

MIN_CHANCE: Final[dict[Kept, float]] = {"decision": 0.65, "task": 0.6, "open": 0.35}
"""Least chances of a statement of each kind: above them some five of six are one (`acts.scores.json`)."""
_SETTLES: Final = 0.7
"""Least chance that it is either a decision or a task: then it is the likelier one."""
_MAY_TAKE: Final = 0.25
"""Least chance of a decision that may accept what somebody else has put; see `Talk.takes`."""
_MAX_DISTANCE: Final = 1
"""Sentences of utterances at most so far apart that share their matter are one statement."""
_PROPOSAL, _DECISION = OWN_ACTS.index("proposal"), OWN_ACTS.index("decision")
_TASK, _OPEN, _YES = OWN_ACTS.index("task"), OWN_ACTS.index("open"), OWN_ACTS.index("acceptance")
_KEPT_OPEN: Final = SETTLING_ACTS.index("open")
_SURELY, _HARDLY = 5.0, 1.5
"""Log odds, by its own words, above which a sentence surely leaves something open, and below which hardly."""
_HARDLY_OPEN: Final = 0.5
"""Least chance of an open point that hardly leaves something open by its own words."""
_ANSWERS_OPEN: Final = 0.28
"""Least chance of an open point that answers the question right before it: "Not decided yet"."""
_SAYS_OPEN: Final = 0.9
"""Least log odds, by its own words, of such an answer: "아직요" alone is said of anything."""
_TAKES_ON: Final = 2.5
"""Least log odds of a task, by its own words, of a sentence that names the next meeting and gives out a task:
"Let's meet again on Friday, and I'll bring the draft"."""
_WHOLE_CHARS: Final = 280
"""A turn of so many characters is quoted whole."""
_SENTENCES: Final = 2


class _Candidate(NamedTuple):
    """A sentence as a statement, by how much it is above the least, and the places whose words it has."""

    kept: Kept
    place: int
    margin: float
    statement: Statement
    parts: set[int]


def add_statements(
    ledger: Ledger,
    talk: Talk,
    *,
    known: int = 0,
    names: Sequence[str] = (),
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> set[int]:
    """Add the statements of `talk` to `ledger`; the places of the sentences that are part of one come back.

    `known`: so many of the first sentences were read before. One of them becomes a statement only where what
    followed has made it one. `names`: who is there, and may own a task. `wake_words`: what is said to the
    agent becomes no statement.
    """
    said = talk.said
    rests = {id_ for each in (*ledger.decisions, *ledger.pending) for id_ in each.evidence}
    told = [
        _Candidate(kept, place, margin, *one)
        for place, (kept, margin) in _likely_sentences(talk, wake_words)
        if not (place < known and said[place].utterance.id in rests)
        and (one := _statement_at(talk, place, kept, names)) is not None
    ]
    decisions = _standing(talk, [each for each in told if each.kept == "decision"])
    for each in decisions:
        ledger.decide(each.statement)
    decided = {place for each in told if each.kept == "decision" for place in each.parts}
    taken: dict[Kept, set[int]] = {"decision": {part for each in decisions for part in each.parts}}
    for each in told:
        if each.kept == "decision" or (each.kept == "open" and each.place in decided):
            continue  # what was put to the others, and they have decided it, is open no more
        if each.place not in (there := taken.setdefault(each.kept, set())):
            there |= each.parts
            ledger.note(each.statement)
    return set().union(*taken.values())


def _standing(talk: Talk, told: Sequence[_Candidate]) -> list[_Candidate]:
    """The decisions that stand, in order: what two of them lean on is told with the likelier one.

    One that tells something stands by itself beside it; the other is one more yes to it.
    """
    places = {each.place for each in told}
    decided = {place for each in told for place in each.parts}
    standing: list[_Candidate] = []
    taken: set[int] = set()
    for each in sorted(told, key=lambda one: -one.margin):
        place, parts = each.place, each.parts
        if place in taken or _nods_beside(talk, place, decided - parts):
            continue
        tells = talk.tells(place)
        if parts & taken and not tells:
            continue
        if tells and parts & (taken | places - {place}):
            parts = {place}
        whole = each.statement if parts == each.parts else _statement(talk.said, [place], status="decided")
        standing.append(each._replace(statement=whole, parts=parts))
        taken |= parts
    return sorted(standing, key=lambda one: one.place)


def _likely_sentences(talk: Talk, wake_words: Sequence[str]) -> list[tuple[int, tuple[Kept, float]]]:
    """The sentences that are likely enough, in order, with kind and margin; of one matter the likeliest."""
    chosen: dict[int, tuple[Kept, float]] = {}
    margins = _margins(talk)
    for kept, margin in margins.items():
        picked: list[int] = []
        likely = [place for place in range(len(talk.said)) if margin[place] >= 0]
        for place in sorted(likely, key=lambda i: -float(margin[i])):
            if any(margins[other][place] > margin[place] for other in MIN_CHANCE):
                continue
            if _is_beside(talk, place, likely):
                continue
            to_agent = without_wake_word(talk.said[place].text, wake_words) is not None
            if not to_agent and all(_are_two(talk, place, other) for other in picked):
                picked.append(place)
        chosen |= {place: (kept, float(margin[place])) for place in picked}
    return sorted(chosen.items())


def _margins(talk: Talk) -> dict[Kept, NDArray[np.float32]]:
    """The margins of each sentence's chance to be a statement of each kind above the least [sentences]."""
    likely = talk.acts.likely
    margins = {kept: likely[:, SETTLING_ACTS.index(kept)] - least for kept, least in MIN_CHANCE.items()}
    margins["open"] = _open_margins(talk)
    may_answer = (likely[:, _KEPT_OPEN] >= _ANSWERS_OPEN) & (talk.acts.own[:, _OPEN] >= _SAYS_OPEN)
    for place in np.flatnonzero((margins["open"] < 0) & may_answer).tolist():
        if talk.leaves_open(place) and talk.leans(place) and talk.asked(place) is not None:
            margins["open"][place] = 0.0
    decision, task = margins["decision"], margins["task"]
    either = likely[:, SETTLING_ACTS.index("decision")] + likely[:, SETTLING_ACTS.index("task")] - _SETTLES
    margins["decision"] = np.where(decision >= task, np.maximum(decision, either), decision)
    says_yes = np.array([talk.yes(place) > 0 for place in range(len(talk.said))], dtype=bool)
    may_take = (
        (decision < 0) & (task < 0) & (says_yes | (likely[:, SETTLING_ACTS.index("decision")] >= _MAY_TAKE))
    )
    for place in np.flatnonzero(may_take).tolist():
        least = talk.takes(place)
        if least is not None and likely[place, SETTLING_ACTS.index("decision")] >= least:
            margins["decision"][place] = max(0.0, margins["decision"][place])
    margins["task"] = np.where(task > decision, np.maximum(task, either), task)
    for place in np.flatnonzero(margins["task"] >= 0).tolist():
        if _only_meets_again(talk, place):
            margins["task"][place] = -1.0
    return margins


def _only_meets_again(talk: Talk, place: int) -> bool:
    """Whether a sentence says when they meet next and gives out no task: it has a line of its own."""
    text = talk.said[place].text
    if talk.acts.own[place, _TASK] >= _TAKES_ON or not names_it(text):
        return False
    return bool(moments_in(without_its_name(text)))


def _open_margins(talk: Talk) -> NDArray[np.float32]:
    """The margins of open points: what surely says that it is undecided is one wherever it stands.

    "The coffee is still warm" hardly does by its own words, and would have to be likelier in its place.
    """
    own, likely = talk.acts.own, talk.acts.likely[:, _KEPT_OPEN]
    says = own[:, _OPEN]
    least = np.where(says < _HARDLY, _HARDLY_OPEN, MIN_CHANCE["open"])
    sure = (says >= _SURELY) & (own.argmax(axis=1) == _OPEN)
    return np.where(sure, np.maximum(likely - least, 0.0), likely - least)


def _is_beside(talk: Talk, place: int, likely: Iterable[int]) -> bool:
    """Whether it is a nod beside a likely one of its turn that tells what: "좋습니다. 20일로 하죠"."""
    turn, text = talk.said[place].utterance.id, talk.said[place].text
    return (
        talk.is_short(place)
        and not moments_in(text)
        and any(talk.said[other].utterance.id == turn and not talk.is_short(other) for other in likely)
    )


def _nods_beside(talk: Talk, place: int, decided: Iterable[int]) -> bool:
    """Whether it is a nod beside words of its turn that another decision tells."""
    turn = talk.said[place].utterance.id
    short = talk.is_short(place) and not moments_in(talk.said[place].text)
    return short and any(talk.said[other].utterance.id == turn for other in decided)


def _are_two(talk: Talk, place: int, other: int) -> bool:
    """Whether two sentences that settle something are two statements, each of a matter of its own."""
    one, two = talk.said[place], talk.said[other]
    if abs(one.utterance.id - two.utterance.id) > _MAX_DISTANCE:
        return True
    on = {each: talk.leans_on(each) for each in (place, other) if talk.leans(each)}
    for leaning, beside in ((place, two), (other, one)):
        if leaning in on:
            before = on[leaning]
            apart = before is not None and talk.said[before].utterance.id != beside.utterance.id
            return apart and not (one.utterance.id == two.utterance.id and len(set(on.values())) < len(on))
    about, former = matter(one.text), matter(two.text)
    seldom = [{word for word in each if rarity(word) >= SELDOM_RARITY} for each in (about, former)]
    if all(seldom):
        return seldom[0].isdisjoint(seldom[1])
    return 2 * len(about & former) < min(len(about), len(former))


def _statement_at(
    talk: Talk, place: int, kept: Kept, names: Sequence[str]
) -> tuple[Statement, set[int]] | None:
    """A sentence as a statement, and the places whose words it has; None where it can't be told."""
    said, own, lines = talk.said, talk.acts.own[place], talk.lines(place)
    asks = "?" in said[place].text
    if kept == "decision":
        proposes = asks or own[_PROPOSAL] > max(own[_DECISION], 0.0)
        yes = talk.accepted(place, nods=asks) if proposes else talk.echoed(place)
        # Neither a question without a yes, nor "네, 그렇게 하죠" where nobody knows to what.
        if (asks and yes is None) or talk.settles_nothing(place, lines):
            return None
        places = lines if yes is None else [*lines, yes]
        return _statement(said, places, status="decided"), set(places)
    if kept == "open" or (len(lines) > 1 and talk.refuses(place)):
        due = deadline_in(said[place].text) if kept == "open" else None
        return _statement(said, lines, status="open", kind="open", due=due), set(lines)
    return _task(talk, place, lines, names)


def _task(talk: Talk, place: int, lines: list[int], names: Sequence[str]) -> tuple[Statement, set[int]]:
    """The task that a sentence gives out or takes on, and the yes to it; `lines`: with what it leans on."""
    said, asks = talk.said, "?" in talk.said[place].text
    owner = owner_of(said, place, names)
    given = asks or owner != said[place].utterance.speaker_name
    yes = talk.accepted(place, task=True, nods=asks) if given else None
    if owner is None and yes is not None and talk.acts.own[yes, _TASK] > talk.acts.own[yes, _YES]:
        owner = owner_of(said, yes, names)
    places = lines if yes is None else [*lines, yes]
    # The words that take it on tell best until when, then those behind them: 제가 보낼게요. 금요일까지요.
    tells = [each for each in places if each not in lines[:-1] or _gives_until(talk, each)]
    due = next((due for each in reversed(tells) if (due := deadline_in(said[each].text))), None)
    if due is None and (behind := due_behind(said, places[-1] + 1)):
        due = deadline_in(said[behind[-1]].text)
        places = [*places, *behind]
    return _statement(said, places, status="open", kind="action", owner=owner, due=due), set(places)


def _gives_until(talk: Talk, place: int) -> bool:
    """Whether a day in a sentence that a task leans on is its due: it gives the task out or names a limit."""
    own, text = talk.acts.own[place], talk.said[place].text
    return bool(own[_TASK] > own[_PROPOSAL]) or any(moment.limits for moment in moments_in(text))


def _statement(said: Sequence[Said], places: Sequence[int], **more: Any) -> Statement:
    """The sentences at `places` as one statement, each utterance's on a line of its own."""
    parts = [said[place] for place in sorted(set(places))]
    evidence = tuple(dict.fromkeys(part.utterance.id for part in parts))
    return Statement(text=in_lines(parts), evidence=evidence, **more)


def telling(question: str, utterance: Utterance) -> str:
    """The words of an utterance to quote: all, or of a long one the two neighbouring sentences that fit best.

    They hold most of the question's words. What nobody put stops into is cut off at 560 characters.
    """
    text = utterance.text
    parts = sentences(text) if len(text) > _WHOLE_CHARS else []
    if len(parts) < _SENTENCES + 1:
        return text if len(text) <= 2 * _WHOLE_CHARS else f"{text[: 2 * _WHOLE_CHARS].rstrip()}…"
    topic, kind = topic_words(question), kind_asked(question)
    worth = [coverage(topic, part) + 0.3 * gives(kind, part) for part in parts]
    first = max(range(len(parts) - 1), key=lambda place: (worth[place] + worth[place + 1], -place))
    return " ".join(parts[first : first + _SENTENCES])
