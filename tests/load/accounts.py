"""What Postgres and Valkey count themselves: commits, log, rows on disk, commands, memory, connections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import asyncpg
import redis.asyncio as redis

_POSTGRES = """
SELECT (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits,
       pg_current_wal_lsn() - '0/0'::pg_lsn AS log_bytes,
       pg_database_size(current_database()) AS bytes,
       (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'moim') AS connections
"""


@dataclass(frozen=True, slots=True)
class Account:
    """All of them at one moment; the first two and `commands` only grow."""

    commits: int
    log_bytes: int
    record_bytes: int
    connections: int
    commands: int
    redis_mb: float
    redis_clients: int


async def account(admin_url: str, client: redis.Redis) -> Account:
    """Read them."""
    owner = await asyncpg.connect(admin_url)
    try:
        found = await owner.fetchrow(_POSTGRES)
    finally:
        await owner.close()
    assert found is not None
    info: dict[str, Any] = await client.info()
    return Account(
        commits=found["commits"],
        log_bytes=int(found["log_bytes"]),
        record_bytes=found["bytes"],
        connections=found["connections"],
        commands=info["total_commands_processed"],
        redis_mb=info["used_memory"] / 2**20,
        redis_clients=info["connected_clients"],
    )
