"""Who may call what: each operation of the API, with each kind of credential, to the meeting that it is for or to another.

What is expected stands in one table, `RIGHTS`, that people can read; an operation without a row in it is a fault.
A real `moim dispatcher` on a real Postgres, beyond loopback. What got in: an answer that the table does not
have, a title in a refusal, HEAD that says otherwise than GET, an actor in the audit log who was not authenticated.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import aiohttp

from tests.security.doors import Outcome
from tests.security.doors.process import TOKEN, dispatcher
from worker.web.operations import OPERATIONS, Operation
from worker.web.viewers import COOKIE

WHO: Final = ("nobody", "wrong", "view", "edit", "other", "session", "user", "program")
"""No credential · a wrong bearer · a link to look at the meeting · one to edit it · one to edit another meeting ·
a browser that signed in with MOIM_PAGES_TOKEN · Ben, whom a proxy signed in · MOIM_API_TOKEN."""

RIGHTS: Final = """
                                                   nobody wrong view edit other session user program
post   /v1/meetings                                401    401   403  403  403   yes     yes  yes
get    /v1/meetings                                401    401   403  403  403   yes     yes  yes
get    /v1/meetings/{meeting_id}                   401    401   yes  yes  404   yes     yes  yes
get    /v1/meetings/{meeting_id}/export            401    401   yes  yes  404   yes     yes  yes
post   /v1/meetings/{meeting_id}/ask               401    401   yes  yes  404   yes     yes  yes
get    /v1/meetings/{meeting_id}/events            401    401   yes  yes  404   yes     yes  yes
post   /v1/meetings/{meeting_id}/join              401    401   403  yes  404   yes     yes  yes
patch  /v1/meetings/{meeting_id}                   401    401   403  yes  404   yes     yes  yes
post   /v1/meetings/{meeting_id}/consent           401    401   403  403  404   403     403  yes
post   /v1/meetings/{meeting_id}/erasures          401    401   403  403  404   403     403  yes
post   /v1/meetings/{meeting_id}/shown             401    401   *    *    404   *       *    yes
post   /v1/meetings/{meeting_id}/retention         401    401   403  403  403   403     403  yes
get    /v1/audit                                   401    401   403  403  403   403     403  yes
get    /v1/people/{person}                         401    401   403  403  403   403     403  yes
get    /v1/people/{person}/reach                   401    401   403  403  403   403     403  yes
post   /v1/erasures                                401    401   403  403  403   403     403  yes
get    /v1/erasures/{erasure_id}                   401    401   403  403  403   yes     yes  yes
post   /v1/meetings/{meeting_id}/links             401    401   403  403  403   yes     yes  yes
get    /v1/meetings/{meeting_id}/links             401    401   403  403  403   yes     yes  yes
delete /v1/meetings/{meeting_id}/links/{link_id}   401    401   403  403  403   yes     yes  yes
get    /v1/meetings/{meeting_id}/thread            401    401   yes  yes  404   yes     yes  yes
get    /v1/meetings/{meeting_id}/budget            401    401   yes  yes  404   yes     yes  yes
put    /v1/meetings/{meeting_id}/rate              401    401   403  yes  404   yes     yes  yes
put    /v1/meetings/{meeting_id}/title             401    401   403  yes  404   yes     yes  yes
post   /v1/documents                               401    401   403  403  403   yes     yes  yes
get    /v1/documents                               401    401   403  403  403   yes     yes  yes
delete /v1/documents/{document_id}                 401    401   403  403  403   yes     yes  yes
post   /v1/recordings                              401    401   403  403  403   yes     yes  yes
get    /v1/recordings                              401    401   403  403  403   yes     yes  yes
get    /v1/search                                  401    401   403  403  403   yes     yes  yes
get    /v1/meetings/{meeting_id}/search            401    401   yes  yes  404   yes     yes  yes
post   /v1/summarize                               401    401   403  403  403   yes     yes  yes
get    /v1/session                                 401    401   yes  yes  yes   yes     yes  yes
post   /v1/meetings/{meeting_id}/end               401    401   403  yes  404   yes     yes  yes
delete /v1/session                                 401    401   yes  yes  yes   yes     yes  yes
post   /v1/session                                 yes    yes   yes  yes  yes   yes     yes  yes
"""
"""In the order in which they are tried. `yes`: it is carried out, or refused for another reason (409: the meeting has
not begun). `*`: it depends on whose words it reaches, which the attack `taking_out` tries; never a fault of ours."""

_WRONG_AT_ONCE: Final = 4
"""So many wrong bearers from one address wait for their answer; one more is told to come later."""
MEETING: Final = "m-rights"
_TITLE: Final = "두루미재단 Heronwood"
_CLAIMED: Final = "ceo"
_PAGES: Final = "a-pages-token-that-is-long-enough"
_FIX: Final = {"of": "person", "person": "alice", "name": "Alice", "was": "alice"}
_BODIES: Final[Mapping[str, Any]] = {
    "post /v1/meetings": {"room": "another room"},
    "post /v1/meetings/{meeting_id}/ask": {"text": "예산은 얼마입니까?", "by": _CLAIMED},
    "post /v1/meetings/{meeting_id}/join": {"name": _CLAIMED},
    "patch /v1/meetings/{meeting_id}": {"by": _CLAIMED, "fix": _FIX},
    "post /v1/meetings/{meeting_id}/consent": {"person": "alice", "agreed": False},
    "post /v1/meetings/{meeting_id}/erasures": {"by": _CLAIMED, "person": "alice"},
    "post /v1/meetings/{meeting_id}/shown": {"by": _CLAIMED, "utterances": [1]},
    "post /v1/meetings/{meeting_id}/retention": {"held": False, "keep_days": 30},
    "post /v1/erasures": {"by": _CLAIMED, "person": "alice"},
    "post /v1/meetings/{meeting_id}/links": {},
    "put /v1/meetings/{meeting_id}/rate": {"rate": 0.3, "by": _CLAIMED},
    "put /v1/meetings/{meeting_id}/title": {"title": _TITLE},
    "post /v1/summarize": {"messages": [{"role": "user", "content": "출시일은 11월 20일로 정했습니다."}]},
    "post /v1/session": {"token": _PAGES},
}
_FILES: Final = {"post /v1/documents": b"text", "post /v1/recordings": b"Ben: hello\nMia: hi\n"}
_QUERIES: Final = {
    "get /v1/search": "?q=x",
    "get /v1/meetings/{meeting_id}/search": "?q=x",
    "post /v1/documents": "?name=a.txt",
    "post /v1/recordings": "?name=a.txt",
    "get /v1/meetings": "?overview=true",
}


def expected(table: str = RIGHTS) -> dict[str, dict[str, str]]:
    """What is expected of each operation (`get /v1/meetings`), by who calls it."""
    head, *rows = table.strip().splitlines()
    who = head.split()
    found = {}
    for row in rows:
        method, path, *cells = row.split()
        found[f"{method} {path}"] = dict(zip(who, cells, strict=True))
    return found


def missing(operations: tuple[Operation, ...], table: Mapping[str, Any]) -> list[str]:
    """Operations without a row, and rows without an operation."""
    ours = {f"{each.method} {each.path}" for each in operations}
    return [f"{name}: no row says who may" for name in sorted(ours - set(table))] + [
        f"{name}: no such operation" for name in sorted(set(table) - ours)
    ]


@dataclass
class _Caller:
    """Sends requests with each kind of credential."""

    client: aiohttp.ClientSession
    root: str
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    tried: int = 0

    async def send(self, who: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON of an answer; of a stream, its beginning is enough."""
        self.tried += 1
        sent: dict[str, Any] = {"data": body} if isinstance(body, bytes) else {"json": body}
        headers = {**self.headers.get(who, {}), "Origin": self.root}
        async with self.client.request(method, self.root + path, headers=headers, **sent) as answer:
            if answer.content_type == "text/event-stream" or method == "head":
                answer.close()
                return answer.status, {}
            return answer.status, await answer.json() if answer.content_type == "application/json" else {}

    async def sign_in(self, who: str, body: Mapping[str, str]) -> None:
        """Sign in, and keep the cookie."""
        async with self.client.post(
            f"{self.root}/v1/session", json=body, headers={"Origin": self.root}
        ) as answer:
            assert answer.status == 200, await answer.text()
            self.headers[who] = {"Cookie": f"{COOKIE}={answer.cookies[COOKIE].value}"}

    async def link(self, meeting_id: str, *, edit: bool) -> dict[str, Any]:
        """A new link."""
        status, made = await self.send("program", "post", f"/v1/meetings/{meeting_id}/links", {"edit": edit})
        assert status == 201, made
        found: dict[str, Any] = made
        return found


