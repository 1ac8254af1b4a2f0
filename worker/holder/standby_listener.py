"""A standby's `Listener`: it keeps what a holder would hear, until this job is the holder.

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
from worker.participants.listener import ChatVia, Listener, Sealed, Sink
from worker.record.sound_log import KeptTrack

_FRAMES_PER_BREATH: Final = 20
"""After so many frames of 50 ms the event loop gets its turn."""
_AHEAD_S: Final = 15.0
"""Sound kept beyond the holder's delay: it is some seconds old, and the lease has to end."""
_MAX_WRITTEN_TEXTS: Final = 200
_MAX_INTERIMS: Final = 500


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
    """Which part of the kept sound is on record, as a `TakeoverOverlap` tells it."""

    zero_s: float
    """The meeting's zero on the monotonic clock."""
    resume_ms: dict[str, int]
    """Track → from where it is to be heard again; a track that is not in it is heard from its start."""
    off_record: Callable[[int], bool]
    """Tells whether the record was paused at a time of the meeting, in ms."""
    holder_until_s: float
    """The last sign of life of the holder before, on the monotonic clock: what was written later is told."""


class Successor(Listener, Protocol):
    """The new holder's `Listener`, which takes over what was kept: an `Attendant`."""

    async def consent_known(self, identity: str) -> None:
        """Wait until it is known whether somebody may be heard, or cannot be known for now."""


