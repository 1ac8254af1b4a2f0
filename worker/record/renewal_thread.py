"""A thread with an event loop and a connection of its own, in which leases are renewed.

The loop of a meeting comes late to what is due where the machine is at its limit. This one has next to
nothing to do, so it is on time: the scheduler lets a thread that mostly sleeps run soon, whatever its
priority, and the interpreter's lock is given up every few milliseconds by whoever computes in Python.

The thread begins with the first lease and ends with whoever opened it. It is a daemon: however it hangs (a
connection into nowhere), it keeps no process from ending.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import copy_context
from typing import Any, Final

import structlog

from worker.ports import LeaseStore

log = structlog.get_logger(__name__)

ENDS_WITHIN_S: Final = 3.0
"""So long a renewal that is cancelled, and the thread at its end, are waited for."""
OpenLeases = Callable[[], AbstractAsyncContextManager[LeaseStore]]
"""Opens the leases for a block, on the event loop on which it is called."""
Work = Callable[[LeaseStore], Coroutine[Any, Any, None]]


class RenewalThread:
    """Runs work on leases beside the loop that asks for it; to be used from one loop."""

    def __init__(self, open_leases: OpenLeases) -> None:
        self._open_leases = open_leases
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._leases: asyncio.Future[LeaseStore] | None = None
        self._over: asyncio.Event | None = None

    async def run(self, renewing: Work) -> None:
        """Run it in the thread, to its end, and raise what it raises; see `RenewalRunner.run`."""
        there, here = self._started(), asyncio.get_running_loop()
        done: asyncio.Future[None] = here.create_future()
        tasks: list[asyncio.Task[None]] = []

        def begin() -> None:
            tasks.append(there.create_task(self._work(renewing)))
            tasks[0].add_done_callback(lambda task: _call(here, lambda: _settle(done, task)))

        def end() -> None:
            tasks[0].cancel()

        there.call_soon_threadsafe(begin, context=copy_context())
        try:
            await asyncio.shield(done)
        except asyncio.CancelledError:
            _call(there, end)
            await asyncio.wait({done}, timeout=ENDS_WITHIN_S)
            done.cancel()  # whatever comes now, nobody waits for it
            raise

    async def aclose(self) -> None:
        """End the thread; one that does not end in time is left to end with the process."""
        loop, thread, over = self._loop, self._thread, self._over
        if loop is None or thread is None or over is None:
            return
        self._loop = self._thread = None
        _call(loop, over.set)
        await asyncio.to_thread(thread.join, ENDS_WITHIN_S)
        if thread.is_alive():
            log.warning("renewals_left_behind")

    def _started(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = loop = asyncio.new_event_loop()
            self._leases, self._over = loop.create_future(), asyncio.Event()
            self._thread = threading.Thread(target=self._hold, args=(loop,), name="renewals", daemon=True)
            self._thread.start()
        return self._loop

    def _hold(self, loop: asyncio.AbstractEventLoop) -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        assert self._leases is not None
        assert self._over is not None
        try:
            async with self._open_leases() as leases:
                self._leases.set_result(leases)
                await self._over.wait()
        except Exception as error:
            if self._leases.done():
                raise
            self._leases.set_exception(error)
            await self._over.wait()

    async def _work(self, renewing: Work) -> None:
        assert self._leases is not None
        await renewing(await asyncio.shield(self._leases))


@asynccontextmanager
async def renewal_thread(open_leases: OpenLeases) -> AsyncIterator[RenewalThread]:
    """Give a `RenewalThread` for the block."""
    thread = RenewalThread(open_leases)
    try:
        yield thread
    finally:
        await thread.aclose()


def _call(loop: asyncio.AbstractEventLoop, what: Callable[[], object]) -> None:
    try:
        loop.call_soon_threadsafe(what)
    except RuntimeError:  # it is closed: nobody waits there any more
        return


def _settle(done: asyncio.Future[None], task: asyncio.Task[None]) -> None:
    """Pass on how a task of another thread ended."""
    if done.done():
        return
    if task.cancelled():
        done.cancel()
    elif (error := task.exception()) is not None:
        done.set_exception(error)
    else:
        done.set_result(None)
