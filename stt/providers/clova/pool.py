"""The streams of one process over all its domains: taken for a stretch, given back, kept open for a moment.

A stream that is kept spares the next stretch its handshake, but it holds one of its domain's fifteen
channels, which other processes may need: so it is kept for seconds, and not at all after its domain
has said that it is full.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import structlog

from stt.providers.clova.domains import Domain, DomainAddress, DomainFull
from stt.providers.clova.stream import ConfigRefused, RecogniseStream
from stt.segment import EngineBusy, EngineFailed, SpeechError

_log = structlog.get_logger(__name__)


class StreamPool:
    """At most `max_channels` streams per domain, each for one stretch at a time."""

    def __init__(self, addresses: Sequence[DomainAddress], *, max_channels: int, idle_s: float) -> None:
        self._domains = [Domain(address, max_channels=max_channels) for address in addresses]
        self._idle_s = idle_s
        self._idle: dict[RecogniseStream, asyncio.Task[None]] = {}
        self._closed = False

    @property
    def in_use(self) -> int:
        """Channels that this process holds, those kept for later included."""
        return sum(domain.in_use for domain in self._domains)

    async def take(self, config: dict[str, Any]) -> RecogniseStream:
        """A stream with this configuration: one kept, or a new one in the domain with most room.

        Raises `EngineBusy` where every domain is full or away, `EngineFailed` where all refuse.
        """
        if self._closed:
            raise EngineFailed("the engine was closed")
        key = json.dumps(config, sort_keys=True)
        if (kept := await self._kept(key)) is not None:
            return kept
        troubles: list[SpeechError] = []
        for domain in sorted(self._domains, key=lambda domain: -domain.free):
            await self._make_room(domain)
            if (trouble := domain.trouble()) is not None:
                troubles.append(trouble)
                continue
            try:
                stream = await RecogniseStream.open(domain, config, key)
            except ConfigRefused:
                raise  # the other domains would say the same
            except SpeechError as error:
                domain.note(error)
                troubles.append(error)
                _log.info("clova_domain_passed_over", domain=domain.name, error=str(error))
                continue
            domain.works()
            return stream
        raise _summed_up(troubles)

    async def give_back(self, stream: RecogniseStream) -> None:
        """After its stretch, however that ended."""
        if not stream.alive:
            await stream.aclose()
        elif self._closed or self._idle_s <= 0 or stream.domain.crowded:
            await stream.aclose(gently=True)
        else:
            self._idle[stream] = asyncio.create_task(  # noqa: TID251 - owned here, ended by `take` or `aclose`
                self._expire(stream), name="clova-idle"
            )

    async def aclose(self) -> None:
        """Hang up everywhere."""
        self._closed = True
        for stream in list(self._idle):
            await self._unkeep(stream)
            await stream.aclose(gently=True)
        for domain in self._domains:
            await domain.aclose()

    async def _expire(self, stream: RecogniseStream) -> None:
        await asyncio.sleep(self._idle_s)
        del self._idle[stream]
        await stream.aclose(gently=True)

    async def _kept(self, key: str) -> RecogniseStream | None:
        """The one used last, of those that are configured so; the dead are buried on the way."""
        for stream in reversed(list(self._idle)):
            if stream.alive and stream.key != key:
                continue
            await self._unkeep(stream)
            if stream.alive:
                return stream
            await stream.aclose()
        return None

    async def _make_room(self, domain: Domain) -> None:
        """Of our own, those that wait with another configuration."""
        if domain.free > 0:
            return
        for stream in [stream for stream in self._idle if stream.domain is domain][:1]:
            await self._unkeep(stream)
            await stream.aclose(gently=True)

    async def _unkeep(self, stream: RecogniseStream) -> None:
        waiting = self._idle.pop(stream, None)
        if waiting is not None:
            waiting.cancel()
            await asyncio.wait([waiting])


def _summed_up(troubles: Sequence[SpeechError]) -> SpeechError:
    """What all domains said, as one error: while one of them may work again, it is worth waiting."""
    reason = "; ".join(dict.fromkeys(str(trouble) for trouble in troubles)) or "no CLOVA Speech domain is set"
    if not any(isinstance(trouble, EngineBusy) for trouble in troubles):
        return EngineFailed(reason)
    busy = EngineBusy(reason)
    if any(isinstance(trouble, DomainFull) for trouble in troubles):
        busy.retry_after_s = 0.5
    return busy
