"""Where one holder's record of a track ends and its successor's begins: nothing lost, nothing twice.

The successor listens again from a little before the place up to which the record says this track is
transcribed. Two processes place the same sound some tens of milliseconds apart, so there is no cut
that is exact to the word. A turn ends with half a second of silence: mostly the overlap holds only that.
Where it holds voice (the turn was cut in the middle of long talk), the first turn after the seam begins
with words that are on record: by time they must lie before the seam, by text they must be the last ones
that this speaker has on record. Both together, or they stay: better twice than lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from rapidfuzz.distance import Levenshtein

from context import events
from context.meeting import Meeting
from context.models import Utterance
from stt.heard import Heard, Missed, Nothing, TrackEvent
from stt.track import Track
from worker.holder.unheard import Unheard
from worker.meeting.session import Session
from worker.room.tracks import MakeTrack

OVERLAP_MS: Final = 400
"""Listened to again. Less than the silence that ends a turn, more than clocks of two hosts are apart."""
_WORDS_PER_S: Final = 5.0
"""Faster than anybody speaks for long; of Korean, eojeol."""
_ALIKE: Final = 0.75
_RECENT: Final = 50


def heard_until(meeting: Meeting, spooled: Iterable[events.Event]) -> dict[str, int]:
    """Per track: up to which ms its sound is on record, or about to be from a dead job's spool."""
    until = dict(meeting.coverage.heard_until)
    for event in spooled:
        track_id, end_ms = getattr(event, "track_id", None), getattr(event, "track_end_ms", None)
        if track_id is not None and end_ms is not None:
            until[track_id] = max(end_ms, until.get(track_id, 0))
    return until


class Seam:
    """One track's seam. `past` each of its turns until one begins behind it."""

    def __init__(self, until_ms: int, last_text: str) -> None:
        """`last_text`: what the record has of this speaker just before `until_ms`."""
        self._until_ms, self._last_text = until_ms, last_text
        self._passed = False

    def past(self, heard: Heard) -> Heard | None:
        """The turn without what is on record already; None where that is all of it."""
        if self._passed or heard.start_ms >= self._until_ms:
            self._passed = True
            return heard
        if heard.end_ms <= self._until_ms:
            return None  # another's reading of what the record has
        self._passed = True
        words = heard.text.split()
        most = ceil((self._until_ms - heard.start_ms) / 1000 * _WORDS_PER_S) + 1
        repeated = _repeated(self._last_text.split(), words, most)
        if repeated == len(words):
            return None
        return replace(heard, text=" ".join(words[repeated:])) if repeated else heard


def seamed(
    make: Callable[[Session], MakeTrack], spooled: Sequence[events.Event]
) -> Callable[[Session], MakeTrack]:
    """Tracks that say nothing which the record has: for a session that goes on from kept sound."""

    def for_session(session: Session) -> MakeTrack:
        inner, meeting = make(session), session.manager.meeting
        until_ms = heard_until(meeting, spooled)

        def make_track(participant: str, track_id: str, on_event: Callable[[TrackEvent], None]) -> Track:
            if track_id not in until_ms:
                return inner(participant, track_id, on_event)
            last = _last_text(meeting.utterances[-_RECENT:], spooled, participant, until_ms[track_id])
            seam = Seam(until_ms[track_id], last)

            def tell(event: TrackEvent) -> None:
                if not isinstance(event, Heard):
                    on_event(event)
                elif (said := seam.past(event)) is not None:
                    on_event(said)
                else:
                    on_event(Nothing(event.key, event.participant, event.track_id, event.track_end_ms))

            return inner(participant, track_id, tell)

        return make_track

    return for_session


def bridged(make: Callable[[Session], MakeTrack], unheard: Unheard) -> Callable[[Session], MakeTrack]:
    """Tracks that say nothing of the holes in what dead holders kept: the takeovers' gaps tell of them."""

    def for_session(session: Session) -> MakeTrack:
        inner = make(session)

        def make_track(participant: str, track_id: str, on_event: Callable[[TrackEvent], None]) -> Track:
            def tell(event: TrackEvent) -> None:
                if not isinstance(event, Missed) or event.reason != "track_lost":
                    on_event(event)
                elif (untold_ms := unheard.untold(participant, event.start_ms, event.end_ms)) is not None:
                    on_event(replace(event, start_ms=untold_ms))

            return inner(participant, track_id, tell)

        return make_track if unheard.kept else inner

    return for_session


def _last_text(
    utterances: Sequence[Utterance], spooled: Sequence[events.Event], speaker_id: str, until_ms: int
) -> str:
    said = [(u.end_ms, u.text) for u in utterances if u.speaker_id == speaker_id and u.start_ms < until_ms]
    said += [
        (event.end_ms, event.text)
        for event in spooled
        if isinstance(event, events.UtteranceSpoken) and event.speaker_id == speaker_id
    ]
    return max(said, default=(0, ""))[1]


def _repeated(before: Sequence[str], after: Sequence[str], most: int) -> int:
    """How many words at the start of `after` are the last words of `before`, give or take a letter."""
    for count in range(min(most, len(before), len(after)), 0, -1):
        one, other = _plain(before[-count:]), _plain(after[:count])
        if one and other and Levenshtein.normalized_similarity(one, other) >= _ALIKE:
            return count
    return 0


def _plain(words: Sequence[str]) -> str:
    return "".join(letter for letter in "".join(words).casefold() if letter.isalnum())
