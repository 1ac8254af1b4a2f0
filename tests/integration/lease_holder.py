"""A process that holds a meeting as a job does, and does to itself what it is told on its stdin.

    sleep 12     its loop is blocked, as by a call that waits
    compute 12   its loop is blocked by Python that computes, and keeps the interpreter's lock
    crawl 12     its loop gets to nothing for a second, again and again, as on a machine at its limit
    threads 12   other threads of it compute, and take the lock by turns

On stdout, between its log's lines and behind a `>`: `held`, `done` after each order, and at the end how the job ended.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from pathlib import Path

from worker.bootstrap.parts import parts
from worker.configuration.settings import Settings
from worker.holder.meeting_job import MeetingJob
from worker.holder.presence import Presence
from worker.ports import Holder


def tell(*what: str) -> None:
    print(">", *what, flush=True)


def compute(seconds: float) -> None:
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        pass


async def obey(line: str) -> None:
    order, seconds = line.split(maxsplit=1)[0], float(line.split()[1])
    match order:
        case "sleep":
            time.sleep(seconds)
        case "compute":
            compute(seconds)
        case "crawl":
            until_s = time.monotonic() + seconds
            while time.monotonic() < until_s:
                compute(1.0)
                await asyncio.sleep(0)
        case "threads":
            for _ in range(8):
                threading.Thread(target=compute, args=(seconds,), daemon=True).start()
            await asyncio.sleep(seconds)
    tell("done")


async def listen() -> None:
    while line := await asyncio.to_thread(sys.stdin.readline):
        await obey(line)


async def main() -> None:
    settings = Settings.from_env(dict(os.environ))
    async with parts(settings) as shared:
        row = await shared.tables.registry.get("m-1")
        assert row is not None
        me = Holder(host="slow", worker_pid=os.getpid(), job_pid=os.getpid())
        epoch = await shared.tables.leases.acquire("m-1", me, 5)
        assert epoch is not None

        async def enter(presence: Presence) -> None:
            presence.begin(listen(), "orders")
            tell("held")

        job = MeetingJob(shared, row, epoch, run_dir=Path(os.environ["MOIM_STATE_DIR"]), pid=os.getpid())
        outcome = await job.run(shared.outlets("m-1"), enter)
        tell(*outcome)
    os._exit(0)  # a thread may still wait for an order


if __name__ == "__main__":
    asyncio.run(main())
