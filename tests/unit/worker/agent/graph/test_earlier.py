"""What a meeting leaves to later ones beside its words: the notes of its topics, found by one search."""

from __future__ import annotations

from datetime import timedelta

import pytest

from context.budgets.configuration import BudgetConfig
from context.budgets.tokens import EstimateTokenizer, budget_for
from context.corpora.passage import FIRST_NOTE, Passage, Query
from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.topic_events import SummaryReady
from context.features import Features
from context.manager import ContextManager
from context.models import Statement, Summary
from tests.fakes.llm import ScriptedModel
from tests.fakes.passages import FakePassages
from tests.languages import BOTH
from tests.unit.worker.agent.meetings import LINES, START, asked, meeting_of, put
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.term_sources import TermSources
from worker.passages.indexers import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever

TOKENS = EstimateTokenizer()
DECIDED = {
    "ko": (Statement(text="출시일은 십이월 이십이일이다.", evidence=(3,), status="decided"), "출시일이 언제예요?"),
    "en": (
        Statement(text="A second server is added this week.", evidence=(3,), status="decided"),
        "When is a second server added?",
    ),
}  # fmt: skip
OPEN = {
    "ko": Statement(text="결제 테스트 계획을 공유한다.", evidence=(4,), owner="박준호", due="금요일"),
    "en": Statement(text="Order the server and report.", evidence=(4,), owner="Ben", due="Thursday"),
}
SENTENCE = {
    "ko": Statement(text="출시일의 위험을 이야기했다.", evidence=(1, 2)),
    "en": Statement(text="The price of a second server was discussed.", evidence=(1, 2)),
}
ORDER = {
    "ko": Statement(text="십이월 십오일 출시로 한다.", evidence=(1,), status="superseded"),
    "en": Statement(text="No second server is bought.", evidence=(1,), status="superseded"),
}
SOON, LATE = START + timedelta(days=1), START + timedelta(days=8)


def meeting(language: str, meeting_id: str = "m-1", room: str | None = "weekly") -> ContextManager:
    """A meeting whose only topic is summarised."""
    manager = meeting_of(
        LINES[language], opened={"meeting_id": meeting_id, "room": room, "title": "주간 회의"}
    )
    content = Summary(
        text=SENTENCE[language].text, sentences=(SENTENCE[language],),
        decisions=(DECIDED[language][0], ORDER[language]), pending=(OPEN[language],),
    )  # fmt: skip
    topic = manager.meeting.segments[-1]
    manager.receive(
        SummaryReady(
            topic_id=topic.id, version=1, reason="closing", covered_until=5, content=content, engine="m"
        )
    )
    return manager


async def kept(language: str, budgets: BudgetConfig | None = None) -> FakePassages:
    """The table behind one meeting that has ended."""
    store, before = FakePassages(rooms={"m-1": "weekly"}), meeting(language)
    await MeetingIndexers(None, store, budgets=budgets).of(before.meeting).finish(5)
    assert store.whole == {"m-1"}
    return store


async def notes(store: FakePassages, query: Query, budgets: BudgetConfig | None = None) -> list[Passage]:
    retriever = CorporaRetriever(store, TOKENS, tiers=(budgets or BudgetConfig()).cache_levels)
    return [each for each in (await retriever.retrieve(query)).passages if each.is_note]


@BOTH
async def test_what_was_noted_once_is_found_by_later_meetings(language: str) -> None:
    store = await kept(language)
    decision, question = DECIDED[language]
    (found,) = await notes(store, Query(text=question, meeting_id="m-2", notes_at=SOON))
    assert decision.text in found.text
    assert OPEN[language].text in found.text
    assert SENTENCE[language].text in found.text
    assert ORDER[language].text not in found.text, "it stands no longer"
    assert (found.corpus, found.source_id, found.first, found.last) == ("earlier", "m-1", 1, 4)
    assert found.citation.startswith("주간 회의 2026-03-02")


@BOTH
async def test_after_a_week_the_decisions_are_left(language: str) -> None:
    store = await kept(language)
    decision, question = DECIDED[language]
    (found,) = await notes(store, Query(text=question, meeting_id="m-2", notes_at=LATE))
    assert decision.text in found.text
    assert OPEN[language].text not in found.text
    assert SENTENCE[language].text not in found.text


@BOTH
async def test_a_user_says_how_long_and_how_much(language: str) -> None:
    budgets = BudgetConfig.from_mapping(
        {
            "templates": {"level_2_brief": {"format": "[{id}] {decision} / {next_agents}: {reason}"}},
            "cache_levels": {"project": {"lifetime": "P14D", "level": 2}},
        }
    )
    store = await kept(language, budgets)
    decision, question = DECIDED[language]
    (found,) = await notes(store, Query(text=question, meeting_id="m-2", notes_at=LATE), budgets)
    owner = OPEN[language].owner
    assert found.text == f"[{found.topic}] {decision.text} / {owner}: {OPEN[language].text}"


