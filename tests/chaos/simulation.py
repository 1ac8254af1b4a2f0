"""Several processes in one, on virtual time: each with an event loop of its own that can be made to stand still.

A `Universe` owns the time. Every process is a `Process` with a `SimLoop`; the universe lets whichever loop
has something to do take its steps, and moves the time on when none has. A paused process takes no
step, as under SIGSTOP: what others send it waits, its timers are all due when it goes on, and what it had
sent before arrives all the same. Requests to servers travel through a `Link`, which may be slow, cut, or
lose the answers. Everything that is random comes from one seed.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import selectors
from collections.abc import Callable, Coroutine
from contextvars import Context
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Any, Final, TypeVar, TypeVarTuple, Unpack

from context.ports import Unavailable
from tests.fakes.record import START

T = TypeVar("T")
Ts = TypeVarTuple("Ts")
ANSWER_DEADLINE_S: Final = 5.0
"""The deadline that the pool of connections has."""


class _NeverWaits(selectors.DefaultSelector):
    def select(self, timeout: float | None = None) -> list[Any]:
        del timeout
        return super().select(0)


class SimLoop(asyncio.SelectorEventLoop):
    """An event loop that takes one step when it is told to, on the universe's time."""

    def __init__(self, universe: Universe) -> None:
        self._universe = universe
        self._due: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = itertools.count()
        self.busy = False
        super().__init__(_NeverWaits())

    def time(self) -> float:
        """The universe's."""
        return self._universe.now_s

    def call_soon(
        self, callback: Callable[[Unpack[Ts]], object], *args: *Ts, context: Context | None = None
    ) -> asyncio.Handle:
        """Call it soon, as ever; there is something to do now."""
        self.busy = True
        return super().call_soon(callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[[Unpack[Ts]], object],
        *args: *Ts,
        context: Context | None = None,
    ) -> asyncio.TimerHandle:
        """Call it at `when`, as ever, and remember that for `next_due_s`."""
        handle = super().call_at(when, callback, *args, context=context)
        heapq.heappush(self._due, (when, next(self._numbers), handle))
        return handle

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]  # no threads here: what blocks takes no time
        """At once."""
        del executor
        done: asyncio.Future[T] = self.create_future()
        try:
            done.set_result(func(*args))
        except Exception as error:  # noqa: BLE001 - the caller's, as from a thread
            done.set_exception(error)
        return done

    @property
    def next_due_s(self) -> float:
        """When its next timer is due."""
        while self._due and self._due[0][2].cancelled():
            heapq.heappop(self._due)
        return self._due[0][0] if self._due else float("inf")

    def step(self) -> None:
        """Run what is ready and due, once."""
        while self._due and (self._due[0][2].cancelled() or self._due[0][0] <= self.time()):
            heapq.heappop(self._due)
        self.busy = False
        super().call_soon(self.stop)
        self.run_forever()


@dataclass
class Process:
    """One process of the universe."""

    name: str
    universe: Universe
    loop: SimLoop
    paused: bool = False
    wall_offset_s: float = 0.0
    """How wrong its wall clock is."""
    main: asyncio.Task[Any] | None = None

    def start(self, work: Coroutine[Any, Any, Any]) -> None:
        """Its main task."""
        self.main = self.loop.create_task(work)

    def pause(self, for_s: float) -> None:
        """SIGSTOP now, SIGCONT after `for_s`."""
        if self.paused:
            return
        self.paused = True
        self.universe.after(for_s, self._go_on)

    def _go_on(self) -> None:
        self.paused = False

    @property
    def awake(self) -> bool:
        """Has it something to do, and may it?"""
        return not self.paused and (self.loop.busy or self.loop.next_due_s <= self.universe.now_s)

    # ---- its clock: `worker.clock.Clock` --------------------------------------------------------

    def now_utc(self) -> datetime:
        """Its wall clock, which may be wrong."""
        return START + timedelta(seconds=self.universe.now_s + self.wall_offset_s)

    def monotonic_s(self) -> float:
        """Never goes back."""
        return self.universe.now_s