class StandbyListener:
    """The `Listener` that keeps the newest of what a room tells, until `hand_to` passes it on."""

    def __init__(
        self,
        clock: Clock,
        *,
        on_closed: Callable[[], None],
        may_hear: Callable[[str], bool] = lambda _identity: True,
    ) -> None:
        """`on_closed` is called when this job is out of the room while it stands by.

        `may_hear`: whose sound may be asked for; from `hand_to` on the new listener decides that.
        """
        self._may_hear = may_hear
        self._clock, self._on_closed = clock, on_closed
        self._listener: Listener | None = None
        self._later: list[Callable[[Listener], None]] | None = None
        """What arrives while the new listener is told what was kept, for after that; else None."""
        self._people: dict[str, str] = {}
        self._leavers: dict[str, tuple[str, float]] = {}
        self._tracks: dict[str, _Kept] = {}
        self._encrypted: dict[str, tuple[str, Sealed]] = {}
        """Track → whose sound cannot be understood now, and why."""
        self._written: deque[tuple[float, Callable[[Listener], None]]] = deque(maxlen=_MAX_WRITTEN_TEXTS)
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
        return sum(track.ring.size_bytes for track in self._tracks.values())

    def keep(self, behind_s: float) -> None:
        """Keep as much sound as a holder might leave behind whose text is `behind_s` behind what is said."""
        self.kept_s = min(MOST_KEPT_S, max(KEPT_S, behind_s + _AHEAD_S))
        for track in self._tracks.values():
            track.ring.kept_s = self.kept_s

    # ---- people -------------------------------------------------------------------------------

    def joined(self, identity: str, name: str) -> None:
        """See `Listener.joined`."""
        if self._passed_on(lambda listener: listener.joined(identity, name)):
            return
        self._people[identity] = name
        self._leavers.pop(identity, None)

    def left(self, identity: str) -> None:
        """See `Listener.left`."""
        if self._passed_on(lambda listener: listener.left(identity)):
            return
        now_s = self._clock.monotonic_s()
        if (name := self._people.pop(identity, None)) is not None:
            self._leavers[identity] = (name, now_s)
        for track in self._tracks.values():
            if track.identity == identity and track.closed_s is None:
                track.closed_s = now_s
        self._forget_old(now_s)

    # ---- sound --------------------------------------------------------------------------------

    def may_hear(self, identity: str) -> bool:
        """See `Listener.may_hear`."""
        return self._may_hear(identity)

    def told_consent(self, identity: str, *, agreed: bool, standing: bool = False) -> None:
        """See `Listener.told_consent`. While standing by nothing is kept: the holder puts it on record."""
        self._passed_on(lambda listener: listener.told_consent(identity, agreed=agreed, standing=standing))

    def track_opened(self, identity: str, track_id: str) -> Sink:
        """See `Listener.track_opened`. The sink stays the same when its sound goes to the new listener."""
        if self._listener is not None:
            return self._listener.track_opened(identity, track_id)
        if self._later is None:
            self._forget_old(self._clock.monotonic_s())
        track = self._tracks.setdefault(track_id, _Kept(identity))
        track.ring.kept_s = self.kept_s
        track.closed_s = None
        return track

    def track_encrypted(self, identity: str, track_id: str, *, why: Sealed) -> None:
        """See `Listener.track_encrypted`. While standing by it is only remembered: the holder tells of it."""
        if not self._passed_on(lambda listener: listener.track_encrypted(identity, track_id, why=why)):
            self._encrypted[track_id] = identity, why

    def track_muted(self, track_id: str) -> None:
        """See `Listener.track_muted`. Standing by keeps nothing: the silence behind it says the same."""
        if self._listener is not None:
            self._listener.track_muted(track_id)

    def track_closed(self, track_id: str) -> None:
        """See `Listener.track_closed`. What was kept is handed on, unless its speaker said no."""
        self._encrypted.pop(track_id, None)
        track = self._tracks.get(track_id)
        if track is None or track.live is not None:
            self._passed_on(lambda listener: listener.track_closed(track_id))
            return
        track.closed_s = self._clock.monotonic_s()
        if not self._may_hear(track.identity):
            track.skip_until(track.closed_s)

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
        """See `Listener.chat`."""
        self._keep_or_pass(
            lambda listener: listener.chat(message_id, identity, name, text, private=private, via=via)
        )

    def chat_left_out(self, identity: str) -> None:
        """See `Listener.chat_left_out`."""
        self._keep_or_pass(lambda listener: listener.chat_left_out(identity))

    def agent_text(self, message_id: str, identity: str, name: str, text: str, *, final: bool) -> None:
        """See `Listener.agent_text`. While standing by, this is mostly what the holder shows in the room."""
        if self._listener is None:
            if final or not text:
                self.interims.pop(message_id, None)
            elif len(self.interims) < _MAX_INTERIMS:
                self.interims[message_id] = identity
        self._keep_or_pass(
            lambda listener: listener.agent_text(message_id, identity, name, text, final=final)
        )

    # ---- the room -----------------------------------------------------------------------------

    def outranked(self, epoch: int) -> None:
        """See `Listener.outranked`. While standing by it means nothing: the holder outranks a standby."""
        self._passed_on(lambda listener: listener.outranked(epoch))

    def connection(self, *, up: bool) -> None:
        """See `Listener.connection`."""
        self._connected = up
        self._passed_on(lambda listener: listener.connection(up=up))

    def closed(self, reason: str) -> None:
        """See `Listener.closed`."""
        if not self._passed_on(lambda listener: listener.closed(reason)):
            self._closed = reason
            self._on_closed()

    # ---- taking over --------------------------------------------------------------------------

    async def hand_to(self, listener: Successor, record: OnRecord, heard: Sequence[KeptTrack] = ()) -> None:
        """Let `listener` hear what was kept and is not on record; from then on pass everything on to it.

        `heard`: the sound that dead holders left on this machine.
        """
        self._later, self._may_hear = [], listener.may_hear
        if not self._connected:
            listener.connection(up=False)
        self._forget_old(self._clock.monotonic_s())
        self._recall(heard, record)
        for identity, (name, _) in self._leavers.items():
            listener.joined(identity, name)
        for identity, name in self._people.items():
            listener.joined(identity, name)
        while waiting := [(id_, track) for id_, track in self._tracks.items() if track.live is None]:
            for track_id, track in waiting:
                await self._drain(listener, track_id, track, record)
        for identity in self._leavers:
            listener.left(identity)
        for track_id, (identity, why) in self._encrypted.items():
            listener.track_encrypted(identity, track_id, why=why)
        for written_s, tell in self._written:
            if written_s >= record.holder_until_s:
                tell(listener)
        self._written.clear()
        self._listener, later, self._later = listener, self._later, None
        for tell in later:
            tell(listener)
        if self._closed is not None:  # just when the lease was won
            listener.closed(self._closed)

    def _recall(self, heard: Sequence[KeptTrack], record: OnRecord) -> None:
        """Put the sound of dead holders before what this listener has kept of the same tracks.

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

    async def _drain(self, listener: Successor, track_id: str, track: _Kept, record: OnRecord) -> None:
        """Let `listener` hear one track from where its record ends, and then pass it on as it comes."""
        await listener.consent_known(track.identity)
        sink = listener.track_opened(track.identity, track_id)
        if (resume_ms := record.resume_ms.get(track_id)) is not None:
            track.skip_until(record.zero_s + resume_ms / 1000)
        count = 0
        while (frame := track.pop()) is not None:
            off = record.off_record(round((frame.arrived_s - record.zero_s) * 1000))
            if isinstance(sink, Track):  # paused at that time, or not, whatever the meeting is now
                if off:
                    sink.pause()
                else:
                    sink.resume()
            if not off or isinstance(sink, Track):
                sink.push(frame.pcm, frame.arrived_s)
            count += 1
            if count % _FRAMES_PER_BREATH == 0:
                await asyncio.sleep(0)
        now_ms = round((self._clock.monotonic_s() - record.zero_s) * 1000)
        if isinstance(sink, Track) and record.off_record(now_ms):
            sink.pause()
        track.live = sink
        if track.closed_s is not None:
            listener.track_closed(track_id)
            del self._tracks[track_id]

    def _forget_old(self, now_s: float) -> None:
        for track_id, track in list(self._tracks.items()):
            if track.closed_s is not None and track.closed_s < now_s - self.kept_s:
                del self._tracks[track_id]
        for identity, (_, left_s) in list(self._leavers.items()):
            if left_s < now_s - KEPT_S:
                del self._leavers[identity]

    def _keep_or_pass(self, tell: Callable[[Listener], None]) -> None:
        if not self._passed_on(tell):
            now_s = self._clock.monotonic_s()
            self._written.append((now_s, tell))
            while self._written[0][0] < now_s - KEPT_S:
                self._written.popleft()

    def _passed_on(self, tell: Callable[[Listener], None]) -> bool:
        """Tell the new listener, now or once it has heard what was kept; False while standing by."""
        if self._listener is not None:
            tell(self._listener)
        elif self._later is not None:
            self._later.append(tell)
        else:
            return False
        return True