async def attack(seed: int) -> Outcome:
    """Try each operation with each credential; `seed` draws nothing."""
    del seed
    table = expected()
    got_in = missing(OPERATIONS, table)
    settings = {
        "MOIM_HTTP_HOST": "0.0.0.0",
        "MOIM_PAGES_TOKEN": _PAGES,
        "MOIM_PAGES_USER_HEADER": "X-Forwarded-User",
        "MOIM_PAGES_PROXIES": "127.0.0.1",
        "MOIM_JOIN_URL": "wss://livekit.example.com",
    }
    async with (
        dispatcher(**settings) as served,
        aiohttp.ClientSession(
            timeout=aiohttp.ClientTimeout(total=60), cookie_jar=aiohttp.DummyCookieJar()
        ) as client,
    ):
        caller = _Caller(client, f"http://127.0.0.1:{served.port}")
        await _known(caller)
        refused = asyncio.ensure_future(_wrong_ones(caller, table))
        for name in table:
            if name in _OPERATIONS:
                got_in += [
                    fault
                    for who in WHO
                    if who != "wrong" and (fault := await _tried(caller, name, who, table[name][who]))
                ]
        got_in += await refused
        got_in += await _audited(caller)
    return Outcome(
        tried=caller.tried, got_in=tuple(got_in), figures={"operations": len(table), "credentials": len(WHO)}
    )


