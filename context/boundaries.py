"""Where a new topic begins, decided while the meeting goes on, from announcements and a trained scorer.

- A strong cue decides at its utterance. Two announcements in a row are one change: the second names it.
- The scorer (`context.boundary.scorer`) says how likely a topic begins at an utterance, from the words,
  voices and turns before and after it, 32 utterances late. What is likely enough, and likelier than the
  utterances around it, is a beginning (`keyword` with a weak cue at it, else `semantic`); what nearly
  is, is a suspicion, for a judge where there is one.
- When the meeting closes, what is still undecided is decided from what has been heard.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from context.boundary.features import STEP
from context.boundary.scorer import Score, Scorer
from context.boundary.words import bare
from context.config import ContextConfig
from context.cues import find
from context.models import TopicSegment, Utterance
from context.stopwords import STOPWORDS

_ECHO: Final = 2
"""An announcement so soon after another one is the same announcement."""
_OPENING_WITHIN: Final = 5
_NEAR: Final = 2
"""A weak cue so close to a beginning is its cue."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """When a score is a beginning. Found on the training meetings, see DESIGN.md."""

    likely: float
    """At least so likely."""
    suspected: float
    """From here on it is worth a judge's look."""
    around: int
    """And likelier than so many utterances after it."""
    shortest: int
    """A topic that ends without a strong cue has at least so many utterances."""


_ENGLISH: Final = _Rule(likely=0.26, suspected=0.18, around=6, shortest=15)
_KOREAN: Final = _Rule(likely=0.16, suspected=0.11, around=6, shortest=6)
_REMEMBERED: Final = 40
"""Weak cues and scores so far back are still of use."""
_NAMING: Final = 6
_RETURNS_WITHIN: Final = 50
"""So many topics back a return is recognised."""
_NAMING_CHARS: Final = 120
"""A nameless topic is named from the beginnings of so many first utterances."""
_WORD: Final = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z']{2,}")
_KO_VERB: Final = (
    *("다", "요", "죠", "까", "네", "고", "서", "면", "지만", "는데", "해", "한", "할", "된", "될", "하는"),
    *("있는", "있", "없"),
)


@dataclass(frozen=True, slots=True)
class Boundary:
    """What was found.

    `cue`, `drop`: a topic begins at `at`. `name`: the open one is called `name`.
    `suspicion`: a judge may tell.
    """

    kind: Literal["cue", "drop", "name", "suspicion"]
    at: int
    name: str | None = None
    firm: bool = False


