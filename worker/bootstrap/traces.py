"""Opens the way of spans to a collector, and tries it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from worker.configuration.settings import Settings
from worker.monitoring.spans import Spans


@asynccontextmanager
async def spans(settings: Settings) -> AsyncIterator[Spans | None]:
    """Open where spans go, in this process and for the block; None where traces are off.

    A thread begins with it, so that it belongs behind a fork. What is on its way at the end is sent, for two
    seconds at most.
    """
    if not settings.traces.on:
        yield None
        return
    from worker.adapters.otlp_spans import OtlpSpans  # the SDK: who has no traces is spared it

    opened = OtlpSpans(settings.traces.service)
    try:
        yield opened
    finally:
        await opened.aclose()


async def tried() -> str:
    """Send the collector an empty request; give the address that took it. Raises `Unavailable`, `Refused`."""
    from worker.adapters.otlp_spans import probe

    return await probe()
