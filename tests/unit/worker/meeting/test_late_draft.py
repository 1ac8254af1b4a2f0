"""A model that is late for the closing summary: its draft replaces the quotes that were told in its place."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from context.budgets.tokens import EstimateTokenizer
from context.config import ContextConfig
from context.events import effects, events
from context.events.topic_events import SummaryFailed, SummaryReady
from context.export.document import document
from context.export.minutes import to_markdown
from context.fold.meeting import Meeting
from context.fold.window import RoughTokenizer
from tests.fakes.leases import FakeLeases
from tests.fakes.llm import ScriptedModel
from tests.fakes.meeting import SETTINGS, World, meeting_at_work
from tests.fakes.record import START
from tests.fakes.registry import FakeRegistry
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from worker.agent.calls.calling import CalledModel
from worker.agent.summaries.closing_summary import closing_summary
from worker.agent.summaries.summarising import Summariser
from worker.bootstrap.thinking import Thinking
from worker.meeting.correcting import Correcting
from worker.record.restoring import restore

pytestmark = in_virtual_time

TALK = {
    "ko": ["백엔드 개발자는 두 명 뽑기로 했습니다.", "면접관은 누가 하죠?", "공고는 금요일에 올리겠습니다."],
    "en": [
        "We decided to hire two backend developers.",
        "Who is going to interview them?",
        "I will publish the advert on Friday.",
    ],
}
TOLD = {
    "ko": ("백엔드 개발자를 두 명 뽑는다.", "공고를 금요일에 올린다."),
    "en": ("Two backend developers will be hired.", "The advert will be published on Friday."),
}
MARK = {"ko": "요약 전 발언 원문", "en": "quoted as said, not summarised"}
UNVERIFIED = {"ko": "미검증", "en": "unverified"}


def draft(language: str) -> str:
    hired, advert = TOLD[language]
    return json.dumps({
        "topic_name": "", "summary": [{"text": hired, "evidence": [1]}], "key_points": [], "keywords": [],
        "decisions": [{"text": hired, "evidence": [1]}], "pending": [{"text": advert, "evidence": [3]}],
    })  # fmt: skip


class ThinkingWithAModel(Thinking):
    """Its summaries are a scripted model's, which takes `takes_s` for each."""

    def __init__(self, language: str, takes_s: float) -> None:
        super().__init__(None, RoughTokenizer(), SETTINGS)
        self.model = ScriptedModel([takes_s, draft(language)])
        self._by = Summariser(CalledModel(self.model), tokenizer=EstimateTokenizer())

    async def summarise(
        self, effect: effects.Summarise, *, by_rules: bool = False
    ) -> SummaryReady | SummaryFailed:
        return await self._by.summarise(effect, language="auto", by_rules=by_rules)


def written(world: World, language: str) -> str:
    return to_markdown(document(world.session.manager.meeting), language, transcript=False)


async def closing_of(world: World, language: str) -> str:
    """What is said in the chat at the closing; its words by the meeting's language, whatever the settings'."""
    await world.session.close_topics()
    return closing_summary(world.session.manager.meeting, language)


def correcting(world: World, thinking: Thinking) -> Correcting:
    leases = FakeLeases(world.store.record)
    clock = world.session.clock
    return Correcting(world.store, leases, thinking, SETTINGS, passages=NoPassages(), bus=None, clock=clock)


class NoPassages:
    """Nothing is searched here."""

    def of(self, _meeting: Meeting) -> NoPassages:
        return self

    async def finish(self, deadline_s: float) -> None:
        pass


@asynccontextmanager
async def talked(language: str, takes_s: float) -> AsyncIterator[tuple[World, ThinkingWithAModel]]:
    """A meeting in which the lines of `TALK` have been said."""
    thinking = ThinkingWithAModel(language, takes_s)
    async with meeting_at_work(thinker=thinking) as world:
        for line in TALK[language]:
            world.speak(line)
        yield world, thinking


@BOTH
async def test_in_time_the_closing_summary_is_the_models_and_says_that_nobody_verified_it(
    language: str,
) -> None:
    async with talked(language, 2.0) as (world, thinking):
        closing = await closing_of(world, language)
        hired, advert = TOLD[language]
        assert hired.rstrip(".") in closing
        assert advert.rstrip(".") in closing
        assert MARK[language] not in closing
        assert TALK[language][1].rstrip("?") not in closing, "a question that somebody asked is no task"
        assert UNVERIFIED[language] in closing
        assert closing.count("\n") == 2, "it ends the third line"
        await world.session.end("done")
        assert len(thinking.model.calls) == 1, "what was covered at the closing is not asked for again"


