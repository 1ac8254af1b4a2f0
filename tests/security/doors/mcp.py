"""Somebody on the network, and a page in a browser, at `moim mcp --http`; an agent that was talked into mischief.

A real dispatcher, and `moim mcp --http` with the dispatcher's token in its environment. What got in: an answer with
words of the meeting, or a stream, for whoever has no right token; a request by a foreign Host or Origin; an id that
reaches another operation than the tool's; anything changed on record; a server that no longer answers; a token or
a traceback in its log.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp
import asyncpg

from tests.integration.short_meeting import LINES, record
from tests.security.doors import Outcome
from tests.security.doors.process import TOKEN, dispatcher, mcp_over_http
from worker.adapters.postgres_pool import PostgresPool

_VERSION: Final = "2026-07-28"
_WITHIN_S: Final = 10.0
"""How long a request with the right token may take meanwhile; a machine that is shared is slow."""
_FLOOD: Final = 120
_WORDS: Final = [text for _, _, text in LINES]
_TOOLS_OF_OTHERS: Final = (
    "end", "erase", "erasures", "correct", "dispatch", "consent", "links", "audit", "people", "retention",
    "__class__", "list_meetings\n", "ASK",
)  # fmt: skip
_ELSEWHERE: Final = (
    "..", ".", "../audit", "..%2faudit", "%2e%2e%2faudit", "m1/end", "m1/../../audit", "m1%2fend", "m1?format=md",
    "m1#x", "m1/links", "/v1/audit", "http://127.0.0.1/v1/audit", "m1\r\nX: y", "m1;end",
)  # fmt: skip
_TOKENS: Final = (
    None, "", "Bearer", "Bearer ", "Basic bTpt", "Bearer wrong-token-of-somebody-else", f"Bearer {TOKEN[:-1]}",
    f"Bearer {TOKEN} x", f"bearer:{TOKEN}", TOKEN, f"Digest {TOKEN}", f"Bearer {TOKEN.upper()}",
)  # fmt: skip
_NAMES: Final = (
    "evil.example.com",
    "127.0.0.1.evil.example.com",
    "localhost.evil.example.com:80",
    "[::2]",
    "0.0.0.0",
)
_BODIES: Final = (
    b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"[" * 50_000, b'{"jsonrpc":"2.0"}', b'{"jsonrpc":"1.0","id":1}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}', b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":[]}}',
    b'{"jsonrpc":"2.0","id":1e999,"method":"ping"}', b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]',
)  # fmt: skip


@dataclass
class _Agent:
    """Requests by plain HTTP, as nobody's client would send them."""

    client: aiohttp.ClientSession
    url: str
    tried: int = 0
    got_in: list[str] = field(default_factory=list)

    async def send(self, body: bytes | Mapping[str, Any], **headers: str) -> tuple[int, str]:
        """One POST; its status and its whole answer."""
        self.tried += 1
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        asked = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **headers,
        }
        try:
            async with self.client.post(self.url, data=sent, headers=asked) as answer:
                return answer.status, await answer.text()
        except aiohttp.ClientConnectionError:  # it was hung up on after the answer before: a new connection
            async with self.client.post(self.url, data=sent, headers=asked) as answer:
                return answer.status, await answer.text()

    async def call(
        self, tool: str, arguments: Mapping[str, Any], *, modern: bool, **headers: str
    ) -> tuple[int, str]:
        """Call a tool, as clients of this age do."""
        params: dict[str, Any] = {"name": tool, "arguments": dict(arguments)}
        if modern:
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": _VERSION,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
            headers = {
                "MCP-Protocol-Version": _VERSION,
                "Mcp-Method": "tools/call",
                "Mcp-Name": _plain(tool),
                **headers,
            }
        body = {"jsonrpc": "2.0", "id": self.tried, "method": "tools/call", "params": params}
        return await self.send(body, **headers)

    async def served(self, when: str) -> None:
        """Whoever has the right token is answered, soon."""
        began_s = time.monotonic()
        status, said = await self.call(
            "transcript", {"meeting_id": "m1"}, modern=False, Authorization=f"Bearer {TOKEN}"
        )
        took_s = time.monotonic() - began_s
        if status != 200 or _WORDS[0] not in said or took_s > _WITHIN_S:
            self.got_in.append(f"{when}: the right token gets {status} after {took_s:.1f} s")

    def refused(self, what: str, status: int, said: str, among: set[int]) -> None:
        """Note what should have been refused, and was not."""
        if status not in among or any(words in said for words in _WORDS):
            self.got_in.append(f"{what}: {status} {said[:120]}")


def _plain(name: str) -> str:
    return name if name.isprintable() and name.isascii() else "x"


async def attack(seed: int) -> Outcome:
    """Attack a server; `seed` draws the order."""
    draw = random.Random(seed)
    async with dispatcher() as served:
        pool = PostgresPool(served.environ["DATABASE_URL"])
        await record(pool, "m1", end=True)
        before = await _on_record(served.environ["DATABASE_URL"])
        async with (
            mcp_over_http(served) as (url, log),
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as client,
        ):
            agent = _Agent(client, url)
            await agent.served("at first")
            attacks = [_by_tokens, _by_names, _by_bodies, _by_tools_and_ids, _by_streams]
            draw.shuffle(attacks)
            for each in attacks:
                await each(agent)
                await agent.served(f"after {each.__name__}")
        if (after := await _on_record(served.environ["DATABASE_URL"])) != before:
            agent.got_in.append(f"the record has changed: {before} and now {after}")
        await pool.aclose()
        written = log.read_text()
        agent.got_in += [
            f"in the log: {found}" for found in re.findall(r"Traceback|a-token-of-the-doors\S*", written)
        ]
    return Outcome(tried=agent.tried, got_in=tuple(agent.got_in))