class Boundaries:
    """Hears every utterance once and says what it means for the open topic."""

    def __init__(self, config: ContextConfig) -> None:
        self._cues = config.topic_quick_check_enabled
        self._interval = config.l1_topic_check_interval_turns
        self._scorer = Scorer()
        self._weak: list[int] = []
        """Newest utterances with a weak cue."""
        self._scores: list[Score] = []
        """Newest scores, that of the last candidate last."""

    def hear(self, number: int, text: str, speaker: str, topic: TopicSegment) -> Boundary | None:
        """What utterance `number`, the newest one, says; `topic` is the open one, already extended to it."""
        cue = find(text) if self._cues else None
        score = self._scorer.hear(number, text, speaker, cue)
        if score is not None:
            self._scores.append(score)
            del self._scores[:-_REMEMBERED]
        if cue is not None and cue.strength == "strong":
            return self._announced(number, cue.name, topic)
        if (
            cue is not None
            and cue.strength == "opening"
            and topic.start_utterance_id == 1
            and number <= _OPENING_WITHIN
        ):
            return Boundary("name", number, cue.name, firm=True) if cue.name else None
        if cue is not None:
            self._weak.append(number)
            del self._weak[:-_REMEMBERED]
        return self._likely(number, topic.start_utterance_id) if score is not None else None

    def _announced(self, number: int, name: str | None, topic: TopicSegment) -> Boundary | None:
        since = number - topic.start_utterance_id
        if since <= _ECHO and (topic.reason == "keyword" or topic.start_utterance_id == 1):
            return Boundary("name", number, name, firm=True) if name else None
        return Boundary("cue", number, name, firm=name is not None)

    def _likely(self, number: int, start: int) -> Boundary | None:
        """Judge the candidate whose surroundings have just been scored; now and then, the newest one."""
        scores = self._scores
        rule = _KOREAN if scores[-1].korean else _ENGLISH
        place = len(scores) - 1 - rule.around // STEP
        if place >= 0 and self._begins(place, start):
            return self._found(scores[place].at)
        newest = scores[-1]
        suspected = rule.suspected <= newest.chance < rule.likely and newest.at - start >= rule.shortest
        if number % self._interval == 0 and suspected:
            return Boundary("suspicion", newest.at)
        return None

    def _begins(self, place: int, start: int) -> bool:
        score = self._scores[place]
        rule = _KOREAN if score.korean else _ENGLISH
        if score.chance < rule.likely or score.at - start < rule.shortest:
            return False
        return all(
            score.chance >= later.chance
            for later in self._scores[place + 1 : place + 1 + rule.around // STEP]
        )

    def _found(self, at: int) -> Boundary:
        cued = any(abs(number - at) <= _NEAR for number in self._weak)
        return Boundary("cue" if cued else "drop", at)

    def rest(self, topic: TopicSegment) -> Iterable[Boundary]:
        """The meeting closes: the beginnings that are still undecided, in order."""
        waiting = max(_ENGLISH.around, _KOREAN.around) // STEP
        done = len(self._scores) - waiting
        start = topic.start_utterance_id
        self._scores += self._scorer.rest()
        found = []
        for place in range(max(0, done), len(self._scores)):
            if self._begins(place, start):
                start = self._scores[place].at
                found.append(self._found(start))
        self._scores = self._scores[: done + waiting]
        return found

    def opened(self, topic: TopicSegment) -> None:
        """A new topic is open: what was suspected before it is settled."""
        self._weak = [number for number in self._weak if number > topic.start_utterance_id]

    @staticmethod
    def name_for(utterances: Sequence[Utterance], first: int, last: int) -> str:
        """A name from the words that the first utterances of a stretch repeat; "" where there is none."""
        counts: dict[str, int] = {}
        spelling: dict[str, str] = {}
        for utterance in utterances[first - 1 : min(last, first - 1 + _NAMING)]:
            for word in _WORD.findall(utterance.text[:_NAMING_CHARS]):
                if noun := _noun(word):
                    if noun in counts:
                        counts[noun] += 1
                    else:
                        counts[noun] = 1
                        spelling[noun] = noun if noun[0] >= "가" else word
        best = sorted(counts.items(), key=lambda item: (-item[1], -len(item[0])))[:2]
        return " · ".join(spelling[key] for key, count in best if count > 1 or best[0][1] == 1)

    @staticmethod
    def earlier(name: str, segments: Sequence[TopicSegment]) -> str | None:
        """The earlier topic that a new one by this name comes back to, the latest first."""
        wanted = _words(name)
        if not wanted:
            return None
        for segment in reversed(segments[-_RETURNS_WITHIN:]):
            own = _words(segment.name)
            if wanted == own or (wanted & own and wanted <= own.union(segment.keywords)):
                return segment.id
        return None

    def dump(self) -> dict[str, Any]:
        """For the snapshot."""
        return {
            "scorer": self._scorer.dump(),
            "weak": list(self._weak),
            "scores": [[score.at, score.chance, score.korean] for score in self._scores],
        }

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """From the snapshot and the archive."""
        self._scorer.load(dumped["scorer"], archive)
        self._weak = list(dumped["weak"])
        self._scores = [Score(*score) for score in dumped["scores"]]


@lru_cache(maxsize=8192)
def _noun(word: str) -> str:
    """A word without particles and capitals; "" for verbs' endings and function words."""
    key = word.lower()
    if key[0] >= "가":
        if key.endswith(_KO_VERB):
            return ""
        key = bare(key)
    return "" if len(key) < 2 or key in STOPWORDS else key


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    """The words by which a topic's name is recognised."""
    words = (word.lower() for word in _WORD.findall(name))
    return frozenset(map(bare, words)) - STOPWORDS
