"""The thread that renews leases: on time while the loop is blocked, over with its owner, nobody's prison."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from context.ports import Unavailable
from tests.fakes.leases import FakeLeases
from tests.fakes.waiting import until
from worker.ports import LeaseStore
from worker.record.renewal_thread import RenewalThread, renewal_thread

PATIENCE_S = 60.0
"""Nothing takes so long: what is waited for in vain fails then."""


@asynccontextmanager
async def leases() -> AsyncIterator[LeaseStore]:
    yield FakeLeases()


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "renewals"]


async def test_it_goes_on_while_the_loop_is_blocked_and_ends_with_its_owner() -> None:
    renewed, over = threading.Semaphore(0), threading.Event()

    async def renewing(_leases: LeaseStore) -> None:
        try:
            while True:
                renewed.release()
                await asyncio.sleep(0.01)
        finally:
            over.set()

    async with renewal_thread(leases) as thread:
        assert not threads(), "nothing is kept yet"
        task = asyncio.ensure_future(thread.run(renewing))
        await asyncio.sleep(0)
        assert all(renewed.acquire(timeout=PATIENCE_S) for _ in range(6)), "the loop stands in this line"
        assert not over.is_set()
        task.cancel()
        await asyncio.wait({task})
        assert over.wait(PATIENCE_S), "what was cancelled is over"
        assert threads()
    assert not threads()


async def test_what_fails_there_is_raised_here() -> None:
    async def renewing(_leases: LeaseStore) -> None:
        raise Unavailable("away")

    async with renewal_thread(leases) as thread:
        with pytest.raises(Unavailable, match="away"):
            await thread.run(renewing)


async def test_leases_that_cannot_be_opened_are_no_silence() -> None:
    @asynccontextmanager
    async def broken() -> AsyncIterator[LeaseStore]:
        raise Unavailable("no address")
        yield FakeLeases()

    async def renewing(_leases: LeaseStore) -> None:
        """Never called."""

    async with renewal_thread(broken) as thread:
        with pytest.raises(Unavailable, match="no address"):
            await thread.run(renewing)


async def test_its_end_does_not_wait_for_what_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("worker.record.renewal_thread.ENDS_WITHIN_S", 0.05)
    hangs, let_go, over = threading.Event(), threading.Event(), threading.Event()

    async def hanging(_leases: LeaseStore) -> None:
        hangs.set()
        let_go.wait(PATIENCE_S)
        over.set()

    thread = RenewalThread(leases)
    task = asyncio.ensure_future(thread.run(hanging))
    await until(hangs.is_set)
    task.cancel()
    await asyncio.wait({task})
    await thread.aclose()
    assert not over.is_set(), "it hangs still"
    let_go.set()


_PROCESS = """
import asyncio, time
from contextlib import asynccontextmanager
from tests.fakes.leases import FakeLeases
from worker.record.renewal_thread import RenewalThread

@asynccontextmanager
async def leases():
    yield FakeLeases()

async def hanging(_leases):
    time.sleep(600)

async def main():
    asyncio.ensure_future(RenewalThread(leases).run(hanging))
    await asyncio.sleep(0.2)
    print("began", flush=True)

asyncio.run(main())
"""


def test_it_keeps_no_process_from_ending() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROCESS], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.returncode) == ("began\n", 0), done.stderr
