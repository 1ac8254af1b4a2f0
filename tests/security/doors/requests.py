"""Requests that are wrong in every way, at every address of a real dispatcher, and callers who go in the middle.

Each is one connection with the bytes as they are. What got in: an answer of 500 or above, none where one is due,
an error that is not of the house's shape or no JSON, a webhook told twice that is taken twice, a traceback in
the log, a door that does not answer afterwards.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import random
import socket
import struct
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from urllib.parse import quote

from livekit import api

from tests.security.doors import Outcome
from tests.security.doors.process import KEY, SECRET, TOKEN, Served, dispatcher
from worker.clock import now_utc

_AT_ONCE: Final = 16
_WITHIN_S: Final = 40.0
_BY_RULE: Final = 400
_MEETING: Final = "m-known"
_POSTS: Final = (
    "/v1/meetings",
    f"/v1/meetings/{_MEETING}/ask",
    f"/v1/meetings/{_MEETING}/end",
    "/v1/summarize",
)
_GETS: Final = (
    "/v1/meetings",
    f"/v1/meetings/{_MEETING}",
    f"/v1/meetings/{_MEETING}/export",
    "/v1/openapi.json",
)
_GOOD: Final = {
    "/v1/meetings": {"meeting_id": _MEETING},
    f"/v1/meetings/{_MEETING}/ask": {"text": "출시일이 언제죠?"},
    f"/v1/meetings/{_MEETING}/end": {},
    "/v1/summarize": {"messages": [{"role": "user", "content": "출시일은 11월 20일로 정했습니다."}]},
}


@dataclass(frozen=True, slots=True)
class Case:
    """The bytes of one request, and how its sender behaves."""

    name: str
    sent: bytes
    goes: str = ""
    """"" waits for the answer; "quietly" and "rudely": gone once this is sent."""
    own_words: bool = True
    """Whether an error comes from Moim; False: from the reader of HTTP, in front of it."""
    statuses: frozenset[int] = frozenset(range(200, 500))


async def attack(seed: int, *, by_rule: int = _BY_RULE) -> Outcome:
    """All by hand, and so many good ones that are spoilt by a draw of `seed`."""
    dice = random.Random(seed)
    async with dispatcher(MOIM_ROOM_PATTERN="*") as served:
        await _exchange(served.port, Case("a meeting", _post("/v1/meetings", _GOOD["/v1/meetings"])))
        cases = [*_bodies(), *_heads(), *_queries(), *_webhooks(), *_spoilt(dice, by_rule)]
        dice.shuffle(cases)
        at_once = asyncio.Semaphore(_AT_ONCE)

        async def tried(case: Case) -> tuple[int, str | None]:
            async with at_once:
                status, said = await _exchange(served.port, case)
            return status, _judged(case, status, said)

        answers = await asyncio.gather(*(tried(case) for case in cases))
        got_in = [fault for _, fault in answers if fault is not None]
        got_in += await _told_again(served)
        for port in (served.port, served.probe_port):
            status, _ = await _exchange(port, Case("health", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"))
            if status != 200:
                got_in.append(f"/healthz afterwards: {status}")
        log = served.log.read_text("utf-8", "replace")
    lines = log.splitlines()
    tracebacks = [line for line in lines if "Traceback (most recent" in line or '"exception"' in line]
    got_in += [f"a traceback in the log: {line[-300:]}" for line in tracebacks]
    counted = Counter(f"{status // 100}xx" if status else "none" for status, _ in answers)
    return Outcome(
        tried=len(cases) + 7,
        got_in=tuple(got_in),
        figures={
            **{f"answers_{kind}": number for kind, number in sorted(counted.items())},
            "tracebacks": len(tracebacks),
            "log_lines": len(lines),
        },
    )


def _judged(case: Case, status: int, said: bytes) -> str | None:
    """What is wrong with the answer; None where nothing is."""
    if case.goes:
        return None
    if status not in case.statuses:
        return f"{case.name}: {status or 'no answer'} {said[:120]!r}"
    if status >= 400 and case.own_words:
        try:
            shape = json.loads(said, parse_constant=_no_json)
            if set(shape["error"]) == {"field", "value", "mend"} and shape["error"]["mend"]:
                return None
        except (ValueError, KeyError, TypeError):
            pass
        return f"{case.name}: {status} in another shape: {said[:120]!r}"
    return None


def _no_json(constant: str) -> None:
    raise ValueError(constant)


# ---- what is sent ---------------------------------------------------------------------------------


def _head(method: str, path: str, *more: str, token: str = TOKEN) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: moim", f"Authorization: Bearer {token}", "Connection: close"]
    return ("\r\n".join([*lines, *more]) + "\r\n\r\n").encode("utf-8", "surrogateescape")


def _post(path: str, body: Any, *more: str) -> bytes:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    kind = (
        ()
        if any(line.lower().startswith("content-type:") for line in more)
        else ("Content-Type: application/json",)
    )
    return _head("POST", path, *kind, *more, f"Content-Length: {len(raw)}") + raw


def _with_field(path: str, text: str) -> bytes:
    """The address's own body with JSON `text` where its first text stood."""
    match path.rsplit("/", 1)[-1]:
        case "meetings":
            return f'{{"room": {text}}}'.encode("utf-8", "surrogatepass")
        case "summarize":
            return f'{{"messages": [{{"role": "user", "content": {text}}}]}}'.encode("utf-8", "surrogatepass")
        case _:
            return f'{{"text": {text}}}'.encode("utf-8", "surrogatepass")


