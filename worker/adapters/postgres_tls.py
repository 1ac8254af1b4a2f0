"""Whether a Postgres speaks TLS at all, asked before anything is made ready for it.

Unless it is told otherwise asyncpg prefers TLS: for each connection it makes a TLS context, and falls back
where the server has none. A context costs OpenSSL half a megabyte in each job, for nothing where Postgres
stands beside the worker and has no certificate. So the server is asked first, as it would be anyway, on a
connection of its own: a millisecond there. Who answers anything but "no" gets what asyncpg does.
"""

from __future__ import annotations

import asyncio
import struct
from contextlib import suppress
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import asyncpg

from worker.configuration.settings import exported

_SSL_REQUEST: Final = struct.pack("!ii", 8, 80877103)
"""The first message of a client that would like TLS; the server answers with one byte, `S` or `N`."""
_NO: Final = b"N"
_PORT: Final = 5432
_PATIENCE_S: Final = 1.0
_SAID_ELSEWHERE: Final = ("PGSSLMODE", "PGSSLNEGOTIATION", "PGSERVICE")


async def connect(dsn: str | None = None, **options: Any) -> asyncpg.Connection[asyncpg.Record]:
    """`asyncpg.connect`, with the same outcome."""
    if dsn and await speaks_no_tls(dsn):
        options["ssl"] = "disable"
    connection: asyncpg.Connection[asyncpg.Record] = await asyncpg.connect(dsn, **options)
    return connection


async def speaks_no_tls(url: str) -> bool:
    """Has the server said so? False, too, where it could not be asked, or where it is settled by `url`."""
    server = _server(url)
    if server is None:
        return False
    answer = b""
    with suppress(OSError, TimeoutError, EOFError, UnicodeError):
        async with asyncio.timeout(_PATIENCE_S):
            reader, writer = await asyncio.open_connection(*server)
            try:
                writer.write(_SSL_REQUEST)
                answer = await reader.readexactly(1)
            finally:
                writer.close()
                await writer.wait_closed()
    return answer == _NO


def _server(url: str) -> tuple[str, int] | None:
    """Where to ask; None where nothing is left to ask, or where there is more than one to be asked."""
    parts = urlsplit(url)
    options = parse_qs(parts.query)
    if any(name in options for name in ("sslmode", "sslnegotiation", "service", "host", "port")):
        return None
    if any(map(exported, _SAID_ELSEWHERE)) or not parts.hostname or "," in parts.netloc:
        return None
    return parts.hostname, parts.port or _PORT
