"""The overlap between what a dead holder recorded and what its successor hears: nothing lost, nothing twice.

Of each track the record knows up to where its sound is text. The successor listens again from a little
before that place, to what was kept of the sound (`worker.holder.takeover`), and its turns are cut here:

- A turn that the record has is passed over. Two processes place the same sound some tens of milliseconds
  apart, so no cut is exact to the word. Mostly the overlap holds only the silence that ended a turn. Where
  it holds voice (the holder died in the middle of long talk), the first turn behind the overlap begins with
  words that are on record: by time they must lie before the overlap, by text they must be the last ones that
  this speaker has on record. Both together, or they stay: better twice than lost.
- A hole in what dead holders kept is no gap of its track's (`track_lost`), as the takeover's gap covers it.

What nobody heard at all becomes a gap for each participant who was there: from the last sign of life of the
holder before to the moment at which its successor begins to hear.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil
from typing import Final

from rapidfuzz.distance import Levenshtein

from context.events import events
from stt.track_events import Heard, Interim, Missed, TrackEvent, Wordless
from worker.holder.late_words import NEAR_MS, unwritten
from worker.holder.lease_keeper import LEASE_S
from worker.holder.standby_listener import OnRecord
from worker.meeting.session import Session
from worker.ports import MeetingRow
from worker.record.sound_log import KeptTrack

TAKEOVER_OVERLAP_MS: Final = 400
"""So much is heard again. Less than the silence that ends a turn, more than two hosts' clocks differ by."""
LET_GO_WITHIN_S: Final = 1.0
"""A lease is let go (`worker.fleet.reaper`) at most this long after its holder heard the last."""
_WORDS_PER_S: Final = 5.0
"""More words (in Korean eojeol) than anybody speaks for long."""
_ALIKE_SIMILARITY: Final = 0.75
"""Similarity of letters from which on two texts count as the same words."""
_RECENT_UTTERANCES: Final = 50
"""The newest utterances, among which is the last one spoken: they are numbered as they become text."""


