"""A collector of traces on loopback, which reads OTLP over HTTP as the real one does, and misbehaves at a switch."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Literal

from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as WireSpan
from opentelemetry.proto.trace.v1.trace_pb2 import Status

from tests.fakes.listening import listen

Mood = Literal["well", "401", "503", "redirect", "login", "hang"]
PROTOBUF = "application/x-protobuf"


@dataclass(frozen=True, slots=True)
class SeenSpan:
    """A span as it came by the wire."""

    name: str
    trace_id: str
    span_id: str
    parent_id: str
    began_ns: int
    ended_ns: int
    attributes: dict[str, Any]
    links: tuple[tuple[str, str, dict[str, Any]], ...]
    events: int
    status: tuple[int, str]


@dataclass
class Collector:
    """`mood` is how it answers."""

    mood: Mood = "well"
    url: str = ""
    spans: list[SeenSpan] = field(default_factory=list)
    resources: list[dict[str, Any]] = field(default_factory=list)
    scopes: set[str] = field(default_factory=set)
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    @asynccontextmanager
    async def running(self, port: int = 0) -> AsyncIterator[Collector]:
        """Listen on a loopback port."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/traces", self._take)
        runner, self.url = await listen(app, port=port)
        try:
            yield self
        finally:
            self.release.set()
            await runner.cleanup()

    def of(self, name: str) -> list[SeenSpan]:
        """The spans of this name."""
        return [span for span in self.spans if span.name == name]

    def parts(self, whole: SeenSpan) -> list[SeenSpan]:
        """The spans within another, in the order of their beginnings."""
        within = [each for each in self.spans if each.parent_id == whole.span_id]
        assert {each.trace_id for each in within} <= {whole.trace_id}
        return sorted(within, key=lambda each: each.began_ns)

    def lines(self) -> Iterator[str]:
        """What is told of each whole span: itself, its parts, and the traces that it is linked with."""
        for whole in [span for span in self.spans if not span.parent_id]:
            told = " ".join(
                f"{name.removeprefix('moim.')}={value}" for name, value in whole.attributes.items()
            )
            failed = "  FAILED" if whole.status[0] == Status.STATUS_CODE_ERROR else ""
            yield f"{whole.trace_id}  {whole.name}  {_ms(whole):9.1f} ms  {told}{failed}"
            for part in self.parts(whole):
                yield f"{'':34}{part.name:20} {_ms(part):9.1f} ms"
            for trace_id, _, about in whole.links:
                yield f"{'':34}cites turn {about['moim.utterance']:<9} {trace_id}"

    async def _take(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        self.headers.append(dict(request.headers))
        match self.mood:
            case "hang":
                await self.release.wait()
                return web.Response(status=503)
            case "redirect":
                return web.Response(status=302, headers={"Location": "/login"})
            case "login":
                return web.Response(text="<html>Sign in / 로그인</html>", content_type="text/html")
            case "well":
                self._read(body)
                return web.Response(
                    body=ExportTraceServiceResponse().SerializeToString(), content_type=PROTOBUF
                )
            case code:
                return web.Response(status=int(code), text="the collector's own words")

    def _read(self, body: bytes) -> None:
        self.bodies.append(body)
        for batch in ExportTraceServiceRequest.FromString(body).resource_spans:
            self.resources.append(dict(_pairs(batch.resource.attributes)))
            for scope in batch.scope_spans:
                self.scopes.add(scope.scope.name)
                self.spans += map(_seen, scope.spans)


def _seen(span: WireSpan) -> SeenSpan:
    return SeenSpan(
        name=span.name,
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        began_ns=span.start_time_unix_nano,
        ended_ns=span.end_time_unix_nano,
        attributes=dict(_pairs(span.attributes)),
        links=tuple(
            (link.trace_id.hex(), link.span_id.hex(), dict(_pairs(link.attributes))) for link in span.links
        ),
        events=len(span.events),
        status=(span.status.code, span.status.message),
    )


def _pairs(pairs: Any) -> Iterator[tuple[str, Any]]:
    each: KeyValue
    for each in pairs:
        yield each.key, _value(each.value)


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    return None if kind is None else getattr(value, kind)


async def _print_all(port: int) -> None:
    """Print each trace as it comes."""
    async with Collector().running(port) as collector:
        print(f"OTEL_EXPORTER_OTLP_ENDPOINT={collector.url}", flush=True)
        while True:
            await asyncio.sleep(0.2)
            for line in collector.lines():
                print(line, flush=True)
            collector.spans.clear()


def _ms(span: SeenSpan) -> float:
    return (span.ended_ns - span.began_ns) / 1e6


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        asyncio.run(_print_all(int(sys.argv[1]) if len(sys.argv) > 1 else 4318))
