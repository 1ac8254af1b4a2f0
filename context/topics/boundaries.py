"""Where a new topic begins, decided while the meeting goes on, from announcements and a trained scorer.

- An announcement decides at once, at its utterance. It is a strong cue (`context.topics.phrases.cues`), a
  return to an earlier topic by its name (`context.topics.returning`), the turn of an item of the agenda that
  was announced at the start (`context.topics.agenda`), or a heading without a verb
  (`context.topics.headings`): "Item two, the market.", 미수금은 어때요? Two announcements in a row are one
  change: the second names it.
- A sentence that goes on over several short turns of one voice is read as one
  (`context.topics.phrases.continuations`); the topic begins where the sentence does.
- The scorer (`context.topics.boundary.scorer`) says how likely a topic begins at an utterance, from the
  words, voices and turns before and after it, 32 utterances late. The detector
  (`context.topics.boundary.detector`) says which of these utterances stand out. Such an utterance is a
  beginning (`keyword` with a weak cue at it, else `semantic`) where the open topic is long enough; one that
  nearly stands out is a suspicion, for a judge where there is one.
- Scorer and detector run beside the fold, and what they find comes as `TopicsScored` (`TopicChanges.score`).
  In a meeting whose record does not say so (`MeetingOpened.topics_beside`) they run within the fold.
- When the meeting closes, what is still undecided is decided from what has been heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

from context.config import ContextConfig
from context.events.topic_events import FoundBoundary
from context.language.closed_lists import STOPWORDS
from context.models import TopicSegment, Utterance
from context.topics import agenda, headings, returning
from context.topics.boundary.detector import Detector
from context.topics.boundary.words import bare
from context.topics.phrases import continuations
from context.topics.phrases.cues import Cue, cue_in
from context.topics.phrases.topic_names import name_of

ECHO_LINES: Final = 2
"""An announcement at most so many utterances behind another one announces the same topic."""
_OPENING_TURNS: Final = 5
"""What opens a meeting names its first topic within so many turns."""
LATEST_DECISION_UTTERANCES: Final = 40
"""A topic's start is decided at most so many utterances after it."""
_RETURN_TOPICS: Final = 50
"""So many topics back a return is recognised."""
_LEAST_LEFT_UTTERANCES: Final = 6
"""A beginning found before an announced one counts where at least so many utterances lie between the two."""
_ITEM_UTTERANCES: Final = 25
"""So many utterances after an item of the agenda was taken up, only the next item begins a topic."""
_WORD: Final = re.compile(r"[가-힣]{2,}|[A-Za-z][A-Za-z']{2,}")


class Announced(NamedTuple):
    """What an utterance announces: that a topic begins, or what the open one is called."""

    at: int
    """The id of the utterance with which the topic begins."""
    name: str | None
    """None where it is not named."""
    begins: bool = True
    """False: no topic begins; the open one is called `name`."""


_Turns = Sequence[Utterance]


class Boundaries:
    """Says which topic an utterance announces, and which findings of the detector begin one."""

    def __init__(self, config: ContextConfig) -> None:
        self._cues = config.topic_quick_check_enabled
        self.detector = Detector(config)
        """Whoever scores topics, within the fold or beside it, hands it each utterance once."""
        self._agenda = agenda.Agenda()
        self.scored = 0
        """`heard` of the newest `TopicsScored` that was folded; it, or an older one, is ignored."""

    def announced(self, utterances: _Turns, segments: Sequence[TopicSegment]) -> Announced | None:
        """What the newest of `utterances` announces; None where it is nothing, or cues are switched off.

        The last of `segments` is the open topic, already extended to this utterance.
        """
        if not self._cues:
            return None
        number, topic = utterances[-1].id, segments[-1]
        if number <= agenda.WITHIN_LINES:
            self._agenda = self._agenda.heard(utterances[-1].text)
        turns, cue = self._cue(continuations.pieces(utterances), utterances, segments)
        if cue is None:
            turns, cue = _named_next(utterances, topic)
        if cue is None:
            return None
        name = (self._agenda.item(cue.name) or cue.name) if cue.name else None
        at, first = max(turns[0].id, topic.start_utterance_id), topic.start_utterance_id == 1
        if cue.strength == "opening":  # what opens the meeting is said near its beginning
            early = (
                number <= continuations.MAX_TURNS * _OPENING_TURNS
                and continuations.count(utterances) <= _OPENING_TURNS
            )
            return Announced(number, name, begins=False) if name and first and early else None
        if (first or topic.reason == "keyword") and at - topic.start_utterance_id <= ECHO_LINES:
            return Announced(number, name, begins=False) if name and _better(turns, cue) else None
        return Announced(at, name)

    def _cue(
        self, turns: _Turns, utterances: _Turns, segments: Sequence[TopicSegment]
    ) -> tuple[_Turns, Cue | None]:
        """The turns that an announcement spans, and its cue, if any; `turns`, the newest, are a sentence."""
        text = continuations.joined(turns)
        back = returning.named(text) or ""
        words = _words(back)
        if words and words <= _words(segments[-1].name):
            return turns, None  # there one is already
        before = earlier_topic(back, segments, len(segments) - 1)
        came_back = before.name if before is not None else None
        announcing, cue = _announcing(continuations.in_one_breath(utterances), closest=len(turns) == 1)
        if cue is not None:
            return announcing, (cue if cue.name else Cue(cue.strength, came_back))
        name = self._agenda.taken_up(text) or came_back
        if name is None and headings.heading_of(text) is not None:
            name = headings.announced(utterances, turns, segments)
        if name is None or name == segments[-1].name:
            return turns, None
        return turns, Cue("strong", name)

    def accepted_name(
        self, boundary: FoundBoundary, utterances: _Turns, segments: Sequence[TopicSegment]
    ) -> str | None:
        """Name the topic that begins at `found.at`, "" where it has no name yet; None: no topic begins there.

        None begins where the finding comes too late, or where the topic that it would end is too short: the
        open one, or the one before it if an announcement closed that one meanwhile. (Brisk talk is decided
        within six utterances, so its findings always end the open topic.) An item of the agenda goes on until
        the next one comes: what is found within it is a part of it.
        """
        left = segments[-1].start_utterance_id - boundary.at
        before_announced = left >= _LEAST_LEFT_UTTERANCES and not boundary.raised and len(segments) > 1
        place = len(segments) - (2 if before_announced else 1)
        topic = segments[place]
        since = boundary.at - topic.start_utterance_id
        if since < boundary.shortest or not 0 <= len(utterances) - boundary.at <= LATEST_DECISION_UTTERANCES:
            return None
        ahead = self._agenda.ahead(topic.name, (segment.name for segment in segments[: place + 1]))
        item = self._agenda.said_in(utterances[boundary.at - 1].text, ahead) if ahead else None
        if item is not None:
            return item
        within_an_item = bool(ahead) and since < _ITEM_UTTERANCES
        return None if within_an_item else ""

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {**self.detector.dump(), "scored": self.scored}

    def load(self, dumped: dict[str, Any], archive: _Turns) -> None:
        """Take the state from a snapshot, and what it leaves out from `archive`, all utterances up to it."""
        self.detector.load(dumped, archive)
        self.scored = dumped["scored"]
        for utterance in archive[: agenda.WITHIN_LINES]:
            self._agenda = self._agenda.heard(utterance.text)