_FIELDS: Final = {
    "NaN": "NaN", "Infinity": "Infinity", "-Infinity": "-Infinity", "too large a float": "1e999",
    "a long number": "9" * 4_000, "too long a number": "9" * 6_000, "null": "null", "a list": "[[[[]]]]",
    "NUL": '"\\u0000"', "controls": '"\\u0001\\u0002"', "half a character": '"\\ud800"', "empty": '""',
    "zero width": '"\\u200b\\u200b"', "decomposed": '"\\u1100\\u1175\\u11b7"', "lines": '"a\\n# Decisions\\u2028- b"',
    "marks in heaps": json.dumps("a" + "\u0301\u0316" * 1_500), "marks": '"…!?"', "turned": '"\\u202e"', "a heading": '"#"',
    "too long a name": json.dumps("회" * 100), "long": json.dumps("가" * 90_000),
    "NaN in a list": "[NaN]", "NaN in an object": '{"x": Infinity}',
}  # fmt: skip


def _bodies() -> Iterator[Case]:
    for path in _POSTS:
        good = json.dumps(_GOOD[path]).encode()
        for name, text in _FIELDS.items():
            yield Case(f"{path} {name}", _post(path, _with_field(path, text)))
        for name, raw in {
            "empty": b"", "no JSON": b"not json", "NaN": b"NaN", "a number": b"1e999", "a list": b"[NaN]",
            "deep": b"[" * 200_000, "deep objects": b'{"a":' * 90_000, "no UTF-8": b'{"room": "\xff"}',
            "a mark before it": b"\xef\xbb\xbf" + good, "UTF-16": good.decode().encode("utf-16"),
            "NUL": b"\0" * 1_000, "an unknown field": b'{"x": NaN}', "too large": b" " * 1_200_000 + good,
        }.items():  # fmt: skip
            yield Case(f"{path} {name}", _post(path, raw))
        for coding in ("gzip", "deflate", "br", "zstd", "x-nonsense", "gzip, gzip", "identity"):
            coded = _post(path, good, f"Content-Encoding: {coding}")
            yield Case(f"{path} claims {coding}", coded, own_words=False)
        yield Case(f"{path} gzip", _post(path, gzip.compress(good), "Content-Encoding: gzip"))
        cut = gzip.compress(good)[:-6]
        yield Case(f"{path} half a gzip", _post(path, cut, "Content-Encoding: gzip"))
        bomb = gzip.compress(b" " * 30_000_000)
        yield Case(f"{path} a bomb", _post(path, bomb, "Content-Encoding: gzip"))
        for kind in (
            "text/plain",
            "",
            "application/json; charset=euc-kr",
            "application/json; charset=\udcff",
            "a/b/c",
        ):
            yield Case(f"{path} as {kind!r}", _post(path, good, f"Content-Type: {kind}"))
        yield from _broken_off(path, good)


