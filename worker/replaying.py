"""Replaying files (sound or transcripts) through the pipeline of a meeting, without a room.

A replay has its own clock, which stands at the end of what was last heard, so it runs as fast as it can and
comes out the same every time: after each line (or stretch of sound) it waits for the work that this caused
before it goes on.
"""

from __future__ import annotations

import asyncio
import re
import shlex
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, tzinfo
from itertools import count
from pathlib import Path
from typing import Final

from context.events import events
from context.fold.meeting_state import moment_of
from context.models import InputNote
from context.primitives.askers import nobodys
from context.primitives.text import clean_name, one_line
from context.primitives.undated import EPOCH, dated
from context.question import Question
from stt.files.audio import read_pcm, sound_tracks
from stt.files.folder import RecordedTrack, read_folder
from stt.files.pace import PAUSE_MS
from stt.files.suffixes import is_audio, is_transcript
from stt.files.transcripts import TextLine, read_transcript
from stt.track import Track
from worker.clock import monotonic_s
from worker.errors import InputError
from worker.meeting.session import Session
from worker.participants.attendant import Attendant
from worker.participants.listener import Sink

STEP_MS: Final = 50
"""How much sound of each track is played before the clock moves on."""
_ASKER: Final = nobodys("cli")
_ISO_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


class ReplayClock:
    """A `Clock` that stands still until it is moved."""

    def __init__(self, began: datetime | None = None) -> None:
        """`began`: when the meeting began; None: nothing says so (`context.primitives.undated`)."""
        self._began, self._now_s = began or EPOCH, 0.0

    def now_utc(self) -> datetime:
        """Give the moment that is being replayed."""
        return moment_of(self._began, round(self._now_s * 1000))

    def monotonic_s(self) -> float:
        """Give the seconds since the beginning."""
        return self._now_s

    def move_to(self, moment_ms: int) -> None:
        """Move on to a moment of the meeting; an earlier one than the present changes nothing."""
        self._now_s = max(self._now_s, moment_ms / 1000)


class PacedClock:
    """A `Clock` that goes as fast as the machine's, for a meeting that is replayed at the real pace."""

    def __init__(self, began: datetime | None = None) -> None:
        """`began`: as for `ReplayClock`."""
        self._began, self._zero_s = began or EPOCH, monotonic_s()

    def now_utc(self) -> datetime:
        """Give the moment that is being replayed."""
        return moment_of(self._began, round((monotonic_s() - self._zero_s) * 1000))

    def monotonic_s(self) -> float:
        """See `Clock.monotonic_s`."""
        return monotonic_s()


Warn = Callable[[str], None]
"""Takes a line for the user, about something that was not read as it stands in a file."""


@dataclass(frozen=True, slots=True)
class Recording:
    """What files hold: lines of text, or one track of sound for each participant."""

    id: str
    language: str | None
    """`ko`, `en`, …, as a folder's `meeting.json` says; None where nothing says so."""
    lines: tuple[TextLine, ...] = ()
    tracks: tuple[RecordedTrack, ...] = ()
    notes: tuple[InputNote, ...] = ()
    """What was not read as it stands in the files."""
    began: datetime | None = None
    """When the meeting began, as the file tells it; None where nothing says so."""


def began_on(text: str, zone: tzinfo) -> datetime:
    """Read when a meeting began: a day, or a day and a time, in `zone` unless it names another.

    Raises `InputError` for anything else.
    """
    began = None
    if _ISO_MOMENT.fullmatch(text):
        with suppress(ValueError, OverflowError):  # no such day; beyond the last one
            moment = datetime.fromisoformat(text)
            began = dated(
                (moment if moment.tzinfo is not None else moment.replace(tzinfo=zone)).astimezone(UTC)
            )
    if began is None:
        raise InputError(f"--date {text}: give the meeting's day, 2026-03-02, or its start, 2026-03-02T10:02")
    return began


