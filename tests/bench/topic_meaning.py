"""What embeddings bring to the detection of topics: the same meetings with them and without.

Not among `topics`: the first time embeds some 500,000 words (half an hour of a core; kept in the cache).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from context.models import Utterance
from context.topics.boundary.meaning import Piece, PieceCutter
from context.vectors import Vectors
from tests.bench.evidence_vectors import VectorMaker, vector_maker
from tests.bench.figures import Figure
from tests.bench.topics import Labelled, assembly_meetings, measured, online, qmsum_meetings
from worker.configuration.settings import Settings
from worker.errors import InputError

_ASSEMBLY: Final = 8
"""Sittings, and four times as many joined ones: they are long."""


def topic_meaning(data: Path | None) -> list[Figure]:
    """QMSum val and some Korean assembly minutes, embedded in time, beside words alone."""
    maker = vector_maker(Settings.load().process.cache_dir)
    if maker is None:
        raise InputError("topic-meaning: this measure needs embeddings: pip install 'moim[embeddings]'")
    return [
        *_both("QMSum val", qmsum_meetings(data, "val"), 10, maker),
        *_both("concat", assembly_meetings(data, "concat")[: 4 * _ASSEMBLY], 3, maker),
        *_both("qblock", assembly_meetings(data, "qblock")[:_ASSEMBLY], 3, maker),
    ]


def _both(name: str, meetings: Sequence[Labelled], tolerance: int, maker: VectorMaker) -> list[Figure]:
    words = measured(meetings, [online(each)[0] for each in meetings], tolerance)
    embedded = measured(meetings, [online(each, _meant(each, maker))[0] for each in meetings], tolerance)
    return [
        Figure(f"{name}, {what}, embedded", embedded[what], "", None, "words alone", words[what])
        for what in ("comp", f"F1@{tolerance}", "Pk", "found")
    ]


def _meant(meeting: Labelled, maker: VectorMaker) -> list[tuple[Piece, Vectors]]:
    """The pieces of a meeting and their vectors, cut as a live meeting's are."""
    cutter = PieceCutter()
    pieces = [
        piece
        for number, (speaker, text) in enumerate(zip(meeting.speakers, meeting.texts, strict=True), 1)
        for piece in cutter.add(_utterance(number, speaker, text))
    ]
    return list(zip(pieces, maker.rows([piece.text for piece in pieces], query=False), strict=True))


def _utterance(number: int, speaker: str, text: str) -> Utterance:
    return Utterance(
        id=number,
        speaker_id=speaker,
        speaker_name=speaker,
        text=text,
        start_ms=number * 1000,
        end_ms=number * 1000 + 900,
        absolute_timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    )