def _broken_off(path: str, good: bytes) -> Iterator[Case]:
    """Bodies that are not whole, and chunks that are none."""
    kind = "Content-Type: application/json"
    for goes in ("quietly", "rudely"):
        half = _head("POST", path, kind, f"Content-Length: {len(good) + 500}") + good
        yield Case(f"{path} gone {goes}", half, goes)
        chunk = _head("POST", path, kind, "Transfer-Encoding: chunked") + b"5\r\n{"
        yield Case(f"{path} gone {goes} in a chunk", chunk, goes)
        packed = _head("POST", path, kind, "Content-Encoding: gzip", "Content-Length: 900")
        yield Case(f"{path} gone {goes} in a gzip", packed + gzip.compress(good)[:9], goes)
        yield Case(f"{path} gone {goes} after it", _post(path, good), goes)
    chunked = _head("POST", path, kind, "Transfer-Encoding: chunked")
    for name, raw in {
        "no size": b"zz\r\n{}\r\n0\r\n\r\n", "a size below 0": b"-1\r\n{}\r\n0\r\n\r\n",
        "a huge size": b"f" * 40 + b"\r\n{}\r\n", "another size": b"1\r\n{}{}\r\n0\r\n\r\n",
    }.items():  # fmt: skip
        yield Case(f"{path} chunk: {name}", chunked + raw, own_words=False)


def _heads() -> Iterator[Case]:
    plain = b"GET /v1/meetings HTTP/1.1\r\nHost: x\r\n"
    for name, raw in {
        "no HTTP": b"hello\r\n\r\n", "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\r\n\r\n",
        "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/9": b"GET / HTTP/9.9\r\n\r\n",
        "an unknown method": b"X / HTTP/1.1\r\nHost: x\r\n\r\n",
        "a method of marks": b"G@T / HTTP/1.1\r\nHost: x\r\n\r\n", "NUL": b"GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n",
        "a header without a name": plain + b": x\r\n\r\n", "a header without a colon": plain + b"x\r\n\r\n",
        "a long header": plain + b"X: " + b"x" * 20_000 + b"\r\n\r\n",
        "many headers": plain + b"".join(b"X-%d: 1\r\n" % n for n in range(2_000)) + b"\r\n",
        "a long path": b"GET /v1/" + b"x" * 20_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        "two lengths": plain + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "a length below 0": plain + b"Content-Length: -1\r\n\r\n",
        "a length that is none": plain + b"Content-Length: NaN\r\n\r\n",
        "length and chunks": plain + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "a bad address": b"GET http://[::1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "a port that is none": b"GET http://x:99999999/v1 HTTP/1.1\r\nHost: x\r\n\r\n",
        "CONNECT": b"CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", "a star": b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
    }.items():  # fmt: skip
        closed = raw.replace(b"Host: x\r\n", b"Host: x\r\nConnection: close\r\n", 1)
        yield Case(f"head: {name}", closed, own_words=False)
        yield Case(f"head: {name}, gone", raw, "rudely")
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        yield Case(f"{method} /v1/meetings", _head(method, "/v1/meetings"))
    for expect in ("100-continue", "nonsense"):
        sent = _post("/v1/summarize", _GOOD["/v1/summarize"], f"Expect: {expect}")
        yield Case(f"expects {expect}", sent, own_words=False)
    yield Case("wants a socket", _head("GET", "/v1/meetings", "Upgrade: websocket", "Connection: Upgrade"))
    for token in ("", "x", "\udcff", "비밀"):
        yield Case(f"token {token!r}", _head("GET", "/v1/meetings", token=token))


