"""Line vectors of a meeting that is read anew for each question are worked out once, and go with its words."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from context.budgets.tokens import EstimateTokenizer
from tests.fakes.embedder import FakeEmbedder, SlowEmbedder
from tests.fakes.passages import FakePassages
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import LINES, QUESTION, meeting_of, put
from worker.agent.calls.deadlines import VECTORS_OF_THE_RECORD_S, Deadlines
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.embeddings.embedding_client import CalledEmbedder
from worker.passages.indexers import MeetingIndexers
from worker.passages.vector_cache import VectorCache, digest

pytestmark = in_virtual_time

ROW = np.ones(4, dtype=np.float32)


def of_record(embedder: CalledEmbedder, kept: VectorCache | None) -> Answerer:
    """An answerer of questions about meetings that are over, as a dispatcher has it."""
    encoder = MeetingIndexers(embedder, FakePassages(), kept=kept)
    deadlines = Deadlines(encoder_s=VECTORS_OF_THE_RECORD_S)
    return Answerer(None, QuestionContextSettings(EstimateTokenizer(), encoder=encoder), deadlines=deadlines)


@BOTH
@pytest.mark.parametrize("keeps", [True, False])
async def test_the_second_question_finds_the_vectors_of_the_first(language: str, *, keeps: bool) -> None:
    inner = FakeEmbedder(name="multilingual-e5-small-q4")
    answerer = of_record(CalledEmbedder(inner), VectorCache() if keeps else None)
    for again in (False, True):
        inner.wanted.clear()
        reply, _ = await put(answerer, meeting_of(LINES[language] * 10), QUESTION[language])  # read anew
        assert reply.run is not None
        assert "weigh" not in reply.run.notes
        assert bool(inner.wanted) is not (keeps and again)


@BOTH
async def test_what_is_late_for_one_question_is_there_for_the_next(language: str) -> None:
    answerer = of_record(CalledEmbedder(SlowEmbedder(lines_s=0.05)), VectorCache())
    lines = [(who, name, f"{number} {text}") for number, (who, name, text) in enumerate(LINES[language] * 10)]
    notes = []
    for _ in range(2):
        reply, _ = await put(answerer, meeting_of(lines), QUESTION[language])
        assert reply.run is not None
        notes.append(reply.run.notes.get("weigh", ""))
    assert "lines have no vector" in notes[0]
    assert notes[1] == ""


@BOTH
async def test_what_no_question_had_time_for_is_made_between_them(language: str) -> None:
    inner = SlowEmbedder(lines_s=0.4)
    answerer = of_record(CalledEmbedder(inner), VectorCache())
    indexers = answerer.context_settings.encoder
    assert isinstance(indexers, MeetingIndexers)
    lines = [(who, name, f"{number} {text}") for number, (who, name, text) in enumerate(LINES[language] * 10)]
    notes = []
    async with beside(indexers.run_late()):
        for _ in range(2):
            reply, _ = await put(answerer, meeting_of(lines), QUESTION[language])
            assert reply.run is not None
            notes.append(reply.run.notes.get("weigh", ""))
            await asyncio.sleep(10)
        assert "lines have no vector" in notes[0]
        assert notes[1] == ""
        made = len(inner.seen)
        await asyncio.sleep(10)
        assert len(inner.seen) == made == len(lines), "each line once, and then nothing is left to do"


@BOTH
async def test_words_that_are_gone_leave_no_vector_behind(language: str) -> None:
    kept, (meeting, shorter) = (
        VectorCache(),
        (meeting_of(lines).meeting for lines in (LINES[language], LINES[language][1:])),
    )
    indexers = MeetingIndexers(FakeEmbedder(), FakePassages(), kept=kept)
    await indexers.embed_lines(meeting, range(len(meeting.utterances)))
    first = digest(meeting.utterances[0].text)
    assert first in kept.of(meeting.meeting_id)
    await indexers.take_up(shorter)
    assert first not in kept.of(meeting.meeting_id)
    assert digest(shorter.utterances[0].text) in kept.of(meeting.meeting_id)


def test_meetings_that_were_asked_about_longest_ago_make_room() -> None:
    kept = VectorCache(most=3)
    for meeting_id in ("a", "b", "a", "c"):
        kept.of(meeting_id).update({digest(f"{meeting_id} {line}"): ROW for line in range(2)})
    assert [len(kept.of(meeting_id)) for meeting_id in ("c", "a", "b")] == [2, 0, 0]
