"""A standby's `Ears`: they keep what a holder would hear, until this job is the holder.

Until then nothing is transcribed or answered. Sound goes into a ring per track; who is here, who has
just left, and what was written lately is remembered as well. `hand_to` lets an attendant hear all that
in the order in which it came, faster than it was spoken; from then on everything is passed on at once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from stt.sound import KEPT_S, MOST_KEPT_S, Frame, Ring
from stt.track import Track
from worker.clock import Clock
from worker.record.sound_log import KeptTrack
from worker.room.ears import ChatVia, Ears, Sealed, Sink

_BREATH: Final = 20
"""After so many frames of 50 ms the event loop gets its turn."""
_AHEAD_S: Final = 15.0
"""Sound kept beyond the holder's delay: it is some seconds old, and the lease has to end."""
_MOST_WRITTEN: Final = 200
_MOST_INTERIMS: Final = 500


@dataclass(slots=True)
class _Kept:
    """The `Sink` of one track: keeps its sound in a ring, and passes it on once `live` is set."""

    identity: str
    ring: Ring = field(default_factory=Ring)
    before: deque[Frame] = field(default_factory=deque)
    """What a dead holder on this machine had heard, up to where the ring begins."""
    live: Sink | None = None
    """Whom the sound goes to; None while it is kept."""
    closed_s: float | None = None
    """When the track was closed, on the monotonic clock; None while it is open."""

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """See `Sink.push`."""
        if self.live is not None:
            self.live.push(pcm, arrived_s)
        else:
            self.ring.push(pcm, arrived_s)

    def pop(self) -> Frame | None:
        """Take the oldest frame out; None where there is none."""
        return self.before.popleft() if self.before else self.ring.pop()

    def skip_until(self, arrived_s: float) -> None:
        """Drop the frames that had arrived at that moment."""
        while self.before and self.before[0].arrived_s <= arrived_s:
            self.before.popleft()
        if not self.before:
            self.ring.skip_until(arrived_s)


@dataclass(frozen=True, slots=True)
class OnRecord:
    """Which part of the kept sound is on record, as a `Seam` tells it."""

    zero_s: float
    """The meeting's zero on the monotonic clock."""
    resume_ms: dict[str, int]
    """Track → from where it is to be heard again; a track that is not in it is heard from its start."""
    off_record: Callable[[int], bool]
    """Tells whether the record was paused at a time of the meeting, in ms."""
    holder_until_s: float
    """The last sign of life of the holder before, on the monotonic clock: what was written later is told."""


class Successor(Ears, Protocol):
    """The `Ears` of the new holder, which take what was kept: an `Attendant`."""

    async def consent_known(self, identity: str) -> None:
        """Wait until it is known whether somebody may be heard, or cannot be known for now."""


