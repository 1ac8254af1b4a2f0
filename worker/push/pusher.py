"""Sends the record to the webhook: per meeting in order, at least once, whoever dies in between.

Theory of operation. The queue hands out meetings with something to send, each to one sender for a
bounded time. A sender posts one thing after the other and stops at the first that fails; how far it
came and when to try again is written down in the record's own database. So any number of pushers may
run, and a successor goes on where the last one wrote, sending again at most what was under way. Nothing
of this touches a meeting's own process.

A receiver that is down, slow or broken is tried for as long as the record stands. One that says 410 has
had enough of that meeting. What it refuses for its content ten times is left out, or one bad apple would
keep a meeting's every later word from it. A pusher counts the refusals that it was given itself.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, Protocol

import structlog

from context.ports import PortError
from worker.push.queue import (
    PostOutcome,
    Progress,
    PushAnswer,
    PushBacklog,
    PushClaim,
    PushQueue,
    Receiver,
    TranscriptSegmentRequest,
)

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 0.5
"""How often the queue is asked for meetings with something to send, while it gives none."""
LOOK_SHARE: Final = 10
"""The pause after a look is at least this many times as long as the look: the database may be busy."""
LOOK_PAUSE_MAX_S: Final = 10.0
"""It is no longer than this, however long a look took: the machine may just have stood still."""
OPEN_EVERY_S: Final = 60.0
BACKLOG_EVERY_S: Final = 5.0
CLAIM_S: Final = 20.0
TURN_S: Final = 4.0
"""How long a sender stays with one meeting: well within the lease, with one slow POST on top."""
BATCH_EVENTS: Final = 100
"""How many events of a meeting are read for one turn."""
MAX_SENDERS: Final = 16
"""How many meetings one pusher serves at once."""
RETRY_FIRST_S: Final = 1.0
RETRY_MAX_S: Final = 60.0
RETRY_AFTER_MAX_S: Final = 300.0
"""The longest pause that a receiver can ask for with `Retry-After`."""
MAX_REFUSALS: Final = 10
"""What is refused for its content (400, 413, 415, 422) so many times is left out."""

_CONTENT_STATUSES: Final = frozenset({400, 413, 415, 422})
_GONE_STATUS: Final = 410
_AWAY_MAX_S: Final = 4.0


class PushMetrics(Protocol):
    """Counts what became of the POSTs: `worker.monitoring.metrics.Metrics` does."""

    def push(self, outcome: PostOutcome, took_s: float) -> None:
        """Count a POST by its outcome, and the seconds that it took."""
        ...

    def push_backlog(self, lag_s: float, failing: int) -> None:
        """Set the age of the oldest unsent event, and how many meetings failed at their last try."""
        ...


class Pusher:
    """Sends the record to the webhook. Any number of pushers may share one queue."""

    def __init__(
        self,
        queue: PushQueue,
        receiver: Receiver,
        metrics: PushMetrics,
        *,
        dice: random.Random | None = None,
        senders: int = MAX_SENDERS,
    ) -> None:
        """Take from `queue`, post to `receiver`, `senders` meetings at once; `dice` spreads the retries."""
        self._queue, self._receiver, self._metrics = queue, receiver, metrics
        self._dice = dice or random.Random()
        self._senders = senders
        self._busy = 0
        self._freed = asyncio.Event()
        self._backlog = PushBacklog()
        self._refused: dict[str, tuple[int, int]] = {}
        """The event that was refused for its content last, and how often it was, by meeting."""

    def degraded(self) -> list[str]:
        """Say what is wrong just now, for `/readyz`: an empty list, or one line."""
        if not self._backlog.failing:
            return []
        return [
            f"webhook: {self._backlog.failing} meetings cannot be sent, {self._backlog.lag_s:.0f} s behind"
        ]

    async def run(self) -> None:
        """Send until cancelled; then write down how far each meeting came. A fault of ours is logged."""
        while True:
            try:
                await self._run()
            except Exception:
                log.exception("push_broke")
                await asyncio.sleep(_AWAY_MAX_S)

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._keep_open(), name="push-feed")
            tasks.create_task(self._watch(), name="push-backlog")
            wait_s = LOOK_EVERY_S
            while True:
                self._freed.clear()
                free, began_s = self._senders - self._busy, _now_s()
                claims: Sequence[PushClaim] = ()
                if free > 0:
                    try:
                        claims = await self._queue.claim(free, CLAIM_S)
                        share_s = LOOK_SHARE * (_now_s() - began_s)
                        wait_s = max(LOOK_EVERY_S, min(share_s, LOOK_PAUSE_MAX_S))
                    except PortError as error:
                        wait_s = min(2 * wait_s, _AWAY_MAX_S)
                        log.warning("push_claim_failed", error=str(error), retry_s=wait_s)
                for claim in claims:
                    self._busy += 1
                    tasks.create_task(self._serve(claim), name=f"push:{claim.meeting_id}")
                if len(claims) < max(1, free):
                    await asyncio.sleep(wait_s)
                else:
                    await self._freed.wait()  # there may be more: look as soon as somebody is free

    async def _serve(self, claim: PushClaim) -> None:
        try:
            await self._send(claim)
        except PortError as error:
            # The claim runs out by itself; what was sent and not written down is sent again.
            log.warning("push_not_settled", meeting_id=claim.meeting_id, error=str(error))
        except Exception:
            # One meeting's fault is not its neighbours'.
            log.exception("push_failed", meeting_id=claim.meeting_id)
            before = Progress(claim.sent_until, failures=claim.failures)
            with suppress(PortError):
                await self._queue.settle(claim, self._failed(before, "a fault of ours"))
        finally:
            self._busy -= 1
            self._freed.set()

    async def _send(self, claim: PushClaim) -> None:
        """Serve one meeting for a turn. When cancelled, write down how far it came."""
        progress = Progress(claim.sent_until, failures=claim.failures)
        until_s = _now_s() + TURN_S
        try:
            batch = await self._queue.following(claim, BATCH_EVENTS)
            for request in batch.requests:
                progress = await self._after(request, progress)
                if progress.sent_until < request.seq or _now_s() >= until_s:
                    break
            else:
                progress = Progress(batch.until)
        except asyncio.CancelledError:
            # What was delivered need not be sent again, and the successor need not wait.
            with suppress(PortError, TimeoutError):
                async with asyncio.timeout(1):
                    await self._queue.settle(claim, progress)
            raise
        if progress.failures:
            log.info(
                "push_retried_later",
                meeting_id=claim.meeting_id,
                error=progress.error,
                failures=progress.failures,
                retry_s=round(progress.retry_s, 1),
            )
        if not await self._queue.settle(claim, progress):
            log.warning("push_claim_lost", meeting_id=claim.meeting_id)

    async def _after(self, request: TranscriptSegmentRequest, before: Progress) -> Progress:
        """Post one request and give the progress then: behind it only once it is no longer needed."""
        began_s = _now_s()
        answer = await self._receiver.post(request)
        outcome = self._judged(request, answer)
        self._metrics.push(outcome, _now_s() - began_s)
        if outcome != "failed":
            self._refused.pop(request.meeting_id, None)
        match outcome:
            case "sent":
                return Progress(request.seq)
            case "left_out":
                log.error("push_left_out", push_id=request.id, error=answer.error)
                return Progress(request.seq)
            case "gone":
                log.warning("push_gone", meeting_id=request.meeting_id, push_id=request.id)
                return Progress(before.sent_until, error=answer.error, gone=True)
            case "failed":
                return self._failed(before, answer.error, answer.retry_after_s or 0.0)

    def _failed(self, before: Progress, error: str, wanted_s: float = 0.0) -> Progress:
        """The progress after a failure: try again later, not before `wanted_s`, as the receiver asks."""
        retry_s = min(RETRY_MAX_S, RETRY_FIRST_S * 2.0 ** min(before.failures, 20))
        # Half of it by chance: meetings that failed together are not to come back together.
        retry_s = max(retry_s * (0.5 + self._dice.random() / 2), min(wanted_s, RETRY_AFTER_MAX_S))
        return Progress(before.sent_until, failures=before.failures + 1, retry_s=retry_s, error=error)

    def _judged(self, request: TranscriptSegmentRequest, answer: PushAnswer) -> PostOutcome:
        if answer.status is not None and 200 <= answer.status < 300:
            return "sent"
        if answer.status == _GONE_STATUS:
            return "gone"
        if answer.status in _CONTENT_STATUSES and self._refusals(request) >= MAX_REFUSALS:
            return "left_out"
        return "failed"

    def _refusals(self, request: TranscriptSegmentRequest) -> int:
        """Count one more refusal of the request for its content: how many there are."""
        seq, before = self._refused.get(request.meeting_id, (request.seq, 0))
        refusals = before + 1 if seq == request.seq else 1
        self._refused[request.meeting_id] = request.seq, refusals
        return refusals

    async def _keep_open(self) -> None:
        wait_s = LOOK_EVERY_S
        while True:
            try:
                await self._queue.open()
                wait_s = OPEN_EVERY_S
            except PortError as error:
                log.warning("push_feed_not_open", error=str(error))
                wait_s = min(2 * wait_s, _AWAY_MAX_S)
            await asyncio.sleep(wait_s)

    async def _watch(self) -> None:
        while True:
            with suppress(PortError):  # the claims say so already
                self._backlog = await self._queue.backlog()
                self._metrics.push_backlog(self._backlog.lag_s, self._backlog.failing)
            await asyncio.sleep(BACKLOG_EVERY_S)


def _now_s() -> float:
    return asyncio.get_running_loop().time()
