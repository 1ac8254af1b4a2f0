"""CLOVA Speech as a `SpeechEngine`: one stretch on one stream of its own, in the domain with most room.

No stream is kept for the next stretch: `stt.providers.clova.stream` says why, and it would hold one of its
domain's fifteen channels, which other processes may need. What is kept is the domain's connection, so a new
stream costs one exchange with the server, which takes place while its sound is still being spoken.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any, Final

import structlog

from stt.providers.clova.domains import MAX_CHANNELS, Domain, DomainAddress, DomainFull
from stt.providers.clova.replies import LANGUAGES, ClovaReply, configuration, keywords
from stt.providers.clova.stream import AHEAD_S, ConfigRefused, RecogniseStream
from stt.segment import EngineBusy, EngineFailed, Segment, SpeechError, Stretch

_log = structlog.get_logger(__name__)

DEADLINE_S: Final = 15.0
"""How long after the end of the sound its text is waited for."""


class ClovaSpeech:
    """Speech recognition by CLOVA Speech's streaming service, over one or more domains.

    `deadline_s` counts from the end of the sound, which is sent at most `ahead_s` ahead of real time: in one
    piece it comes back as nonsense.
    """

    gives_interims = True

    def __init__(
        self,
        domains: Sequence[DomainAddress],
        *,
        max_channels: int = MAX_CHANNELS,
        deadline_s: float = DEADLINE_S,
        ahead_s: float = AHEAD_S,
    ) -> None:
        self.name = "clova-speech"
        self._domains = [Domain(address, max_channels=max_channels) for address in domains]
        self._refused: frozenset[str] = frozenset()
        """Words of which the server has refused some; nobody knows which."""
        self._deadline_s, self._ahead_s = deadline_s, ahead_s
        self._leaving: set[asyncio.Task[None]] = set()
        """The streams that are being closed."""
        self._closed = False

    @property
    def channels(self) -> int:
        """How many channels this process holds now, over all domains."""
        return sum(domain.in_use for domain in self._domains)

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """See `SpeechEngine.transcribe`. Settled pieces come as interims while it grows, then as finals."""
        first = await anext(stretch.sound, None)
        if first is None:
            return
        stream = await self._open(stretch.language, stretch.terms)
        pieces: tuple[ClovaReply, ...] = ()
        try:
            sound = _all(first, stretch.sound)
            hearing = stream.hear(sound, ahead_s=self._ahead_s, deadline_s=self._deadline_s)
            async with aclosing(hearing) as news:
                async for pieces in news:
                    yield _segment(pieces, stretch.language, final=False)
        finally:
            await self._give_back(stream)
        for piece in pieces:
            yield _segment((piece,), stretch.language, final=True)

    async def probe(self) -> None:
        """Open a stream and close it again. Raises `SpeechError`."""
        await self._give_back(await self._take(configuration("ko")))

    async def aclose(self) -> None:
        """See `SpeechEngine.aclose`; waits for streams that are being closed."""
        self._closed = True
        if self._leaving:
            await asyncio.wait(self._leaving)
        for domain in self._domains:
            await domain.aclose()

    async def _open(self, language: str, terms: Sequence[str]) -> RecogniseStream:
        """Open a stream with the words to boost, or without them where the server refuses them."""
        words = keywords(terms)
        boosted = () if self._refused.issuperset(words) else words
        config = configuration(language, boosted)
        try:
            stream = await self._take(config)
        except ConfigRefused as refusal:
            if "keywordBoosting" not in config:
                raise
            self._without_words(words, str(refusal))
            return await self._take(configuration(language))
        if stream.refused_parts and "keywordBoosting" in config:
            self._without_words(words, "; ".join(stream.refused_parts))
        return stream

    def _without_words(self, words: tuple[str, ...], why: str) -> None:
        self._refused |= frozenset(words)
        _log.warning("clova_keywords_refused", error=why, words=len(words))

    async def _take(self, config: dict[str, Any]) -> RecogniseStream:
        """Open a stream with this configuration, in the domain with the most room that we know of.

        Raises `EngineBusy` where every domain is full or away, `EngineFailed` where all refuse.
        """
        while self._leaving and all(domain.free <= 0 for domain in self._domains):
            await asyncio.wait(self._leaving, return_when=asyncio.FIRST_COMPLETED)
        if self._closed:
            raise EngineFailed("the engine was closed")
        troubles: list[SpeechError] = []
        # Every process counts its own streams alone, so the first domain seems to have most room to all of
        # them: who was told that it is full asks the others first, or each stretch would be refused there.
        for domain in sorted(self._domains, key=lambda one: (one.refuses, one.crowded, -one.free)):
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
        # What all domains said, as one error: while one of them may work again, it is worth waiting.
        reason = "; ".join(dict.fromkeys(map(str, troubles))) or "no CLOVA Speech domain is set"
        if not any(isinstance(trouble, EngineBusy) for trouble in troubles):
            raise EngineFailed(reason)
        busy = EngineBusy(reason)
        if any(isinstance(trouble, DomainFull) for trouble in troubles):
            busy.retry_after_s = 0.5
        raise busy

    async def _give_back(self, stream: RecogniseStream) -> None:
        """Close a stream after its stretch, however that ended; in good order it goes on in a task."""
        if self._closed or not stream.alive:
            await stream.aclose()
            return
        leaving = asyncio.create_task(  # noqa: TID251 - owned here, ends within `stream`'s bound, waited for in `aclose`
            stream.aclose(gently=True), name="clova-goodbye"
        )
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)


async def probe(address: DomainAddress) -> None:
    """Open a stream in this domain and close it again. Raises `SpeechError`."""
    async with aclosing(ClovaSpeech([address], max_channels=1)) as engine:
        await engine.probe()


async def _all(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest:
        yield chunk


def _segment(pieces: Sequence[ClovaReply], language: str, *, final: bool) -> Segment:
    sure = [piece.confidence for piece in pieces if piece.confidence is not None]
    return Segment(
        text=" ".join(piece.text for piece in pieces),
        start_ms=pieces[0].start_ms or 0,
        end_ms=pieces[-1].end_ms or 0,
        final=final,
        confidence=sum(sure) / len(sure) if sure else None,
        language=language if language in LANGUAGES else None,
    )
