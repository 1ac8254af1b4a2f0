"""What models are sent, from the endpoint that got it to the command line that tells it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from structlog.testing import capture_logs

from context.budgets.sent import SentPrompts, producers_of
from context.budgets.tokens import ExactTokenizer, encoding_for
from context.events import events
from context.models import PromptRecord
from context.question import Question
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.openai_chat import ChatServer
from tests.fakes.store import FakeStore
from tests.integration.conftest import Moim
from tests.integration.record_copies import on_record
from tests.languages import BOTH
from worker.adapters.postgres_pool import PostgresPool
from worker.agent.reply.speaking import notice
from worker.bootstrap.thinking import thinking
from worker.configuration.settings import Settings
from worker.monitoring.metrics import process_metrics

TALK = {
    "ko": (
        ["오늘 안건은 출시일입니다.", "출시일은 12월 22일로 결정하겠습니다.", "결제 시험은 금요일까지 끝냅니다."],
        "출시일이 언제예요?",
        "출시일은 12월 22일입니다. [#2]",
    ),
    "en": (
        ["Today we talk about the launch.", "We will launch on December 22.", "The payment test ends on Friday."],
        "When do we launch?",
        "The launch is on December 22. [#2]",
    ),
}  # fmt: skip


def settings_for(server: ChatServer, **more: str) -> Settings:
    return Settings.from_env(
        {
            **server.settings,
            "MOIM_FEATURE_LLM_BASED_QUALITY_CHECK": "0",
            "MOIM_FEATURE_RESPONSE_CACHE_ENABLED": "0",
            **more,
        }
    )


async def ask(world: World, server: ChatServer, number: int, language: str) -> list[dict[str, Any]]:
    """Ask, and have it answered and verified; what the server was sent."""
    _, question, answer = TALK[language]
    server.will(answer)
    asked, checked = len(server.requests), len(server.verified)
    text = f"{question} ({number})"
    invocation = Question(id=f"q{number}", by="minji", via="chat", text=text, at_ms=5000)
    world.session.post(events.QuestionAsked(question=invocation))
    await world.settle()
    return [*server.requests[asked:], *server.verified[checked:]]


def counted(server: ChatServer, request: dict[str, Any]) -> int:
    tokens = ExactTokenizer(encoding_for(server.model))
    return sum(tokens.count(message["content"]) for message in request["messages"])


def counted_meetings() -> float:
    return process_metrics().registry.get_sample_value("moim_budgets_spent_total") or 0


def told(prompts: SentPrompts) -> dict[str, PromptRecord]:
    return dict(prompts.last)


@BOTH
async def test_the_record_tells_the_prompt_that_the_endpoint_got(language: str) -> None:
    store = FakeStore()
    async with ChatServer() as server:
        settings = settings_for(server)
        async with thinking(settings, process_metrics()) as thinker:
            async with meeting_at_work(store, thinker=thinker) as world:
                await world.say(*TALK[language][0])
                first = await ask(world, server, 1, language)
                again = await ask(world, server, 2, language)
                prompts = world.session.manager.meeting.prompts
                answer, check = prompts.last["answer"], prompts.last["verification"]
                assert answer.tokens == counted(server, again[0])
                assert {"transcript", "thread"} <= set(answer.producers)
                assert check.tokens == counted(server, again[1])
                assert set(producers_of(check)) == {"rules", "transcript", "claims"}
                spent = {name: (each.calls, each.tokens) for name, each in prompts.by_purpose.items()}
                assert spent["answer"] == (2, counted(server, first[0]) + counted(server, again[0]))
                assert prompts.of_last_hour() == sum(counted(server, each) for each in (*first, *again))
                report = prompts.tracker(settings.budgets).report()
                assert report["used"] == sum(answer.producers.values())
                assert report["total_budget"] == answer.budget
                await world.session.recorder.drain(1)
                await world.kill()
            async with meeting_at_work(store, thinker=thinker) as world:
                after = world.session.manager.meeting.prompts
                assert after.tracker(settings.budgets).report() == report, "the same after a takeover"
                assert told(after) == told(prompts)


@BOTH
async def test_when_an_hours_tokens_are_spent_the_meeting_goes_on_without_a_model_and_says_so(
    language: str,
) -> None:
    async with ChatServer() as server:
        settings = settings_for(server, MOIM_TOKENS_PER_HOUR="3000")
        async with (
            thinking(settings, process_metrics()) as thinker,
            meeting_at_work(thinker=thinker) as world,
        ):
            await world.say(*TALK[language][0])
            spent = counted_meetings()
            with capture_logs() as logs:
                for number in range(1, 6):
                    await ask(world, server, number, language)
            meeting = world.session.manager.meeting
            degraded = [reply.degraded for reply in meeting.replies]
            assert degraded[0] is False
            assert degraded[-1] is True
            assert degraded == sorted(degraded), "until an hour has passed"
            assert notice("spent", language) in meeting.replies[-1].text
            assert TALK[language][0][1].rstrip(".") in meeting.replies[-1].text, "and it is answered"
            asked = len(server.requests)
            world.session.post(events.ClosingRequested(at_ms=9_000))
            await world.settle()
            assert len(server.requests) == asked, "nor is anything else asked of it"
            assert [line["event"] for line in logs].count("tokens_of_hour_spent") == 1
            assert counted_meetings() == spent + 1
            assert meeting.prompts.of_last_hour() < 3_000 + 2 * max(
                spent.tokens // spent.calls for spent in meeting.prompts.by_purpose.values()
            ), "only what was under way comes on top"


@pytest.mark.postgres
async def test_the_command_line_tells_what_was_sent(moim: Moim, pool: PostgresPool) -> None:
    store = FakeStore()
    async with ChatServer() as server:
        async with (
            thinking(settings_for(server), process_metrics()) as thinker,
            meeting_at_work(store, thinker=thinker) as world,
        ):
            await world.say(*TALK["ko"][0])
            (sent, *_) = await ask(world, server, 1, "ko")
            prompts = world.session.manager.meeting.prompts
        tokens = counted(server, sent)
    await on_record(pool, store, "m-spent")
    _, text, _ = await moim("thread", "m-spent", "--budget")
    assert f"Last Prompt: {tokens:,} tokens (answer, level 0)" in text
    assert "verification" in text
    report = json.loads((await moim("thread", "m-spent", "--budget", "--json"))[1])
    assert report["last"]["producers"] == producers_of(prompts.last["answer"])
    assert report["per_purpose"]["answer"] == {"calls": 1, "tokens": tokens}
    assert report["used"] == sum(report["per_agent"].values())
    assert report["hour"] == {
        "used": sum(each["tokens"] for each in report["per_purpose"].values()),
        "limit": 0,
    }
