"""Whether a session stands is asked once, however many streams want to know, and whatever comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection

import pytest

from context.ports import Unavailable
from tests.fakes.virtual_time import in_virtual_time
from worker.web import session_validity
from worker.web.session_validity import SessionValidity
from worker.web.viewers import Viewer

pytestmark = in_virtual_time
GUEST = Viewer("m-1", link_id="l1", session_id="s1")


class Slow:
    """A database that takes its time."""

    def __init__(self) -> None:
        self.asked: list[set[str]] = []
        self.takes_s = 0.5
        self.away = False
        self.stood = True
        self.ended: set[str] = set()

    async def standing(self, session_ids: Collection[str]) -> frozenset[str]:
        self.asked.append(set(session_ids))
        await asyncio.sleep(self.takes_s)
        if self.away:
            raise Unavailable("Postgres did not answer in time")
        return frozenset(session_ids) - self.ended if self.stood else frozenset()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    monkeypatch.setattr(session_validity, "monotonic_s", lambda: asyncio.get_running_loop().time())
    return Slow()


async def test_a_thousand_streams_ask_once_in_two_seconds(slow: Slow) -> None:
    known = SessionValidity(slow)
    for asked in (1, 2):
        assert set(await asyncio.gather(*(known.of(GUEST) for _ in range(1_000)))) == {True}
        assert await known.of(GUEST)
        assert len(slow.asked) == asked
        await asyncio.sleep(2)
    slow.stood = False
    assert not await known.of(GUEST)


async def test_a_database_that_is_away_is_not_asked_by_each_of_them(slow: Slow) -> None:
    known = SessionValidity(slow)
    slow.away, slow.takes_s = True, 5
    found = await asyncio.gather(*(known.of(GUEST) for _ in range(1_000)), return_exceptions=True)
    assert {type(each) for each in found} == {Unavailable}
    assert len(slow.asked) == 1
    slow.away = False
    await asyncio.sleep(2)
    assert await known.of(GUEST)


async def test_a_link_is_looked_up_once_for_all_its_guests(slow: Slow) -> None:
    known = SessionValidity(slow)
    guests = [Viewer("m-1", link_id="l1", session_id=f"s{number}") for number in range(200)]
    others = Viewer("m-2", link_id="l2", session_id="s-of-another-link")
    for asked in (2, 3, 4):  # at first the one who came first, and then all others
        assert all(await asyncio.gather(*(known.of(each) for each in guests * 5)))
        assert len(slow.asked) == asked
        await asyncio.sleep(2)
    assert await known.of(others)
    assert slow.asked[-1] == {"s-of-another-link"}, "one link's answer is none on another's"
    slow.ended = {"s7"}
    assert [each.session_id for each in guests if not await known.of(each)] == ["s7"], "its guests end apart"
    slow.stood = False
    await asyncio.sleep(2)
    assert not any(await asyncio.gather(*(known.of(each) for each in guests)))


async def test_guests_who_come_one_by_one_cost_no_more_than_themselves(slow: Slow) -> None:
    """Who has just come is asked about at once, and from then on together with all others by the link."""
    known, slow.takes_s = SessionValidity(slow), 0.0
    guests = [Viewer("m-1", link_id="l1", session_id=f"s{number}") for number in range(10)]
    for guest in guests:
        assert await known.of(guest)
        await asyncio.sleep(0.1)
    assert [len(each) for each in slow.asked] == [1] * 10
    for _ in range(60):
        for guest in guests:
            assert await known.of(guest)
        await asyncio.sleep(0.5)
    assert len(slow.asked) <= 10 + 16, "one every two seconds"


async def test_who_comes_while_others_are_asked_for_is_not_let_in_unasked(slow: Slow) -> None:
    known = SessionValidity(slow)
    slow.ended = {"s2"}
    first = asyncio.ensure_future(known.of(GUEST))
    await asyncio.sleep(0.1)
    assert not await known.of(Viewer("m-1", link_id="l1", session_id="s2"))
    assert await first


async def test_who_leaves_while_asking_leaves_the_others_an_answer(slow: Slow) -> None:
    known = SessionValidity(slow)
    first = asyncio.ensure_future(known.of(GUEST))
    await asyncio.sleep(0.1)
    second = asyncio.ensure_future(known.of(GUEST))
    await asyncio.sleep(0.1)
    first.cancel()
    assert await second
    assert await known.of(Viewer(program=True)), "who has no session is not asked about"
    assert slow.asked == [{"s1"}, {"s1"}]
