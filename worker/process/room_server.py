"""The livekit-agents side of a worker: registration, load, and who may do what in a room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import structlog
from livekit import agents
from livekit.agents.worker import WorkerPermissions
from livekit.protocol.models import TrackSource

from context.primitives.person_names import SHOWN_IN_ROOM, STANDBY_IN_ROOM
from worker.bootstrap.rooms import shorten_token_lives
from worker.configuration.settings import Settings
from worker.job_metadata import JobMetadata
from worker.monitoring import jobs
from worker.monitoring.metrics import process_metrics
from worker.process.entrypoint import entrypoint, prepare
from worker.process.fork_server import MODULES

log = structlog.get_logger(__name__)

FULL_SHARE: Final = 0.7
"""LiveKit's own threshold: a worker that reports this much load gets no new job."""

_CONNECT_TRIES: Final = 1_000_000
"""Tries to reach LiveKit, ten seconds apart; meanwhile `/readyz` and the log say that it is away."""


class Admission:
    """Which jobs a worker takes, by how its jobs are doing and how many places are left."""

    def __init__(
        self,
        settings: Settings,
        statuses: Callable[[], Sequence[jobs.JobStatus]],
        on_load: Callable[[float, str], None],
    ) -> None:
        """`statuses`, `on_load`: see `room_server`."""
        self._statuses, self._on_load = statuses, on_load
        self._tenant, self._most = settings.process.tenant, settings.process.max_meetings

    def load(self, server: agents.AgentServer) -> float:
        """Give the load that LiveKit is told: at `FULL_SHARE` it sends no new job."""
        # Jobs that have not written a status yet count as well.
        statuses = self._statuses()
        taken = max(len(statuses), len(server.active_jobs))
        share = max(jobs.load(statuses, self._most), min(1.0, taken / self._most))
        cause = jobs.strain(statuses)
        if not cause and share >= 1.0:
            cause = f"{taken} of {self._most} places are taken (MOIM_MAX_MEETINGS)"
        instruments = process_metrics().instruments
        instruments.load.set(share)
        instruments.giving_way.labels(what="meetings").set(1 if cause else 0)
        self._on_load(share, cause)
        return 1.0 if share >= 1.0 else share * FULL_SHARE

    async def accept(self, request: agents.JobRequest) -> None:
        """Take a job, or have another worker asked for it."""
        # At once: whoever thinks here for ten seconds loses the job for everybody.
        metadata = JobMetadata.decode(request.job.metadata)
        statuses = self._statuses()
        held = any(job.meeting_id == metadata.meeting_id and not job.standby for job in statuses)
        strain = jobs.strain(statuses)
        if strain:
            log.warning("meeting_not_taken", meeting_id=metadata.meeting_id, cause=strain)
        if strain or not metadata.is_of(self._tenant) or (metadata.standby and metadata.apart and held):
            # We are at our limit, it is another tenant's, or would die with its holder: another is asked.
            await request.reject(terminate=False)
        else:
            await request.accept(name=STANDBY_IN_ROOM if metadata.standby else SHOWN_IN_ROOM)


def room_server(
    settings: Settings,
    statuses: Callable[[], Sequence[jobs.JobStatus]],
    *,
    on_registered: Callable[[], None],
    on_load: Callable[[float, str], None] = lambda _share, _cause: None,
) -> agents.AgentServer:
    """Make an `AgentServer` that takes meetings until its places, or its speech engine, are full.

    `statuses`: of this worker's jobs. `on_registered` is called whenever LiveKit has taken the worker;
    `on_load` twice a second, from a thread, with how much of the worker is taken (0 to 1), and with why it
    takes no more meetings, or an empty text.
    """
    shorten_token_lives()
    livekit, process = settings.livekit, settings.process
    speaks = settings.tts.engine != "none"
    permissions = WorkerPermissions(
        can_publish=speaks,  # a track of its own only where the agent has a voice
        can_publish_sources=[TrackSource.MICROPHONE] if speaks else [],
        can_subscribe=True,
        can_publish_data=True,
        can_update_metadata=True,  # `moim.epoch`
        hidden=False,  # people see that somebody listens
    )

    admission = Admission(settings, statuses, on_load)
    server = agents.AgentServer(
        job_executor_type=agents.JobExecutorType.PROCESS,
        setup_fnc=prepare,
        load_fnc=admission.load,
        load_threshold=FULL_SHARE,
        num_idle_processes=1,
        max_retry=_CONNECT_TRIES,
        drain_timeout=round(process.drain_s),
        shutdown_process_timeout=20.0,
        permissions=permissions,
        preload_modules=[*MODULES],
        ws_url=livekit.url,
        api_key=livekit.api_key,
        api_secret=livekit.api_secret.get_secret_value(),
        host="127.0.0.1",
        port=0,
    )

    server.rtc_session(entrypoint, agent_name=settings.agent.name, on_request=admission.accept)
    server.on("worker_registered", lambda *_: on_registered())
    return server


async def tell_load(server: agents.AgentServer) -> None:
    """Tell LiveKit the load now; it hears it every 2.5 s only, and sends no job to a worker that was full."""
    # No public way to it: what the server does by itself, before each job and on its timer.
    await server._refresh_worker_load()  # noqa: SLF001 - see above
    await server._update_worker_status()  # noqa: SLF001 - see above