_OPERATIONS: Final = {f"{each.method} {each.path}": each for each in OPERATIONS}


async def _known(caller: _Caller) -> None:
    """The meetings, and everybody's credentials."""
    caller.headers |= {
        "program": {"Authorization": f"Bearer {TOKEN}"},
        "user": {"X-Forwarded-User": "ben"},
    }
    for meeting_id in (MEETING, "m-another"):
        body = {"room": f"room of {meeting_id}", "meeting_id": meeting_id, "title": _TITLE}
        status, answer = await caller.send("program", "post", "/v1/meetings", body)
        assert status == 202, answer
    for who, meeting_id, edit in (
        ("view", MEETING, False),
        ("edit", MEETING, True),
        ("other", "m-another", True),
    ):
        made = await caller.link(meeting_id, edit=edit)
        await caller.sign_in(who, {"link": made["path"].partition("#link=")[2]})
    await caller.sign_in("session", {"token": _PAGES})


async def _wrong_ones(caller: _Caller, table: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Each operation with a wrong bearer of its own: each is answered after a second, some at once."""
    at_once = asyncio.Semaphore(_WRONG_AT_ONCE)

    async def one(name: str) -> str | None:
        who = f"wrong-token-for-{name.replace(' ', '-')}"
        caller.headers[who] = {"Authorization": f"Bearer {who}"}
        async with at_once:
            return await _tried(caller, name, who, table[name]["wrong"])

    found = await asyncio.gather(*(one(name) for name in table if name in _OPERATIONS))
    return [fault for fault in found if fault]


async def _tried(caller: _Caller, name: str, who: str, cell: str) -> str | None:
    """One operation with one credential; what is wrong with the answer, or None."""
    method, template = name.split()
    path = (await _filled(caller, template)) + _QUERIES.get(name, "")
    body = _FILES.get(name) or _BODIES.get(name, {} if method == "post" else None)
    status, answer = await caller.send(who, method, path, body)
    if not _fits(status, cell):
        return f"{name} by {who}: {status}, not {cell}: {str(answer)[:120]}"
    if status >= 400 and (_TITLE in str(answer) or TOKEN in str(answer)):
        return f"{name} by {who}: {status} tells {answer}"
    if method == "get":
        head, _ = await caller.send(who, "head", path)
        if not _fits(head, cell):
            return f"head of {name} by {who}: {head}, not {cell}"
    return None


def _fits(status: int, cell: str) -> bool:
    match cell:
        case "*":
            return status < 500 and status != 401
        case "yes":
            return status < 500 and status not in {401, 403, 404}
        case "401":
            return status in {401, 429}  # whoever tries wrong tokens again and again is slowed
        case _:
            return status == int(cell)


async def _filled(caller: _Caller, template: str) -> str:
    """An address in which each part names something that is there."""
    path = template.replace("{meeting_id}", MEETING).replace("{person}", "alice")
    if "{link_id}" in path:
        path = path.replace("{link_id}", (await caller.link(MEETING, edit=False))["id"])
    if "{document_id}" in path:
        _, made = await caller.send("program", "post", "/v1/documents?name=b.txt", b"a document")
        path = path.replace("{document_id}", made["id"])
    if "{erasure_id}" in path:
        _, made = await caller.send("program", "post", "/v1/erasures", {"by": _CLAIMED, "person": "nobody"})
        path = path.replace("{erasure_id}", made["id"])
    return path


async def _audited(caller: _Caller) -> list[str]:
    """Rows of the audit log whose actor was not authenticated, and operations with a row that have none there."""
    _, log = await caller.send("program", "get", "/v1/audit?limit=1000")
    rows = log["entries"]
    known = ("program", "user ben", "link ", "token ")
    found = [
        f"in the audit log: {row}"
        for row in rows
        if not row["who"].startswith(known) or _CLAIMED in row["who"]
    ]
    noted = {row["action"] for row in rows}
    return found + [
        f"no row for {each.audit}" for each in OPERATIONS if each.audit and each.audit not in noted
    ]