def _queries() -> Iterator[Case]:
    odd = (
        "%00",
        "%ff",
        "%ED%A0%80",
        "x" * 3_000,
        "..%2f..%2fetc",
        "%0d%0a",
        "%zz",
        quote("회의"),
        "%E2%80%AE",
        "a;b",
    )
    for text in odd:
        for path in (f"/v1/meetings/{text}", f"/v1/meetings/{text}/export", f"/v1/{text}"):
            yield Case(f"GET {path[:60]}", _head("GET", path))
        for name in ("limit", "after", "status", "format", text):
            yield Case(f"GET ?{name[:40]}={text[:40]}", _head("GET", f"/v1/meetings?{name}={text}"))
            yield Case(
                f"export ?{name[:40]}={text[:40]}",
                _head("GET", f"/v1/meetings/{_MEETING}/export?{name}={text}"),
            )
    for limit in ("NaN", "1e999", "-1", "9" * 5_000, quote("١"), "1_0"):
        yield Case(f"limit {limit[:20]}", _head("GET", f"/v1/meetings?limit={limit}"))
    for path in _GETS:
        yield Case(f"GET {path} with a body", _head("GET", path, "Content-Length: 5") + b"hello")


def _spoilt(dice: random.Random, count: int) -> Iterator[Case]:
    """Good requests with some bytes of head or body changed, doubled or left out."""
    for number in range(count):
        path = dice.choice(_POSTS)
        raw = bytearray(json.dumps(_GOOD[path], ensure_ascii=dice.random() < 0.5).encode())
        for _ in range(dice.randint(1, 4)):
            at = dice.randrange(len(raw) + 1)
            match dice.randrange(3):
                case 0:
                    raw[at : at + 1] = bytes([dice.randrange(256)])
                case 1:
                    raw[at:at] = dice.choice(
                        [b"NaN", b"\\u0000", b"\xed\xa0\x80", b"{", b'"', b"1e999", b"\\"]
                    )
                case _:
                    del raw[at : at + dice.randint(1, 9)]
        yield Case(f"{path} spoilt {number}: {bytes(raw)[:80]!r}", _post(path, bytes(raw)))


# ---- LiveKit's webhook ----------------------------------------------------------------------------


def _webhook(body: bytes, *more: str, ttl_s: float = 300, token: str | None = None) -> bytes:
    lines = [
        "POST /livekit/webhook HTTP/1.1", "Host: moim", "Connection: close", f"Content-Length: {len(body)}",
        f"Authorization: {signed(body, ttl_s) if token is None else token}",
        "Content-Type: application/webhook+json", *more,
    ]  # fmt: skip
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def signed(body: bytes, ttl_s: float = 300) -> str:
    """LiveKit's token for this body; `ttl_s` below 0: over since then."""
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
    token = api.AccessToken(KEY, SECRET).with_sha256(digest).with_ttl(timedelta(seconds=ttl_s))
    return token.to_jwt()


def _told(event: str, room: str, created: Any, number: str) -> bytes:
    shape = {
        "event": event,
        "id": f"EV_{number}",
        "room": {"sid": "RM_1", "name": room, "creationTime": created},
    }
    return json.dumps(shape).encode()


