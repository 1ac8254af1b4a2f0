"""What nobody heard between two holders of a meeting, told as gaps; and nothing told that was kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context import events
from worker.holder.lease_keeper import LEASE_S
from worker.holder.sound_log import KeptTrack
from worker.meeting.session import Session
from worker.ports import MeetingRow

LET_GO_WITHIN_S: Final = 1.0
"""At the latest this long after its holder heard the last a lease was let go (`worker.fleet.reaper`)."""
_RECENT: Final = 50
"""Utterances among which the last one spoken is; they are numbered as they are transcribed."""
_NEAR_MS: Final = 500
"""A sound's place by its arrival, and by counting samples: they differ by less."""


class Unheard:
    """From the last holder's last sign of life to the moment its successor hears, per participant.

    What that holder had heard, and what died with it before it was text, belongs to it, but for what it
    `heard` and kept on this machine: its newest frame is its last sign of life.
    """

    def __init__(
        self, session: Session, row: MeetingRow, *, fresh: bool, heard: Sequence[KeptTrack] = ()
    ) -> None:
        """Before the successor's first event. `fresh`: nothing is on record, nobody was there before."""
        self._session, self._heard = session, heard
        self._start_ms: dict[str, int] = {}
        self._lost_ms: dict[str, int] = {}
        self._end_ms: int | None = None
        meeting, over_s = session.manager.meeting, row.lease_over_s
        if fresh or over_s is None or not session.started or row.room is None:
            return
        unseen_s = LET_GO_WITHIN_S if row.let_go else LEASE_S
        alive_ms = session.now_ms() - round((over_s + unseen_s) * 1000)
        recent = meeting.utterances[-_RECENT:]
        last_ms = max((u.end_ms for u in recent), default=0)
        start_ms = max(0, alive_ms, min(last_ms, session.now_ms()))
        written_ms = {u.speaker_id: u.end_ms for u in recent}
        self._lost_ms = {who: max(at_ms, written_ms.get(who, 0)) for who, at_ms in row.unwritten.items()}
        self._start_ms = {
            person.user_id: min(start_ms, self._lost_ms.get(person.user_id, start_ms))
            for person in meeting.attendance.people.values()
            if person.present
        }

    @property
    def kept(self) -> bool:
        """Is there sound of the holder before?"""
        return bool(self._heard)

    def untold(self, who: str, start_ms: int, end_ms: int) -> int | None:
        """A hole in somebody's sound: from where on the gaps of takeovers don't tell of it; None: they do.

        Those of this takeover, and of earlier ones on record.
        """
        for from_ms, until_ms in self._takeovers(who):
            if from_ms - _NEAR_MS <= start_ms <= until_ms:
                start_ms = until_ms
        return start_ms if end_ms > start_ms + _NEAR_MS else None

    def _takeovers(self, who: str) -> list[tuple[int, int]]:
        told = [
            (gap.start_ms, gap.end_ms)
            for gap in self._session.manager.meeting.gaps
            if gap.participant == who and gap.reason == "takeover"
        ]
        if who in self._start_ms:
            # Ours may not be told yet; then it goes on to the present moment.
            end_ms = self._session.now_ms() if self._end_ms is None else self._end_ms
            told += self._holes(who, self._start_ms[who], end_ms)
        return sorted(told)

    def gaps(self, end_ms: int) -> list[events.GapNoted]:
        """All of it, `end_ms` being the moment from which on the successor hears."""
        self._end_ms = end_ms
        return self._off_record() + [
            events.GapNoted(participant_id=who, start_ms=from_ms, end_ms=until_ms, reason="takeover")
            for who, start_ms in self._start_ms.items()
            for from_ms, until_ms in self._holes(who, start_ms, end_ms)
            if until_ms > from_ms
        ]

    def _off_record(self) -> list[events.GapNoted]:
        """What a pause had refused that still stands: the holder that was to tell of it died."""
        meeting = self._session.manager.meeting
        if not meeting.paused:
            return []
        begin_ms = meeting.coverage.pauses[-1][0]
        return [
            events.GapNoted(participant_id=who, start_ms=begin_ms, end_ms=start_ms, reason="off_record")
            for who, start_ms in self._start_ms.items()
            if start_ms > begin_ms
        ]

    def _holes(self, who: str, start_ms: int, end_ms: int) -> list[tuple[int, int]]:
        if not self._heard:
            return [(start_ms, end_ms)]
        alive_ms = self._ms(max(track.until_s for track in self._heard))
        if who not in self._lost_ms:
            return [(max(start_ms, alive_ms), end_ms)]
        own = [self._ms(track.from_s) for track in self._heard if track.participant == who]
        kept_ms = min(own, default=end_ms)
        return [(start_ms, min(kept_ms, end_ms)), (max(start_ms, kept_ms, alive_ms), end_ms)]

    def _ms(self, moment_s: float) -> int:
        return max(0, round((moment_s - self._session.zero_s) * 1000))
