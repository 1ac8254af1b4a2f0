"""Whether a session stands is asked once, however many streams want to know, and whatever comes of it."""

from __future__ import annotations

import asyncio

import pytest

from context.ports import Unavailable
from tests.fakes.virtual_time import in_virtual_time
from worker.web import standing
from worker.web.standing import LinkStanding
from worker.web.viewers import Viewer

pytestmark = in_virtual_time
GUEST = Viewer("m-1", link_id="l1", session_id="s1")


class Slow:
    """A database that takes its time."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.takes_s = 0.5
        self.away = False
        self.stood = True

    async def stands(self, session_id: str) -> bool:
        self.asked.append(session_id)
        await asyncio.sleep(self.takes_s)
        if self.away:
            raise Unavailable("Postgres did not answer in time")
        return self.stood


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(standing, "monotonic_s", lambda: asyncio.get_running_loop().time())
    return Slow()


async def test_a_thousand_streams_ask_once_in_two_seconds(slow: Slow) -> None:
    known = LinkStanding(slow)
    for asked in (1, 2):
        assert set(await asyncio.gather(*(known.of(GUEST) for _ in range(1_000)))) == {True}
        assert await known.of(GUEST)
        assert len(slow.asked) == asked
        await asyncio.sleep(2)
    slow.stood = False
    assert not await known.of(GUEST)


async def test_a_database_that_is_away_is_not_asked_by_each_of_them(slow: Slow) -> None:
    known = LinkStanding(slow)
    slow.away, slow.takes_s = True, 5
    found = await asyncio.gather(*(known.of(GUEST) for _ in range(1_000)), return_exceptions=True)
    assert {type(each) for each in found} == {Unavailable}
    assert len(slow.asked) == 1
    slow.away = False
    await asyncio.sleep(2)
    assert await known.of(GUEST)


async def test_who_leaves_while_asking_leaves_the_others_an_answer(slow: Slow) -> None:
    known = LinkStanding(slow)
    first = asyncio.ensure_future(known.of(GUEST))
    await asyncio.sleep(0.1)
    second = asyncio.ensure_future(known.of(GUEST))
    await asyncio.sleep(0.1)
    first.cancel()
    assert await second
    assert await known.of(Viewer(program=True)), "who has no session is not asked about"
    assert slow.asked == ["s1", "s1"]
