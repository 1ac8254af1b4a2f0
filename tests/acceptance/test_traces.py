"""What a real job tells a collector: forked, in a room, killed and taken over; of nobody a word or a name."""

from __future__ import annotations

import json
import os
import signal
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest

from tests.acceptance.lines import EN, line
from tests.acceptance.stack import PATIENCE_S, Stack, moim_in, said_by
from tests.bench.instant_stt import LINES, InstantStt
from tests.fakes.collector import Collector
from tests.fakes.players import Player, Stage
from tests.fakes.waiting import until

pytestmark = [pytest.mark.room]

TENANT: Final = {"MOIM_TENANT": "traced", "MOIM_AGENT_NAME": "moim-traced"}
QUESTION: Final = "서버 비용은 어떻게 됐어?"


@asynccontextmanager
async def instant_speech() -> AsyncIterator[dict[str, str]]:
    """The settings of an engine that takes no time."""
    engine = InstantStt()
    await engine.start()
    try:
        yield {"STT_ENGINE": "openai", "STT_BASE_URL": engine.url, "STT_MODEL": "instant"}
    finally:
        await engine.stop()


async def say(stage: Stage, player: Player) -> None:
    """Something is said and read."""
    before = len(player.finals)
    player.say(line(EN, 0).pcm, stage.now_s + 0.5)
    await player.wait_for(lambda p: len(p.finals) > before, PATIENCE_S, "a final")


async def test_a_job_tells_turns_an_answer_and_a_takeover_and_no_word(stack: Stack) -> None:
    room = f"두루미-{uuid.uuid4().hex[:6]}"
    async with Collector().running() as collector, instant_speech() as speech:
        traces = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=s3cret",
            "OTEL_BSP_SCHEDULE_DELAY": "200",
        }
        async with (
            stack.running("worker", **speech, **traces, **TENANT) as worker,
            stack.running("dispatcher", **traces, **TENANT),
            stack.stage(room) as stage,
        ):
            dispatched = await stack.moim("dispatch", room, "--title", "분기 결산", **TENANT)
            meeting_id = json.loads(dispatched.out)["meeting_id"]
            alice = stage.player("alice@example.com", "Alice Moreau")
            await alice.join()
            await moim_in(alice)
            stage.begin()
            for _ in range(3):
                await say(stage, alice)
            answer = await alice.ask(QUESTION)
            await until(lambda: collector.of("answer") and len(collector.of("turn")) >= 3)

            holder = (await stack.row(meeting_id, **TENANT)).holder
            assert holder is not None
            os.kill(holder.job_pid, signal.SIGKILL)
            await moim_in(alice, epoch=2)
            await say(stage, alice)
            await stack.moim("end", meeting_id, **TENANT)
            await stack.row_when(meeting_id, lambda row: row.status == "ended", "the end", **TENANT)
            await until(lambda: collector.of("takeover"))
        logged = [entry["event"] for entry in said_by(worker)]
    turns = {turn.attributes["moim.utterance"]: turn for turn in collector.of("turn")}
    assert {turn.attributes["moim.epoch"] for turn in turns.values()} == {1, 2}
    for turn in turns.values():
        hops = [part.name for part in collector.parts(turn)]
        assert hops[-4:] == ["engine", "fold", "commit", "publish"]
        assert turn.ended_ns - turn.began_ns < 20e9
    assert any(collector.parts(turn)[0].name == "silence" for turn in turns.values())
    (told,) = collector.of("answer")
    assert [link[2]["moim.utterance"] for link in told.links] == list(answer.evidence)
    assert {link[0] for link in told.links} <= {turn.trace_id for turn in turns.values()}
    (takeover,) = collector.of("takeover")
    assert [part.name for part in collector.parts(takeover)] == ["restore", "enter"]
    assert takeover.attributes["moim.epoch"] == 2

    assert all(not span.parent_id for span in (*turns.values(), told, takeover)), (
        "not in livekit-agents' span"
    )
    assert collector.scopes == {"moim"}
    assert "traced" in logged
    assert not {"traces_not_taken", "traces_left_behind"} & set(logged)
    words = {word for text in (*LINES, QUESTION, answer.text) for word in text.split() if len(word) > 2}
    for body in collector.bodies:
        for word in {*words, "alice", "Alice", "Moreau", "두루미", "결산", "s3cret", room}:
            assert word.encode() not in body, word
