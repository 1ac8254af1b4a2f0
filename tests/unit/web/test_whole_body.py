"""Bodies that are packed: honestly, falsely, and too large for what they are."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest

from tests.unit.web.server import Site

MESSAGES = {"messages": [{"role": "user", "content": "출시일은 11월 20일입니다."}]}
SAID = json.dumps(MESSAGES).encode()


async def _status(site: Site, body: bytes, packed: str) -> int:
    status, _ = await site.call("POST", "/v1/summarize", body, headers={"Content-Encoding": packed})
    return status


@pytest.mark.parametrize(
    ("body", "packed", "status"),
    [
        (gzip.compress(SAID), "gzip", 200),
        (zlib.compress(SAID), "deflate", 200),
        (SAID, "identity", 200),
        (SAID, "gzip", 400),
        (gzip.compress(SAID)[:-9], "gzip", 400),
        (SAID, "br", 415),
        (gzip.compress(b" " * 50_000_000), "gzip", 413),
    ],
)
async def test_a_packed_body_is_what_it_says_or_refused(
    site: Site, body: bytes, packed: str, status: int
) -> None:
    assert await _status(site, body, packed) == status


@pytest.mark.parametrize("content", ["\u0000\u0001", " \n\t ", "\u200b\u2060", "\u202e"])
async def test_nothing_to_summarise_is_the_askers_mistake(site: Site, content: str) -> None:
    body = {"messages": [{"role": "user", "content": content}]}
    assert await _status(site, json.dumps(body).encode(), "identity") == 400
