"""One `recognize` stream of CLOVA Speech: the CONFIG handshake, then the sound of one stretch.

Theory of operation. A reader task turns what the server sends into `ClovaReply`s in a queue; a feeder task
sends a stretch's sound at the pace of speech and puts a mark into the same queue when it has ended. So
the listener waits in one place, and a timeout there never touches the call (a `read` that is cancelled
takes its whole call down).

At the end of the stretch a moment of silence goes out with `epFlag` and a number, whose echo says that
everything was answered. Where no echo comes, our side is closed, and the server's end of the stream says
the same.

A reply does not say what it answers. Words that come after their echo would be the next stretch's, and no
silence proves that none will come; so a stream hears one stretch, and what it says is nobody else's.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

import structlog

from stt.providers.clova import replies
from stt.providers.clova.domains import Domain, DomainAway, translated
from stt.providers.clova.replies import ClovaReply
from stt.segment import BYTES_PER_MS, EngineBusy, EngineFailed, EngineSilent, SpeechError

_log = structlog.get_logger(__name__)

OPEN_DEADLINE_S: Final = 5.0
"""How long connecting and the CONFIG handshake may take together."""
ECHO_S: Final = 3.0
"""After so long without a reply to the flush, our side is closed instead of waiting for its echo."""
_FLUSH_PCM: Final = bytes(100 * BYTES_PER_MS)
"""What carries the flush: a moment of silence, since nobody knows before the end which chunk is the last."""
_FLUSH_SEQ: Final = 1
_GOODBYE_S: Final = 1.0
AHEAD_S: Final = 1.0
"""How far sound may run ahead of real time: the pre-roll, and what waited for the stream."""


@dataclass(frozen=True, slots=True)
class _Fed:
    """The feeder's mark in the queue of replies: the sound has ended, or its sending broke."""

    error: Exception | None = None


class ConfigRefused(EngineFailed):
    """The server refuses the configuration; the other domains would do so, too."""


