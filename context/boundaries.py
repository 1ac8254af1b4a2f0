"""Where a new topic begins, decided while the meeting goes on, from cues and words alone.

- A strong cue decides at its utterance. Two announcements in a row are one change: the second names it.
- At every check interval the words of the newest stretch are compared with those before. A clear drop
  decides by itself (`semantic`), placed where the drop is deepest; a slight one decides only together
  with a weak cue nearby (`keyword`); in between there is a suspicion, for a judge where there is one.
- The thresholds adapt to the meeting: a drop has to be low in itself and low for this meeting.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from context.config import ContextConfig
from context.cues import find
from context.lexical import STOPWORDS, Drop, Trail
from context.models import TopicSegment, Utterance

_SHORTEST: Final = 8
"""Without a strong cue, no topic ends before it has so many utterances."""
_ECHO: Final = 2
"""An announcement so soon after another one is the same announcement."""
_OPENING_WITHIN: Final = 5
_LATEST: Final = 40
"""The contract: a start is decided at most so many utterances after it."""
_REFINED: Final = 2
_NEAR: Final = 2
"""A weak cue so close to a drop of words is its cue."""
_WIDTH: Final = 120.0
"""Content words compared on each side; with fewer than `_LEAST` nothing can be said."""
_LEAST: Final = 40.0
_ALONE: Final = 1.0
"""So many standard deviations under this meeting's usual likeness, a drop decides by itself."""
_WITH_CUE: Final = 0.9
"""The same together with a weak cue. Both found on QMSum and National Assembly minutes, see DESIGN.md."""
_HIGHEST: Final = 0.3
"""Talk that is more alike than this has not changed, however unusual."""
_NAMING: Final = 6
_RETURNS_WITHIN: Final = 50
"""So many topics back a return is recognised."""
_NAMING_CHARS: Final = 120
"""A nameless topic is named from the beginnings of so many first utterances."""
_WORD: Final = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z']{2,}")
_KO_ENDINGS: Final = (
    *("에서는", "으로는", "에서", "에게", "까지", "부터", "으로", "이나", "라는", "하고", "에는", "이랑"),
    *("처럼", "보다", "은", "는", "이", "가", "을", "를", "에", "의", "도", "로", "와", "과", "만"),
)
"""Particles, the longer ones first: the first that fits is taken off."""
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


class Usual:
    """Mean and spread of a value, starting from what meetings are like."""

    def __init__(self) -> None:
        self.count, self.mean, self.variance = 6.0, 0.2, 0.0025

    def add(self, value: float) -> None:
        """One more value."""
        self.count += 1
        before = value - self.mean
        self.mean += before / self.count
        self.variance += (before * (value - self.mean) - self.variance) / self.count

    def depth(self, value: float) -> float:
        """How many standard deviations `value` lies under the mean."""
        return (self.mean - value) / max(1e-6, math.sqrt(max(0.0, self.variance)))


class Boundaries:
    """Hears every utterance once and says what it means for the open topic."""

    def __init__(self, config: ContextConfig) -> None:
        self._cues = config.topic_quick_check_enabled
        self._interval = config.l1_topic_check_interval_turns
        self._trail = Trail(width=_WIDTH, least=_LEAST)
        self._weak: dict[int, str | None] = {}
        """Newest utterances with a weak cue, and the name that they may give."""
        self._usual = Usual()
        self._lowest: Drop | None = None

    def hear(self, number: int, text: str, topic: TopicSegment) -> Boundary | None:
        """What utterance `number`, the newest one, says; `topic` is the open one, already extended to it."""
        self._trail.add(number, text)
        cue = find(text) if self._cues else None
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
            self._weak[number] = cue.name
            if len(self._weak) > _LATEST:
                del self._weak[next(iter(self._weak))]
        return self._compare(number, topic)

    def _announced(self, number: int, name: str | None, topic: TopicSegment) -> Boundary | None:
        since = number - topic.start_utterance_id
        if since <= _ECHO and (topic.reason == "keyword" or topic.start_utterance_id == 1):
            return Boundary("name", number, name, firm=True) if name else None
        return Boundary("cue", number, name, firm=name is not None)

    def _compare(self, number: int, topic: TopicSegment) -> Boundary | None:
        """Follow how alike the talk is; at every check interval, judge the lowest point since then."""
        start = topic.start_utterance_id
        drop = self._trail.drop(start)
        if drop is not None:
            lowest = self._lowest
            if lowest is None or drop.similarity < lowest.similarity:
                self._lowest = drop
            self._usual.add(drop.similarity)
        if number % self._interval or self._lowest is None:
            return None
        lowest, self._lowest = self._lowest, None
        if lowest.at < start:
            return None
        depth = self._usual.depth(lowest.similarity)
        if depth < _WITH_CUE or lowest.similarity > _HIGHEST:
            return None
        return self._fallen(lowest, depth, number, start)

    def _fallen(self, lowest: Drop, depth: float, number: int, start: int) -> Boundary | None:
        deepest = self._deepest(lowest, number, start)
        if depth >= _ALONE and self._allowed(deepest.at, number, start):
            return Boundary("drop", deepest.at)
        cued = [i for i in self._weak if abs(i - deepest.at) <= _NEAR and self._allowed(i, number, start)]
        if cued:
            at = min(cued, key=lambda i: (abs(i - deepest.at), i))
            return Boundary("cue", at, self._weak[at])
        return Boundary("suspicion", deepest.at) if self._allowed(deepest.at, number, start) else None

    def _allowed(self, at: int, number: int, start: int) -> bool:
        return at - start >= _SHORTEST and number - at <= _LATEST

    def _deepest(self, drop: Drop, number: int, start: int) -> Drop:
        """The best border within two utterances of a drop."""
        near = range(max(start + _SHORTEST, drop.at - _REFINED), min(number, drop.at + _REFINED) + 1)
        best = self._trail.deepest(start, near)
        return drop if best is None or drop.similarity <= best.similarity else best

    def opened(self, topic: TopicSegment) -> None:
        """A new topic is open: what was suspected before it is settled."""
        self._weak = {i: name for i, name in self._weak.items() if i > topic.start_utterance_id}
        self._lowest = None

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
            "trail": self._trail.dump(),
            "weak": {str(i): name for i, name in self._weak.items()},
            "usual": [self._usual.count, self._usual.mean, self._usual.variance],
            "lowest": [self._lowest.at, self._lowest.similarity] if self._lowest else None,
        }

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """From the snapshot and the archive."""
        first = dumped["trail"]["first"]
        texts = [(u.id, u.text) for u in archive[first - 1 :]] if first else []
        self._trail.load(dumped["trail"], texts)
        self._weak = {int(i): name for i, name in dumped["weak"].items()}
        self._usual.count, self._usual.mean, self._usual.variance = dumped["usual"]
        self._lowest = Drop(*dumped["lowest"]) if dumped["lowest"] else None


@lru_cache(maxsize=8192)
def _noun(word: str) -> str:
    """A word without particles and capitals; "" for verbs' endings and function words."""
    key = word.lower()
    if key[0] >= "가":
        if key.endswith(_KO_VERB):
            return ""
        key = _bare(key)
    return "" if len(key) < 2 or key in STOPWORDS else key


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    """The words by which a topic's name is recognised."""
    words = (word.lower() for word in _WORD.findall(name))
    return frozenset(map(_bare, words)) - STOPWORDS


def _bare(word: str) -> str:
    """A word of three syllables or more without its particle."""
    if len(word) > 2:
        for ending in _KO_ENDINGS:
            if word.endswith(ending):
                return word[: -len(ending)]
    return word
