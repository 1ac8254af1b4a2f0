"""What is said in a room, where the room itself does not matter."""

from __future__ import annotations

import asyncio

import pytest
from livekit import rtc

from worker.adapters.livekit_outlet import LiveKitOutlet


async def test_an_answer_that_is_cancelled_just_as_the_room_is_joined_is_not_begun() -> None:
    outlet = LiveKitOutlet(rtc.Room())
    opening = asyncio.ensure_future(outlet.open_reply("q-1", "IMMEDIATE_RESPONSE", evidence=[], to=None))
    for _ in range(3):  # it waits for the room
        await asyncio.sleep(0)
    outlet.arrived.set()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
