"""What waits to be shown outside: in order, each once the event that wants it is settled on the record."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog

from context.erasure.erased_record import as_it_is_now
from context.events import effects
from context.ports import PortError
from worker.meeting.side_tasks import UnderWay
from worker.monitoring.turn_latency import TurnLatency

if TYPE_CHECKING:
    from worker.meeting.session import Session

log = structlog.get_logger(__name__)

_SHOWN_WITHIN_S: Final = 2.0
"""How long a snapshot waits for an outlet that does not answer."""


@dataclass(frozen=True, slots=True)
class _Outgoing:
    """One effect on its way out."""

    seq: int
    """The event that wanted it."""
    what: effects.Published
    put_s: float
    again: bool
    """Whether a holder before us may have shown it: then how late it is says nothing."""


class Outbox:
    """A meeting's effects between the fold and its outlet. `run` shows them."""

    def __init__(self, session: Session, under_way: UnderWay) -> None:
        self._session, self._under_way = session, under_way
        self._queue: asyncio.Queue[_Outgoing] = asyncio.Queue()
        self._unshown: deque[int] = deque()
        """The numbers of the events of what waits, or is being shown."""
        self._shown_one = asyncio.Event()

    def put(self, what: effects.Published, seq: int, *, again: bool = False) -> None:
        """Have an effect shown once event `seq` is settled; `again`: a holder before us may have shown it."""
        self._unshown.append(seq)
        self._under_way.add("effects", 1)
        self._queue.put_nowait(_Outgoing(seq, what, self._session.clock.monotonic_s(), again))

    async def run(self) -> None:
        """Show one effect after the other until cancelled; one that the outlet does not take is logged."""
        while True:
            outgoing = await self._queue.get()
            try:
                await self._show(outgoing)
            except PortError as error:
                log.warning("publish_failed", error=str(error))
            except Exception:
                log.exception("publish_failed")
            finally:
                self._unshown.popleft()
                self._shown_one.set()
                self._under_way.add("effects", -1)

    async def shown_up_to(self, seq: int) -> None:
        """Wait until what events up to `seq` want shown is out: a successor shows again only what follows."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                while self._unshown and self._unshown[0] <= seq:
                    self._shown_one.clear()
                    await self._shown_one.wait()

    async def _show(self, outgoing: _Outgoing) -> None:
        session = self._session
        durable = await session.recorder.settled(outgoing.seq)
        settled_s = session.clock.monotonic_s()
        what = as_it_is_now(session.manager.meeting, outgoing.what)  # without what was erased meanwhile
        if not isinstance(what, effects.PublishUtterance):
            await session.outlet.show(what, segment_id="", durable=durable)
            if isinstance(what, effects.PublishReply) and not outgoing.again:
                shown_s = session.clock.monotonic_s()
                latency = TurnLatency(None, outgoing.put_s, settled_s, shown_s, durable)
                session.observer.replied(what.reply, latency)
            return
        utterance = what.utterance
        segment_id = session.segment_id(utterance.key or str(utterance.id))
        await session.outlet.show(what, segment_id=segment_id, durable=durable)
        if not outgoing.again:
            shown_s, put_s = session.clock.monotonic_s(), outgoing.put_s
            latency = session.latencies.shown(
                utterance.key or "", folded_s=put_s, settled_s=settled_s, shown_s=shown_s, durable=durable
            )
            session.observer.published(utterance, session.now_ms(), latency)
