"""Statements of a stretch of talk: decisions, tasks and open points, each in the words that were said.

Which sentences these are, the learnt acts say (`context.reading.acts`). Here such a sentence becomes a
statement. A short one ("네, 그렇게 하죠") tells nothing without the sentence that it answers and is joined
to it. A proposal is a decision only with the yes that follows; a task has an owner and a due date.

`telling` chooses the sentences of a long turn that are quoted as an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from context.facts import facts, matter
from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
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
_SETTLES: Final = 0.7
"""So likely a decision or a task it has to be where it may be either: then it is the likelier one."""
_APART: Final = 1
"""Sentences of utterances at most so far apart that share their matter are one statement."""
_BACK: Final = 6
"""So many sentences before a short one are searched for what it answers, and behind it for a yes."""
_WHOLE: Final = 2
"""A sentence with fewer content words tells nothing alone."""
_FEW_WORDS: Final = 4
"""A sentence of at most so many words tells something only by a rare one."""
_TELLING: Final = 2.6
"""Rarity of such a word: it is said in fewer than one meeting in thirteen."""
_RIGHT_BEFORE: Final = 2
"""A question that a sentence answers is one of so many sentences before it."""
_FADES: Final = 0.25
"""Log odds by which a sentence farther back is less likely what is answered."""
_LEAST_OF_A_PROPOSAL: Final = -2.5
"""Log odds that what is answered has at least."""
_COURTESY, _PROPOSAL, _DECISION = OWN.index("courtesy"), OWN.index("proposal"), OWN.index("decision")
_YES, _NO = OWN.index("acceptance"), OWN.index("rejection")
_PUTS = [OWN.index(act) for act in ("decision", "task", "proposal")]
"""Acts that somebody may answer."""
_WHOLE_CHARS: Final = 280
"""A turn of so many characters is quoted whole."""
_SENTENCES: Final = 2


@dataclass(frozen=True, slots=True, eq=False)
class _Sentences:
    """Sentences in order, and what each does; sentences are named by their place."""

    said: Sequence[Said]
    acts: Acts

    def is_short(self, place: int) -> bool:
        """Whether a sentence tells nothing alone: "네, 그렇게 하죠"."""
        text = self.said[place].text
        said = words(text)
        if len([word for word in said if word not in STOPWORDS]) < _WHOLE:
            return True
        if len(said) > _FEW_WORDS:
            return False
        nods = int(self.acts.own[place].argmax()) in (_YES, _COURTESY)
        return nods or not any(rarity(word) >= _TELLING for word in matter(text))

    def leans_back(self, place: int) -> bool:
        """Whether a sentence needs the one that it answers: it is short, or names little after a question."""
        if self.is_short(place):
            return True
        return len(matter(self.said[place].text)) < _WHOLE and self.asked(place) is not None

    def asked(self, place: int) -> int | None:
        """The question that somebody else asks right before a sentence; None where nobody does."""
        speaker = self.said[place].utterance.speaker_id
        for before in range(place - 1, max(0, place - _RIGHT_BEFORE) - 1, -1):
            if self.said[before].utterance.speaker_id != speaker and "?" in self.said[before].text:
                return before
        return None

    def are_two(self, place: int, other: int) -> bool:
        """Whether two sentences that settle something are two statements, each of a matter of its own."""
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
        """Whether a sentence is a nod beside one of its turn that tells what: "좋습니다. 20일로 하죠".

        `margin`: by how much each sentence's chance to be a statement is above the least.
        """
        turn = self.said[place].utterance.id
        return self.is_short(place) and any(
            each.utterance.id == turn and margin[other] >= 0 and not self.is_short(other)
            for other, each in enumerate(self.said)
        )

    def answered(self, place: int) -> int | None:
        """The sentence that this one answers: the one right before it, or the likeliest; None where none."""
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
        """The sentence in which somebody else says yes to this one; None where somebody says no first."""
        speaker = self.said[place].utterance.speaker_id
        for behind in range(place + 1, min(len(self.said), place + 1 + _BACK)):
            own = self.acts.own[behind]
            if self.said[behind].utterance.speaker_id != speaker and max(own[_YES], own[_NO]) > 0:
                return behind if own[_YES] > own[_NO] else None
        return None


def add_statements(
    ledger: Ledger,
    said: Sequence[Said],
    *,
    known: int = 0,
    names: Sequence[str] = (),
    wake_words: Sequence[str] = DEFAULT_WAKE_WORDS,
) -> set[int]:
    """Add the statements of `said` to `ledger`; the places of the sentences that are part of one come back.

    `known`: so many of the first sentences were read before. One of them becomes a statement only where what
    followed has made it one. `names`: who is there, and may own a task. `wake_words`: what is said to the
    agent becomes no statement.
    """
    talk = _Sentences(said, acts_of(said))
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


def _found(talk: _Sentences, wake_words: Sequence[str]) -> list[tuple[int, Kept]]:
    """The sentences that are likely enough, in order, by kind; of those of one matter the likeliest."""
    chosen: dict[int, Kept] = {}
    margins = _margins(talk.acts.likely)
    for kept, margin in margins.items():
        picked: list[int] = []
        for place in sorted(range(len(talk.said)), key=lambda i: -float(margin[i])):
            if margin[place] < 0:
                break
            if any(margins[other][place] > margin[place] for other in LEAST) or talk.is_beside(place, margin):
                continue
            to_agent = without_wake_word(talk.said[place].text, wake_words) is not None
            if not to_agent and all(talk.are_two(place, other) for other in picked):
                picked.append(place)
        chosen |= dict.fromkeys(picked, kept)
    return sorted(chosen.items())


def _margins(likely: NDArray[np.float32]) -> dict[Kept, NDArray[np.float32]]:
    """By how much each sentence's chance to be a statement of each kind is above the least [sentences]."""
    margins = {kept: likely[:, SETTLING.index(kept)] - least for kept, least in LEAST.items()}
    decision, task = margins["decision"], margins["task"]
    either = likely[:, SETTLING.index("decision")] + likely[:, SETTLING.index("task")] - _SETTLES
    margins["decision"] = np.where(decision >= task, np.maximum(decision, either), decision)
    margins["task"] = np.where(task > decision, np.maximum(task, either), task)
    return margins


def _told(
    talk: _Sentences, place: int, kept: Kept, names: Sequence[str]
) -> tuple[Statement, set[int]] | None:
    """A sentence as a statement, and the places whose words it has; None where it can't be told."""
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
        due, behind = told.due, said[place + 1 : place + 2]
        if due is None and behind and behind[0].utterance.id == said[place].utterance.id:
            due = due_in(behind[0].text)  # 제가 보낼게요. 금요일까지요.
        told = told.model_copy(update={"kind": "action", "owner": owner_of(said, place, names), "due": due})
    return told, set(parts)


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