def read_recording(paths: Sequence[Path], warn: Warn | None = None, zone: tzinfo = UTC) -> Recording:
    """Read one folder with `meeting.json`, or sound files, or transcripts.

    `warn` gets a line for whatever was read otherwise than it stands there; `zone` is that of a date without
    one. Raises `InputError`, or `BadInput`, which names file, line and mend.
    """
    if (missing := next((path for path in paths if not path.exists()), None)) is not None:
        raise InputError(f"{missing}: no such file or folder")
    first = paths[0]
    if first.is_dir():
        if len(paths) > 1:
            raise InputError(f"{first} is a folder: give one folder, or files")
        meeting = read_folder(first)
        return Recording(meeting.id, meeting.language, tracks=meeting.tracks)
    if all(map(is_audio, paths)):
        return _sounds(paths, warn)
    if all(map(is_transcript, paths)):
        return _transcripts(paths, warn, zone)
    unfit = next((p for p in paths if not (is_audio(p) or is_transcript(p))), None)
    reason = f"{unfit}: " if unfit else "sound and text are not mixed: "
    raise InputError(
        f"{reason}give a folder with meeting.json, audio (wav, flac, mp3, …), or transcripts (.vtt, .srt, "
        ".jsonl, .txt, .docx, …: `moim replay --help` lists them)"
    )


def _transcripts(paths: Sequence[Path], warn: Warn | None, zone: tzinfo) -> Recording:
    """Read transcripts as one meeting, which began when the first of them says so."""
    lines: list[TextLine] = []
    notes: list[InputNote] = []
    began: datetime | None = None
    for path in paths:
        transcript = read_transcript(path)
        if not lines:
            began = transcript.began
        lines.extend(_behind(lines, transcript.lines))
        whose = f"{one_line(path.name)}: " if len(paths) > 1 else ""
        for note in transcript.notes:
            notes.append(InputNote(text=whose + note.text, line=note.line))
            if warn is not None:
                warn(note.told(path))
    return Recording(
        one_line(paths[0].stem), None, lines=tuple(lines), notes=tuple(notes), began=moment_in(began, zone)
    )


def moment_in(began: datetime | None, zone: tzinfo) -> datetime | None:
    """Give when a meeting began, as a file tells it, in UTC; `zone` is that of a time without one."""
    if began is None:
        return None
    return dated((began if began.tzinfo is not None else began.replace(tzinfo=zone)).astimezone(UTC))


def _sounds(paths: Sequence[Path], warn: Warn | None) -> Recording:
    """Read sound files as one meeting: each sound track is a participant, named by its own title."""
    tracks: list[RecordedTrack] = []
    notes: list[InputNote] = []
    for path in paths:
        sounds = tracks_of(path, sound_tracks(path))
        tracks += sounds
        if len(sounds) == 1:
            continue
        note = own_participants(len(sounds))
        notes.append(InputNote(text=f"{one_line(path.name)}: {note}"))
        if warn is not None:
            names = ", ".join(track.name for track in sounds)
            warn(
                f"{path}: {note} ({names}); where one is a mix of the others, or another "
                "language, take out those that you want and give these: "
                f"ffmpeg -i {shlex.quote(path.name)} -map 0:a:0 first.flac"
            )
    return Recording(one_line(paths[0].stem), None, tracks=tuple(tracks), notes=tuple(notes))


def tracks_of(path: Path, titles: Sequence[str]) -> list[RecordedTrack]:
    """Give the tracks of a sound file with these titles; the only one is named by its file."""
    if len(titles) == 1:
        return [RecordedTrack(one_line(path.stem), clean_name(path.stem), path)]
    ids = [f"{one_line(path.stem)} {number}" for number in range(1, len(titles) + 1)]
    names = [clean_name(title, clean_name(id_)) for title, id_ in zip(titles, ids, strict=True)]
    return [
        RecordedTrack(id_, name, path, stream)
        for stream, (id_, name) in enumerate(zip(ids, names, strict=True))
    ]


def own_participants(tracks: int) -> str:
    """Say what is made of a file with so many sound tracks."""
    return f"each of its {tracks} sound tracks is heard as a participant of its own"


def _behind(before: Sequence[TextLine], lines: Sequence[TextLine]) -> Iterator[TextLine]:
    """One more file's lines, numbered on. Times in a file stay; derived ones go on behind those `before`."""
    number = before[-1].index + 1 if before else 0
    derived = all(line.times_derived for line in lines)
    later_ms = max(line.end_ms for line in before) + PAUSE_MS if before and derived else 0
    for line in lines:
        yield replace(
            line,
            index=number + line.index,
            start_ms=later_ms + line.start_ms,
            end_ms=later_ms + line.end_ms,
        )


Sound = Callable[[RecordedTrack], AsyncGenerator[bytes]]
"""Gives the sound of a track as chunks of PCM of `STEP_MS`; the last may be shorter."""


async def decoded_here(track: RecordedTrack) -> AsyncGenerator[bytes]:
    """Decode a track in this process: what its own user gives is no attack."""
    for pcm in read_pcm(track.path, chunk_ms=STEP_MS, stream=track.stream):
        yield pcm


