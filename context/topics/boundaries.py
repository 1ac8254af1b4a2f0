"""Where a new topic begins, decided while the meeting goes on, from announcements and a trained scorer.

- A strong cue decides at its utterance. Two announcements in a row are one change: the second names it.
- So does coming back to an earlier topic by its name (`context.topics.returning`). A sentence that goes on
  over several short turns of one voice is heard as one (`context.topics.going_on`); the topic begins where
  it does.
- So does an item of the agenda that was announced at the start (`context.topics.agenda`) when its turn comes.
- So does a heading without a verb (`context.topics.headings`): "Item two, the market.", 미수금은 어때요?
- The scorer (`context.topics.boundary.scorer`) says how likely a topic begins at an utterance, from the
  words, voices and turns before and after it, 32 utterances late; the detector
  (`context.topics.boundary.detector`) which of these stand out. What does is a beginning (`keyword` with a
  weak cue at it, else `semantic`) where the open topic is long enough; what nearly does is a suspicion, for
  a judge where there is one.
- All but the cues is heard beside the fold and comes as `TopicsScored` (`TopicChanges.score`); a
  meeting whose record does not say so (`MeetingOpened.topics_beside`) hears it within the fold.
- When the meeting closes, what is still undecided is decided from what has been heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from context.config import ContextConfig
from context.events import FoundBoundary
from context.language.closed_lists import STOPWORDS
from context.models import TopicSegment, Utterance
from context.topics import agenda, going_on, headings, returning
from context.topics.boundary.detector import Detector
from context.topics.boundary.words import bare
from context.topics.cues import Cue, find
from context.topics.naming import name_of, subject_of

ECHO: Final = 2
"""An announcement so soon after another one is the same announcement."""
_OPENING_WITHIN: Final = 5
LATEST_DECISION: Final = 40
"""A topic's start is decided at most so many utterances after it."""
_RETURNS_WITHIN: Final = 50
"""So many topics back a return is recognised."""
_LEFT: Final = 6
"""What is found behind an announcement has at least so many utterances before it."""
_ITEM_LASTS: Final = 25
"""So many utterances after an item of the agenda was taken up, only the next item begins a topic."""
_WORD: Final = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z']{2,}")


class Announced(NamedTuple):
    """What an utterance announces: a topic begins at `at`, or what is open already is called `name`."""

    at: int
    name: str | None
    begins: bool = True


_Turns = Sequence[Utterance]


class Boundaries:
    """Says of every utterance, and of what was found about earlier ones, what it means for the open topic."""

    def __init__(self, config: ContextConfig) -> None:
        self._cues = config.topic_quick_check_enabled
        self.detector = Detector(config)
        """Derived from the archive; fed within the fold or beside it."""
        self._agenda = agenda.Agenda()
        self.scored = 0
        """The newest `TopicsScored.heard` that has been taken in: it, or an older one, again says nothing."""

    def announced(self, said: _Turns, segments: Sequence[TopicSegment]) -> Announced | None:
        """What the newest utterance announces; the last of `segments` is open and already extended to it."""
        if not self._cues:
            return None
        number, topic = said[-1].id, segments[-1]
        if number <= agenda.WITHIN:
            self._agenda = self._agenda.heard(said[-1].text)
        turns, cue = self._cue(going_on.pieces(said), said, segments)
        if cue is None:
            turns, cue = _named_next(said, topic)
        if cue is None:
            return None
        name = (self._agenda.item(cue.name) or cue.name) if cue.name else None
        at, first = max(turns[0].id, topic.start_utterance_id), topic.start_utterance_id == 1
        if cue.strength == "opening":  # what opens the meeting is said near its beginning
            early = number <= going_on.MOST * _OPENING_WITHIN and going_on.count(said) <= _OPENING_WITHIN
            return Announced(number, name, begins=False) if name and first and early else None
        if (first or topic.reason == "keyword") and at - topic.start_utterance_id <= ECHO:
            return Announced(number, name, begins=False) if name and _better(turns, cue) else None
        return Announced(at, name)

    def _cue(
        self, turns: _Turns, said: _Turns, segments: Sequence[TopicSegment]
    ) -> tuple[_Turns, Cue | None]:
        """What `turns`, the newest of `said`, announce, and in which of them; None where that is nothing."""
        text = going_on.joined(turns)
        back = returning.named(text) or ""
        words = _words(back)
        if words and words <= _words(segments[-1].name):
            return turns, None  # there one is already
        before = earlier(back, segments[:-1])
        came_back = before.name if before is not None else None
        announcing, cue = _announcing(going_on.in_one_breath(said), closest=len(turns) == 1)
        if cue is not None:
            return announcing, cue if cue.name else Cue(cue.strength, came_back)
        item = self._agenda.taken_up(text) or came_back
        if item is None and headings.heading_of(text) is not None:
            item = headings.announced(going_on.as_one(said, turns), segments)
        return turns, None if item is None or item == segments[-1].name else Cue("strong", item)

    def fitting(self, found: FoundBoundary, said: _Turns, segments: Sequence[TopicSegment]) -> str | None:
        """What begins with what was found, "" where it has no name yet; None: it is too late, or unlikely.

        The open topic has to be long enough to end there; so has the topic before it, which an announcement
        closed before it was known. (Brisk talk knows within six utterances: what is found then is the end of
        the last matter.) An item of the agenda goes on until the next one comes: what is found within it is a
        part of it.
        """
        left = segments[-1].start_utterance_id - found.at
        place = len(segments) - (2 if left >= _LEFT and not found.raised and len(segments) > 1 else 1)
        topic = segments[place]
        since = found.at - topic.start_utterance_id
        if since < found.shortest or not 0 <= len(said) - found.at <= LATEST_DECISION:
            return None
        ahead = self._agenda.ahead(topic.name, (each.name for each in segments[: place + 1]))
        item = self._agenda.said_in(said[found.at - 1].text, ahead) if ahead else None
        return None if ahead and item is None and since < _ITEM_LASTS else item or ""

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {**self.detector.dump(), "scored": self.scored}

    def load(self, dumped: dict[str, Any], archive: _Turns) -> None:
        """From the snapshot and the archive."""
        self.detector.load(dumped, archive)
        self.scored = dumped.get("scored", 0)
        for said in archive[: agenda.WITHIN]:
            self._agenda = self._agenda.heard(said.text)


