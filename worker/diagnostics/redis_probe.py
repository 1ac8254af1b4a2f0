"""The probe of `moim check` for Redis: that it answers, is new enough, and lets its user do what is needed.

A right that is missing is found here, and not by an erasure that never comes to its end.
"""

from __future__ import annotations

import secrets
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from context.ports import Refused, Unavailable
from worker.bootstrap.streams import stream_names
from worker.configuration.setting_values import ENCODED
from worker.configuration.settings import Settings
from worker.errors import why_unreached

if TYPE_CHECKING:
    from redis.asyncio import Redis

_KEY: Final = "{key}"
_HARMLESS_COMMANDS: Final[tuple[tuple[str | int, ...], ...]] = (
    ("XADD", _KEY, "NOMKSTREAM", "*", "a", "b"),
    ("XREAD", "STREAMS", _KEY, "0"),
    ("XREADGROUP", "GROUP", "g", "c", "STREAMS", _KEY, ">"),
    ("XGROUP", "CREATE", _KEY, "g", "$"),
    ("XAUTOCLAIM", _KEY, "g", "c", 1, "0"),
    ("XACK", _KEY, "g", "1-0"),
    ("XRANGE", _KEY, "-", "+"),
    ("XREVRANGE", _KEY, "+", "-"),
    ("XDEL", _KEY, "1-0"),
    ("XTRIM", _KEY, "MINID", "=", "1-0"),
    ("DEL", _KEY),
    ("EXPIRE", _KEY, 1),
    ("EVAL", "return 1", 0),
)
"""What is done in Redis, each on a key that is not there: rights are asked first, and nothing is made."""
_RIGHTS: Final = {"XGROUP": "xgroup|create"}
"""What the right to a command is called, where that is not its name."""
_KINDS: Final = ("in", "ask", "out", "seq", "passing")
_FOR_ERASURES: Final = {"+xdel", "+xtrim", "+del"}
"""Without these no erasure comes to its end."""


async def redis_server(settings: Settings) -> str:
    """Ask Redis who it is, try what its user may do, and warn of files that it keeps."""
    settings.require("REDIS_URL")
    from redis.asyncio import Redis
    from redis.exceptions import AuthenticationError, RedisError, ResponseError

    async with Redis.from_url(
        settings.redis.url.get_secret_value(),
        socket_connect_timeout=5,
        socket_timeout=5,
        driver_info=None,  # no `CLIENT SETINFO`: Redis 7.0 lacks it, and the ACL lines with it
    ) as client:
        try:
            info = await client.info("server")
            files = await _files_of(client)
            await _demand_rights(client, settings)
        except (AuthenticationError, ResponseError) as error:
            reason = str(error).removesuffix(".")
            # Redis says the one in RESP3 and the other in RESP2.
            if reason.startswith(("HELLO must", "Authentication required")):
                raise Refused("REDIS_URL has no password, and Redis asks for one: redis://:…@…") from error
            raise Refused(f"REDIS_URL: {reason}: check its user and password ({ENCODED})") from error
        except (RedisError, OSError) as error:
            raise Unavailable(f"REDIS_URL: Redis cannot be reached: {why_unreached(error)}") from error
    # Valkey reports the Redis version that it is compatible with.
    version = str(info.get("valkey_version") or info.get("redis_version", "0"))
    if int(version.partition(".")[0]) < 7:
        raise Refused(f"version {version} is too old: Redis 7 or newer, or Valkey")
    return f"{info.get('server_name', 'redis')} {version} answers{files}"


async def _demand_rights(client: Redis, settings: Settings) -> None:
    """Raise `Refused` where Redis' user lacks commands, or keys, that the tenant's meetings need."""
    from redis.exceptions import NoPermissionError

    names, meeting_id = stream_names(settings), f"moim-check-{secrets.token_hex(8)}"
    keys = [names.of(kind, meeting_id) for kind in _KINDS]
    tries = [(key, command) for key in keys for command in _HARMLESS_COMMANDS]
    pipe = client.pipeline(transaction=False)
    for key, command in tries:
        pipe.execute_command(*(key if word == _KEY else word for word in command))
    commands: dict[str, None] = {}
    patterns: dict[str, None] = {}
    outcomes = await pipe.execute(raise_on_error=False)
    for (key, (name, *rest)), outcome in zip(tries, outcomes, strict=True):
        # Other errors are none of rights: there is no such stream, no such group.
        if isinstance(outcome, NoPermissionError):
            if "to run the" in str(outcome):
                commands[f"+{_RIGHTS.get(str(name), str(name).lower())}"] = None
            elif _KEY in rest:
                patterns[f"~{key.removesuffix(meeting_id)}*"] = None
    if lacking := [*commands, *patterns]:
        then = (
            "; without it no erasure comes to its end" if _FOR_ERASURES & commands.keys() or patterns else ""
        )
        raise Refused(
            f"REDIS_URL: its user lacks {' '.join(lacking)}{then}: docs/how-to/redis.md has its ACL line"
        )


async def _files_of(client: Redis) -> str:
    """A warning where this Redis writes what it holds into files; empty where it does not say so."""
    from redis.exceptions import ResponseError

    files = []
    for setting, off, what in (("appendonly", "no", "an append-only file"), ("save", "", "snapshots")):
        with suppress(ResponseError):  # CONFIG is forbidden: an ACL, a managed service
            if (await client.config_get(setting)).get(setting, off) != off:
                files.append(what)
    if not files:
        return ""
    return (
        f"; but it keeps {' and '.join(files)}, where words stay after they were erased:"
        " Moim needs no file of Redis', so set appendonly no and save ''"
    )