@dataclass
class Universe:
    """Time, processes, and what happens between them."""

    dice: Random
    now_s: float = 0.0
    processes: list[Process] = field(default_factory=list)
    _heap: list[tuple[float, int, Callable[[], object]]] = field(default_factory=list)
    _numbers: Any = field(default_factory=itertools.count)

    @property
    def now(self) -> datetime:
        """The servers' clock (`tests.fakes.record.HandClock`)."""
        return START + timedelta(seconds=self.now_s)

    def process(self, name: str) -> Process:
        """A new one."""
        process = Process(name, self, SimLoop(self))
        self.processes.append(process)
        return process

    def after(self, delay_s: float, what: Callable[[], object]) -> None:
        """Do it then."""
        heapq.heappush(self._heap, (self.now_s + delay_s, next(self._numbers), what))

    def run(self, until: Callable[[], bool], *, at_most_s: float) -> bool:
        """Let time pass until it is so; False where it was not within `at_most_s`."""
        end_s = self.now_s + at_most_s
        while not until():
            if self._work():
                continue
            due = [p.loop.next_due_s for p in self.processes if not p.paused]
            next_s = min([*due, self._heap[0][0] if self._heap else float("inf")])
            if next_s > end_s:
                return False
            self.now_s = max(self.now_s, next_s)
            while self._heap and self._heap[0][0] <= self.now_s:
                heapq.heappop(self._heap)[2]()
        return True

    def _work(self) -> bool:
        awake = [process for process in self.processes if process.awake]
        for process in awake:
            process.loop.step()
        return bool(awake)

    def close(self) -> None:
        """End all processes; nothing of them is left. Raises `RuntimeError` where one does not end."""
        left: list[asyncio.Task[Any]] = []
        for process in self.processes:
            process.paused = False
            for task in asyncio.all_tasks(process.loop):
                task.cancel()
                process.loop.busy = True
                left.append(task)
        if not self.run(lambda: all(task.done() for task in left), at_most_s=120):
            raise RuntimeError(f"not ended: {[task for task in left if not task.done()]}")
        for process in self.processes:
            process.loop.run_until_complete(process.loop.shutdown_asyncgens())
            process.loop.close()


@dataclass
class Link:
    """What lies between a process and a server."""

    process: Process
    delay_s: float = 0.002
    """The most that one direction takes."""
    cut: bool = False
    deaf: bool = False
    """Requests arrive, answers do not."""
    sent: int = 0
    on_sent: Callable[[str], None] = lambda _what: None

    async def call(self, what: str, serve: Callable[[], T], deadline_s: float = ANSWER_DEADLINE_S) -> T:
        """Have the server do `serve`; `Unavailable` where no answer comes in time."""
        universe, loop = self.process.universe, self.process.loop
        answer: asyncio.Future[T] = loop.create_future()

        def give(result: T | None, error: Exception | None) -> None:
            if answer.done() or self.cut or self.deaf:
                return
            if error is not None:
                answer.set_exception(error)
            else:
                answer.set_result(result)  # type: ignore[arg-type]  # no error: this is the result

        def arrive() -> None:
            if self.cut:
                return
            result, failure = None, None
            try:
                result = serve()
            except Exception as error:  # noqa: BLE001 - it is the answer
                failure = error
            universe.after(self._trip_s(), lambda: give(result, failure))

        universe.after(self._trip_s(), arrive)
        self.sent += 1
        self.on_sent(what)
        try:
            async with asyncio.timeout(deadline_s):
                return await answer
        except TimeoutError:
            raise Unavailable(f"{what}: no answer in time") from None

    def _trip_s(self) -> float:
        return self.process.universe.dice.uniform(0.1, 1.0) * self.delay_s


def at_once(call: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing: the fakes' methods."""
    try:
        call.send(None)
    except StopIteration as done:
        result: T = done.value
        return result
    raise AssertionError("a server of the simulation has to answer at once")
