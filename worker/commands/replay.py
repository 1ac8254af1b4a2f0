"""Play files through the same pipeline as a live meeting and print what came of it.

Examples:
    moim replay meeting.vtt
    moim replay tests/data/audio/en-sprint-review --ask "What did we decide about the second server?"
    moim replay notes.jsonl --until 40 --json
    moim replay call.mkv                 each of its sound tracks is a participant
    moim replay call.mp3 --record        keep it in Postgres, like a live meeting
    moim replay meeting.vtt --date 2026-03-02T10:02   so that "tomorrow" is a day, and the minutes are dated
    moim replay -                        type a meeting, ask, look at its context (/help there)
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

from context.export.document import document
from context.fold.meeting import Meeting
from context.primitives.text import one_line
from context.primitives.undated import dated
from stt.files.transcripts import FORMATS
from stt.segment import SpeechEngine
from worker.agent.calls.deadlines import Deadlines
from worker.bootstrap.embedders import embedder, embedding_engine
from worker.bootstrap.parts import parts
from worker.bootstrap.thinking import Thinking, thinking
from worker.commands.ask import add_features, features_of
from worker.commands.printing import progress
from worker.commands.typed_meeting import TypedMeeting
from worker.configuration.setting_values import hide_password
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError, warn
from worker.holder.presence import Presence
from worker.holder.recorded_meeting import engine_for, hold_recorded
from worker.holder.solo import solo_meeting
from worker.meeting.session import Session
from worker.minutes.minutes_writing import demand_template, minutes
from worker.monitoring import telemetry
from worker.monitoring.metrics import process_metrics
from worker.participants.attendant import Attendant
from worker.passages.indexers import MeetingIndexers
from worker.passages.indexing import MeetingIndexer
from worker.process.recording_job import read_waiting
from worker.replaying import PacedClock, Recording, Replay, ReplayClock, began_on, read_recording

_INDEXING_S: Final = 120.0
"""The longest that a replay goes on after the meeting's end, so that a search finds all of it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        type=Path,
        metavar="PATH",
        help="a folder with meeting.json and a track per participant, sound files, or transcripts "
        "(below); - to type one",
    )
    formats = "\n".join(f"  {form.name}" for form in FORMATS)
    parser.epilog = f"transcripts, told apart by their content:\n{formats}\n\n{parser.epilog or ''}"
    parser.add_argument("--until", type=int, metavar="N", help="stop after N lines, the meeting still open")
    parser.add_argument("--ask", action="append", default=[], metavar="Q", help="a question at the end")
    add_features(parser)
    parser.add_argument(
        "--date",
        metavar="WHEN",
        help="when the meeting was, 2026-03-02 or 2026-03-02T10:02 (in MOIM_TIME_ZONE); "
        "else as the file tells it",
    )
    parser.add_argument("--record", action="store_true", help="keep the meeting in Postgres")
    parser.add_argument("--realtime", action="store_true", help="at the pace at which it was spoken")
    parser.add_argument("--json", action="store_true", help="the whole document instead of Markdown")
    parser.add_argument(
        "--waiting", metavar="MEETING", help="read the file that was brought on the home page, as workers do"
    )


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Replay the recording, and print the meeting that came of it."""
    if args.waiting is not None:
        telemetry.configure(settings)
        return asyncio.run(read_waiting(settings, args.waiting))
    telemetry.configure(settings, quiet=True)
    if not args.paths:
        raise InputError("PATH: name a file or a folder")
    if args.until is not None and args.until < 0:
        raise InputError(f"--until {args.until}: give the number of lines, 0 or more")
    args.typed = args.paths == [Path("-")]
    zone = ZoneInfo(settings.agent.time_zone)
    recording = Recording("typed", None) if args.typed else read_recording(args.paths, warn, zone)
    if args.until is not None and recording.tracks:
        raise InputError("--until counts lines of text: a recording of sound has none")
    if args.date is not None:
        recording = replace(recording, began=began_on(args.date, zone))
    args.ask = [one_line(question) for question in args.ask]
    if not all(args.ask):
        raise InputError("--ask: the question is empty")
    args.features = features_of(args.feature)
    if not args.json:
        asyncio.run(demand_template(settings))
    meeting, engines = asyncio.run(_replay(args, settings, recording))
    told_in = zone if dated(meeting.started_at) is not None else UTC
    written = document(meeting, engines=engines, private=True, zone=told_in)
    if args.json:
        json.dump(written, sys.stdout, ensure_ascii=False, indent=1)
        sys.stdout.write("\n")
    else:
        sys.stdout.write(asyncio.run(minutes(written, settings, zone=told_in)))
    return DONE


async def _replay(
    args: argparse.Namespace, settings: Settings, recording: Recording
) -> tuple[Meeting, dict[str, str]]:
    async with engine_for(recording, settings) as engine:
        if args.record:
            async with embedding_engine(settings):
                meeting = await _on_record(args, settings, recording, engine)
        else:
            meeting = await _in_memory(args, settings, recording, engine)
    return meeting, {
        "stt": engine.name if engine else "none",
        "llm": settings.llm.model or settings.llm.engine,
        "embeddings": settings.embed.encoder_name if args.record or args.ask else "none",
    }


async def _in_memory(
    args: argparse.Namespace, settings: Settings, recording: Recording, engine: SpeechEngine | None
) -> Meeting:
    moving = None if args.realtime else ReplayClock(recording.began)
    async with AsyncExitStack() as stack:
        encoder = None
        if args.ask or args.typed:
            encoder = await stack.enter_async_context(embedder(settings, alone=True))
        made = thinking(
            settings,
            process_metrics(),
            encoder=MeetingIndexers(encoder, None),
            deadlines=Deadlines(encoder_s=None),  # the same answers on a slow machine
        )
        thinker = await stack.enter_async_context(made)
        meeting = Meeting(recording.id, settings.context, tokenizer=thinker.tokenizer, judge=thinker.judges)
        alone = solo_meeting(
            settings,
            meeting,
            thinker=thinker,
            engine=engine,
            clock=moving or PacedClock(recording.began),
            language=recording.language,
        )
        session, attendant = await stack.enter_async_context(alone)
        await _play(args, recording, session, attendant, moving)
        _tell_missed(thinker)
    return meeting


async def _on_record(
    args: argparse.Namespace, settings: Settings, recording: Recording, engine: SpeechEngine | None
) -> Meeting:
    async with parts(settings) as shared:
        row = await shared.tables.registry.want(None, meeting_id=recording.id, title=recording.id)
        over = f"meeting {recording.id!r} is on record and has ended: rename the file"
        if row.status == "ended":
            raise InputError(over)

        async def play(presence: Presence, moving: ReplayClock | None) -> None:
            await _play(args, recording, presence.session, presence.attendant, moving)

        replayed = await hold_recorded(
            shared, row, recording, play, engine=engine, indexing=_index, realtime=args.realtime
        )
        _tell_missed(shared.thinker)
        if replayed is None:
            raise InputError(over)
        return replayed


async def _index(indexer: MeetingIndexer) -> None:
    """Complete the passages of the meeting, and say what is left for later."""

    def how_far() -> str:
        passages = len(indexer.stretches)
        return f"indexing for the search: {passages - indexer.left} of {passages} passages"

    async with progress(how_far):
        await indexer.finish(_INDEXING_S)
    if not indexer.words_kept:
        warn("a search does not find all of this meeting yet: a running `moim dispatcher` completes that")
    elif indexer.left:
        warn(
            f"a search finds {indexer.left} of {len(indexer.stretches)} passages by their words alone: "
            "a running `moim worker` adds their vectors"
        )


def _tell_missed(thinker: Thinking) -> None:
    """Say what the language model was not available for, and why: the minutes only say that they quote."""
    for line in thinker.missed_work:
        warn(hide_password(line))


async def _play(
    args: argparse.Namespace,
    recording: Recording,
    session: Session,
    attendant: Attendant,
    moving: ReplayClock | None,
) -> None:
    def how_far() -> str:
        if recording.lines:
            heard = len(session.manager.meeting.utterances)
            return f"replaying: {heard} of {len(recording.lines)} lines"
        return f"replaying: {session.now_ms() // 60_000} min heard"

    replay = Replay(session, attendant, moving, until=args.until)
    if args.typed:
        await TypedMeeting(session, replay, lambda text: print(text, flush=True)).run()
    async with progress(how_far):
        await replay.play(recording)
    await replay.ask(args.ask, args.features)
    if args.until is None:
        await session.close_topics()
        await session.end("replayed")
    elif args.record:
        await session.leave("replayed")
