"""The streams in memory: what `RedisBus` does, without Redis. Of old keys (without a tenant) it knows nothing."""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from functools import partial
from typing import Any

from context.ports import Unavailable
from worker.adapters.redis_bus import OUT_CAP, READERS, InputEntry, input_streams
from worker.adapters.redis_signatures import Signer
from worker.adapters.redis_streams import StreamNames
from worker.clock import now_utc
from worker.messages import AskMessage, SegmentMessage, Unsigned


class FakeBus:
    """Streams as lists. `bus.away = True` makes publishing and sending fail and reading wait."""

    def __init__(self, token: str = "", tenant: str = "default") -> None:
        self.away = False
        self.names = StreamNames(tenant)
        self.refusals: list[str] = []
        self.forgotten: list[str] = []
        """Meetings whose input may go."""
        self._signer = Signer(token) if token else None
        self.streams: dict[str, list[tuple[int, bytes | None]]] = defaultdict(list)
        self._count = 0
        self._numbers: dict[str, int] = defaultdict(int)
        self._news = asyncio.Condition()

    async def pass_on(self, meeting_id: str, kind: str, fields: Mapping[str, Any]) -> None:
        self._demand_there()
        await self._send(self.names.of("passing", meeting_id), {"kind": kind, **fields})

    async def pause(self, wait_s: float) -> None:
        await asyncio.sleep(wait_s)

    async def put(self, meeting_id: str, event: bytes, *, again: bool = False) -> int:
        self._demand_there()
        stream = self.names.of("out", meeting_id)
        if again:
            for _, payload in self.streams[stream]:
                if payload is not None and payload.endswith(event[1:]):
                    return int(json.loads(payload)["seq"])
        self._numbers[meeting_id] += 1
        seq = self._numbers[meeting_id]
        text = json.dumps({"seq": seq, **json.loads(event)}, ensure_ascii=False)
        await self.add(stream, text.encode("utf-8", "replace"))
        del self.streams[stream][:-OUT_CAP]
        return seq

    async def read_inputs(self, meeting_id: str, positions: Mapping[str, str]) -> AsyncIterator[InputEntry]:
        streams = input_streams(self.names, meeting_id)
        async for stream, position, payload in self._follow({s: positions.get(s, "0") for s in streams}):
            signer = self._signer
            fault = partial(signer.fault, stream, position) if signer else lambda _: None
            message = READERS[streams[stream]](payload, fault)
            if isinstance(message, Unsigned):
                self.refused(streams[stream])
            yield InputEntry(stream, position, message)

    def refused(self, kind: str) -> None:
        self.refusals.append(kind)

    async def follow(self, meeting_id: str, after: str = "0") -> AsyncIterator[tuple[str, dict[str, Any]]]:
        async for _, position, payload in self._follow({self.names.of("out", meeting_id): after}):
            yield position, json.loads(payload or b"")

    async def watch(self, meeting_id: str) -> AsyncIterator[dict[str, Any] | None]:
        passing = self.names.of("passing", meeting_id)
        start = {self.names.of("out", meeting_id): "$", passing: "$"}
        async for stream, _, payload in self._follow(start):
            yield json.loads(payload or b"") if stream == passing else None

    async def send_segment(self, meeting_id: str, segment: SegmentMessage) -> str:
        return await self._send(self.names.of("in", meeting_id), segment.model_dump(exclude_none=True))

    async def end(self, meeting_id: str) -> str:
        return await self._send(self.names.of("in", meeting_id), {"end": True}, signed=True)

    async def ask(self, meeting_id: str, question: AskMessage) -> str:
        return await self._send(self.names.of("ask", meeting_id), question.model_dump(), signed=True)

    async def wait_reply(
        self, meeting_id: str, invocation_id: str, timeout_s: float
    ) -> dict[str, Any] | None:
        try:
            async with asyncio.timeout(timeout_s):
                async for _, event in self.follow(meeting_id):
                    if event["kind"] == "reply" and event.get("invocation_id") == invocation_id:
                        return event
        except TimeoutError:
            pass
        return None

    async def publish_reply(self, invocation_id: str, entry: Mapping[str, Any]) -> None:
        await self._send(self.names.reply(invocation_id), dict(entry))

    async def newest(self, meeting_id: str) -> str:
        self._demand_there()
        entries = self.streams[self.names.of("out", meeting_id)]
        return f"{entries[-1][0]}-0" if entries else "0"

    async def follow_reply(
        self, meeting_id: str, invocation_id: str, after: str
    ) -> AsyncGenerator[dict[str, Any], None]:
        out = self.names.of("out", meeting_id)
        async for stream, _, payload in self._follow({self.names.reply(invocation_id): "0", out: after}):
            entry = json.loads(payload or b"")
            if stream != out:
                yield entry
            elif entry["kind"] == "reply" and entry.get("invocation_id") == invocation_id:
                yield {"reply": {k: v for k, v in entry.items() if k not in {"kind", "seq", "at"}}}
                return
            if "reply" in entry:
                return

    async def forget_inputs(self, meeting_id: str) -> None:
        self._demand_there()
        self.forgotten.append(meeting_id)

    async def drop(self, stream: str, positions: Sequence[str]) -> None:
        self._demand_there()
        self.streams[stream] = [each for each in self.streams[stream] if f"{each[0]}-0" not in positions]

    async def ping(self) -> None:
        self._demand_there()

    async def aclose(self) -> None:
        pass

    async def add(self, stream: str, payload: bytes | None) -> str:
        """An entry as anybody might write it; `None`: without the field `json`."""
        self._count = max(self._count + 1, int(now_utc().timestamp() * 1000))  # as Redis' own clock
        self.streams[stream].append((self._count, payload))
        async with self._news:
            self._news.notify_all()
        return f"{self._count}-0"

    def published(self, meeting_id: str) -> list[dict[str, Any]]:
        """What has gone out."""
        return [json.loads(payload or b"") for _, payload in self.streams[self.names.of("out", meeting_id)]]

    async def _send(self, stream: str, fields: dict[str, Any], *, signed: bool = False) -> str:
        self._demand_there()
        if signed and self._signer is not None:
            fields = self._signer.signed(stream, fields)
        return await self.add(stream, json.dumps(fields, ensure_ascii=False).encode("utf-8", "replace"))

    async def _follow(self, start: Mapping[str, str]) -> AsyncIterator[tuple[str, str, bytes | None]]:
        places = {
            stream: self._count if position == "$" else int(position.split("-")[0])
            for stream, position in start.items()
        }
        while True:
            for stream, place in places.items():
                for number, payload in list(self.streams[stream]):
                    if number > place:
                        places[stream] = number
                        yield stream, f"{number}-0", payload
            async with self._news:
                if not any(self.streams[s] and self.streams[s][-1][0] > p for s, p in places.items()):
                    await self._news.wait()

    def _demand_there(self) -> None:
        if self.away:
            raise Unavailable("Redis is away")
