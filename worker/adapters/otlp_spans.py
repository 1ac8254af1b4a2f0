"""Spans on their way to a collector, by OpenTelemetry's SDK, as OTLP over HTTP in protobuf.

The SDK reads the standard's variables (`OTEL_*`) itself. Its tracer here is one of our own and never the
process's: livekit-agents, LangChain and clients of servers make spans, too, with names and texts in them, and
none of those comes here; nor is a span of ours within one of theirs.

The SDK's thread begins with `OtlpSpans`, so that is made behind the fork of a job. To emit is to put into a
queue, which drops its oldest where the collector is away or slow; that is told once, and once more when it is
over.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

import requests
import structlog
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.sdk.trace.id_generator import IdGenerator
from opentelemetry.trace import Link, SpanContext, Status, StatusCode, TraceFlags, set_span_in_context

from context.ports import Refused, Unavailable
from worker.configuration.settings import exported
from worker.errors import why_unreached
from worker.monitoring.spans import Span, Trace

log = structlog.get_logger(__name__)

FLUSHED_WITHIN_S: Final = 2.0
"""How long a process that ends waits for the collector to take its last spans."""
_PROBE_S: Final = 5.0
_MOST_BYTES: Final = 65_536
"""So much of an answer is read."""
_QUEUED_SPANS: Final = 2_048
"""The SDK's own bound of the queue."""


class OtlpSpans:
    """Takes spans, and has a thread send them; see `Spans`."""

    def __init__(self, service: str) -> None:
        """`service`: the name of this service where the environment gives it none."""
        # What goes wrong is told here, once: the SDK tells it of each batch, with texts of the collector's.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        resource = Resource.create()
        if str(resource.attributes.get(SERVICE_NAME, "")).startswith("unknown_service"):
            resource = resource.merge(Resource({SERVICE_NAME: service}))
        self._ids = _GivenIds()
        self._exporter = _Telling()
        self._provider = TracerProvider(resource=resource, id_generator=self._ids, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer("moim")

    def emit(self, span: Span) -> None:
        """See `Spans.emit`."""
        trace = span.trace
        self._ids.trace_id, self._ids.span_id = trace.trace_id, trace.span_id()
        whole = self._tracer.start_span(
            trace.kind,
            context=Context(),  # not within whatever span of another library is open just now
            attributes=dict(span.attributes),
            links=[_link(trace, number) for number in span.cites],
            start_time=span.began_ns,
        )
        if whole.is_recording():
            self._exporter.comes(1 + len(span.parts))
        within = set_span_in_context(whole, Context())
        for place, part in enumerate(span.parts, start=1):
            self._ids.span_id = trace.span_id(place)
            started = self._tracer.start_span(part.name, context=within, start_time=part.began_ns)
            started.end(part.ended_ns)
        if span.failed:
            whole.set_status(Status(StatusCode.ERROR))  # without a text
        whole.end(span.ended_ns)

    async def aclose(self) -> None:
        """Send what waits, for a moment at most: a collector that hangs keeps no process from ending."""
        ending = threading.Thread(target=self._provider.shutdown, name="spans-end", daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, FLUSHED_WITHIN_S)
        if ending.is_alive():
            if not self._exporter.away:
                log.warning("traces_left_behind", deadline_s=FLUSHED_WITHIN_S)
            self._exporter.shutdown()


async def probe() -> str:
    """Send the collector an empty request, as meetings would send spans; give the address that took it.

    Raises `Unavailable` or `Refused`.
    """
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    session = _Seen()
    exporter = OTLPSpanExporter(session=session, timeout=_PROBE_S)
    try:
        await asyncio.to_thread(exporter.export, ())
    finally:
        exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK's
    if session.status is None or session.status >= 500:
        raise Unavailable(f"{session.address}: {session.why}")
    if session.why:
        raise Refused(f"{session.address}: {session.why}")
    return session.address


class _Seen(requests.Session):
    """A client that notes how the collector answered last: the SDK tells whether it did, and not why not.

    Of what it answers no more is read than a collector says.
    """

    def __init__(self) -> None:
        super().__init__()
        self.address = ""
        """Where the last request went, without a password or a token."""
        self.status: int | None = None
        self.why = "nothing was sent"
        """What is wrong; empty where it took the last request."""

    def request(self, method: str, url: str, *args: Any, **kwargs: Any) -> requests.Response:  # type: ignore[override]  # whatever its client gives
        """Send a request. Raises what the client does."""
        address, _, query = url.partition("?")
        self.address, self.status = address.rpartition("@")[2], None
        try:
            response = super().request(method, url, *args, **{**kwargs, "stream": True})
            response.raw.read(_MOST_BYTES)  # to its end, so that the connection is used again
            response.close()
        except Exception as error:
            why = why_unreached(error)
            self.why = why.replace(query, "***") if query else why
            raise
        self.status, self.why = response.status_code, ""
        if not 200 <= response.status_code < 300:  # the SDK takes a redirect for a success
            self.why = f"it answers {response.status_code}"
        elif "html" in response.headers.get("Content-Type", ""):
            self.why = "it answers with a page for people: is it another server that listens there?"
        return response


class _Telling(SpanExporter):
    """The SDK's exporter, which tells once that its collector does not take spans, and once that it does."""

    def __init__(self) -> None:
        self._seen = _Seen()
        self._exporter = OTLPSpanExporter(session=self._seen)
        room = exported("OTEL_BSP_MAX_QUEUE_SIZE")
        self._room = int(room) if room.isdecimal() else _QUEUED_SPANS
        self._counting = threading.Lock()
        self._waiting = self._lost = 0

    @property
    def away(self) -> bool:
        """Whether it was told that the collector does not take spans."""
        return self._lost > 0

    def comes(self, spans: int) -> None:
        """Count spans that go into the queue, which drops as many of its oldest where there is no room."""
        with self._counting:
            self._waiting += spans
            dropped = max(0, self._waiting - self._room)
            self._waiting -= dropped
        if dropped:
            self._lose(dropped, "it is slower than spans come")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        outcome = SpanExportResult.FAILURE
        with suppress(Exception):  # its text is not ours to tell
            outcome = self._exporter.export(spans)
        with self._counting:
            self._waiting = max(0, self._waiting - len(spans))
        if outcome is not SpanExportResult.SUCCESS or self._seen.why:
            self._lose(len(spans), self._seen.why)
            return SpanExportResult.FAILURE
        if self._lost and self._waiting < self._room / 2:
            log.info("traces_taken_again", lost=self._lost)
            self._lost = 0
        return outcome

    def _lose(self, spans: int, why: str) -> None:
        if not self._lost:
            log.warning("traces_not_taken", collector=self._seen.address, why=why)
        self._lost += spans

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]  # the SDK's

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


class _GivenIds(IdGenerator):
    """Gives the ids that were set just before."""

    trace_id = span_id = 1

    def generate_trace_id(self) -> int:
        return self.trace_id

    def generate_span_id(self) -> int:
        return self.span_id


def _link(trace: Trace, utterance: int) -> Link:
    """The link to a turn of the same meeting."""
    turn = Trace(trace.tenant, trace.meeting, "turn", str(utterance))
    sampled = TraceFlags(TraceFlags.SAMPLED)
    there = SpanContext(turn.trace_id, turn.span_id(), is_remote=True, trace_flags=sampled)
    return Link(there, {"moim.utterance": utterance})
