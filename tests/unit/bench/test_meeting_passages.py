"""What the ablation searches: the product's retriever over meetings in memory, by words, by vectors, by both."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
import pytest

from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Query
from context.events import events
from context.fold.meeting import Meeting
from context.primitives.vectors import Vectors
from tests.bench.meeting_passages import MeetingPassages
from worker.passages.retrieving import CorporaRetriever

LAPTOPS = ("We buy four portable computers.", "휴대용 컴퓨터를 네 대 사겠습니다.")
QUESTIONS = ("What about the laptops?", "노트북은 어떻게 됐지?")


class Meanings:
    """An embedder that knows what a laptop is, in both languages, and nothing else."""

    name = "meanings"
    words = ("laptop", "portable computer", "노트북", "휴대용 컴퓨터")

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        known = [float(any(word in text for word in self.words)) for text in texts]
        return np.array([[each, 1 - each] for each in known], dtype=np.float32)

    async def embed_query(self, text: str) -> Vectors:
        row: Vectors = (await self.embed([text]))[0]
        return row


def meeting(name: str, *texts: str) -> Meeting:
    held = Meeting(name)
    held.receive(events.MeetingOpened(meeting_id=name))
    held.receive(events.MeetingStarted(at=datetime(2026, 1, 5, 9, 0, tzinfo=UTC)))
    for number, text in enumerate(texts):
        held.receive(
            events.UtteranceSpoken(
                key=str(number),
                speaker_id="a",
                speaker_name="Ann",
                text=text,
                start_ms=1000 * number,
                end_ms=1000 * number + 900,
            )
        )
    return held


@pytest.mark.parametrize(("laptops", "question"), list(zip(LAPTOPS, QUESTIONS, strict=True)))
async def test_the_mode_decides_who_looks(laptops: str, question: str) -> None:
    now, before = (
        meeting("now", "The hall is free in May.", "강당은 오월에 비어 있습니다."),
        meeting("before", laptops),
    )
    embedder = Meanings()
    passages = MeetingPassages([now, before], embedder)
    await passages.index()
    retriever = CorporaRetriever(passages, EstimateTokenizer(), embedder=embedder)

    async def found(mode: str) -> list[str]:
        query = Query.model_validate({"text": question, "meeting_id": "now", "mode": mode})
        return [each.id for each in (await retriever.retrieve(query)).passages]

    assert "before:0" not in await found("bm25")
    assert "before:0" in await found("faiss")
    assert "before:0" in await found("hybrid")


@pytest.mark.parametrize("question", ["Is the hall free?", "강당은 비어 있나요?"])
async def test_words_find_this_meeting_and_others_apart(question: str) -> None:
    now = meeting("now", "The hall is free today. 오늘 강당은 비어 있습니다.")
    before = meeting("before", "The hall is free next year, too. 강당은 내년에도 비어 있습니다.")
    retriever = CorporaRetriever(MeetingPassages([now, before]), EstimateTokenizer())
    found = await retriever.retrieve(Query(text=question, meeting_id="now", mode="bm25"))
    assert {(each.source_id, each.corpus) for each in found.passages} == {
        ("now", "meeting"),
        ("before", "earlier"),
    }


@pytest.mark.parametrize(("laptops", "question"), list(zip(LAPTOPS, QUESTIONS, strict=True)))
async def test_an_utterance_is_as_close_as_its_passage(laptops: str, question: str) -> None:
    held = meeting("now", laptops)
    passages = MeetingPassages([held], Meanings())
    assert await passages.question_vector(held, question) is None
    await passages.index()
    asked = await passages.question_vector(held, question)
    assert asked is not None
    near = passages.closeness(held, asked)
    assert near is not None
    assert near.shape == (1,)
