"""Vectors of lines: each is embedded once, as far as it is wanted, and stands at its own place."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from context.plain.answer_inputs import QuestionVectors
from context.plain.ranking import rank_utterances
from context.primitives.vectors import Vectors
from context.retrieval.lexical import LexicalIndex
from tests.fakes.embedder import FakeEmbedder
from tests.training.meetings import utterances
from worker.passages.line_vectors import LineVectors


class _Said:
    """What is looked at of a meeting."""

    def __init__(self, texts: list[str]) -> None:
        self.utterances = utterances([{"speaker": "a", "text": text} for text in texts])


async def test_what_is_wanted_is_embedded_once_and_the_rest_stays_empty() -> None:
    meeting = _Said(["하나", "둘", "셋", "넷"])
    embedder = FakeEmbedder()
    lines = LineVectors(meeting, embedder)  # type: ignore[arg-type]  # a stand-in
    await lines.embed([2, 0, 2, 99])
    assert lines.missing(range(4)) == [1, 3]
    rows = lines.rows()
    assert rows.shape[0] == 4
    assert np.array_equal(rows[2], (await embedder.embed(["셋"]))[0])
    assert not rows[1].any()
    meeting.utterances += utterances([{"speaker": "a", "text": "다섯"}])
    assert await lines.newest(2)
    assert lines.missing(range(5)) == [1]
    assert await lines.newest(9)
    assert not await lines.newest(9)
    assert np.array_equal(lines.rows()[2], rows[2])


async def test_a_line_that_is_corrected_while_it_is_embedded_gets_the_vector_of_its_new_words() -> None:
    meeting = _Said(["예산은 이억", "Ship on Friday"])
    corrected = utterances(
        [{"speaker": "a", "text": "예산은 삼억"}, {"speaker": "a", "text": "Ship on Friday"}]
    )

    class Corrected(FakeEmbedder):
        async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
            rows = await super().embed(texts)
            meeting.utterances[:] = corrected
            return rows

    embedder = Corrected()
    lines = LineVectors(meeting, embedder)  # type: ignore[arg-type]  # a stand-in
    await lines.embed([0, 1])
    assert lines.missing(range(2)) == [0]
    assert not lines.rows()[0].any()
    await lines.embed([0, 1])
    assert np.array_equal(lines.rows()[0], (await embedder.embed(["예산은 삼억"]))[0])


@pytest.mark.parametrize(
    ("line", "question"), [("예산 {}", "예산 얼마야?"), ("The budget is {}", "What is the budget?")]
)
def test_lines_without_a_vector_are_ranked_by_words(line: str, question: str) -> None:
    said = utterances([{"speaker": "a", "text": line.format(n)} for n in range(100)])
    index, vectors = LexicalIndex(said), np.full((100, 16), 0.25, dtype=np.float32)
    words = rank_utterances(question, said, index)
    vectors[words.places[:4]] = 0
    most = rank_utterances(question, said, index, meaning=QuestionVectors(vectors[-1] * 0 + 0.25, vectors))
    assert not most.by_words
    assert len(most.places) == 100  # those likeliest by words are no less in it without a vector
    vectors[words.places[2:]] = 0
    few = rank_utterances(question, said, index, meaning=QuestionVectors(vectors[0] * 0 + 0.25, vectors))
    assert few.by_words
    assert few.places.tolist() == words.places.tolist()
    vectors[:] = 0
    none = rank_utterances(question, said, index, meaning=QuestionVectors(vectors[0] + 0.25, vectors))
    assert none.places.tolist() == words.places.tolist()