def _webhooks() -> Iterator[Case]:
    anybody, wrong = frozenset(range(200, 500)), frozenset([400, 401])
    for coding in ("gzip", "deflate", "br", "zstd", "x"):
        unsigned = _webhook(b"{}", f"Content-Encoding: {coding}", token="x")
        yield Case(f"webhook claims {coding}, unsigned", unsigned, own_words=False, statuses=wrong)
        body = _told("room_started", "a", "1", coding)
        coded = _webhook(body, f"Content-Encoding: {coding}")
        # What names a coding that nobody knows is read as it stands.
        yield Case(
            f"webhook claims {coding}", coded, own_words=False, statuses=anybody if coding == "x" else wrong
        )
    for created in (
        -1,
        "-1",
        "9" * 18,
        10**15,
        10**30,
        "NaN",
        1.5,
        1e300,
        "",
        None,
        [],
        "253402300800",
        "-62135596801",
    ):
        statuses = frozenset([200]) if created is None else wrong
        body = _told("room_started", f"room {created!r}", created, f"t{created!r}")
        yield Case(f"webhook creationTime {created!r}", _webhook(body), statuses=statuses)
    for room in ("a\0b", "회" * 300, "x" * 257, "", " ", "a\nb", "\u202e"):
        for event in ("room_started", "room_finished", "participant_joined", "\0", ""):
            yield Case(
                f"webhook {event!r} of {room[:9]!r}", _webhook(_told(event, room, "1", f"{event}{room}"))
            )
    for raw in (
        b"",
        b"{}",
        b"[]",
        b"null",
        b"NaN",
        b"\xff",
        b'{"room": 1}',
        b"[" * 100_000,
        b'{"room": {"name": "\\ud800"}}',
    ):
        yield Case(f"webhook {raw[:20]!r}", _webhook(raw))
    for token in ("", "a.b.c", "e" * 7_000, "eyJhbGciOiJub25lIn0.e30."):
        yield Case(f"webhook token {token[:20]!r}", _webhook(b"{}", token=token), statuses=frozenset([401]))
    half = _webhook(b"{" * 900)[:-500]
    yield Case("webhook gone quietly", half, "quietly")
    yield Case("webhook gone rudely", half, "rudely")
    yield Case("webhook over for 30 s", _webhook(b'{"event": "x"}', ttl_s=-30), statuses=frozenset([401]))


async def _told_again(served: Served) -> list[str]:
    """The same token three times: once it counts, then it is told that it did."""
    body = _told("room_started", "told-again", str(int(now_utc().timestamp())), "again")
    sent = _webhook(body)
    statuses = [(await _exchange(served.port, Case("again", sent)))[0] for _ in range(3)]
    return [] if statuses == [200, 409, 409] else [f"the same webhook three times: {statuses}"]


# ---- the wire -------------------------------------------------------------------------------------


async def _exchange(port: int, case: Case) -> tuple[int, bytes]:
    """Status and body of the answer; 0 where none came."""
    try:
        async with asyncio.timeout(_WITHIN_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                with suppress(ConnectionError):  # who is refused early may be hung up on; the answer is there
                    writer.write(case.sent)
                    await writer.drain()
                if case.goes:
                    await asyncio.sleep(0.02)
                    if case.goes == "rudely":
                        linger = struct.pack("ii", 1, 0)
                        writer.get_extra_info("socket").setsockopt(
                            socket.SOL_SOCKET, socket.SO_LINGER, linger
                        )
                    return 0, b""
                return _read(await _all_of(reader))
            finally:
                writer.close()
    except (TimeoutError, OSError):
        return 0, b""


async def _all_of(reader: asyncio.StreamReader) -> bytes:
    answer = bytearray()
    with suppress(ConnectionError):
        while piece := await reader.read(65_536):
            answer += piece
    return bytes(answer)


def _read(answer: bytes) -> tuple[int, bytes]:
    head, _, body = answer.partition(b"\r\n\r\n")
    while head.startswith(b"HTTP/1.1 100"):
        head, _, body = body.partition(b"\r\n\r\n")
    parts = head.split(b" ", 2)
    return (int(parts[1]), body) if len(parts) > 1 and parts[1].isdigit() else (0, answer)
