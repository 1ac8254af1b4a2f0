"""Where a new topic begins, decided while the meeting goes on, from announcements and a trained scorer.

- A strong cue decides at its utterance. Two announcements in a row are one change: the second names it.
- So does an item of the agenda that was announced at the start (`context.agenda`) when its turn comes.
- So does a heading without a verb (`context.headings`): "Item two, the market.", 미수금은 어떻게 됐어요?
- The scorer (`context.boundary.scorer`) says how likely a topic begins at an utterance, from the words,
  voices and turns before and after it, 32 utterances late; the detector (`context.boundary.detector`)
  which of these stand out. What does is a beginning (`keyword` with a weak cue at it, else `semantic`)
  where the open topic is long enough; what nearly does is a suspicion, for a judge where there is one.
- All but the cues is heard beside the fold and comes as `TopicsScored` (`context.topic_scoring`); a meeting
  whose record does not say so (`MeetingOpened.topics_beside`) hears it within the fold.
- When the meeting closes, what is still undecided is decided from what has been heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from context import agenda, headings
from context.boundary.detector import Detector
from context.boundary.words import bare
from context.config import ContextConfig
from context.cues import Cue, find
from context.events import FoundBoundary, TopicsScored
from context.models import TopicSegment, Utterance
from context.naming import name_of
from context.raising import subject_of
from context.stopwords import STOPWORDS

ECHO: Final = 2
"""An announcement so soon after another one is the same announcement."""
_OPENING_WITHIN: Final = 5
LATEST_DECISION: Final = 40
"""A topic's start is decided at most so many utterances after it."""
_RETURNS_WITHIN: Final = 50
"""So many topics back a return is recognised."""
_WORD: Final = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z']{2,}")


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
    raised: bool = False
    """The utterance brings the matter up: what that is names the topic, until there is a better name."""


class Boundaries:
    """Says of every utterance, and of what was found about earlier ones, what it means for the open topic."""

    def __init__(self, config: ContextConfig) -> None:
        self._cues = config.topic_quick_check_enabled
        self.detector = Detector(config)
        """Derived from the archive; fed within the fold or beside it."""
        self._agenda = agenda.Agenda()
        self.scored = 0
        """The newest `TopicsScored.heard` that has been taken in: it, or an older one, again says nothing."""

    def announced(self, said: Sequence[Utterance], segments: Sequence[TopicSegment]) -> Boundary | None:
        """What the newest utterance announces; the last of `segments` is open and already extended to it."""
        if not self._cues:
            return None
        number, text, topic = said[-1].id, said[-1].text, segments[-1]
        if number <= agenda.WITHIN:
            self._agenda = self._agenda.heard(text)
        cue = find(text)
        if cue is None or cue.strength == "weak":
            item = self._agenda.taken_up(text) or headings.announced(said, segments)
            if item is None or item == topic.name:
                return None
            cue = Cue("strong", item)
        name = (self._agenda.item(cue.name) or cue.name) if cue.name else None
        since = number - topic.start_utterance_id
        if cue.strength == "opening":
            named = bool(name) and topic.start_utterance_id == 1 and number <= _OPENING_WITHIN
            return Boundary("name", number, name, firm=True) if named else None
        if since <= ECHO and (topic.reason == "keyword" or topic.start_utterance_id == 1):
            return Boundary("name", number, name, firm=True) if name else None
        return Boundary("cue", number, name, firm=name is not None)

    @staticmethod
    def named_at(said: Utterance) -> str | None:
        """The name that an utterance gives to what begins with it."""
        cue = find(said.text)
        if cue is not None and cue.strength != "weak" and cue.name:
            return cue.name
        heading = headings.heading_of(said.text)
        return heading.name if heading is not None else None

    def fresh(self, event: TopicsScored, newest: int) -> bool:
        """Whether an event says something new about utterances that there are; it counts once."""
        if not self.scored < event.heard <= newest:
            return False
        self.scored = event.heard
        return True

    @staticmethod
    def fitting(found: FoundBoundary, topic: TopicSegment) -> Boundary | None:
        """What was found, where the open topic is long enough to end there, and it is not too late."""
        long_enough = found.at - topic.start_utterance_id >= found.shortest
        in_time = 0 <= topic.end_utterance_id - found.at <= LATEST_DECISION
        return Boundary(found.kind, found.at, raised=found.raised) if long_enough and in_time else None

    @staticmethod
    def name_for(utterances: Sequence[Utterance], first: int, last: int) -> str:
        """A name from what the first utterances of a stretch repeat; "" where there is none."""
        said = utterances[first - 1 : min(last, first - 1 + LATEST_DECISION)]
        return name_of((each.text for each in said), (each.speaker_name for each in said))

    @staticmethod
    def raised_by(utterances: Sequence[Utterance], at: int) -> str:
        """What utterance `at` brings up; "" where it does not say."""
        heard = utterances[max(0, at - LATEST_DECISION) : at + LATEST_DECISION]
        return subject_of(utterances[at - 1].text, (each.speaker_name for each in heard))

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
        return {**self.detector.dump(), "scored": self.scored}

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """From the snapshot and the archive."""
        self.detector.load(dumped, archive)
        self.scored = dumped.get("scored", 0)
        for said in archive[: agenda.WITHIN]:
            self._agenda = self._agenda.heard(said.text)


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    """The words by which a topic's name is recognised."""
    words = (word.lower() for word in _WORD.findall(name))
    return frozenset(map(bare, words)) - STOPWORDS