@BOTH
async def test_late_the_closing_says_that_it_quotes_and_the_draft_takes_the_quotes_place(
    language: str,
) -> None:
    async with talked(language, 13.0) as (world, thinking):
        began_s = asyncio.get_running_loop().time()
        closing = await closing_of(world, language)
        assert asyncio.get_running_loop().time() - began_s <= 12.0
        assert MARK[language] in closing
        assert TOLD[language][0].rstrip(".") not in closing
        await asyncio.sleep(5)
        meeting = world.session.manager.meeting
        told = [*meeting.segments[0].notes.decisions, *meeting.segments[0].notes.pending]
        assert [each.text for each in told] == list(TOLD[language])
        assert not any(each.quoted for each in told)
        assert MARK[language] not in written(world, language)
        await world.session.end("done")
        assert len(thinking.model.calls) == 1, "nobody asked twice"
        kinds = [stored.event.kind for stored in world.store.events_of("m-test")]
        assert kinds.count("summary_ready") == 2


@BOTH
async def test_a_draft_that_comes_when_the_meeting_has_ended_is_on_the_record_before_the_holder_goes(
    language: str,
) -> None:
    async with talked(language, 12.0) as (world, thinking):
        await world.session.close_topics()
        assert MARK[language] in written(world, language)
        await world.session.end("done")
        assert MARK[language] not in written(world, language)
        stored = [each.event for each in world.store.events_of("m-test")]
        late = [each for each in stored if isinstance(each, SummaryReady)][-1]
        assert (late.engine, [each.text for each in late.content.decisions]) == (
            thinking.model.name,
            [TOLD[language][0]],
        )
        assert len(thinking.model.calls) == 1


async def over_without_its_draft(world: World) -> None:
    """The meeting has ended and its holder is gone, before the model was done."""
    await world.session.close_topics()
    await world.session.end("room_deleted", deadline_s=2.0)
    await FakeRegistry(world.store.record).mark_ended("m-test", world.epoch, START)
    await FakeLeases(world.store.record).release("m-test", world.epoch)
    assert world.running is not None
    await asyncio.wait({world.running})


async def on_record(world: World) -> Meeting:
    return (await restore(world.store, "m-test", ContextConfig())).manager.meeting


@BOTH
async def test_a_draft_that_nobody_waits_for_any_more_is_made_again_from_the_record(language: str) -> None:
    async with talked(language, 1000.0) as (world, _):
        await over_without_its_draft(world)
        assert MARK[language] in written(world, language)
        again = ThinkingWithAModel(language, 50.0)
        await correcting(world, again).make_late_drafts("m-test")
        meeting = await on_record(world)
        shape = document(meeting)
        assert MARK[language] not in to_markdown(shape, language, transcript=False)
        assert [each["text"] for each in shape["topics"][0]["decisions"]] == [TOLD[language][0]]
        assert meeting.outstanding() == [], "it is not asked for a third time"
        assert len(again.model.calls) == 1


@BOTH
async def test_a_model_that_fails_again_leaves_the_quotes_and_is_not_asked_any_more(language: str) -> None:
    async with talked(language, 1000.0) as (world, _):
        await over_without_its_draft(world)
        again = ThinkingWithAModel(language, 0.0)
        again.model._scripts = [["not json"]]
        await correcting(world, again).make_late_drafts("m-test")
        meeting = await on_record(world)
        assert MARK[language] in to_markdown(document(meeting), language, transcript=False)
        assert meeting.outstanding() == []


@BOTH
async def test_a_topic_that_the_model_was_away_for_is_read_at_the_closing(language: str) -> None:
    async with talked(language, 0.0) as (world, thinking):
        thinking.model._scripts = [["not json"]]
        world.session.post(events.ClosingRequested(at_ms=10_000))
        await asyncio.sleep(1)
        thinking.model._scripts = [[draft(language)]]
        assert MARK[language] in written(world, language)
        closing = await closing_of(world, language)
        assert MARK[language] not in closing
        assert TOLD[language][0].rstrip(".") in closing
        assert MARK[language] not in written(world, language)


@BOTH
async def test_a_summary_that_is_quoted_says_so_where_a_model_is_configured(language: str) -> None:
    async with talked(language, 13.0) as (world, _):
        await world.session.close_topics()
        shape = document(world.session.manager.meeting)
        (topic,) = shape["topics"]
        assert topic["quoted"] is True
        assert all(each["quoted"] for each in (*topic["decisions"], *topic["pending"]))
        assert "verified" not in topic, "no model wrote it"
        assert UNVERIFIED[language] not in written(world, language)
        await asyncio.sleep(5)
        (topic,) = document(world.session.manager.meeting)["topics"]
        assert "quoted" not in topic
        assert topic["verified"] is False
        assert UNVERIFIED[language] in written(world, language)
