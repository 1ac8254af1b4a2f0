"""The streams of one process over all its domains: each is opened for one stretch and then given back.

None is kept for the next stretch: see `stream` for why, and it would hold one of its domain's fifteen
channels, which other processes may need. What is kept is the domain's connection, so a new stream costs
one exchange with the server, which takes place while its sound is still being spoken.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog

from stt.providers.clova.domains import Domain, DomainAddress, DomainFull
from stt.providers.clova.stream import ConfigRefused, RecogniseStream
from stt.segment import EngineBusy, EngineFailed, SpeechError

_log = structlog.get_logger(__name__)


class StreamPool:
    """At most `max_channels` streams per domain, each for one stretch."""

    def __init__(self, addresses: Sequence[DomainAddress], *, max_channels: int) -> None:
        self._domains = [Domain(address, max_channels=max_channels) for address in addresses]
        self._leaving: set[asyncio.Task[None]] = set()
        """The goodbyes that are under way."""
        self._closed = False

    @property
    def in_use(self) -> int:
        """Channels that this process holds."""
        return sum(domain.in_use for domain in self._domains)

    async def take(self, config: dict[str, Any]) -> RecogniseStream:
        """A stream with this configuration, where there is most room to our knowledge.

        Raises `EngineBusy` where every domain is full or away, `EngineFailed` where all refuse.
        """
        while self._leaving and all(domain.free <= 0 for domain in self._domains):
            await asyncio.wait(self._leaving, return_when=asyncio.FIRST_COMPLETED)
        if self._closed:
            raise EngineFailed("the engine was closed")
        troubles: list[SpeechError] = []
        for domain in sorted(self._domains, key=_rank):
            if (trouble := domain.trouble()) is not None:
                troubles.append(trouble)
                continue
            try:
                stream = await RecogniseStream.open(domain, config)
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
        """After its stretch, however that ended. The words are there, so nobody waits for the goodbye."""
        if self._closed or not stream.alive:
            await stream.aclose()
            return
        leaving = asyncio.create_task(  # noqa: TID251 - owned here, ends within `stream`'s bound, waited for in `aclose`
            stream.aclose(gently=True), name="clova-goodbye"
        )
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def aclose(self) -> None:
        """Hang up everywhere."""
        self._closed = True
        if self._leaving:
            await asyncio.wait(self._leaving)
        for domain in self._domains:
            await domain.aclose()


def _rank(domain: Domain) -> tuple[bool, bool, int]:
    # Every process counts its own streams alone, so the first domain seems to have most room to all of
    # them: who was told that it is full asks the others first, or each stretch would be refused there.
    return domain.refuses, domain.crowded, -domain.free


def _summed_up(troubles: Sequence[SpeechError]) -> SpeechError:
    """What all domains said, as one error: while one of them may work again, it is worth waiting."""
    reason = "; ".join(dict.fromkeys(str(trouble) for trouble in troubles)) or "no CLOVA Speech domain is set"
    if not any(isinstance(trouble, EngineBusy) for trouble in troubles):
        return EngineFailed(reason)
    busy = EngineBusy(reason)
    if any(isinstance(trouble, DomainFull) for trouble in troubles):
        busy.retry_after_s = 0.5
    return busy
