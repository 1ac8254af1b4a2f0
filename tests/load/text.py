"""Text-fed meetings at real pace on this machine: how many, how late, and what each costs."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

import redis.asyncio as redis

from tests.acceptance.stack import until
from tests.chaos.report import percentile
from tests.load.accounts import account
from tests.load.feeding import Feeder
from tests.load.figures import bound_of, buckets, machine, rss_mb, spent_s
from tests.load.servers import Servers
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.clock import monotonic_s

GOAL_LAG_MS: Final = 100
GOAL_LOOP_MS: Final = 50
_HELD_S: Final = 180.0
_WARM_S: Final = 5.0
_OUT_S: Final = 60.0


@dataclass(frozen=True, slots=True)
class Row:
    """What one number of meetings cost. CPU in cores of the measured time."""

    meetings: int
    seconds: float
    history: int
    """Turns that every meeting had when the measured time began."""
    held_s: float
    """From the last meeting wanted to every meeting held and its history out."""
    turns: int
    lost: int
    doubled: int
    lag_ms_p50: float
    lag_ms_p95: float
    lag_ms_p99: float
    lag_ms_max: float
    loop_ms_p99: float
    """At most: the bound of a histogram's bucket."""
    cpu_worker: float
    cpu_embeddings: float
    cpu_postgres: float
    cpu_valkey: float
    cpu_feeder: float
    cpu_others: float
    """The rest of the machine: whoever else was at work."""
    rss_mb: float
    """The memory of the worker, with all meetings."""
    rss_mb_per_meeting: float
    """Beyond the worker without a meeting."""
    feeder_late_ms: float
    commits_per_s: float
    log_kb_per_turn: float
    """What a turn adds to Postgres' write-ahead log."""
    record_kb_per_turn: float
    """What a turn adds to the database on the disk, with its indexes and snapshots."""
    connections: int
    """To Postgres, of the workers."""
    commands_per_s: float
    redis_mb: float
    redis_clients: int
    complaints: dict[str, int]
    """What the workers' logs warned of."""

    @property
    def met(self) -> bool:
        """Nothing lost or doubled, and both goals of issue 6."""
        return (
            not self.lost
            and not self.doubled
            and self.lag_ms_p99 < GOAL_LAG_MS
            and self.loop_ms_p99 <= GOAL_LOOP_MS
        )

    def fields(self) -> dict[str, Any]:
        """For JSON."""
        return {**asdict(self), "met": self.met}


async def text(
    meetings: int,
    seconds: float,
    *,
    history: int = 0,
    workers: int = 1,
    seed: int = 6,
    durable: bool = True,
    environment: dict[str, str] | None = None,
) -> Row:
    """Feed `meetings` for `seconds` and count. Raises `TimeoutError` where they are never held."""
    async with (
        Servers(workers=workers, durable=durable, environment=environment) as servers,
        redis.Redis.from_url(servers.valkey.url) as client,
    ):
        names = [f"load-{number:04d}" for number in range(meetings)]
        return await _measure(servers, Feeder(client, names, seed), seconds, history)


async def _measure(servers: Servers, feeder: Feeder, seconds: float, history: int) -> Row:
    names = [fed.meeting_id for fed in feeder.meetings]
    meetings = len(names)
    empty_mb = rss_mb(servers.pids()["worker"])
    await feeder.tell_history(history)
    await _want(servers, names)
    began_s = monotonic_s()

    async def held() -> bool:
        if sum(_held(text) for text in await servers.metrics()) < meetings:
            return False
        return all(count >= history for count in (await feeder.out()).values())

    try:
        await until(held, f"{meetings} held meetings")
    except TimeoutError as late:
        taken_up = sum(_held(text) for text in await servers.metrics())
        behind = {name: count for name, count in (await feeder.out()).items() if count < history}
        raise TimeoutError(
            f"{late}: {taken_up:.0f} are held, the past is not out of {behind}; {servers.complaints()}"
        ) from late
    held_s = monotonic_s() - began_s
    await asyncio.sleep(_WARM_S)
    account_before = await account(servers.postgres.admin_url, feeder.client)
    loop_before, spent_before = buckets(await servers.metrics(), "moim_loop_lag_seconds"), _spent(servers)
    machine_before, measured_s = machine(), monotonic_s()
    late_s = await feeder.speak(seconds)
    measured_s = monotonic_s() - measured_s
    spent, machine_after = _spent(servers), machine()
    counted = await account(servers.postgres.admin_url, feeder.client)
    loop_after = buckets(await servers.metrics(), "moim_loop_lag_seconds")
    full_mb = rss_mb(servers.pids()["worker"])

    async def out() -> bool:
        _, missing, _ = await feeder.lags_ms()
        return not missing

    with suppress(TimeoutError):  # the row says how many never came
        await until(out, "the last turns")
    lags, lost, doubled = await feeder.lags_ms()
    turns = max(1, len(lags) + lost)
    cores = {part: (spent[part] - spent_before[part]) / measured_s for part in spent}
    busy = machine_after[0] - machine_before[0] - (machine_after[1] - machine_before[1])
    return Row(
        meetings=meetings,
        seconds=seconds,
        history=history,
        held_s=held_s,
        turns=len(lags) + lost,
        lost=lost,
        doubled=doubled,
        lag_ms_p50=percentile(lags, 0.5),
        lag_ms_p95=percentile(lags, 0.95),
        lag_ms_p99=percentile(lags, 0.99),
        lag_ms_max=max(lags, default=0),
        loop_ms_p99=1000 * bound_of(loop_before, loop_after, 0.99),
        cpu_worker=cores["worker"],
        cpu_embeddings=cores["embeddings"],
        cpu_postgres=cores["postgres"],
        cpu_valkey=cores["valkey"],
        cpu_feeder=cores["feeder"],
        cpu_others=max(0.0, busy / measured_s - sum(cores.values())),
        rss_mb=full_mb,
        rss_mb_per_meeting=(full_mb - empty_mb) / meetings,
        feeder_late_ms=1000 * late_s,
        commits_per_s=(counted.commits - account_before.commits) / measured_s,
        log_kb_per_turn=(counted.log_bytes - account_before.log_bytes) / 1024 / turns,
        record_kb_per_turn=(counted.record_bytes - account_before.record_bytes) / 1024 / turns,
        connections=counted.connections,
        commands_per_s=(counted.commands - account_before.commands) / measured_s,
        redis_mb=counted.redis_mb,
        redis_clients=counted.redis_clients,
        complaints=servers.complaints(),
    )


async def _want(servers: Servers, names: list[str]) -> None:
    pool = PostgresPool(servers.postgres.url)
    try:
        registry = PostgresRegistry(pool)
        for name in names:
            await registry.want(None, meeting_id=name)
    finally:
        await pool.aclose()


def _spent(servers: Servers) -> dict[str, float]:
    parts = {part: spent_s(pids) for part, pids in servers.pids().items()}
    return {**parts, "feeder": spent_s([os.getpid()])}


def _held(text: str) -> float:
    """Meetings that a worker holds."""
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith("moim_jobs"))
