"""Requests that are not what they say, at every address of the API and at LiveKit's webhook.

Bodies that are no JSON, no gzip, no numbers; names too long; clients that leave in the middle; tokens of the
webhook that come again or late. Each is an answer of one line of JSON below 500, and nothing of it is a
traceback in the log.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import logging
import random
from contextlib import suppress
from datetime import timedelta
from typing import Any

import aiohttp
from livekit import api as livekit_api
from pydantic import SecretStr

from tests.fakes.record import Record
from tests.fakes.registry import FakeRegistry
from tests.security.doors import Outcome
from tests.unit.web.server import TOKEN, FakeAnswers, FakeDocuments, FakeSummaries
from worker.fleet.room_wishes import RoomWishes
from worker.monitoring.health import HealthServer
from worker.monitoring.metrics import Metrics
from worker.web.api import API_PREFIX, api
from worker.web.livekit_webhook import HOOK_PREFIX, webhook
from worker.web.ports import ApiParts

KEY, SECRET = "key", "a-secret-that-is-long-enough-for-livekit"
_POSTS = ("/v1/meetings", "/v1/meetings/m-1/ask", "/v1/meetings/m-1/end", "/v1/summarize", "/livekit/webhook")
_GETS = ("/v1/meetings?limit=x", "/v1/meetings?limit=NaN", "/v1/meetings/%00", "/v1/meetings/m-1/export?format=exe", "/v1/%ff")  # fmt: skip
_ODD_BODIES: tuple[bytes, ...] = (
    b"", b"{", b"[]", b"null", b"NaN", b'{"text": NaN}', b'{"max_chars": Infinity, "messages": []}', b"\xff\xfe\x00",
    b'{"room": "' + b"r" * 300 + b'"}', b'{"room": "' + "방".encode() * 90 + b'"}', b"[" * 5000, b"9" * 5000,
    b'{"messages": [{"role": "user", "content": "\\u0000\\u0001\\u200b "}]}', b'{"text": "\\ud800"}',
    b'{"meeting_id": "m\\u0000"}', b'{"text": 1e400}', b'{"text": "x", "stream": "maybe"}', b'{"room": {"a": NaN}}',
)  # fmt: skip


class _Tracebacks(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(f"{record.name}: {record.getMessage()[:200]}")


async def attack(seed: int) -> Outcome:
    """Every address with every odd body in every odd wrapping, in an order that `seed` draws."""
    heard = _Tracebacks()
    logging.getLogger("aiohttp").addHandler(heard)
    logging.getLogger("asyncio").addHandler(heard)
    disabled, logging.root.manager.disable = logging.root.manager.disable, logging.NOTSET
    registry, wishes = FakeRegistry(Record()), RoomWishes(FakeRegistry(Record()), ("*",))
    failed: list[str] = []
    served = api(ApiParts(registry, FakeDocuments(), FakeAnswers(), FakeSummaries()), TOKEN)
    hook = webhook(wishes, KEY, SecretStr(SECRET), on_wanted=lambda: None)
    health = HealthServer(
        Metrics(), lambda: ([], []), host="127.0.0.1", port=0, mounts={API_PREFIX: served, HOOK_PREFIX: hook}
    )
    await health.start()
    tried = 0
    try:
        base = f"http://127.0.0.1:{health.port}"
        async with aiohttp.ClientSession() as client:
            for path, body, headers in _drawn(seed):
                tried += 1
                failed += await _odd(client, base + path, body, headers)
            for path in _GETS:
                tried += 1
                failed += await _odd(client, base + path, None, {})
            told = await _told_again(client, f"{base}/livekit/webhook")
            tried += 6
            failed += told
        for path in _POSTS:
            tried += 1
            await _left(health.port, path)
        await asyncio.sleep(0.2)
    finally:
        await health.stop()
        logging.getLogger("aiohttp").removeHandler(heard)
        logging.getLogger("asyncio").removeHandler(heard)
        logging.root.manager.disable = disabled
    return Outcome(tried=tried, got_in=(*failed, *heard.lines), figures={"tracebacks": len(heard.lines)})


def _drawn(seed: int) -> list[tuple[str, bytes, dict[str, str]]]:
    wrappings = (
        {}, {"Content-Encoding": "gzip"}, {"Content-Encoding": "deflate"}, {"Content-Encoding": "br"},
        {"Content-Type": "text/plain"}, {"Content-Type": "application/json; charset=latin-1"},
    )  # fmt: skip
    cases = [(path, body, dict(more)) for path in _POSTS for body in _ODD_BODIES for more in wrappings]
    random.Random(seed).shuffle(cases)
    return cases


async def _odd(
    client: aiohttp.ClientSession, address: str, body: bytes | None, headers: dict[str, str]
) -> list[str]:
    """What is wrong with the answer."""
    told = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json", **headers}
    case = f"{address.partition('127.0.0.1')[2]} {headers} {(body or b'')[:30]!r}"
    try:
        if body is None:
            async with client.get(address, headers=told) as answer:
                status, said = answer.status, await answer.text()
        else:
            async with client.post(address, data=body, headers=told, compress=None) as answer:
                status, said = answer.status, await answer.text()
    except aiohttp.ClientError as error:
        return [f"{case}: {type(error).__name__}"]
    if status >= 500:
        return [f"{case}: {status}"]
    try:
        json.loads(said, parse_constant=_no_constant)
    except ValueError:
        return [f"{case}: {status} says {said[:60]!r}"] if said else []
    return []


def _no_constant(name: str) -> Any:
    raise ValueError(name)


async def _told_again(client: aiohttp.ClientSession, address: str) -> list[str]:
    """The same token three times; one that is over; times that cannot be."""
    wrong: list[str] = []

    async def tell(body: bytes, ttl: timedelta, token: str | None = None) -> tuple[int, str]:
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        given = token or livekit_api.AccessToken(KEY, SECRET).with_sha256(digest).with_ttl(ttl).to_jwt()
        async with client.post(address, data=body, headers={"Authorization": given}) as answer:
            await answer.read()
            return answer.status, given

    room = {"sid": "RM_1", "name": "standup", "creationTime": "1760000000"}
    body = json.dumps({"event": "room_started", "id": "EV_1", "room": room}).encode()
    status, token = await tell(body, timedelta(minutes=5))
    if status != 200:
        wrong.append(f"webhook: an honest one is {status}")
    wrong += [
        f"webhook: the same token again is {status}"
        for status in [(await tell(body, timedelta(minutes=5), token))[0] for _ in range(2)]
        if not 400 <= status < 500
    ]
    if (status := (await tell(body, timedelta(seconds=-30)))[0]) != 401:
        wrong.append(f"webhook: 30 s after its end is {status}")
    for moment in ("-1", "99999999999999"):
        odd = json.dumps(
            {"event": "room_started", "id": "EV_2", "room": {**room, "creationTime": moment}}
        ).encode()
        if (status := (await tell(odd, timedelta(minutes=5)))[0]) != 400:
            wrong.append(f"webhook: creationTime {moment} is {status}")
    return wrong


async def _left(port: int, path: str) -> None:
    """Say that there is more, and go."""
    _, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\nContent-Type: application/json\r\n"
    writer.write(f"{head}Content-Length: 5000\r\n\r\n".encode() + b'{"text": "')
    with suppress(OSError):
        await writer.drain()
    await asyncio.sleep(0.05)
    writer.close()
