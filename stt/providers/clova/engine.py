"""CLOVA Speech as a `SpeechEngine`: one stretch on one stream of the pool."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any, Final

import structlog

from stt.providers.clova.domains import MAX_CHANNELS, DomainAddress
from stt.providers.clova.pool import StreamPool
from stt.providers.clova.replies import LANGUAGES, Reply, configuration, keywords
from stt.providers.clova.stream import AHEAD_S, ConfigRefused, RecogniseStream
from stt.segment import Segment, Stretch

_log = structlog.get_logger(__name__)

DEADLINE_S: Final = 15.0
DEFAULT_WEIGHT: Final = 2.0


class ClovaSpeech:
    """Speech recognition by CLOVA Speech's streaming service, over one or more domains.

    `words` are recognised with preference, by `weight` (0–5, 0 = none). `deadline_s` counts from the end
    of the sound. Sound is sent at most `ahead_s` faster than speech: in one piece it comes back as nonsense.
    """

    gives_interims = True

    def __init__(
        self,
        domains: Sequence[DomainAddress],
        *,
        words: Iterable[str] = (),
        weight: float = DEFAULT_WEIGHT,
        max_channels: int = MAX_CHANNELS,
        deadline_s: float = DEADLINE_S,
        ahead_s: float = AHEAD_S,
    ) -> None:
        self.name = "clova-speech"
        self._pool = StreamPool(domains, max_channels=max_channels)
        self._words = tuple(words)
        self._sources: list[Callable[[], Iterable[str]]] = []
        self._weight = weight
        self._refused_words: tuple[str, ...] = ()
        self._deadline_s = deadline_s
        self._ahead_s = ahead_s

    @property
    def channels(self) -> int:
        """Channels that this process holds now."""
        return self._pool.in_use

    def expect(self, words: Callable[[], Iterable[str]]) -> None:
        """See `stt.segment.Expectant`; asked whenever a stream is opened."""
        self._sources.append(words)

    async def transcribe(self, stretch: Stretch) -> AsyncIterator[Segment]:
        """Settled pieces as interims while the speech goes on, then all of them. Raises `SpeechError`."""
        first = await anext(stretch.sound, None)
        if first is None:
            return
        stream = await self._open(stretch.language)
        pieces: tuple[Reply, ...] = ()
        try:
            hearing = stream.hear(
                _all(first, stretch.sound), ahead_s=self._ahead_s, deadline_s=self._deadline_s
            )
            async with aclosing(hearing) as news:
                async for pieces in news:
                    yield _segment(pieces, stretch.language, final=False)
        finally:
            await self._pool.give_back(stream)
        for piece in pieces:
            yield _segment((piece,), stretch.language, final=True)

    async def aclose(self) -> None:
        """Hang up."""
        await self._pool.aclose()

    async def _open(self, language: str) -> RecogniseStream:
        """A stream; without the words, should the server dislike them."""
        words = keywords((*(word for source in self._sources for word in source()), *self._words))
        boosted = () if words == self._refused_words else words
        config = configuration(language, boosted, self._weight)
        refused = ""
        try:
            stream = await self._pool.take(config)
            refused = "; ".join(stream.refused_parts)
        except ConfigRefused as refusal:
            if "keywordBoosting" not in config:
                raise
            refused = str(refusal)
            stream = await self._pool.take(configuration(language))
        if refused and "keywordBoosting" in config:
            self._refused_words = words
            _log.warning("clova_keywords_refused", error=refused, words=len(words))
        return stream


async def probe(address: DomainAddress) -> None:
    """Open a stream in this domain and close it again. Raises `SpeechError`."""
    pool = StreamPool([address], max_channels=1)
    try:
        await pool.give_back(await pool.take(configuration("ko")))
    finally:
        await pool.aclose()


async def _all(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for chunk in rest:
        yield chunk


def _segment(pieces: Sequence[Reply], language: str, *, final: bool) -> Segment:
    sure: list[Any] = [piece.confidence for piece in pieces if piece.confidence is not None]
    return Segment(
        text=" ".join(piece.text for piece in pieces),
        start_ms=pieces[0].start_ms or 0,
        end_ms=pieces[-1].end_ms or 0,
        final=final,
        confidence=sum(sure) / len(sure) if sure else None,
        language=language if language in LANGUAGES else None,
    )