class RecogniseStream:
    """An open `recognize` stream, for one stretch; it takes one of its domain's channels until `aclose`."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.alive = True
        """Whether nothing has gone wrong, so that the stream can be closed in good order."""
        self.refused_parts: tuple[str, ...] = ()
        """Parts of the configuration that the server refused while it took the rest."""
        self._arrived: asyncio.Queue[ClovaReply | SpeechError | _Fed | None] = asyncio.Queue()
        self._call: Any = None
        self._reader: asyncio.Task[None] | None = None
        self._sent_bytes = 0
        self._closed = False

    @classmethod
    async def open(
        cls, domain: Domain, config: dict[str, Any], *, deadline_s: float = OPEN_DEADLINE_S
    ) -> RecogniseStream:
        """Connect and configure. Raises `SpeechError`; a `Domain…` one where another domain may do better."""
        stream = cls(domain)
        domain.in_use += 1
        try:
            async with asyncio.timeout(deadline_s):
                await stream._begin(config)
        except TimeoutError:
            await stream.aclose()
            raise DomainAway(f"{domain.name}: no answer to CONFIG within {deadline_s:g} s") from None
        except BaseException:
            await stream.aclose()
            raise
        return stream

    async def _begin(self, config: dict[str, Any]) -> None:
        self._call = await self.domain.call()
        from stt.providers.clova import wire

        self._reader = asyncio.create_task(  # noqa: TID251 - owned here, ended in `aclose`
            self._read(), name="clova-replies"
        )
        await self._write(wire.config_request(config))
        # No sound before this answer: the server would not have finished its own part.
        while True:
            arrived = await self._arrived.get()
            if isinstance(arrived, SpeechError):
                raise arrived
            if not isinstance(arrived, ClovaReply):
                raise DomainAway(f"{self.domain.name} ended the stream at once")
            if arrived.config:
                raise ConfigRefused(f"{self.domain.name} refuses the configuration: {arrived.config}")
            if arrived.config is not None:
                self.refused_parts = arrived.config_parts
                return

    async def hear(
        self, sound: AsyncIterator[bytes], *, ahead_s: float, deadline_s: float, echo_s: float = ECHO_S
    ) -> AsyncGenerator[tuple[ClovaReply, ...], None]:
        """Send the sound and yield, at each new piece of text, all pieces so far in the order of the text.

        Call it once. Ends when everything is answered, at most `deadline_s` after the sound.
        `ahead_s`: see `AHEAD_S`; `echo_s`: see `ECHO_S`. Raises `SpeechError`.
        """
        pieces: dict[tuple[int, str], ClovaReply] = {}
        feeding = asyncio.create_task(  # noqa: TID251 - owned here, ended in the finally below
            self._feed(sound, ahead_s, deadline_s), name="clova-feed"
        )
        complete = False
        try:
            async for reply in self._answers(deadline_s, echo_s):
                key = (reply.position, reply.text)
                if reply.text and key not in pieces:  # a piece that was sent twice counts once
                    pieces[key] = reply
                    yield _in_order(pieces.values(), self._sent_bytes // BYTES_PER_MS)
            complete = True
        finally:
            feeding.cancel()
            await asyncio.wait([feeding])
            self.alive = self.alive and complete

    async def aclose(self, *, gently: bool = False) -> None:
        """End the call and give its channel back; `gently`: close our side first. Never raises."""
        if self._closed:
            return
        self._closed, self.alive = True, False
        try:
            if self._reader is not None:
                if gently and not self._reader.done():
                    await self._write(None)
                    await asyncio.wait([self._reader], timeout=_GOODBYE_S)
                self._call.cancel()
                self._reader.cancel()
                await asyncio.wait([self._reader])
        finally:
            self.domain.in_use -= 1

    # ---- sending ------------------------------------------------------------------------------

    async def _feed(self, sound: AsyncIterator[bytes], ahead_s: float, deadline_s: float) -> None:
        from stt.providers.clova import wire

        loop = asyncio.get_running_loop()
        began_s, sent_s = loop.time(), 0.0
        fed = _Fed()
        try:
            async for chunk in sound:
                for start in range(0, len(chunk), wire.MAX_CHUNK_BYTES):
                    part = chunk[start : start + wire.MAX_CHUNK_BYTES]
                    early_s = sent_s - (loop.time() - began_s) - ahead_s
                    if early_s > 0:
                        await asyncio.sleep(early_s)
                    elif early_s < -ahead_s:
                        began_s = loop.time() - sent_s  # what was late stays late: nothing to catch up
                    async with asyncio.timeout(deadline_s):
                        await self._write(wire.data_request(part))
                    self._sent_bytes += len(part)
                    sent_s += len(part) / BYTES_PER_MS / 1000
            await self._write(wire.data_request(_FLUSH_PCM, seq=_FLUSH_SEQ, flush=True))
        except TimeoutError:
            fed = _Fed(DomainAway(f"{self.domain.name} takes no more sound"))
        except Exception as error:  # noqa: BLE001 - the listener raises it
            fed = _Fed(error)
        self._arrived.put_nowait(fed)

    async def _write(self, request: Any) -> None:
        """Send a request, or close our side where it is None. Where the stream is broken the reader says why.

        It is not sent by `call.write`: where the server ends the stream in that moment (a wrong secret, a
        channel too many), that replaces the server's status by "Internal error from Core" in two cases of
        five, and nobody learns the reason any more.
        """
        from grpc import aio

        try:
            if request is None:
                await self._call.done_writing()
                return
            await self._call.wait_for_connection()
            await self._call._cython_call.send_serialized_message(request.SerializeToString())  # noqa: SLF001 - see above
        except (aio.AioRpcError, aio.InternalError, aio.UsageError, asyncio.InvalidStateError):
            self.alive = False

    # ---- listening ----------------------------------------------------------------------------

    async def _answers(self, deadline_s: float, echo_s: float) -> AsyncGenerator[ClovaReply, None]:
        """Yield the server's replies until everything that was sent is answered."""
        loop = asyncio.get_running_loop()
        until_s: float | None = None
        open_ended = True
        while True:
            wait_s = None if until_s is None else until_s - loop.time()
            if wait_s is not None and open_ended:
                wait_s = min(wait_s, echo_s)
            try:
                async with asyncio.timeout(wait_s):
                    arrived = await self._arrived.get()
            except TimeoutError:
                if not open_ended:
                    why = f"{self.domain.name}: no result {deadline_s:g} s after the speech"
                    raise EngineSilent(why) from None
                _log.info("clova_no_echo", domain=self.domain.name)
                open_ended = self.alive = False
                await self._write(None)
                continue
            match arrived:
                case _Fed(error=None):
                    until_s = loop.time() + deadline_s
                case _Fed(error=Exception() as error) | (SpeechError() as error):
                    raise error
                case None if until_s is None:
                    raise EngineBusy(f"{self.domain.name} ended the stream before the end of the sound")
                case None:
                    return
                case ClovaReply():
                    yield arrived
                    if arrived.flushed and arrived.seq == _FLUSH_SEQ:
                        # It may have overtaken our own mark.
                        while until_s is None and not isinstance(await self._arrived.get(), _Fed):
                            pass
                        return

    async def _read(self) -> None:
        from grpc import aio

        try:
            while (message := await self._call.read()) is not aio.EOF:
                if message is None:
                    raise EngineFailed(f"{self.domain.name} sends messages of another kind")
                self._arrived.put_nowait(replies.read(message.contents))
        except aio.AioRpcError as error:
            self._arrived.put_nowait(translated(self.domain.name, error))
        except SpeechError as error:
            self._arrived.put_nowait(error)
        except asyncio.CancelledError:
            if self._closed:
                raise
            # gRPC shows a call that the server cancelled like one that we cancel.
            self._arrived.put_nowait(DomainAway(f"{self.domain.name} cancelled the stream"))
        else:
            self._arrived.put_nowait(None)
        finally:
            self.alive = False


def _in_order(said: Iterable[ClovaReply], heard_ms: int) -> tuple[ClovaReply, ...]:
    """Sort the pieces of a stretch by their place in the text, and give them times within its sound."""
    pieces, after_ms = list[ClovaReply](), 0
    for piece in sorted(said, key=lambda piece: piece.position):
        start_ms, end_ms = piece.start_ms, piece.end_ms
        if start_ms is None or end_ms is None or end_ms <= start_ms:
            start_ms, end_ms = after_ms, heard_ms
        after_ms = min(end_ms, heard_ms)
        pieces.append(replace(piece, start_ms=min(start_ms, heard_ms), end_ms=after_ms))
    return tuple(pieces)