@BOTH
async def test_who_searches_and_the_meeting_itself_find_words_alone(language: str) -> None:
    store, question = await kept(language), DECIDED[language][1]
    assert not await notes(store, Query(text=question, meeting_id="m-2"))
    assert not await notes(store, Query(text=question, meeting_id="m-1", notes_at=SOON))
    assert not await notes(store, Query(text=question, meeting_id="m-2", is_search=True))


@BOTH
async def test_an_engine_without_a_model_quotes_nobody_with_them(language: str) -> None:
    store, question = await kept(language), DECIDED[language][1]
    manager = meeting_of((), opened={"meeting_id": "m-2", "room": "weekly"})
    parts = AnswerParts(retriever=CorporaRetriever(store, TOKENS))
    reply, _ = await put(
        Answerer(None, QuestionContextSettings(TOKENS), parts=parts), manager, question, "ben"
    )
    assert DECIDED[language][0].text not in reply.text


@BOTH
@pytest.mark.parametrize("intent", ["summary", "tasks", "fact"])
async def test_a_summary_and_tasks_are_of_this_meeting_alone(language: str, intent: str) -> None:
    question = asked(DECIDED[language][1]).model_copy(update={"intent": intent})
    question_context = QuestionContextSettings(TOKENS).question_context(question, meeting(language, "m-2"))
    assert (question_context.query(question.text, Features()).notes_at is not None) == (intent == "fact")


@BOTH
async def test_what_the_record_says_no_longer_is_not_told(language: str) -> None:
    store, manager = await kept(language), meeting(language)
    decision, question = DECIDED[language]
    target = Target(what="utterances", utterances=(3,))
    made = erased(manager.meeting, target, id_="e1", actor=operator("ops"), at_ms=9_000)
    assert made is not None
    manager.receive(made[0])
    await store.cut("meeting", "m-1")  # as the erasure does in the same breath
    query = Query(text=question, meeting_id="m-2", notes_at=SOON)
    assert not await notes(store, query)
    await MeetingIndexers(None, store).of(manager.meeting).finish(5)
    for at in (SOON, LATE):
        found = await notes(store, query.model_copy(update={"notes_at": at}))
        assert not any(decision.text in each.text for each in found)
    assert not any(decision.text in row.text for row in store.rows.values())


@BOTH
async def test_notes_that_are_gone_leave_no_passage(language: str) -> None:
    store, bare = await kept(language), meeting_of(LINES[language], opened={"meeting_id": "m-1"})
    await MeetingIndexers(None, store).of(bare.meeting).finish(5)
    assert not any(row.is_note for row in store.rows.values())


async def test_the_next_meeting_in_the_room_expects_its_terms() -> None:
    lines = ["Zeppelin 서버를 배포한다.", "The Zeppelin server is checked."]
    noted = [
        Passage(source_id="m-1", position=FIRST_NOTE + place, text=line) for place, line in enumerate(lines)
    ]
    spoken = [
        Passage(source_id="m-1", position=place, text=f"{line} Kraken") for place, line in enumerate(lines)
    ]
    store = FakePassages(rooms={"m-1": "weekly"})
    await store.put([*noted, *spoken])
    sources = TermSources(store)
    terms = {term.text for term in await sources.written(meeting("ko", "m-2").meeting)}
    assert "Zeppelin" in terms
    assert "Kraken" not in terms, "what an engine has heard is not told back to it"
    for other in (meeting("ko", "m-2", "another"), meeting("ko", "m-2", None), meeting("ko", "m-1")):
        assert await sources.written(other.meeting) == []


@BOTH
async def test_an_answer_of_a_model_may_cite_them(language: str) -> None:
    store = await kept(language)
    decision, question = DECIDED[language]
    manager = meeting_of((), opened={"meeting_id": "m-2", "room": "weekly"})
    model = ScriptedModel([f"{decision.text} [#900001]\n"], name="scripted")
    parts = AnswerParts(retriever=CorporaRetriever(store, TOKENS))
    answerer = Answerer(
        CalledModel(model), QuestionContextSettings(TOKENS, budget=budget_for("scripted")), parts=parts
    )
    reply, _ = await put(answerer, manager, question, "ben")
    prompt = model.calls[0][-1].content
    assert prompt.count(decision.text) == 1, "one way, once"
    assert [source.startswith("주간 회의 2026-03-02") for source in reply.sources] == [True]