def named_at(said: Utterance) -> str:
    """The name that an utterance gives to what begins with it; "" where it gives none."""
    cue = find(said.text)
    if cue is not None and cue.strength != "weak" and cue.name:
        return cue.name
    heading = headings.heading_of(said.text)
    return heading.name if heading is not None else ""


def name_for(utterances: _Turns, first: int, last: int) -> str:
    """A name from what the first utterances of a stretch repeat; "" where there is none."""
    said = utterances[first - 1 : min(last, first - 1 + LATEST_DECISION)]
    return name_of((each.text for each in said), (each.speaker_name for each in said))


def raised_by(utterances: _Turns, at: int) -> str:
    """What utterance `at` brings up; "" where it does not say."""
    heard = utterances[max(0, at - LATEST_DECISION) : at + LATEST_DECISION]
    return subject_of(utterances[at - 1].text, (each.speaker_name for each in heard))


def earlier(name: str, segments: Sequence[TopicSegment]) -> TopicSegment | None:
    """The earlier topic that a new one by this name comes back to, the latest first."""
    wanted = _words(name)
    for segment in reversed(segments[-_RETURNS_WITHIN:]) if wanted else ():
        own = _words(segment.name)
        if wanted == own or (wanted & own and wanted <= own.union(segment.keywords)):
            return segment
    return None


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    """The words by which a topic's name is recognised."""
    return frozenset(bare(word.lower()) for word in _WORD.findall(name)) - STOPWORDS


def _announcing(turns: _Turns, *, closest: bool) -> tuple[_Turns, Cue | None]:
    """The turns over which an announcement is spread: the fewest that name what comes.

    Without a name all of them, or, `closest`, the fewest: where nothing says where the sentence began.
    """
    nameless: tuple[_Turns, Cue | None] = turns, None
    for first in range(len(turns) - 1, -1, -1):
        cue = find(going_on.joined(turns[first:]))
        if cue is None or cue.strength == "weak":
            continue
        if cue.name:
            return turns[first:], cue
        if nameless[1] is None or not closest:
            nameless = turns[first:], cue
    return nameless


def _better(turns: _Turns, cue: Cue) -> bool:
    """Whether a name is news, and no longer a piece of what goes on: a name grows until its sentence ends."""
    before = find(going_on.joined(turns[:-1])) if len(turns) > 1 else None
    if before is None or not before.name or not cue.name:
        return True
    return cue.name.startswith(before.name) and going_on.ended(turns[-1].text)


def _named_next(said: _Turns, topic: TopicSegment) -> tuple[_Turns, Cue | None]:
    """An announcement without a name and what the same voice says next; None where that names nothing.

    다음 안건으로 넘어가겠습니다. | 내년 예산 이야기를 해 보죠.
    """
    behind = said[-1].id - topic.start_utterance_id
    turns = said[-1 - min(behind, ECHO) :]
    near = topic.reason == "keyword" and 1 <= behind <= ECHO
    if not near or any(turn.speaker_id != turns[0].speaker_id for turn in turns):
        return turns, None
    cue = find(going_on.joined(turns))
    return turns, cue if cue is not None and cue.strength == "strong" and cue.name else None