def named_at(utterance: Utterance) -> str:
    """The name that an utterance announces for the topic that begins with it; "" where it announces none."""
    cue = cue_in(utterance.text)
    if cue is not None and cue.strength != "weak" and cue.name:
        return cue.name
    heading = headings.heading_of(utterance.text)
    return heading.name if heading is not None else ""


def name_for(utterances: _Turns, first: int, last: int) -> str:
    """A name for the topic of the utterances `first` to `last` (ids); "" where they hold no noun phrase.

    `utterances` are the meeting's, all.
    """
    spoken = utterances[first - 1 : min(last, first - 1 + LATEST_DECISION_UTTERANCES)]
    around = utterances[max(0, first - LATEST_DECISION_UTTERANCES) : first + LATEST_DECISION_UTTERANCES]
    people = (utterance.speaker_name for utterance in around)
    return name_of((utterance.text for utterance in spoken), people, opening=first == 1)


def earlier_topic(name: str, segments: Sequence[TopicSegment], until: int) -> TopicSegment | None:
    """The latest of the first `until` segments that a topic called `name` comes back to; None: it is new.

    It has the same words in its name, or at least one of them and the others among its keywords.
    """
    wanted = _words(name)
    for segment in reversed(segments[max(0, until - _RETURN_TOPICS) : until]) if wanted else ():
        own = _words(segment.name)
        if wanted == own or (wanted & own and wanted <= own.union(segment.keywords)):
            return segment
    return None


@lru_cache(maxsize=1024)
def _words(name: str) -> frozenset[str]:
    """The words by which a topic's name is recognised."""
    return frozenset(bare(word.lower()) for word in _WORD.findall(name)) - STOPWORDS


def _announcing(turns: _Turns, *, closest: bool) -> tuple[_Turns, Cue | None]:
    """The fewest of the newest `turns` whose announcement names a topic, and its cue.

    Where no name is announced: as many turns as announce something, or, with `closest` (nothing says where
    the sentence began), as few. None where nothing is announced.
    """
    nameless: tuple[_Turns, Cue | None] = turns, None
    for first in range(len(turns) - 1, -1, -1):
        cue = cue_in(continuations.joined(turns[first:]))
        if cue is None or cue.strength == "weak":
            continue
        if cue.name:
            return turns[first:], cue
        if nameless[1] is None or not closest:
            nameless = turns[first:], cue
    return nameless


def _better(turns: _Turns, cue: Cue) -> bool:
    """Whether the name of `cue` is no piece of a longer one: a name grows until its sentence ends."""
    before = cue_in(continuations.joined(turns[:-1])) if len(turns) > 1 else None
    if before is None or not before.name or not cue.name:
        return True
    return cue.name.startswith(before.name) and continuations.ended(turns[-1].text)


def _named_next(utterances: _Turns, topic: TopicSegment) -> tuple[_Turns, Cue | None]:
    """The turns and the cue of an announcement that is named only by what the same voice says next."""
    behind = utterances[-1].id - topic.start_utterance_id
    turns = utterances[-1 - min(behind, ECHO_LINES) :]
    near = topic.reason == "keyword" and 1 <= behind <= ECHO_LINES
    if not near or any(turn.speaker_id != turns[0].speaker_id for turn in turns):
        return turns, None
    cue = cue_in(continuations.joined(turns))
    names = cue is not None and cue.strength == "strong" and bool(cue.name)
    return turns, (cue if names else None)
