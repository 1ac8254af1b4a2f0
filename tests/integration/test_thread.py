"""The agent's thread through a real HTTP endpoint, and from a real record on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from context.config import ConfigError
from context.events import events
from context.question import Question
from tests.conftest import Database
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.openai_chat import ChatServer, Status
from tests.fakes.record import START
from tests.fakes.store import FakeStore
from tests.integration.conftest import Moim
from tests.integration.record_copies import on_record
from worker.adapters.postgres_pool import PostgresPool
from worker.bootstrap.parts import parts
from worker.bootstrap.thinking import thinking
from worker.configuration.settings import Settings
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.monitoring.metrics import process_metrics
from worker.outlets import SilentOutlet
from worker.ports import Holder

KO = (
    ["오늘 안건은 출시일입니다.", "출시일은 12월 22일로 결정하겠습니다."],
    "출시일이 언제예요?",
    "12월 22일입니다. [#2]",
    ("출시일은 12월 22일이다.", "출시일을 물었고 답은 12월 22일이다."),
)
EN = (
    ["Today we talk about servers.", "We will add a second server."],
    "What about the server?",
    "A second one comes. [#2]",
    ("A second one comes.", "The server was asked for, and a second one comes."),
)


def settings_for(server: ChatServer, **more: str) -> Settings:
    quiet = {  # the server's answers are counted here
        "MOIM_FEATURE_LLM_BASED_QUALITY_CHECK": "0",
        "MOIM_FEATURE_RESPONSE_CACHE_ENABLED": "0",
    }
    return Settings.from_env({**server.settings, **quiet, **more})


async def ask(world: World, server: ChatServer, number: int, question: str, *answers: str | Status) -> str:
    """Ask; the server gives `answers` in turn. The prompt of the answer, as the server got it."""
    for answer in answers:
        server.will(answer)
    before = len(server.requests)
    text = f"{question} ({number})"
    world.session.post(
        events.QuestionAsked(
            question=Question(id=f"q{number}", by="minji", via="chat", text=text, at_ms=5000)
        )
    )
    await world.settle()
    return str(server.requests[before]["messages"][-1]["content"])


def summary(text: str) -> str:
    return json.dumps({"summary": text}, ensure_ascii=False)


@pytest.mark.parametrize(("lines", "question", "answer", "summaries"), [KO, EN], ids=["ko", "en"])
async def test_turns_summaries_a_failure_and_a_takeover(
    lines: list[str], question: str, answer: str, summaries: tuple[str, str]
) -> None:
    first, later = summaries
    store = FakeStore()
    async with ChatServer() as server, thinking(settings_for(server), process_metrics()) as thinker:
        async with meeting_at_work(store, thinker=thinker) as world:
            await world.say(*lines)
            assert "<thread>" not in await ask(world, server, 1, question, answer)
            second = await ask(world, server, 2, question, answer)
            assert f"[RECENT MESSAGES]\nUSER (Minji): {question} (1)\nASSISTANT: " in second
            await ask(world, server, 3, question, answer, summary(first))
            asked = server.requests[-1]
            assert asked["max_tokens"] == 1024
            assert f"USER (Minji): {question} (1)" in asked["messages"][-1]["content"]
            fourth = await ask(world, server, 4, question, answer)
            assert first in fourth
            assert "[CONVERSATION CONTEXT]" in fourth
            await ask(world, server, 5, question, answer)
            down = Status(503)  # a 500 would be asked for a plainer form
            await ask(world, server, 6, question, answer, down, down)
            thread = world.session.manager.meeting.thread
            assert [row.status for row in thread.summaries.rows] == ["COMPLETED", "FAILED"]
            state = thread.state
            await world.session.recorder.drain(1)
            await world.kill()
        async with meeting_at_work(store, thinker=thinker) as world:
            thread = world.session.manager.meeting.thread
            assert thread.state == state
            seventh = await ask(world, server, 7, question, answer, summary(later))
            assert f"{question} (4)" in seventh, "what no summary covers goes in raw"
            assert first in server.requests[-1]["messages"][-1]["content"], "the next one goes on from it"
            assert [entry["turns"] for entry in thread.summary_history] == [[1, 2, 3], [4, 5, 6]]
            eighth = await ask(world, server, 8, question, answer)
            assert eighth.index("[CONVERSATION CONTEXT]") < eighth.index(first) < eighth.index(later)
            places = [eighth.index(each) for each in ("[RECENT M", "[CURRENT M", f"{question} (8)")]
            assert places == sorted(places)
            assert f"{question} (3)" not in eighth
            assert not any(reply.degraded for reply in world.session.manager.meeting.replies)


async def four_turns(pool: PostgresPool, meeting_id: str) -> None:
    """A meeting of four turns with its events, as a holder wrote them."""
    store = FakeStore()
    async with meeting_at_work(store) as world:
        await world.say(*KO[0])
        for number in range(1, 5):
            private = number == 4
            text = "비밀 질문은요?" if private else "출시일이 언제로 결정됐어요?"
            asked = {"id": f"q{number}", "by": "minji", "via": "chat", "text": text, "private": private}
            world.session.post(events.QuestionAsked(question=Question(at_ms=9, **asked)))
            await world.settle()
    await on_record(pool, store, meeting_id)


@pytest.mark.postgres
async def test_the_side_panel_of_a_recorded_meeting(moim: Moim, pool: PostgresPool) -> None:
    await four_turns(pool, "m-thread")
    code, out, err = await moim("thread", "m-thread")
    assert (code, err) == (0, "")
    told = ("rate now: 0.3", "[turns 1-3] rate 0.3", "characters, by extractive", "% saved", "12월 22일")
    assert [words for words in told if words not in out] == []
    code, out, _ = await moim("thread", "m-thread", "--json")
    shape = json.loads(out)
    assert [entry["turns"] for entry in shape["summary_history"]] == [[1, 2, 3]]
    assert shape["statistics"]["turns_covered"] == 3
    assert shape["statistics"]["saved_percent"] > 0
    assert (shape["turn_count"], shape["private_turns"]) == (3, 1)
    assert "비밀" not in out, "a private question is counted, not shown"
    assert [row["status"] for row in shape["rows"]] == ["COMPLETED"]
    code, out, _ = await moim("thread", "m-thread", "--budget")
    assert code == 0
    told = ("Budget Dashboard", "Total Budget: 150,000", "Status: Normal", "(no model was asked)")
    assert [words for words in told if words not in out] == []
    report = json.loads((await moim("thread", "m-thread", "--budget", "--json"))[1])
    assert {"total_budget", "used", "remaining", "usage_percent", "per_agent"} <= set(report)
    assert (report["used"], report["last"], report["per_purpose"]) == (0, None, {})


@pytest.mark.postgres
async def test_mistakes_are_one_line(moim: Moim, pool: PostgresPool) -> None:
    await four_turns(pool, "m-over")
    for arguments, words in (
        (("thread", "m-none"), "there is no meeting 'm-none'"),
        (("thread", "m-over", "--rate", "0.9"), "--rate: compression rate 0.9: give 0.1 to 0.5"),
        (("thread", "m-over", "--rate", "0.2"), "a rate can be set while it is live"),
        (("thread", "m-over", "--rate", "much"), "invalid float value: 'much'"),
    ):
        code, out, err = await moim(*arguments)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


@pytest.mark.postgres
async def test_the_rate_is_set_from_the_command_line_while_the_meeting_is_live(
    moim: Moim, database: Database, redis_url: str, tmp_path: Path
) -> None:
    here = {"DATABASE_URL": database.url, "REDIS_URL": redis_url, "MOIM_STATE_DIR": str(tmp_path)}
    settings = Settings.from_env({**here, "STT_ENGINE": "none", "APP_CONTEXT_RECENT_MESSAGES": "4"})
    async with parts(settings) as shared:
        row = await shared.tables.registry.want(None, meeting_id="m-live")
        holder = Holder(host="here", worker_pid=1, job_pid=2)
        epoch = await shared.tables.leases.acquire(row.id, holder, 60)
        assert epoch is not None
        job = MeetingJob(shared, row, epoch, run_dir=tmp_path / "jobs", pid=1)

        async def enter(presence: Presence) -> None:
            presence.session.human_seen("minji", "김민지")
            await presence.session.settle()
            await shared.tables.registry.mark_live(row.id, epoch, START)
            code, out, err = await moim("thread", "m-live", "--rate", "0.2")
            assert (code, err) == (0, "")
            assert "Compression rate now: 0.2" in out
            policy = presence.session.manager.meeting.thread.policy
            assert (policy.compression_rate, policy.recent_messages, policy.share_tokens) == (0.2, 4, 750)
            await presence.session.leave("done")

        await job.run(SilentOutlet(), enter)


async def test_a_window_of_ones_own_bounds_prompt_and_answer() -> None:
    async with ChatServer() as server:
        settings = settings_for(server, LLM_WINDOW="4096")
        async with (
            thinking(settings, process_metrics()) as thinker,
            meeting_at_work(thinker=thinker) as world,
        ):
            await world.say(*[f"{line} {number}" for number in range(60) for line in KO[0]])
            for number in range(1, 5):
                await ask(world, server, number, KO[1], KO[2])
            count = thinker.tokenizer.count
            for request in server.requests:
                prompt = sum(count(message["content"]) for message in request["messages"])
                assert prompt + request["max_tokens"] <= 4096


@pytest.mark.parametrize("window", ["1", "4095", "-1", "many"])
def test_a_window_that_is_none(window: str) -> None:
    with pytest.raises(ConfigError, match="LLM_WINDOW="):
        Settings.from_env({"LLM_WINDOW": window})
