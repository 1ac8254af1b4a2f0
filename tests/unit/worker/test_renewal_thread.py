"""The thread that renews leases: on time while the loop is blocked, over with its owner, nobody's prison."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from context.ports import Unavailable
from tests.fakes.leases import FakeLeases
from worker.ports import LeaseStore
from worker.record.renewal_thread import RenewalThread, renewal_thread

BLOCKED_S = 0.5


@asynccontextmanager
async def leases() -> AsyncIterator[LeaseStore]:
    yield FakeLeases()


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name == "renewals"]


async def test_it_goes_on_while_the_loop_is_blocked_and_ends_with_its_owner() -> None:
    done: list[float] = []

    async def renewing(_leases: LeaseStore) -> None:
        while True:
            done.append(time.monotonic())
            await asyncio.sleep(0.01)

    async with renewal_thread(leases) as thread:
        assert not threads(), "nothing is kept yet"
        task = asyncio.ensure_future(thread.run(renewing))
        await asyncio.sleep(0.1)
        before = len(done)
        time.sleep(BLOCKED_S)
        assert len(done) - before > 5
        task.cancel()
        await asyncio.wait({task})
        over = len(done)
        await asyncio.sleep(0.1)
        assert len(done) == over, "what was cancelled is over"
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
    let_go = threading.Event()

    async def hanging(_leases: LeaseStore) -> None:
        let_go.wait(30)

    thread = RenewalThread(leases)
    task = asyncio.ensure_future(thread.run(hanging))
    await asyncio.sleep(0.05)
    began_s = time.monotonic()
    task.cancel()
    await asyncio.wait({task})
    await thread.aclose()
    assert time.monotonic() - began_s < 10
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