async def _on_record(url: str) -> tuple[Any, ...]:
    """What an agent could have changed: events, links, meetings; the dispatcher sums up what is over by itself."""
    connection = await asyncpg.connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT set_config('moim.tenant', 'default', true)")
            return tuple(
                [
                    await connection.fetchval(f"SELECT count(*) FROM moim.{rows}")
                    for rows in ("events WHERE kind NOT LIKE 'summary%'", "links", "meetings")
                ]
            )
    finally:
        await connection.close()


async def _by_tokens(agent: _Agent) -> None:
    for token in _TOKENS:
        sent = {} if token is None else {"Authorization": token}
        for modern in (True, False):
            for more in (
                {},
                {"Cookie": f"moim_session={TOKEN}"},
                {"Mcp-Session-Id": "0" * 32},
                {"X-Forwarded-User": "ben"},
            ):
                status, said = await agent.call(
                    "transcript", {"meeting_id": "m1"}, modern=modern, **sent, **more
                )
                agent.refused(f"token {token!r} {[*more]}", status, said, {200, 400, 401, 404})


async def _by_names(agent: _Agent) -> None:
    for name in _NAMES:
        for header in (
            {"Host": name},
            {"Origin": f"http://{name}"},
            {"Origin": f"https://{name}"},
            {"Origin": "null"},
        ):
            for modern in (True, False):
                status, said = await agent.call(
                    "transcript",
                    {"meeting_id": "m1"},
                    modern=modern,
                    Authorization=f"Bearer {TOKEN}",
                    **header,
                )
                agent.refused(f"{header}", status, said, {403, 421})


async def _by_bodies(agent: _Agent) -> None:
    for body in (*_BODIES, b'{"x":"' + b"y" * 1_000_000 + b'"}'):
        for version in ({}, {"MCP-Protocol-Version": _VERSION}, {"MCP-Protocol-Version": "9999-99-99"}):
            status, said = await agent.send(body, Authorization=f"Bearer {TOKEN}", **version)
            agent.refused(f"body {body[:40]!r}", status, said, {200, 202, 400, 404, 413})
    for method in ("GET", "PUT", "DELETE", "PATCH", "OPTIONS"):
        agent.tried += 1
        sent = {
            "Authorization": f"Bearer {TOKEN}",
            "Accept": "text/event-stream",
            "Origin": "http://evil.example.com",
        }
        async with agent.client.request(method, agent.url, headers=sent) as answer:
            if answer.status != 405 or "Access-Control-Allow-Origin" in answer.headers:
                agent.got_in.append(f"{method}: {answer.status}")


async def _by_tools_and_ids(agent: _Agent) -> None:
    right = {"Authorization": f"Bearer {TOKEN}"}
    for modern in (True, False):
        for tool in _TOOLS_OF_OTHERS:
            status, said = await agent.call(tool, {"meeting_id": "m1"}, modern=modern, **right)
            agent.refused(f"tool {tool!r}", status, said, {200, 400})
            if '"isError":false' in said:
                agent.got_in.append(f"tool {tool!r} is served")
        for id_ in _ELSEWHERE:
            for tool in ("transcript", "minutes", "search", "ask"):
                wish = {
                    "transcript": {},
                    "minutes": {},
                    "search": {"query": "x"},
                    "ask": {"question": "왜?"},
                }[tool]
                status, said = await agent.call(tool, {"meeting_id": id_, **wish}, modern=modern, **right)
                agent.refused(f"{tool} of {id_!r}", status, said, {200})
                if "there is no meeting" not in said:
                    agent.got_in.append(f"{tool} of {id_!r}: {said[:160]}")
        for command in ("/leave", "/pause", "/off", "/me no erase"):
            status, said = await agent.call(
                "ask", {"meeting_id": "m1", "question": command}, modern=modern, **right
            )
            if command != "/me no erase" and "commands are given in the room" not in said:
                agent.got_in.append(f"{command}: {said[:160]}")
        for more in ({"private": False}, {"by": "ben"}, {"features": {}}, {"stream": True}):
            status, said = await agent.call(
                "ask", {"meeting_id": "m1", "question": "왜?", **more}, modern=modern, **right
            )
            if "unknown" not in said:
                agent.got_in.append(f"ask with {more}: {said[:160]}")


async def _by_streams(agent: _Agent) -> None:
    """Try as many subscriptions at once as can be, with no right to one."""
    filters = ({"resourceSubscriptions": ["moim://meetings/m1"]}, {"toolsListChanged": True}, {})

    async def listen(number: int) -> None:
        params = {
            "notifications": filters[number % len(filters)],
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": _VERSION,
                "io.modelcontextprotocol/clientCapabilities": {},
            },
        }
        body = {"jsonrpc": "2.0", "id": number, "method": "subscriptions/listen", "params": params}
        headers = {"MCP-Protocol-Version": _VERSION, "Mcp-Method": "subscriptions/listen"}
        try:
            status, said = await asyncio.wait_for(
                agent.send(body, Authorization=f"Bearer wrong-{number:020}", **headers), 30
            )
        except TimeoutError:
            agent.got_in.append(f"a stream is open without a right: {params['notifications']}")
            return
        agent.refused("a stream", status, said, {200, 400, 401, 429, 500, 503})

    flooding = asyncio.gather(*(listen(number) for number in range(_FLOOD)))
    await agent.served("while streams are asked for")
    await flooding
