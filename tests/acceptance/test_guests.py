"""A guest by a link is one person in the room, told apart by name, and leaves with the link."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Any

import aiohttp
import pytest
from livekit import rtc

from tests.acceptance.stack import Play, Stack
from worker.bootstrap.database import database

pytestmark = [pytest.mark.room]

LEAVES_WITHIN_S = 10.0
"""Two seconds until it is looked, and what a busy machine takes."""


@asynccontextmanager
async def browser(stack: Stack) -> AsyncIterator[aiohttp.ClientSession]:
    address = stack.env["MOIM_PAGES_URL"]
    jar = aiohttp.CookieJar(unsafe=True)  # the address is a number
    async with aiohttp.ClientSession(address, headers={"Origin": address}, cookie_jar=jar) as client:
        yield client


async def joined(client: aiohttp.ClientSession, meeting_id: str, secret: str) -> dict[str, Any]:
    """The way into the room of somebody who opens the link."""
    async with client.post("/v1/session", json={"link": secret}) as answer:
        assert answer.status == 200, await answer.text()
    async with client.post(f"/v1/meetings/{meeting_id}/join", json={"name": "Alice"}) as answer:
        assert answer.status == 200, await answer.text()
        way: dict[str, Any] = await answer.json()
        return way


async def left(room: rtc.Room) -> None:
    async with asyncio.timeout(LEAVES_WITHIN_S):
        while room.isconnected():
            await asyncio.sleep(0.05)


async def seen(stack: Stack, play: Play, identity: str) -> dict[str, Any]:
    async with asyncio.timeout(20):
        while True:
            people = (await stack.document(play.meeting_id))["participants"]
            if found := [each for each in people if each["id"] == identity]:
                person: dict[str, Any] = found[0]
                return person
            await asyncio.sleep(0.2)


async def test_a_guest_is_somebody_of_their_own_and_leaves_with_the_link(stack: Stack) -> None:
    async with stack.play("guests") as play, browser(stack) as one, browser(stack) as two:
        alice = play.stage.player("alice", "Alice")
        await alice.join()
        await play.moim_hears(alice)
        async with database(stack.settings) as tables:
            link, secret = await tables.links.make(play.meeting_id, may_edit=True, lasting=timedelta(hours=1))
            first, second = (
                await joined(one, play.meeting_id, secret),
                await joined(two, play.meeting_id, secret),
            )
            again = await joined(one, play.meeting_id, secret)
            assert again["identity"] == first["identity"] != second["identity"]
            guest = rtc.Room()
            await guest.connect(first["url"], first["token"])
            assert (await seen(stack, play, first["identity"]))["name"] == "Alice (2)"
            assert await tables.links.withdraw(play.meeting_id, link.id)
        await left(guest)
        back = rtc.Room()
        await back.connect(first["url"], again["token"])
        await left(back)
        assert alice.room.isconnected()
        async with one.get(f"/v1/meetings/{play.meeting_id}") as answer:
            assert answer.status == 401
