"""A job is in its room within a bound, or says why it is not: then the meeting is let go and asked for again."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from livekit import agents

from context.ports import Unavailable
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from worker.adapters.livekit_room import LiveKitRoom
from worker.holder.takeover import CONNECT_DEADLINE_S, join

pytestmark = in_virtual_time


async def _done(**_: object) -> None: ...


async def _for_ever(**_: object) -> None:
    await asyncio.Event().wait()


async def _refused(**_: object) -> None:
    raise RuntimeError("engine: signal failure: 401")


async def _broke_without_a_word(**_: object) -> None:
    raise ConnectionResetError


async def _too_late_for_itself(**_: object) -> None:
    raise TimeoutError


def _joining(connect: Callable[..., Awaitable[None]], arrive: Callable[..., Awaitable[None]]) -> Any:
    context = SimpleNamespace(connect=connect, job=SimpleNamespace(room=SimpleNamespace(name="회의실")))
    return join(cast("agents.JobContext", context), cast("LiveKitRoom", SimpleNamespace(arrive=arrive)))


@pytest.mark.parametrize(("connect", "arrive"), [(_for_ever, _done), (_done, _for_ever)])
def test_a_room_that_never_opens_is_given_up(
    connect: Callable[..., Awaitable[None]], arrive: Callable[..., Awaitable[None]]
) -> None:
    async def scenario() -> float:
        began_s = asyncio.get_running_loop().time()
        with pytest.raises(Unavailable, match="'회의실' could not be joined: no answer within 15 s"):
            await _joining(connect, arrive)
        return asyncio.get_running_loop().time() - began_s

    assert run_virtual(scenario()) == CONNECT_DEADLINE_S


@pytest.mark.parametrize(
    ("connect", "why"),
    [
        (_refused, "RuntimeError: engine: signal failure: 401"),
        (_broke_without_a_word, "ConnectionResetError"),
        (_too_late_for_itself, "TimeoutError"),
    ],
)
async def test_a_room_that_refuses_says_why(connect: Callable[..., Awaitable[None]], why: str) -> None:
    with pytest.raises(Unavailable, match=rf"could not be joined: {why}$"):
        await _joining(connect, _done)
