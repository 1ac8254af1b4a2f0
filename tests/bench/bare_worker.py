"""`python -m tests.bench.bare_worker`: a worker whose jobs do next to nothing, with Moim's own imports."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from livekit import agents

from tests.bench.bare_job import AGENT_NAME, accept, entrypoint
from worker.configuration.settings import Settings
from worker.process.room_server import FULL_SHARE

REGISTERED = "bare worker registered"
"""The line that it prints when it may be dispatched."""


def _nothing(_process: agents.JobProcess) -> None:
    """What a job needs before it has a room: nothing."""


def serve(
    agent_name: str,
    entrypoint: Callable[[agents.JobContext], Awaitable[None]],
    accept: Callable[[agents.JobRequest], Awaitable[None]],
    *,
    preload: Sequence[str],
    setup: Callable[[agents.JobProcess], None] = _nothing,
) -> None:
    """Work until killed. `preload`: what all jobs share."""
    settings = Settings.load()
    livekit = settings.livekit
    server = agents.AgentServer(
        job_executor_type=agents.JobExecutorType.PROCESS,
        setup_fnc=setup,
        load_fnc=lambda: 0.0,
        load_threshold=FULL_SHARE,
        num_idle_processes=1,
        preload_modules=list(preload),
        ws_url=livekit.url,
        api_key=livekit.api_key,
        api_secret=livekit.api_secret.get_secret_value(),
        host="127.0.0.1",
        port=0,
    )
    server.rtc_session(entrypoint, agent_name=agent_name, on_request=accept)
    server.on("worker_registered", lambda *_: print(REGISTERED, flush=True))
    asyncio.run(server.run())


if __name__ == "__main__":
    # This module too: what a job of it would import by itself is not what is measured.
    serve(AGENT_NAME, entrypoint, accept, preload=["worker.process.preload", "tests.bench.bare_worker"])
