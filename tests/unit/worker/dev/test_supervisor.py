"""Parts are kept alive: started again after a death, left alone after a stop."""

import asyncio

from tests.fakes.waiting import until
from worker.dev.supervisor import Supervisor, pause_s
from worker.embedded.child import EmbeddedError


class Part:
    """A child that dies when it is told to."""

    def __init__(self, failures: int = 0) -> None:
        self.pid: int | None = None
        self.starts = 0
        self.stopped = False
        self._failures = failures

    async def start(self) -> None:
        self.starts += 1
        if self.starts > 1 and self._failures:
            self._failures -= 1
            raise EmbeddedError("port taken")
        self.pid = 100 + self.starts

    async def stop(self) -> None:
        self.stopped, self.pid = True, None


def test_pauses_grow_and_are_bounded() -> None:
    pauses = [pause_s(n) for n in range(1, 12)]
    assert pauses[0] == 0.2
    assert pauses == sorted(pauses)
    assert pauses[-1] == pause_s(1000) == 10.0


async def test_a_part_that_dies_is_started_again_until_that_succeeds_and_it_is_said() -> None:
    said: list[str] = []
    part = Part(failures=1)
    async with asyncio.TaskGroup() as tasks:
        supervisor = Supervisor(tasks, said.append)
        supervisor.add("valkey", part)
        await part.start()
        supervisor.watch("valkey")
        part.pid = None
        await until(lambda: part.starts == 3 and supervisor.restarts.get("valkey") == 1)
        await supervisor.stop("valkey")
    assert part.stopped
    assert said == [
        "valkey died: it is started again in 0.2 s",
        "valkey: port taken",
        "valkey died: it is started again in 0.4 s",
    ]


async def test_a_stopped_part_is_not_started_again() -> None:
    part = Part()
    async with asyncio.TaskGroup() as tasks:
        supervisor = Supervisor(tasks, print)
        supervisor.add("worker", part)
        await part.start()
        supervisor.watch("worker")
        await supervisor.stop("worker")
        await supervisor.stop("worker")
        await supervisor.stop("never heard of")
    assert (part.starts, part.pid) == (1, None)
