"""An embeddings server that speaks the OpenAI protocol to the letter, and fails on request.

Its vectors say what they were made of: words that texts share bring them closer.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections import deque
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from aiohttp import web

from context.primitives.vectors import Vectors
from tests.fakes.openai_protocol import OpenAIServer, Status, cut

Fault = Literal[
    "hang",
    "drip",
    "garbage",
    "cut",
    "fewer",
    "other_length",
    "ragged",
    "zeros",
    "nan",
    "no_data",
    "shuffled",
    "long",
]
"""hang: silence · drip: a byte at a time · garbage: half a JSON · cut: the connection breaks · fewer: one vector
short · other_length: other dimensions than before · ragged: of different lengths · zeros, nan: no direction ·
no_data: a 200 without a list · shuffled: in another order, `index` right · long: vectors not of length 1."""


def bag_of_words(texts: list[str], dim: int = 16) -> Vectors:
    """A unit vector per text: the sum of its words' own directions."""
    rows = np.zeros((len(texts), dim), dtype=np.float32)
    for place, text in enumerate(texts):
        for word in text.lower().split() or [" "]:
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            rows[place] += np.random.default_rng(seed).standard_normal(dim).astype(np.float32)
    unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit


@dataclass
class EmbeddingServer(OpenAIServer):
    """Answers requests in the order of `will`."""

    path = "embeddings"
    model: str = "test-embed"
    limit: int = 64
    """Texts that one request may hold."""
    _scripts: deque[Fault | Status] = field(default_factory=deque)

    def will(self, *scripts: Fault | Status) -> None:
        self._scripts.extend(scripts)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        if (stranger := self.stranger(request, body)) is not None:
            return stranger
        texts = body["input"]
        if not texts or len(texts) > self.limit or not all(isinstance(text, str) and text for text in texts):
            return Status(400, "'$.input' is invalid").response
        script = self._scripts.popleft() if self._scripts else None
        if isinstance(script, Status):
            return script.response
        return await self._embedded(request, texts, script)

    async def _embedded(
        self, request: web.Request, texts: list[str], fault: Fault | None
    ) -> web.StreamResponse:
        if fault == "hang":
            await asyncio.Event().wait()
        if fault == "garbage":
            return web.Response(text='{"data": [{"embed', content_type="application/json")
        if fault == "no_data":
            return web.json_response({"object": "list"})
        data = [
            {"object": "embedding", "index": number, "embedding": row}
            for number, row in enumerate(self._rows(texts, fault))
        ]
        if fault == "fewer":
            data.pop()
        if fault == "shuffled":
            data.reverse()
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        raw = json.dumps({"object": "list", "model": self.model, "data": data, "usage": usage}).encode()
        if fault not in ("drip", "cut"):
            return web.Response(body=raw, content_type="application/json")
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        if fault == "cut":
            await response.write(raw[: len(raw) // 2])
            return cut(request, response)
        for place in range(len(raw)):
            await response.write(raw[place : place + 1])
            await asyncio.sleep(0.05)
        return response

    def _rows(self, texts: list[str], fault: Fault | None) -> list[list[float]]:
        rows = bag_of_words(texts, 8 if fault == "other_length" else 16).tolist()
        if fault == "ragged":
            rows[-1] = rows[-1][:-1]
        if fault == "zeros":
            rows[0] = [0.0] * len(rows[0])
        if fault == "nan":
            rows[0][0] = float("nan")
        if fault == "long":
            rows = [[3 * number for number in row] for row in rows]
        return rows
