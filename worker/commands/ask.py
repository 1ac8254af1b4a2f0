"""Ask about a meeting. While it is live its holder answers, and the reply is kept on the record. After that
the answer is made from the record, and is kept nowhere.

Examples:
    moim ask m-7f3a "출시일이 언제로 결정됐지?"
    moim ask m-7f3a "What did we decide about the second server?" --json
    moim ask m-7f3a "출시일이 언제죠?" --feature response_cache_enabled=0 --feature retrieval_mode=bm25
"""

from __future__ import annotations

import argparse
import asyncio
import json
import uuid
from contextlib import AsyncExitStack, aclosing, suppress
from typing import Any

from context.export.document import reply_fields, run_fields
from context.features import FeatureError, Features, parsed_overrides
from context.manager import ContextManager
from context.meeting import Meeting
from context.ports import Unavailable
from context.question import Question
from context.text import one_line
from worker.agent.calling import Deadlines
from worker.bootstrap import streams
from worker.bootstrap.database import Database
from worker.bootstrap.embedders import embedder
from worker.bootstrap.language_models import tokenizer_of
from worker.bootstrap.thinking import thinking
from worker.commands.names import an_id
from worker.commands.record import from_record, meeting_row
from worker.configuration.settings import Settings
from worker.errors import DONE, FAILED, InputError, warn
from worker.meeting.asking import REPLY_DEADLINE_S
from worker.messages import FOLLOWED, NOBODY_AT_A_TERMINAL, AskMessage
from worker.monitoring.metrics import process_metrics
from worker.outlets import Silence
from worker.passages.indexing import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever
from worker.passages.store import PassageStore
from worker.ports import MeetingRow
from worker.record.restoring import load_meeting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "meeting", metavar="MEETING", type=an_id, help="the meeting's id (see `moim meetings`)"
    )
    parser.add_argument("question", metavar="QUESTION", help="in Korean or English")
    parser.add_argument(
        "--json", action="store_true", help="the whole reply instead of its text, and how it came about"
    )
    add_features(parser)


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print the reply; exit 1 if it is empty."""
    question = one_line(args.question)
    if not question:
        raise InputError("ask: the question is empty")
    features = features_of(args.feature)
    reply = from_record(settings, lambda tables: _ask(tables, args.meeting, question, settings, features))
    print(json.dumps(reply, ensure_ascii=False, indent=1) if args.json else reply["text"])
    return DONE if reply["text"] else FAILED


def add_features(parser: argparse.ArgumentParser) -> None:
    """Declare `--feature`, for every command that asks questions."""
    parser.add_argument(
        "--feature",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a flag of MOIM_FEATURE_* for this question alone, e.g. self_refine_enabled=0",
    )


def features_of(settings: list[str]) -> dict[str, str]:
    """Feature flags by name, from the `NAME=VALUE` of a command line. Raises `InputError` for a wrong one."""
    try:
        overrides = parsed_overrides(settings)
        Features().with_overrides(overrides)
    except FeatureError as error:
        raise InputError(f"--feature: {error}") from error
    return overrides


async def _ask(
    tables: Database, meeting_id: str, question: str, settings: Settings, features: dict[str, str]
) -> dict[str, Any]:
    row = await meeting_row(tables, meeting_id)
    if row.status == "live" and settings.redis.url.get_secret_value():
        return await _ask_holder(row, question, settings, features)
    if row.status == "live":
        warn("REDIS_URL is not set: answering from the record, not by the holder")
    meeting = await load_meeting(tables.record, meeting_id, settings)
    return await _ask_record(meeting, question, settings, features, tables.passages)


async def _ask_holder(
    row: MeetingRow, question: str, settings: Settings, features: dict[str, str]
) -> dict[str, Any]:
    message = AskMessage(id=_new_id(), by=NOBODY_AT_A_TERMINAL, via="cli", text=question, features=features)
    if row.holder is None:
        warn(f"nobody holds {row.id!r} at the moment: waiting {REPLY_DEADLINE_S:.0f} s at most for a worker")
    async with streams.bus(settings) as bus:
        # It is followed by its id, since a private answer is shown to nobody else.
        after = await bus.newest(row.id)
        await bus.ask(row.id, message)
        with suppress(TimeoutError):
            async with (
                asyncio.timeout(REPLY_DEADLINE_S),
                aclosing(bus.follow_reply(row.id, message.id, after)) as following,
            ):
                async for entry in following:
                    if "reply" in entry:
                        return dict(entry["reply"])
    mend = "nobody holds it; are a dispatcher and a worker running?"
    if row.holder:
        mend = f"see the log of {row.holder.host}, job {row.holder.job_pid}"
    raise Unavailable(f"no reply from meeting {row.id!r} in {REPLY_DEADLINE_S:.0f} s: {mend}")


def _new_id() -> str:
    return f"{FOLLOWED}cli-{uuid.uuid4().hex[:12]}"


async def _ask_record(
    meeting: Meeting, question: str, settings: Settings, features: dict[str, str], passages: PassageStore
) -> dict[str, Any]:
    """Answer from the record in this process; the reply is recorded nowhere."""
    last_ms = max((utterance.end_ms for utterance in meeting.utterances), default=0)
    asked = Question(
        id=_new_id(),
        by=NOBODY_AT_A_TERMINAL,
        via="cli",
        text=question,
        at_ms=last_ms,
        after_utterance=len(meeting.utterances),
        features=features,
    )
    async with AsyncExitStack() as stack:
        encoder = await stack.enter_async_context(embedder(settings, alone=True))
        indexers = MeetingIndexers(encoder, passages)
        made = thinking(
            settings,
            process_metrics(),
            embedder=encoder,
            retriever=CorporaRetriever(passages, tokenizer_of(settings), embedder=encoder),
            encoder=indexers,
            deadlines=Deadlines(encoder_s=None),  # this process loads the model for its one question
        )
        thinker = await stack.enter_async_context(made)
        await indexers.take_up(meeting)
        manager = ContextManager(meeting.meeting_id, settings.context, meeting=meeting)
        read = await thinker.reader.read(asked, meeting)
        told = await thinker.answer(read, manager, Silence().open_reply, now_ms=lambda: last_ms)
    return {**reply_fields(told), **run_fields(told)}
