"""What of a stretch of talk is kept: decisions, tasks and open points, each in the words that were said.

Which sentences these are, the learnt acts say. Here such a sentence becomes a statement: "네, 그렇게 하죠"
says what only together with what it answers, a proposal is a decision only with the yes that follows, a task
has whoever takes it on and by when. Of a long turn the sentences are quoted that tell what was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from context.facts import facts, matter
from context.language.addressing import DEFAULT_WAKE_WORDS, wake
from context.language.dates import due_in
from context.language.questions import sentences
from context.language.said import Said
from context.ledger import Ledger
from context.models import Statement, Utterance
from context.reading.acts import OWN, SETTLING, Acts, acts_of
from context.reading.owners import owner_of
from context.reading.replacing import SELDOM, rarity
from context.retrieval.answer_kinds import gives, kind_asked
from context.retrieval.lexical import STOPWORDS, words
from context.retrieval.questions import coverage, topic_words

Kept = Literal["decision", "task", "open"]

LEAST: Final[dict[Kept, float]] = {"decision": 0.65, "task": 0.6, "open": 0.35}
"""So likely a sentence has to be one: above it some five of six are (`acts.scores.json`)."""
_APART: Final = 1
"""What lies so near and shares its matter is one statement."""
_BACK: Final = 6
"""Sentences back to what a short one answers, and on to a yes."""
_WHOLE: Final = 2
"""A sentence with fewer words of its own says what only with another."""
_FEW_WORDS: Final = 4
_TELLING: Final = 2.6
"""A word that is said in fewer than one meeting in thirteen tells something."""
_RIGHT_BEFORE: Final = 2
_FADES: Final = 0.25
_LEAST_OF_A_PROPOSAL: Final = -2.5
_COURTESY, _PROPOSAL, _DECISION = OWN.index("courtesy"), OWN.index("proposal"), OWN.index("decision")
_YES, _NO = OWN.index("acceptance"), OWN.index("rejection")
_PUTS = [OWN.index(act) for act in ("decision", "task", "proposal")]
_WHOLE_CHARS: Final = 280
"""A turn of so many characters is quoted whole."""
_SENTENCES: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Talk:
    """A stretch of talk, read."""

    said: Sequence[Said]
    acts: Acts

    def is_short(self, place: int) -> bool:
        """Whether a sentence says what only with another."""
        text = self.said[place].text
        said = words(text)
        if len([word for word in said if word not in STOPWORDS]) < _WHOLE:
            return True
        if len(said) > _FEW_WORDS:
            return False
        nods = int(self.acts.own[place].argmax()) in (_YES, _COURTESY)
        return nods or not any(rarity(word) >= _TELLING for word in matter(text))

    def leans_back(self, place: int) -> bool:
        """Whether it needs what it answers: it is short, or names hardly anything right behind a question."""
        if self.is_short(place):
            return True
        return len(matter(self.said[place].text)) < _WHOLE and self.asked(place) is not None

    def asked(self, place: int) -> int | None:
        """Where somebody else asks right before it."""
        speaker = self.said[place].utterance.speaker_id
        for before in range(place - 1, max(0, place - _RIGHT_BEFORE) - 1, -1):
            if self.said[before].utterance.speaker_id != speaker and "?" in self.said[before].text:
                return before
        return None

    def are_two(self, place: int, other: int) -> bool:
        """Whether neighbours that both settle something are two statements, each of a matter of its own."""
        one, two = self.said[place], self.said[other]
        if abs(one.utterance.id - two.utterance.id) > _APART:
            return True
        for short, beside in ((place, two), (other, one)):
            if self.leans_back(short):
                before = self.answered(short)
                return before is not None and self.said[before].utterance.id != beside.utterance.id
        about, former = matter(one.text), matter(two.text)
        seldom = [{word for word in each if rarity(word) >= SELDOM} for each in (about, former)]
        if all(seldom):
            return seldom[0].isdisjoint(seldom[1])
        return 2 * len(about & former) < min(len(about), len(former))

    def is_beside(self, place: int, margin: NDArray[np.float32]) -> bool:
        """Whether it is a nod beside a sentence of its turn that says what: "좋습니다. 20일로 하죠"."""
        turn = self.said[place].utterance.id
        return self.is_short(place) and any(
            each.utterance.id == turn and margin[other] >= 0 and not self.is_short(other)
            for other, each in enumerate(self.said)
        )

    def answered(self, place: int) -> int | None:
        """Where what a sentence answers was put: right before it, or the likeliest before it."""
        if not self.is_short(place):
            return self.asked(place)
        turn = self.said[place].utterance.id
        if place and self.said[place - 1].utterance.id == turn and not self.is_short(place - 1):
            return place - 1
        puts = {
            before: float(self.acts.own[before, _PUTS].max()) - _FADES * (place - before)
            for before in range(max(0, place - _BACK), place)
            if "?" in self.said[before].text or not self.is_short(before)
        }
        best = max(puts, key=lambda before: puts[before], default=None)
        return best if best is not None and puts[best] > _LEAST_OF_A_PROPOSAL else None

    def accepted(self, place: int) -> int | None:
        """Where somebody else says yes to it; None also where somebody says no first."""
        speaker = self.said[place].utterance.speaker_id
        for behind in range(place + 1, min(len(self.said), place + 1 + _BACK)):
            own = self.acts.own[behind]
            if self.said[behind].utterance.speaker_id != speaker and max(own[_YES], own[_NO]) > 0:
                return behind if own[_YES] > own[_NO] else None
        return None


def read(
    ledger: Ledger,
    said: Sequence[Said],
    *,
    known: int = 0,
    names: Sequence[str] = (),
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> set[int]:
    """Take the statements of `said` into `ledger`; the places of the sentences that became one.

    `known`: so many of the first sentences were read before. One of them counts where what followed has made
    it a statement that nobody had found. `names`: who is there, and may own a task.
    """
    talk = _Talk(said, acts_of(said))
    rests = {id_ for each in (*ledger.decisions, *ledger.pending) for id_ in each.evidence}
    taken: set[int] = set()
    for place, kept in _found(talk, wake_words):
        if place < known and said[place].utterance.id in rests:
            continue
        told = _told(talk, place, kept, names)
        if told is None:
            continue
        statement, places = told
        if places & taken and not places <= {place}:
            continue  # one more yes to what is taken in already
        taken |= places
        if kept == "decision":
            ledger.decide(statement)
        else:
            ledger.note(statement)
    return taken


def _found(talk: _Talk, wake_words: Sequence[str]) -> list[tuple[int, Kept]]:
    """The sentences that are likely enough, in order; of neighbours of one kind the likeliest."""
    chosen: dict[int, Kept] = {}
    margins = {kept: talk.acts.likely[:, SETTLING.index(kept)] - least for kept, least in LEAST.items()}
    for kept, margin in margins.items():
        picked: list[int] = []
        for place in sorted(range(len(talk.said)), key=lambda i: -float(margin[i])):
            if margin[place] < 0:
                break
            if any(margins[other][place] > margin[place] for other in LEAST) or talk.is_beside(place, margin):
                continue
            to_agent = wake(talk.said[place].text, wake_words) is not None
            if not to_agent and all(talk.are_two(place, other) for other in picked):
                picked.append(place)
        chosen |= dict.fromkeys(picked, kept)
    return sorted(chosen.items())


def _told(talk: _Talk, place: int, kept: Kept, names: Sequence[str]) -> tuple[Statement, set[int]] | None:
    """A sentence as a statement, with the places that it is made of; None where it can't be told."""
    said = talk.said
    before = talk.answered(place) if talk.leans_back(place) else None
    asks = "?" in said[place].text
    own = talk.acts.own[place]
    yes = talk.accepted(place) if asks or own[_PROPOSAL] > own[_DECISION] else None
    parts = [place] if before is None else [before, place]
    witnesses = parts if yes is None else [*parts, yes]
    evidence = tuple(dict.fromkeys(said[each].utterance.id for each in witnesses))
    if kept == "decision":
        # Neither a question without a yes, nor "네, 그렇게 하죠" where nobody knows to what.
        to_what = before is not None or not talk.is_short(place) or bool(facts(said[place].text))
        if (asks and yes is None) or not to_what:
            return None
        parts = witnesses if asks else parts  # the yes alone makes a question a decision
        text = " ".join(said[each].text for each in parts)
        return Statement(text=text, evidence=evidence, status="decided"), set(parts)
    text = " ".join(said[each].text for each in parts)
    told = Statement(text=text, evidence=evidence, due=due_in(text), status="open", kind="open")
    if kept == "task":
        due = told.due
        if (
            due is None
            and said[place + 1 : place + 2]
            and said[place + 1].utterance.id == said[place].utterance.id
        ):
            due = due_in(said[place + 1].text)  # 제가 보낼게요. 금요일까지요.
        told = told.model_copy(update={"kind": "action", "owner": owner_of(said, place, names), "due": due})
    return told, set(parts)


def telling(question: str, utterance: Utterance) -> str:
    """The words to quote: the turn, or of a long one the sentences that hold most of the question."""
    text = utterance.text
    parts = sentences(text) if len(text) > _WHOLE_CHARS else []
    if len(parts) < _SENTENCES + 1:
        return text if len(text) <= 2 * _WHOLE_CHARS else f"{text[: 2 * _WHOLE_CHARS].rstrip()}…"
    topic, kind = topic_words(question), kind_asked(question)
    worth = [coverage(topic, part) + 0.3 * gives(kind, part) for part in parts]
    first = max(range(len(parts) - 1), key=lambda place: (worth[place] + worth[place + 1], -place))
    return " ".join(parts[first : first + _SENTENCES])
