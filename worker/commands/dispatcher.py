"""`moim dispatcher`: every open meeting has exactly one live worker."""

from __future__ import annotations

import argparse
import asyncio

from worker import telemetry
from worker.adapters.postgres_registry import PostgresRegistry
from worker.bootstrap import database, parts, placement, pusher
from worker.closing import close_from_record
from worker.dispatcher import Dispatcher
from worker.errors import DONE
from worker.settings import Settings
from worker.signals import on_stop

DESCRIPTION = "See to it that every open meeting has a worker, also after a death. Any number may run."
EXAMPLES = """  moim dispatcher             reconcile until SIGTERM
"""


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """No arguments."""


def run(_args: argparse.Namespace, settings: Settings) -> int:
    """Reconcile until SIGTERM."""
    telemetry.configure(settings)
    settings.require("DATABASE_URL", "LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    return asyncio.run(_dispatch(settings))


async def _dispatch(settings: Settings) -> int:
    stop = asyncio.Event()
    async with (
        parts(settings) as shared,
        placement(settings) as livekit,
        database(settings, max_size=1) as listening,  # LISTEN keeps its connection
        pusher(settings, shared.metrics) as pushing,
    ):
        dispatcher = Dispatcher(
            shared.registry,
            livekit,
            tenant=settings.agent.tenant,
            clock=shared.clock,
            close_meeting=lambda meeting_id: close_from_record(shared, meeting_id),
            wake=PostgresRegistry(listening).wakes(),
        )
        with on_stop(stop.set):
            async with asyncio.TaskGroup() as tasks:
                running = [tasks.create_task(dispatcher.run())]
                if pushing is not None:
                    running.append(tasks.create_task(pushing.run()))
                await stop.wait()
                for task in running:
                    task.cancel()
    return DONE
