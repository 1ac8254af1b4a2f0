"""What is for one person's listener is read by nobody else in a real room: a hundred questions by four doors."""

from __future__ import annotations

import asyncio
import json
from typing import Final

import pytest

from tests.acceptance.stack import PATIENCE_S, Stack
from tests.fakes.players import Player
from tests.training.meetings import DATA
from worker.bootstrap import streams
from worker.messages import AskMessage, SegmentMessage

pytestmark = [pytest.mark.room]

WAYS: Final = [
    row["text"]
    for row in map(json.loads, (DATA / "questions" / "ways_to_ask.jsonl").read_text("utf-8").splitlines())
    if row["id"].startswith("missed-")
]
SAID: Final = (
    "출시일은 십이월 이십이일로 결정하겠습니다.",
    "We will add a second server this week.",
    "예산은 이억 원으로 확정했습니다.",
)


async def test_a_hundred_questions_for_ones_own_ears_are_read_by_nobody_else(stack: Stack) -> None:
    async with stack.play("private-listener") as play, streams.bus(stack.settings) as bus:
        alice = play.stage.player("alice")
        await alice.join(microphone=False)
        moim = await play.moim_hears(alice)
        play.stage.begin()
        for number, text in enumerate(SAID):
            said = SegmentMessage(
                id=f"s{number}",
                speaker="alice",
                text=text,
                start_ms=number * 4000,
                end_ms=number * 4000 + 3000,
            )
            await bus.send_segment(play.meeting_id, said)
        askers = [play.stage.player(f"late-{number}") for number in range(5)]
        for asker in askers:
            await asker.join(microphone=False)
        await alice.wait_for(lambda player: len(player.finals) >= len(SAID), PATIENCE_S, "what was said")

        async def by_chat(asker: Player, texts: list[str], to_agent: str | None) -> None:
            for text in texts:  # a newer question takes the place of one that is under way
                id_ = await asker.chat(text, to_agent=to_agent)
                await asker.wait_for(
                    lambda player, id_=id_: player.answer_to(id_), PATIENCE_S, f"an answer to {text}"
                )

        async def by_stream(via: str, text: str, number: int) -> None:
            id_ = f"{via}-{number}"
            message = AskMessage(id=id_, by=askers[number % 5].identity, text=text, via=via)
            await bus.ask(play.meeting_id, message)

        called = [text if text.startswith(("@", "Moim")) else f"@Moim {text}" for text in WAYS]
        await asyncio.gather(
            *(by_chat(askers[number], called[6 * number : 6 * number + 6], None) for number in range(4)),
            by_chat(askers[4], WAYS, moim),
        )
        for number, text in enumerate(WAYS):
            await asyncio.gather(by_stream("redis", text, number), by_stream("cli", text, number))
        for number in range(4):
            await by_stream("redis", f"/me {SAID[0][:3]}이 언제죠? {number}", 100 + number)

        async def recorded() -> int:
            document = await stack.document(play.meeting_id)
            assert document["replies"] == [], "public answers"
            return sum(len(each.chats) for each in (alice, *askers))

        await _answered(askers, 48 + 48 + 4)
        await recorded()
        _only_their_own(alice, askers)


async def _answered(askers: list[Player], count: int) -> None:
    def answers() -> int:
        return sum(1 for each in askers for message in each.chats if message.done and message.invocation)

    async with asyncio.timeout(120):
        while answers() < count:
            await asyncio.sleep(0.2)


def _only_their_own(alice: Player, askers: list[Player]) -> None:
    assert not [message for message in alice.chats if message.invocation], "she asked nothing"
    seen: dict[str, set[str]] = {}
    for each in askers:
        for message in each.chats:
            if message.invocation:
                seen.setdefault(message.invocation, set()).add(each.identity)
    assert len(seen) == 100
    assert all(len(readers) == 1 for readers in seen.values()), seen
