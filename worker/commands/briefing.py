"""The briefing of a question: the lines of a meeting that an answer would be built on.

Examples:
    moim briefing meeting.vtt --queries questions.jsonl --budget 3000 --json
    (questions.jsonl: one {"id": "q1", "query": "…", "at": 40} per line; at = input lines heard by then)
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import structlog

from context.answering.evidence_lines import Briefing, briefing
from context.fold.meeting import Meeting
from context.models import Utterance
from context.ports import PortError
from context.primitives.text import one_line
from context.primitives.vectors import Vectors
from context.reading.requests import request_in
from context.retrieval.lexical import LexicalIndex
from stt.files.folder import read_lines
from worker.bootstrap.embedders import embedder
from worker.bootstrap.thinking import thinking
from worker.configuration.settings import Settings
from worker.errors import DONE, InputError, warn
from worker.holder.recorded_meeting import engine_for
from worker.holder.solo import solo_meeting
from worker.monitoring import telemetry
from worker.monitoring.metrics import process_metrics
from worker.passages.indexing import MeetingIndexer
from worker.replaying import Recording, Replay, ReplayClock, read_recording

log = structlog.get_logger(__name__)

_QUERY_FORM: Final = '{"id": …, "query": …, "at"?: number of lines heard}'
_CARRIED_SHARE: Final = 0.7
"""The text of a briefing carries a line if this share of the line's word trigrams stands in it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "path", type=Path, metavar="PATH", help="a transcript, or sound, as for `moim replay`"
    )
    parser.add_argument("--queries", type=Path, required=True, metavar="FILE", help="JSONL of questions")
    parser.add_argument("--budget", type=int, required=True, metavar="N", help="tokens (o200k) at most")
    parser.add_argument("--json", action="store_true", help="one JSON object per question")


def run(args: argparse.Namespace, settings: Settings) -> int:
    """Print a briefing per question, in the order of the file."""
    telemetry.configure(settings, quiet=True)
    if args.budget < 1:
        raise InputError(f"--budget {args.budget}: give a number of tokens above 0")
    recording = read_recording([args.path], warn)
    queries = _read_queries(args.queries, recording.lines[-1].index + 1 if recording.lines else 0)
    rows = asyncio.run(_briefings(settings, recording, queries, args.budget))
    for query, row in zip(queries, rows, strict=True):
        if args.json:
            print(json.dumps(row, ensure_ascii=False))
        else:
            print(f"## {query.text} ({row['tokens']} tokens)\n{row['text']}\n")
    return DONE


@dataclass(frozen=True, slots=True)
class _Query:
    id: Any
    """The `id` of the input line, of whatever JSON type it is."""
    text: str
    at: int
    """How many input lines have been heard when the question is put; 0 for sound, which is heard whole."""


def _read_queries(path: Path, lines: int) -> list[_Query]:
    """The questions in a file, for a meeting of `lines` lines. Raises `InputError` naming line and field."""
    queries: list[_Query] = []
    for number, raw in read_lines(path):
        if raw.strip():
            try:
                queries.append(_query(raw, lines))
            except ValueError as error:
                raise InputError(f"{path}:{number}: {error}; each line is {_QUERY_FORM}") from None
    if not queries:
        warn(f"{path}: holds no question: each line is {_QUERY_FORM}")
    return queries


def _query(raw: str, lines: int) -> _Query:
    """The question on one line of the file. Raises `ValueError`, whose text says what is wrong."""
    try:
        item = json.loads(raw)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    if not isinstance(item, dict):
        raise ValueError("not an object")  # noqa: TRY004 - a line of the user's, as the others
    for field in ("id", "query"):
        if item.get(field) is None or not one_line(str(item[field])):
            raise ValueError(f'"{field}" is missing or empty')
    at = item.get("at")
    if at is None:
        at = lines
    elif not lines:
        raise ValueError('"at" counts lines of text: a recording of sound has none')
    elif not _is_count(at):
        shown = json.dumps(at, ensure_ascii=False)[:40]
        raise ValueError(f'"at" is {shown}, not a number of lines, 0 or more')
    return _Query(item["id"], one_line(str(item["query"])), int(at))


def _is_count(value: object) -> bool:
    """Whether a JSON value is a whole number, 0 or more; 40.0 is one, too."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return value >= 0 and (isinstance(value, int) or value.is_integer())


async def _briefings(
    settings: Settings, recording: Recording, queries: Sequence[_Query], budget: int
) -> list[dict[str, Any]]:
    """Fold the lines once, and make each question's briefing at its moment; one row each, in their order."""
    clock = ReplayClock(recording.began)
    briefings: dict[int, dict[str, Any]] = {}
    async with (
        engine_for(recording, settings) as engine,
        embedder(settings, alone=True, many=True) as encoder,
        thinking(settings, process_metrics()) as thinker,
    ):
        meeting = Meeting(recording.id, settings.context, tokenizer=thinker.tokenizer, judge=thinker.judges)
        index, indexer = LexicalIndex(), MeetingIndexer(meeting, embedder=encoder)
        async with solo_meeting(
            settings, meeting, thinker=thinker, engine=engine, clock=clock, language=recording.language
        ) as (session, attendant):
            replay = Replay(session, attendant, clock, until=None)
            if recording.tracks:
                await replay.play(recording)
            heard = 0
            for place, query in sorted(enumerate(queries), key=lambda numbered: numbered[1].at):
                await replay.play_lines([line for line in recording.lines if heard <= line.index < query.at])
                heard = max(heard, query.at)
                for utterance in meeting.utterances[len(index) :]:
                    index.add(utterance)
                over = not recording.lines or heard > recording.lines[-1].index
                brief = briefing(
                    query.text,
                    meeting.utterances,
                    meeting.segments,
                    budget,
                    thinker.tokenizer,
                    index,
                    over=over,
                    intent=request_in(query.text).intent,
                    close=await _close(indexer, query.text, over=over),
                )
                briefings[place] = {
                    "id": query.id,
                    "text": brief.text,
                    "tokens": brief.tokens,
                    "utterances": list(brief.utterances),
                    "lines": list(_carried(brief, meeting.utterances)),
                }
    return [briefings[place] for place in range(len(queries))]


async def _close(indexer: MeetingIndexer, question: str, *, over: bool) -> Vectors | None:
    """How close each passage is to the question at this moment; None without an embedder, or if it fails."""
    try:
        while await indexer.step(over=over):
            pass
        asked = await indexer.question_vector(question)
        return indexer.closeness(asked) if asked is not None else None
    except PortError as error:
        log.warning("briefing_without_vectors", error=str(error))
        return None


def _carried(brief: Briefing, utterances: Sequence[Utterance]) -> Iterator[int]:
    """The indexes (from 0) of the input lines whose words the briefing's text carries."""
    shown = _trigrams(brief.text)
    for utterance_id in brief.utterances:
        utterance = utterances[utterance_id - 1]
        own = _trigrams(utterance.text)
        if utterance.source is not None and len(own & shown) >= _CARRIED_SHARE * len(own):
            yield utterance.source[0]


def _trigrams(text: str) -> set[tuple[str, str, str]]:
    """The word triples of `text`. A line of one or two words has none, so it is carried if it is shown."""
    words = text.split()
    return set(zip(words, words[1:], words[2:], strict=False))
