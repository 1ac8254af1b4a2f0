"""What vectors say of a question has a tenth of a second altogether; then words alone decide, and that is noted."""

from __future__ import annotations

import asyncio

import pytest

from context.budgets.tokens import EstimateTokenizer
from context.ports import Unavailable
from tests.fakes.embedder import SlowEmbedder
from tests.fakes.passages import FakePassages
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import LINES, QUESTION, meeting_of, put
from worker.agent.calls.deadlines import VECTORS_S, Deadlines
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContextSettings
from worker.embeddings.embedding_client import CalledEmbedder
from worker.passages.indexers import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever

pytestmark = in_virtual_time

ELSEWHERE = {"ko": "냉장고 온도는 몇 도였지?", "en": "What temperature was the fridge?"}
FOLLOW_UP = {"ko": "왜?", "en": "Why?"}


def answering(embedder: CalledEmbedder, *, within_s: float | None = VECTORS_S) -> Answerer:
    """An answerer whose every part asks the same embedder."""
    loop, tokenizer = asyncio.get_running_loop(), EstimateTokenizer()
    return Answerer(
        None,
        QuestionContextSettings(tokenizer, encoder=MeetingIndexers(embedder, FakePassages())),
        clock=loop.time,
        deadlines=Deadlines(encoder_s=within_s),
        parts=AnswerParts(
            retriever=CorporaRetriever(FakePassages(), tokenizer, embedder=embedder),
            answers=CachedAnswers(embedder),
        ),
    )


@BOTH
@pytest.mark.parametrize("asked", ["here", "elsewhere", "addressed"])
async def test_vectors_that_hang_cost_a_tenth_of_a_second_and_a_note(language: str, asked: str) -> None:
    loop, embedder = asyncio.get_running_loop(), CalledEmbedder(SlowEmbedder(question_s=600))
    answerer, manager = answering(embedder), meeting_of(LINES[language])
    question = ELSEWHERE[language] if asked == "elsewhere" else QUESTION[language]
    if asked == "addressed":  # the cache and the search ask for other wordings
        question = f"{'모임아' if language == 'ko' else 'Moim'}, {question}"
    for again in range(2):
        began_s = loop.time()
        reply, _ = await put(answerer, manager, question)
        assert loop.time() - began_s <= VECTORS_S + 0.001, again
        assert reply.run is not None
        assert "by words alone" in reply.run.notes["weigh"]
        assert (reply.run.first_words_ms or 0) <= 1000 * VECTORS_S + 1
        await asyncio.sleep(0.3)
    await embedder.aclose()


@BOTH
async def test_a_follow_up_has_no_second_tenth(language: str) -> None:
    loop, embedder = asyncio.get_running_loop(), CalledEmbedder(SlowEmbedder(question_s=600))
    answerer, manager = answering(embedder), meeting_of(LINES[language])
    await put(answerer, manager, QUESTION[language])
    began_s = loop.time()
    reply, _ = await put(answerer, manager, FOLLOW_UP[language])
    assert loop.time() - began_s <= VECTORS_S + 0.001
    assert reply.run is not None
    assert "by words alone" in reply.run.notes["weigh"]
    await embedder.aclose()


@BOTH
@pytest.mark.parametrize(("lines", "within_s"), [(4, 0.02 + VECTORS_S), (5, 0.02)])
async def test_lines_that_hang_are_ranked_by_words_beside_the_questions_vector(
    language: str, lines: int, within_s: float
) -> None:
    """A few lines are waited for; of more than would be there in time none is, as a part is of no use."""
    loop, embedder = asyncio.get_running_loop(), CalledEmbedder(SlowEmbedder(question_s=0.02, lines_s=600))
    answerer, manager = answering(embedder), meeting_of(LINES[language][:lines])
    by_words, _ = await put(
        Answerer(None, QuestionContextSettings(EstimateTokenizer())), manager, QUESTION[language]
    )
    began_s = loop.time()
    reply, _ = await put(answerer, manager, QUESTION[language])
    assert loop.time() - began_s == pytest.approx(within_s, abs=0.001)
    assert reply.run is not None
    assert reply.run.notes["weigh"] == f"{lines} of {lines} lines have no vector: these by words"
    assert (reply.text, reply.evidence) == (by_words.text, by_words.evidence)


@BOTH
async def test_lines_that_were_not_waited_for_are_there_for_the_next_question(language: str) -> None:
    embedder = CalledEmbedder(SlowEmbedder())
    answerer, manager = answering(embedder), meeting_of(LINES[language] * 4)
    for note in (True, False):
        reply, _ = await put(answerer, manager, QUESTION[language])
        assert reply.run is not None
        assert ("weigh" in reply.run.notes) == note
        encoder = answerer.context_settings.encoder
        assert isinstance(encoder, MeetingIndexers)
        lines = encoder.of(manager.meeting).lines
        assert lines is not None
        await lines.newest(0)
        await lines.newest(0)
        await lines.newest(0)


@BOTH
async def test_vectors_that_are_there_in_time_are_waited_for_and_nothing_is_noted(language: str) -> None:
    embedder = CalledEmbedder(SlowEmbedder(question_s=0.02, lines_s=0.02))
    reply, _ = await put(answering(embedder), meeting_of(LINES[language][:4]), QUESTION[language])
    assert reply.run is not None
    assert "weigh" not in reply.run.notes


@BOTH
async def test_a_replay_waits_as_long_as_it_takes(language: str) -> None:
    embedder = CalledEmbedder(SlowEmbedder(question_s=20, lines_s=20), query_deadline_s=60)
    reply, _ = await put(answering(embedder, within_s=None), meeting_of(LINES[language]), QUESTION[language])
    assert reply.run is not None
    assert "weigh" not in reply.run.notes
    await embedder.aclose()


async def test_a_questions_vector_is_asked_for_once_and_is_there_for_whoever_asks_later() -> None:
    loop, inner = asyncio.get_running_loop(), SlowEmbedder(question_s=0.4)
    embedder = CalledEmbedder(inner)
    began_s = loop.time()
    results = await asyncio.gather(*(embedder.embed_query("언제?") for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in results] == [Unavailable] * 3
    assert loop.time() - began_s == pytest.approx(VECTORS_S)
    for question in ("언제?", "When?"):  # one is overdue: nobody waits for the next either
        with pytest.raises(Unavailable, match=r"no vectors in 0\.1 s"):
            await embedder.embed_query(question)
    assert loop.time() - began_s == pytest.approx(VECTORS_S)
    await asyncio.sleep(0.5)
    assert len(await embedder.embed_query("언제?")) == len(await embedder.embed_query("When?"))
    assert inner.asked == ["언제?", "When?"]
    assert embedder.breaker.admit()


async def test_a_questions_vector_that_never_comes_is_given_up() -> None:
    embedder = CalledEmbedder(SlowEmbedder(question_s=600))
    with pytest.raises(Unavailable):
        await embedder.embed_query("언제?")
    await asyncio.sleep(2)
    began_s = asyncio.get_running_loop().time()
    with pytest.raises(Unavailable):  # asked for anew
        await embedder.embed_query("언제?")
    assert asyncio.get_running_loop().time() - began_s == pytest.approx(VECTORS_S)
    await embedder.aclose()
