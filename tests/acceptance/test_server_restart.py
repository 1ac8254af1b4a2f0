"""The LiveKit server dies in the middle of a meeting and is back two seconds later."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Final

import pytest

from tests.acceptance.lines import EN, KO, heard_in, line
from tests.acceptance.scenes import say, shown
from tests.acceptance.stack import PATIENCE_S, Stack
from tests.fakes.players import Player
from worker.clock import monotonic_s

pytestmark = [pytest.mark.room, pytest.mark.speech]

AWAY_S: Final = 2.0
GREETING, ORDER, CACHE = line(EN, 0), line(EN, 7), line(KO, 13)


async def test_the_meeting_goes_on(stack: Stack) -> None:
    async with stack.play("server-restart") as play:
        alice, junho = play.stage.player("alice"), play.stage.player("junho", "박준호")
        await alice.join()
        await junho.join()
        await play.moim_hears(alice)
        play.stage.begin()
        await say(play, alice, GREETING)
        await shown(alice, GREETING)
        held = await stack.row(play.meeting_id)

        back = [_reconnected(player) for player in (alice, junho)]
        died_s = monotonic_s()
        while monotonic_s() - died_s < AWAY_S:  # `moim dev` starts it again at once
            if (pid := stack.child("livekit.yaml")) is not None:
                os.kill(pid, signal.SIGKILL)
            await asyncio.sleep(0.05)
        async with asyncio.timeout(PATIENCE_S):
            for event in back:
                await event.wait()
        await play.moim_hears(alice, epoch=held.epoch)
        print(f"everybody back {monotonic_s() - died_s:.1f} s after the server's death")
        await asyncio.sleep(3)  # tracks are subscribed to again after their participants are back

        await say(play, junho, CACHE)
        await say(play, alice, ORDER)
        assert (await shown(alice, CACHE)).speaker == "junho"
        assert (await shown(alice, ORDER)).speaker == "alice"
        row = await stack.row(play.meeting_id)
        assert row.status == "live"
        document = await stack.document(play.meeting_id)
        said = [u["text"] for u in document["utterances"]]
        assert [heard_in(spoken, said) for spoken in (GREETING, CACHE, ORDER)] == [1, 1, 1]
        assert len({t.segment_id for t in alice.finals}) == len(document["utterances"])
        print(f"epoch {held.epoch} before, {row.epoch} after; gaps: {document['gaps']}")


def _reconnected(player: Player) -> asyncio.Event:
    """Set once this client has its connection back."""
    event = asyncio.Event()
    player.room.on("reconnected", event.set)
    return event