class TakeoverOverlap:
    """The overlap of one takeover, over all tracks and people; in a fresh meeting it changes nothing."""

    def __init__(
        self, session: Session, row: MeetingRow, *, fresh: bool, kept: Sequence[KeptTrack] = ()
    ) -> None:
        """`session` has folded what is on record and in the spool, and nothing of its own.

        `row`: the meeting just before the lease was won. `fresh`: nothing was on record, nobody was there
        before. `kept`: the sound that dead holders left on this machine.
        """
        self._session, self._row, self.kept = session, row, kept
        self._heard_until_ms = dict(session.manager.meeting.coverage.heard_until)
        self._start_ms: dict[str, int] = {}
        """Participant → from where on nobody heard them."""
        self._lost_ms: dict[str, int] = {}
        """Participant → from where on the dead holder had heard them and not written it."""
        self._alive_ms = 0
        """The dead holder's last sign of life."""
        self._end_ms: int | None = None
        if fresh or row.lease_over_s is None or not session.started or row.room is None:
            return
        meeting = session.manager.meeting
        unseen_s = LET_GO_WITHIN_S if row.let_go else LEASE_S
        alive_ms = session.now_ms() - round((row.lease_over_s + unseen_s) * 1000)
        recent = meeting.utterances[-_RECENT_UTTERANCES:]
        last_ms = max((u.end_ms for u in recent), default=0)
        start_ms = self._alive_ms = max(0, alive_ms, min(last_ms, session.now_ms()))
        written_ms = {u.speaker_id: u.end_ms for u in recent if u.end_ms > u.start_ms}  # not what was typed
        # No moment is told twice: what is on record as not heard, of a microphone without a key say, counts.
        for gap in meeting.gaps[-_RECENT_UTTERANCES:]:
            written_ms[gap.participant] = max(gap.end_ms, written_ms.get(gap.participant, 0))
        self._lost_ms = {who: max(at_ms, written_ms.get(who, 0)) for who, at_ms in row.unwritten.items()}
        for person in meeting.attendance.people.values():
            if person.present:
                who, noted_ms = person.user_id, written_ms.get(person.user_id, 0)
                self._start_ms[who] = max(min(start_ms, self._lost_ms.get(who, start_ms)), noted_ms)

    # ---- sound that is heard again ------------------------------------------------------------

    def on_record(self, now_s: float) -> OnRecord:
        """Return what decides which kept sound is heard; `now_s`: the present, on the monotonic clock."""
        coverage = self._session.manager.meeting.coverage
        return OnRecord(
            zero_s=self._session.zero_s,
            resume_ms={id_: until_ms - TAKEOVER_OVERLAP_MS for id_, until_ms in coverage.heard_until.items()},
            off_record=coverage.off_record,
            # When it last renewed: chat that was written after that it may not have read.
            holder_until_s=now_s - (self._row.lease_over_s or 0.0) - LEASE_S,
        )

    def cut(
        self, participant: str, track_id: str, tell: Callable[[TrackEvent], None]
    ) -> Callable[[TrackEvent], None]:
        """Wrap `tell`, which takes a track's events, so that nothing is told that is on record already.

        Left out are turns that the record has of this track, and lost sound that a takeover's gap covers.
        """
        until_ms = self._heard_until_ms.get(track_id)
        turns = None
        if until_ms is not None:
            recent = self._session.manager.meeting.utterances[-_RECENT_UTTERANCES:]
            own = [
                (u.end_ms, u.text) for u in recent if u.speaker_id == participant and u.start_ms < until_ms
            ]
            turns = TurnsCut(until_ms, max(own, default=(0, ""))[1])

        def told(event: TrackEvent) -> None:
            match event:
                case Heard() if turns is not None:
                    passed = Wordless(event.key, event.participant, event.track_id, event.track_end_ms)
                    tell(turns.past(event) or passed)
                case Interim() if turns is not None and not turns.is_behind(event.start_ms):
                    pass  # it begins with words on record: what of it is new, its final tells
                case Missed(reason="track_lost") if self.kept:
                    untold_ms = self._untold(participant, event.start_ms, event.end_ms)
                    if untold_ms is not None:
                        tell(replace(event, start_ms=untold_ms))
                case _:
                    tell(event)

        return told

    def _untold(self, who: str, start_ms: int, end_ms: int) -> int | None:
        """Return from where on no takeover's gap covers a hole in somebody's sound; None: all is covered.

        These are this takeover's gaps, and earlier ones that are on record.
        """
        told = [
            (gap.start_ms, gap.end_ms)
            for gap in self._session.manager.meeting.gaps
            if gap.participant == who and gap.reason == "takeover"
        ]
        if who in self._start_ms:
            # Ours may not be told yet; then it goes on to the present moment.
            told += self._holes(who, self._session.now_ms() if self._end_ms is None else self._end_ms)
        for from_ms, until_ms in sorted(told):
            if from_ms - NEAR_MS <= start_ms <= until_ms:
                start_ms = until_ms
        return start_ms if end_ms > start_ms + NEAR_MS else None

    # ---- sound that nobody heard --------------------------------------------------------------

    def gaps(self, end_ms: int) -> list[events.GapNoted]:
        """Return the gaps of the takeover, for each participant; from `end_ms` on the successor hears."""
        self._end_ms = end_ms
        meeting = self._session.manager.meeting
        told: list[events.GapNoted] = []
        if meeting.paused:
            # Paused: the holder that was to note this time as off the record, at the pause's end, has died.
            begin_ms = meeting.coverage.pauses[-1].start_ms
            told += [
                events.GapNoted(participant_id=who, start_ms=begin_ms, end_ms=start_ms, reason="off_record")
                for who, start_ms in self._start_ms.items()
                if start_ms > begin_ms
            ]
        return told + [
            events.GapNoted(participant_id=who, start_ms=from_ms, end_ms=until_ms, reason="takeover")
            for who in self._start_ms
            for from_ms, until_ms in self._holes(who, end_ms)
            if until_ms > from_ms
        ]

    def waits(self) -> list[events.SpeechWaits]:
        """Return what the dead holder had heard and not written, for a meeting that nobody goes on with.

        Its machine may have the sound, and tells what became of it (`worker.holder.orphaned_sound_logs`).
        """
        return [
            unwritten(who, from_ms, self._alive_ms)
            for who, from_ms in self._lost_ms.items()
            if from_ms < self._alive_ms
        ]

    def _holes(self, who: str, end_ms: int) -> list[tuple[int, int]]:
        """Return where nobody heard somebody, or what was heard is lost; a hole may be empty."""
        # What the dead holder had heard died with it, but for what it kept: its newest frame is its last
        # sign of life.
        start_ms = self._start_ms[who]
        if not self.kept:
            return [(start_ms, end_ms)]
        alive_ms = self._ms(max(track.until_s for track in self.kept))
        if who not in self._lost_ms:
            return [(max(start_ms, alive_ms), end_ms)]
        own = [self._ms(track.from_s) for track in self.kept if track.participant == who]
        kept_ms = min(own, default=end_ms)
        return [(start_ms, min(kept_ms, end_ms)), (max(start_ms, kept_ms, alive_ms), end_ms)]

    def _ms(self, moment_s: float) -> int:
        return max(0, round((moment_s - self._session.zero_s) * 1000))


class TurnsCut:
    """Cuts from one track's turns what is on record already, until a turn begins behind the overlap."""

    def __init__(self, until_ms: int, last_text: str) -> None:
        """`until_ms`: the overlap. `last_text`: the last turn that is on record of this speaker before it."""
        self._until_ms, self._last_text = until_ms, last_text
        self._passed = False

    def is_behind(self, start_ms: int) -> bool:
        """Whether what begins there holds no word that is on record."""
        return self._passed or start_ms >= self._until_ms

    def past(self, heard: Heard) -> Heard | None:
        """Return a turn without what is on record already; None where that is all of it."""
        if self.is_behind(heard.start_ms):
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


def _repeated(before: Sequence[str], after: Sequence[str], most: int) -> int:
    """Count the words at the start of `after`, `most` at most, that are about the last words of `before`."""
    for count in range(min(most, len(before), len(after)), 0, -1):
        one, other = _plain(before[-count:]), _plain(after[:count])
        if one and other and Levenshtein.normalized_similarity(one, other) >= _ALIKE_SIMILARITY:
            return count
    return 0


def _plain(words: Sequence[str]) -> str:
    return "".join(letter for letter in "".join(words).casefold() if letter.isalnum())
