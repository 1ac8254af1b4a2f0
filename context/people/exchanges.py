"""How utterances relate: which one cuts in on another, only nods to it, or answers a question.

Utterances are folded when they are complete, so whoever cuts in on a long speech is often folded before
it. Therefore each one is compared with the newest few, in both directions. "네", "mm-hm" within
somebody's speech is a nod, no interruption. A question stays open for half a minute and six utterances:
the first of somebody else that says something answers it; where it named somebody, that person's
answer counts too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from context.language.addressing import DEFAULT_WAKE_WORDS, called_upon, without_wake_word
from context.language.closed_lists import closed_lists
from context.language.questions import is_question, sentences
from context.models import Utterance

CUT_IN_MS: Final = 500
"""A shorter overlap is ordinary turn-taking: whoever answers at once begins before the other has ended."""
_RECENT_COUNT: Final = 12
_OPEN_MS: Final = 30_000
_OPEN_UTTERANCES: Final = 6
_MAX_OPEN_QUESTIONS: Final = 8
_EDGE_CHARS: Final = 400
_NOD_WORDS: Final = 3
_NOD_CHARS: Final = 60
_NODS: Final = frozenset(closed_lists("nods")["nods"])
_MARKS: Final = str.maketrans(dict.fromkeys(",.!?…~", " "))


class Relations(NamedTuple):
    """How one utterance relates to those before it; others are named by their speakers' ids."""

    asks: bool
    """Whether it asks a question."""
    nods: bool
    """Whether it only shows that its speaker follows, while somebody else speaks."""
    cuts_in_on: tuple[str, ...]
    """Speakers on whose utterances it cuts in."""
    cut_in_by: tuple[str, ...]
    """Speakers who cut in on it, and were folded before it."""
    newly_cutting: tuple[str, ...]
    """Those of `cut_in_by` whose utterance was not known to cut in on anybody before."""
    answers: tuple[str, ...]
    """Speakers whose open questions it answers; nobody's where its words were taken out."""


@dataclass(slots=True)
class _Recent:
    utterance: Utterance
    nods: bool
    cuts: bool


@dataclass(slots=True)
class _Question:
    utterance: Utterance
    to: str | None
    answered: bool = False
    heard_since: int = 0


class Exchanges:
    """Relates each utterance to the newest ones and to the questions that are still open."""

    def __init__(self, agent_names: Sequence[str] = DEFAULT_WAKE_WORDS) -> None:
        """`agent_names`: a question that calls one of them is for the agent, and is not kept open."""
        self._agent_names = tuple(agent_names)
        self._recent: deque[_Recent] = deque(maxlen=_RECENT_COUNT)
        self._open: list[_Question] = []

    def hear(self, utterance: Utterance, names: Mapping[str, str]) -> Relations:
        """Take in the next utterance, in fold order. `names`: of all who have spoken, by id."""
        text = _ends(utterance.text)
        asks = is_question(text)
        overlapping = [
            recent
            for recent in self._recent
            if recent.utterance.end_ms > utterance.start_ms
            and recent.utterance.start_ms < utterance.end_ms
            and recent.utterance.speaker_id != utterance.speaker_id
        ]
        nods = bool(overlapping) and not asks and is_nod(utterance.text)
        on = [] if nods else [r for r in overlapping if _within(utterance, r.utterance)]
        by = [r for r in overlapping if not r.nods and _within(r.utterance, utterance)]
        newly = [r for r in by if not r.cuts]
        for recent in by:
            recent.cuts = True
        only_asks = asks and all(map(is_question, sentences(text)))  # unlike "On Monday. Is that fine?"
        answered = self._answered(utterance, says=not nods and not only_asks)
        if asks:
            self._ask(utterance, text, names)
        self._recent.append(_Recent(utterance, nods, bool(on)))
        return Relations(asks, nods, _speakers(on), _speakers(by), _speakers(newly), answered if text else ())

    def _ask(self, utterance: Utterance, text: str, names: Mapping[str, str]) -> None:
        """Keep a question open, in the place of its speaker's last one."""
        self._open = [q for q in self._open if q.utterance.speaker_id != utterance.speaker_id]
        if without_wake_word(text, self._agent_names) is None:
            others = {key: name for key, name in names.items() if key != utterance.speaker_id}
            self._open.append(_Question(utterance, called_upon(text, others)))
            del self._open[:-_MAX_OPEN_QUESTIONS]

    def _answered(self, utterance: Utterance, *, says: bool) -> tuple[str, ...]:
        """Speakers whose open questions an utterance answers, if it `says` something; old ones are closed."""
        still, answered = [], []
        for question in self._open:
            question.heard_since += 1
            asked = question.utterance
            if utterance.start_ms - asked.end_ms > _OPEN_MS or question.heard_since > _OPEN_UTTERANCES:
                continue
            mine = asked.speaker_id == utterance.speaker_id or utterance.start_ms <= asked.start_ms
            if mine or not says or (question.answered and question.to != utterance.speaker_id):
                still.append(question)
                continue
            answered.append(asked.speaker_id)
            if question.to is not None and question.to != utterance.speaker_id:
                question.answered = True  # the one who was asked may still say something
                still.append(question)
        self._open = still
        return tuple(answered)

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able, utterances as ids; `load` takes it back."""
        return {
            "recent": [[r.utterance.id, r.nods, r.cuts] for r in self._recent],
            "open": [[q.utterance.id, q.to, q.answered, q.heard_since] for q in self._open],
        }

    def load(self, dumped: Mapping[str, Any], archive: Sequence[Utterance]) -> None:
        """Take the state from a snapshot into a fresh object; `archive`: all utterances by id."""
        self._recent.extend(_Recent(archive[i - 1], nods, cuts) for i, nods, cuts in dumped["recent"])
        self._open = [
            _Question(archive[i - 1], to, answered, since) for i, to, answered, since in dumped["open"]
        ]


def is_nod(text: str) -> bool:
    """Whether a text says nothing but "yes, I follow", in Korean or English."""
    if len(text) >= _NOD_CHARS:
        return False
    words = text.lower().translate(_MARKS).split()
    return 0 < len(words) <= _NOD_WORDS and _NODS.issuperset(words)


def _ends(text: str) -> str:
    """Enough of an utterance to tell whether it asks: the beginning and the end of a very long one."""
    return text if len(text) <= 2 * _EDGE_CHARS else f"{text[:_EDGE_CHARS]}. {text[-_EDGE_CHARS:]}"


def _within(later: Utterance, earlier: Utterance) -> bool:
    """Whether `later` began within `earlier`, at least `CUT_IN_MS` before its end."""
    return earlier.start_ms < later.start_ms <= earlier.end_ms - CUT_IN_MS


def _speakers(recent: Sequence[_Recent]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.utterance.speaker_id for each in recent))
