"""The audio tracks of a meeting's room: one `Track` each, from its first sound to its last words."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any, Final, Protocol

from stt.heard import TrackEvent
from stt.outage import Outage
from stt.segment import Expectant, SpeechEngine
from stt.track import SoundKeeper, Track
from stt.vad import SileroVad, Vad
from worker.meeting.session import Session
from worker.room.ears import Sink

LAST_WORDS_DEADLINE_S: Final = 8.0
"""How long the words of somebody who left, or of everybody at the end, are waited for."""
KEPT_WORDS_DEADLINE_S: Final = 180.0
"""The words of a track that ended while the meeting goes on: as long as an engine's absence is waited out."""

Tell = Callable[[TrackEvent], None]
"""Where a track's events go."""
MakeTrack = Callable[[str, str, Tell], Track]
"""(participant, track id, where its events go) -> a running track."""
Cut = Callable[[str, str, Tell], Tell]
"""(participant, track id, where its events go) -> the same without what need not be told again."""


class Own(Protocol):
    """Runs work in a task that its caller owns."""

    def __call__(self, work: Coroutine[Any, Any, Any], *, name: str) -> asyncio.Task[None]:
        """The task."""


class _Deaf:
    """The sink of a meeting that transcribes nothing itself."""

    def push(self, pcm: bytes, arrived_s: float) -> None:
        """Ignore it."""


DEAF: Final = _Deaf()


class Tracks:
    """The tracks that are open, and those whose last words are waited for."""

    def __init__(
        self,
        make: MakeTrack | None,
        *,
        on_event: Tell,
        on_end: Callable[[Track], None],
        own: Own,
    ) -> None:
        """`make` None: nothing is transcribed here. `on_end` hears of a track that said its last words."""
        self._make, self._on_event, self._on_end, self._own = make, on_event, on_end, own
        self._open: dict[str, Track] = {}
        self._ending: dict[Track, asyncio.Task[None]] = {}

    # ---- how far they are ---------------------------------------------------------------------

    @property
    def backlog_s(self) -> float:
        """Seconds of speech heard and not yet transcribed."""
        return sum(track.line.backlog_s for track in self._all())

    @property
    def trouble(self) -> str:
        """Why speech is not transcribed now; empty where it is."""
        return next((track.line.trouble for track in self._all() if track.line.trouble), "")

    @property
    def behind_ms(self) -> int:
        """How old the oldest sound of an open track is that is no text yet."""
        return max((track.behind_ms for track in self._open.values()), default=0)

    @property
    def unwritten(self) -> dict[str, int]:
        """Participant → ms of the meeting where the oldest sound begins that is no text yet."""
        found: dict[str, int] = {}
        for track in self._all():
            if track.behind_ms:
                from_ms = track.heard_until_ms
                found[track.participant] = min(found.get(track.participant, from_ms), from_ms)
        return found

    # ---- their life ---------------------------------------------------------------------------

    def opened(self, participant: str, track_id: str, *, paused: bool) -> Sink:
        """Where its sound goes; the same id again continues the same track."""
        if self._make is None:
            return DEAF
        if track_id not in self._open:
            track = self._make(participant, track_id, self._on_event)
            if paused:
                track.pause()
            self._open[track_id] = track
        return self._open[track_id]

    def muted(self, track_id: str) -> None:
        """What is being said on it ends here."""
        if (track := self._open.get(track_id)) is not None:
            track.flush()

    def closed(self, track_id: str) -> None:
        """No more sound; its last words are still to come."""
        if (track := self._open.pop(track_id, None)) is not None:
            task = self._ending[track] = self._own(self._finish(track), name=f"finish:{track_id}")
            task.add_done_callback(lambda _: self._ending.pop(track))

    def close_of(self, participant: str) -> None:
        """Close all tracks of somebody who is gone."""
        for track_id in [id_ for id_, track in self._open.items() if track.participant == participant]:
            self.closed(track_id)

    def pause(self) -> None:
        """Nothing is heard until `resume`."""
        for track in self._open.values():
            track.pause()

    def resume(self) -> None:
        """Hear again what is said from now on."""
        for track in self._open.values():
            track.resume()

    async def last_words(self, within_s: float = LAST_WORDS_DEADLINE_S) -> None:
        """Close all, and wait for everything that has been said to become text, up to the deadline."""
        for track_id in list(self._open):
            self.closed(track_id)
        await asyncio.sleep(0)  # those closed just now have begun to finish
        for track in self._ending:
            track.line.hurry(within_s)
        if self._ending:
            await asyncio.wait(list(self._ending.values()), timeout=within_s + 1)

    async def aclose(self) -> None:
        """Drop all tracks, without waiting for their words."""
        for track in self._open.values():
            await track.aclose()
        self._open.clear()

    async def _finish(self, track: Track) -> None:
        try:
            await track.finish(KEPT_WORDS_DEADLINE_S)
            self._on_end(track)
        finally:
            await track.aclose()

    def _all(self) -> Iterator[Track]:
        yield from self._open.values()
        yield from self._ending


def track_maker(
    session: Session,
    engine: SpeechEngine | None,
    language: str,
    *,
    make_vad: Callable[[], Vad] = SileroVad,
    keeper: SoundKeeper | None = None,
    cut: Cut = lambda _participant, _track_id, tell: tell,
) -> MakeTrack | None:
    """How a session of this process hears a track; None where text comes from elsewhere.

    `keeper` keeps what is heard, should this process die before it is text. `cut`: see
    `worker.holder.seam`.
    """
    if engine is None:
        return None
    if isinstance(engine, Expectant):
        engine.expect(lambda: (*session.manager.meeting.corrections.terms, *_spoken_names(session)))
    outage = Outage()

    def make(participant: str, track_id: str, tell: Tell) -> Track:
        return Track(
            participant,
            track_id,
            engine,
            make_vad(),
            cut(participant, track_id, tell),
            language=language,
            origin_s=session.zero_s,
            on_speech=session.observer.spoke,
            outage=outage,
            keeper=keeper,
        )

    return make


def _spoken_names(session: Session) -> Iterator[str]:
    """What the people of a meeting are called: by their whole names, and by the parts of them."""
    for person in session.manager.meeting.attendance.people.values():
        name = person.name.strip()
        yield name
        yield from name.split()
        if len(name) == 3 and all("가" <= letter <= "힣" for letter in name):
            yield name[1:]  # 김민수 is spoken to as 민수