class Replay:
    """Plays a recording into a session."""

    def __init__(
        self,
        session: Session,
        attendant: Attendant,
        clock: ReplayClock | None,
        *,
        until: int | None = None,
        sound: Sound = decoded_here,
    ) -> None:
        """Begin the meeting, unless it has begun.

        `clock` is that of the session, and is moved on; None plays at the real pace. `until` is how many
        lines are played; None: all.
        """
        self._session, self._attendant, self._clock, self._until = session, attendant, clock, until
        self._sound_of = sound
        self._seen: set[str] = set()
        if not session.started:
            session.fold_now(events.MeetingStarted(at=session.clock.now_utc()))

    async def play(self, recording: Recording, *, resume_ms: Mapping[str, int] | None = None) -> None:
        """Play all lines (or the first `until`), then all sound, of each track from its `resume_ms` on."""
        until = self._until
        for note in recording.notes:
            self._session.post(events.InputNoted(note=note))
        await self.play_lines([line for line in recording.lines if until is None or line.index < until])
        if recording.tracks:
            await self._sound(recording.tracks, resume_ms or {})

    async def play_lines(self, lines: Sequence[TextLine]) -> None:
        """Play lines of text in order, one utterance each, and wait after each for what it causes."""
        for line in lines:
            await self._reach(line.end_ms)
            self._meet(line.speaker, line.name)
            spoken = events.UtteranceSpoken(
                key=f"line-{line.index}",
                speaker_id=line.speaker,
                speaker_name=line.name,
                text=line.text,
                start_ms=line.start_ms,
                end_ms=line.end_ms,
                source=(line.index, line.index),
                times_derived=line.times_derived,
            )
            self._session.post(spoken)
            self._attendant.listen_for_call(spoken)
            await self._session.settle()

    async def ask(
        self, questions: Sequence[str], features: Mapping[str, str] | None = None, *, first: int = 1
    ) -> None:
        """Ask the questions one after the other, and wait for each answer.

        `features` are flags for them alone (`context.features`); their ids are numbered from `first`.
        """
        for number, text in enumerate(questions, first):
            question = Question(
                id=f"ask-{number}",
                by=_ASKER,
                via="cli",
                text=text,
                at_ms=self._session.now_ms(),
                features=dict(features or {}),
            )
            self._session.questions.ask(question)
            await self._session.settle()

    async def _sound(self, tracks: Sequence[RecordedTrack], resume_ms: Mapping[str, int]) -> None:
        for track in tracks:
            self._meet(track.participant, track.name)
        sinks = [self._attendant.track_opened(t.participant, t.participant) for t in tracks]
        assert all(isinstance(sink, Track) for sink in sinks)
        from_steps = [resume_ms.get(track.participant, 0) // STEP_MS for track in tracks]
        streams = [self._sound_of(track) for track in tracks]
        async with AsyncExitStack() as open_streams:
            for stream in streams:
                open_streams.push_async_callback(stream.aclose)
            await self._steps(sinks, streams, from_steps)
        await self._attendant.tracks.last_words()
        await self._session.settle()

    async def _steps(
        self, sinks: Sequence[Sink], streams: Sequence[AsyncGenerator[bytes]], from_steps: Sequence[int]
    ) -> None:
        for step in count(1):
            chunks = [await anext(stream, None) for stream in streams]
            if not any(chunks):
                return
            await self._reach(step * STEP_MS)
            arrived_s = self._session.zero_s + step * STEP_MS / 1000
            for sink, pcm, from_step in zip(sinks, chunks, from_steps, strict=True):
                if pcm is not None and step > from_step:
                    sink.push(pcm, arrived_s)
            if self._clock is not None and self._attendant.tracks.backlog_s > 0:
                # What is spoken next is transcribed next: the engine catches up first.
                while self._attendant.tracks.backlog_s > 0:  # noqa: ASYNC110 - it has no event for "idle"
                    await asyncio.sleep(0.005)
                await self._session.settle()

    async def _reach(self, moment_ms: int) -> None:
        if self._clock is not None:
            self._clock.move_to(moment_ms)
            return
        ahead_s = (moment_ms - self._session.now_ms()) / 1000
        if ahead_s > 0:
            await asyncio.sleep(ahead_s)

    def _meet(self, participant: str, name: str) -> None:
        if participant not in self._seen:
            self._seen.add(participant)
            self._session.human_seen(participant, name)
