"""Where a new topic begins, decided while the meeting goes on, from cues and words alone.

- A strong cue decides at its utterance. Two announcements in a row are one change: the second names it.
- At every check interval the words of the newest stretch are compared with those before. A clear drop
  decides by itself (`semantic`), placed where the drop is deepest; a slight one decides only together
  with a weak cue nearby (`keyword`); in between there is a suspicion, for a judge where there is one.
- The thresholds adapt to the meeting: a drop has to be low in itself and low for this meeting.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from context.config import ContextConfig
from context.cues import find
from context.lexical import STOPWORDS, Drop, Trail
from context.models import TopicSegment, Utterance

SHORTEST: Final = 3
"""Without a strong cue, no topic ends before it has so many utterances."""
_ECHO: Final = 2
"""An announcement so soon after another one is the same announcement."""
_OPENING_WITHIN: Final = 5
_WIDTH: Final = 240
_LEAST: Final = 60
_LATEST: Final = 40
_CLEAR: Final = 0.05
_WITH_CUE: Final = 0.15
_WORD: Final = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z']{2,}")
_KO_ENDING: Final = re.compile(
    r"(?:에서는|으로는|에서|에게|까지|부터|으로|이나|라는|하고|에는|이랑|처럼|보다|은|는|이|가|을|를|에|의|도|로|와|과|만)$"
)
_KO_VERB: Final = re.compile(r"(?:다|요|죠|까|네|고|서|면|지만|는데|니까|해|한|할|된|될|하는|있는|있|없)$")


@dataclass(frozen=True, slots=True)
class Boundary:
    """`cue`, `drop`: a topic begins at `at`. `name`: the open topic is called `name`. `suspicion`: ask a judge."""

    kind: Literal["cue", "drop", "name", "suspicion"]
    at: int
    name: str | None = None
    firm: bool = False


class Boundaries:
    """Hears every utterance once and says what it means for the open topic."""

    def __init__(self, config: ContextConfig) -> None:
        self._cues = config.topic_quick_check_enabled
        self._interval = config.l1_topic_check_interval_turns
        self._trail = Trail()
        self._weak: dict[int, str | None] = {}
        """Utterances of the open topic with a weak cue, and the name that they may give."""

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
        if number % self._interval == 0:
            return self._compare(number, topic)
        return None

    def _announced(self, number: int, name: str | None, topic: TopicSegment) -> Boundary | None:
        since = number - topic.start_utterance_id
        if since <= _ECHO and (topic.reason == "keyword" or topic.start_utterance_id == 1):
            return Boundary("name", number, name, firm=True) if name else None
        return Boundary("cue", number, name, firm=name is not None)

    def _compare(self, number: int, topic: TopicSegment) -> Boundary | None:
        start = topic.start_utterance_id
        drop = self._trail.drop(start, width=_WIDTH, least=_LEAST)
        if drop is None:
            return None
        if drop.similarity < _CLEAR and self._allowed(drop.at, number, start):
            deepest = self._deepest(drop, number, start)
            return Boundary("drop", deepest.at)
        return None

    def _allowed(self, at: int, number: int, start: int) -> bool:
        return at - start >= SHORTEST and number - at <= _LATEST

    def _deepest(self, drop: Drop, number: int, start: int) -> Drop:
        """The best boundary within three utterances of a drop."""
        best = drop
        for at in range(max(start + SHORTEST, drop.at - 3, number - _LATEST), min(number, drop.at + 3) + 1):
            there = self._trail.drop_at(start, at, width=_WIDTH, least=_LEAST)
            if there is not None and there.similarity < best.similarity:
                best = there
        return best

    def opened(self, topic: TopicSegment) -> None:
        """A new topic is open: what was suspected before it is settled."""
        self._weak = {i: name for i, name in self._weak.items() if i > topic.start_utterance_id}

    @staticmethod
    def name_for(utterances: Sequence[Utterance], first: int, last: int) -> str:
        """A name from the words that the first utterances of a stretch repeat; "" where there is none."""
        counts: Counter[str] = Counter()
        spelling: dict[str, str] = {}
        for utterance in utterances[first - 1 : min(last, first - 1 + _LATEST)]:
            for word in _WORD.findall(utterance.text[:600]):
                key = word.lower()
                if key[0] >= "가":
                    if _KO_VERB.search(key):
                        continue
                    key = _KO_ENDING.sub("", key) if len(key) > 2 else key
                    word = key
                if len(key) > 1 and key not in STOPWORDS:
                    counts[key] += 1
                    spelling.setdefault(key, word)
        best = sorted(counts.items(), key=lambda item: (-item[1], -len(item[0])))[:2]
        return " · ".join(spelling[key] for key, count in best if count > 1 or best[0][1] == 1)

    @staticmethod
    def earlier(name: str, segments: Sequence[TopicSegment]) -> str | None:
        """The earlier topic that a new one by this name comes back to, the latest first."""
        wanted = _words(name)
        if not wanted:
            return None
        for segment in reversed(segments):
            own = _words(segment.name)
            if own and (
                wanted == own or (wanted <= own | _words(" ".join(segment.keywords)) and wanted & own)
            ):
                return segment.id
        return None

    def dump(self) -> dict[str, Any]:
        """For the snapshot."""
        return {"trail": self._trail.dump(), "weak": {str(i): name for i, name in self._weak.items()}}

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """From the snapshot and the archive."""
        first = dumped["trail"]["first"]
        texts = [(u.id, u.text) for u in archive[first - 1 :]] if first else []
        self._trail.load(dumped["trail"], texts)
        self._weak = {int(i): name for i, name in dumped["weak"].items()}


def _words(text: str) -> set[str]:
    return {
        _KO_ENDING.sub("", w.lower()) if len(w) > 2 else w.lower() for w in _WORD.findall(text)
    } - STOPWORDS