class StandbyEars:
    """`Ears` that keep the newest of what a room tells, until `hand_to` passes it on."""

    def __init__(
        self,
        clock: Clock,
        *,
        on_closed: Callable[[], None],
        may_hear: Callable[[str], bool] = lambda _identity: True,
    ) -> None:
        """`on_closed` is called when this job is out of the room while it stands by.

        `may_hear`: whose sound may be asked for; from `hand_to` on the new ears decide that.
        """
        self._may_hear = may_hear
        self._clock, self._on_closed = clock, on_closed
        self._ears: Ears | None = None
        self._later: list[Callable[[Ears], None]] | None = None
        """What happens while the new ears are told what was kept, told after that; else None."""
        self._people: dict[str, str] = {}
        self._leavers: dict[str, tuple[str, float]] = {}
        self._tracks: dict[str, _Kept] = {}
        self._encrypted: dict[str, tuple[str, Sealed]] = {}
        """Track → whose sound cannot be understood now, and why."""
        self._written: deque[tuple[float, Callable[[Ears], None]]] = deque(maxlen=_MOST_WRITTEN)
        """When something was written, and how to tell of it."""
        self.kept_s = KEPT_S
        """So many seconds of each track's newest sound are kept."""
        self._connected = True
        self._closed: str | None = None
        self.interims: dict[str, str] = {}
        """Segment id → speaker's identity, of interims that the holder has shown and not replaced yet."""

    @property
    def kept_bytes(self) -> int:
        """The bytes of sound that all rings hold."""
        return sum(kept.ring.size_bytes for kept in self._tracks.values())

    def keep(self, behind_s: float) -> None:
        """Keep as much sound as a holder might leave behind whose text is `behind_s` behind what is said."""
        self.kept_s = min(MOST_KEPT_S, max(KEPT_S, behind_s + _AHEAD_S))
        for kept in self._tracks.values():
            kept.ring.kept_s = self.kept_s

    # ---- people -------------------------------------------------------------------------------

    def joined(self, identity: str, name: str) -> None:
        """See `Ears.joined`."""
        if self._passed_on(lambda ears: ears.joined(identity, name)):
            return
        self._people[identity] = name
        self._leavers.pop(identity, None)

    def left(self, identity: str) -> None:
        """See `Ears.left`."""
        if self._passed_on(lambda ears: ears.left(identity)):
            return
        now_s = self._clock.monotonic_s()
        if (name := self._people.pop(identity, None)) is not None:
            self._leavers[identity] = (name, now_s)
        for kept in self._tracks.values():
            if kept.identity == identity and kept.closed_s is None:
                kept.closed_s = now_s
        self._forget_old(now_s)

    # ---- sound --------------------------------------------------------------------------------

    def may_hear(self, identity: str) -> bool:
        """See `Ears.may_hear`."""
        return self._may_hear(identity)

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        """See `Ears.told_consent`. While standing by nothing is kept: the holder puts it on record."""
        self._passed_on(lambda ears: ears.told_consent(identity, agreed=agreed, standing=standing))

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """See `Ears.track_opened`. The sink stays the same when its sound goes to the new ears."""
        if self._ears is not None:
            return self._ears.track_opened(identity, track_id)
        if self._later is None:
            self._forget_old(self._clock.monotonic_s())
        kept = self._tracks.setdefault(track_id, _Kept(identity))
        kept.ring.kept_s = self.kept_s
        kept.closed_s = None
        return kept

    def track_encrypted(self, identity: str, track_id: str, *, why: Sealed) -> None:
        """See `Ears.track_encrypted`. While standing by it is only remembered: the holder tells of it."""
        if not self._passed_on(lambda ears: ears.track_encrypted(identity, track_id, why=why)):
            self._encrypted[track_id] = identity, why

    def track_muted(self, track_id: str) -> None:
        """See `Ears.track_muted`. While standing by nothing is kept: the silence behind it says the same."""
        if self._ears is not None:
            self._ears.track_muted(track_id)

    def track_closed(self, track_id: str) -> None:
        """See `Ears.track_closed`. What was kept is handed on all the same, unless its speaker said no."""
        self._encrypted.pop(track_id, None)
        kept = self._tracks.get(track_id)
        if kept is None or kept.live is not None:
            self._passed_on(lambda ears: ears.track_closed(track_id))
            return
        kept.closed_s = self._clock.monotonic_s()
        if not self._may_hear(kept.identity):
            kept.skip_until(kept.closed_s)

    # ---- text ---------------------------------------------------------------------------------

    def chat(
        self,
        message_id: str,
        identity: str,
        name: str,
        text: str,
        *,
        private: bool = False,
        via: ChatVia = "chat",
    ) -> None:
        """See `Ears.chat`."""
        self._keep_or_pass(lambda ears: ears.chat(message_id, identity, name, text, private=private, via=via))

    def chat_left_out(self, identity: str) -> None:
        """See `Ears.chat_left_out`."""
        self._keep_or_pass(lambda ears: ears.chat_left_out(identity))

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """See `Ears.agent_text`. While standing by, this is mostly what the holder shows in the room."""
        if self._ears is None:
            if final or not text:
                self.interims.pop(message_id, None)
            elif len(self.interims) < _MOST_INTERIMS:
                self.interims[message_id] = identity
        self._keep_or_pass(lambda ears: ears.agent_text(message_id, identity, name, text, final=final))

    # ---- the room -----------------------------------------------------------------------------

    def outranked(self, epoch: int) -> None:
        """See `Ears.outranked`. While standing by it means nothing: the holder outranks a standby."""
        self._passed_on(lambda ears: ears.outranked(epoch))

    def connection(self, *, up: bool) -> None:
        """See `Ears.connection`."""
        self._connected = up
        self._passed_on(lambda ears: ears.connection(up=up))

    def closed(self, reason: str) -> None:
        """See `Ears.closed`."""
        if not self._passed_on(lambda ears: ears.closed(reason)):
            self._closed = reason
            self._on_closed()

    # ---- taking over --------------------------------------------------------------------------

    async def hand_to(self, ears: Successor, record: OnRecord, heard: Sequence[KeptTrack] = ()) -> None:
        """Let `ears` hear what was kept and is not on record; from then on pass everything on to them.

        `heard`: the sound that dead holders left on this machine.
        """
        self._later, self._may_hear = [], ears.may_hear
        if not self._connected:
            ears.connection(up=False)
        self._forget_old(self._clock.monotonic_s())
        self._recall(heard, record)
        for identity, (name, _) in self._leavers.items():
            ears.joined(identity, name)
        for identity, name in self._people.items():
            ears.joined(identity, name)
        while waiting := [(id_, kept) for id_, kept in self._tracks.items() if kept.live is None]:
            for track_id, kept in waiting:
                await self._drain(ears, track_id, kept, record)
        for identity in self._leavers:
            ears.left(identity)
        for track_id, (identity, why) in self._encrypted.items():
            ears.track_encrypted(identity, track_id, why=why)
        for written_s, tell in self._written:
            if written_s >= record.holder_until_s:
                tell(ears)
        self._written.clear()
        self._ears, later, self._later = ears, self._later, None
        for tell in later:
            tell(ears)
        if self._closed is not None:  # just when the lease was won
            ears.closed(self._closed)

    def _recall(self, heard: Sequence[KeptTrack], record: OnRecord) -> None:
        """Put the sound of dead holders before what these ears have kept of the same tracks.

        A track that is still in the room goes on behind it; another one ends with it.
        """
        for track in heard:
            kept = self._tracks.get(track.track_id)
            if kept is None:
                kept = self._tracks[track.track_id] = _Kept(track.participant, closed_s=track.until_s)
            ours_s = kept.ring.first_s
            resume_ms = record.resume_ms.get(track.track_id)
            if ours_s is None or resume_ms is None or ours_s > record.zero_s + resume_ms / 1000:
                # Two processes hear a frame some milliseconds apart: where ours reaches back, it is enough.
                kept.before.extend(f for f in track.frames if ours_s is None or f.arrived_s < ours_s)

    async def _drain(self, ears: Successor, track_id: str, kept: _Kept, record: OnRecord) -> None:
        """Let `ears` hear one track from where its record ends, and then pass it on as it comes."""
        await ears.consent_known(kept.identity)
        sink = ears.track_opened(kept.identity, track_id)
        if (resume_ms := record.resume_ms.get(track_id)) is not None:
            kept.skip_until(record.zero_s + resume_ms / 1000)
        count = 0
        while (frame := kept.pop()) is not None:
            off = record.off_record(round((frame.arrived_s - record.zero_s) * 1000))
            if isinstance(sink, Track):  # paused at that time, or not, whatever the meeting is now
                if off:
                    sink.pause()
                else:
                    sink.resume()
            if not off or isinstance(sink, Track):
                sink.push(frame.pcm, frame.arrived_s)
            count += 1
            if count % _BREATH == 0:
                await asyncio.sleep(0)
        now_ms = round((self._clock.monotonic_s() - record.zero_s) * 1000)
        if isinstance(sink, Track) and record.off_record(now_ms):
            sink.pause()
        kept.live = sink
        if kept.closed_s is not None:
            ears.track_closed(track_id)
            del self._tracks[track_id]

    def _forget_old(self, now_s: float) -> None:
        for track_id, kept in list(self._tracks.items()):
            if kept.closed_s is not None and kept.closed_s < now_s - self.kept_s:
                del self._tracks[track_id]
        for identity, (_, left_s) in list(self._leavers.items()):
            if left_s < now_s - KEPT_S:
                del self._leavers[identity]

    def _keep_or_pass(self, tell: Callable[[Ears], None]) -> None:
        if not self._passed_on(tell):
            now_s = self._clock.monotonic_s()
            self._written.append((now_s, tell))
            while self._written[0][0] < now_s - KEPT_S:
                self._written.popleft()

    def _passed_on(self, tell: Callable[[Ears], None]) -> bool:
        """Tell the new ears, now or once they have heard what was kept; False while standing by."""
        if self._ears is not None:
            tell(self._ears)
        elif self._later is not None:
            self._later.append(tell)
        else:
            return False
        return True
