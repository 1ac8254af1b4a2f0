"""`PushQueue` in Postgres: the record of each meeting as a queue for the webhook."""

from __future__ import annotations

import json
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

import asyncpg

from context.events.older_records import reply_as_today
from context.export.document import reply_fields
from context.models import Reply
from context.primitives.text import clean_name, cleaned, one_line
from worker.adapters.postgres_pool import PostgresPool, Tables
from worker.adapters.sql import statements
from worker.push.queue import Progress, PushBacklog, PushBatch, PushClaim, TranscriptSegmentRequest

_SQL: Final = statements("pushes")
_ERROR_LIMIT: Final = 500
_TEXTS: Final = frozenset({"text", "question", "markdown"})
"""Fields of a push's content that may hold somebody's words; they are masked."""

Minutes = Callable[[str], Awaitable[Mapping[str, Any] | None]]
"""Writes the minutes of the meeting with this id; None where nothing is on record. Raises `PortError`."""


class PostgresPushes(Tables):
    """`PushQueue` for the pool's tenant."""

    def __init__(
        self,
        pool: PostgresPool,
        minutes: Minutes | None = None,
        *,
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        """Without `minutes` none are sent. `mask` rewrites each text before it is sent (personal data)."""
        super().__init__(pool)
        self._minutes, self._mask = minutes, mask

    async def open(self) -> None:
        """See `PushQueue.open`."""
        await self._pool.call(_SQL["open_feed"])

    async def close(self) -> None:
        """See `PushQueue.close`."""
        await self._pool.call(_SQL["close_feed"])

    async def claim(self, limit: int, lease_s: float) -> Sequence[PushClaim]:
        """See `PushQueue.claim`."""
        claim = secrets.token_hex(8)
        async with self._pool.connection() as connection:
            rows = await connection.fetch(_SQL["claim"], self._pool.tenant, claim, limit, lease_s)
        return [PushClaim(id=claim, **dict(row)) for row in rows]

    async def following(self, claim: PushClaim, limit: int) -> PushBatch:
        """See `PushQueue.following`."""
        rows = await self._pool.rows(_SQL["items"], claim.meeting_id, claim.sent_until, limit)
        requests, until = [], claim.sent_until
        closing = [row["seq"] for row in rows if row["closing"]]
        for row in rows:
            if row["closing"] and self._minutes is not None:
                if row["status"] not in {"ended", "failed"}:  # its holder is still at the last summaries
                    break
                # Once with all that is known, and again with each draft that comes later.
                if row["seq"] == closing[-1] and (minutes := await self._minutes(claim.meeting_id)):
                    requests.append(self._request(claim, row, "minutes", minutes))
            elif row["id"] is not None:
                requests.append(self._request(claim, row, "utterance", _utterance(claim, row)))
            elif row["reply"] is not None:
                reply = reply_fields(cleaned(Reply.model_validate(reply_as_today(json.loads(row["reply"])))))
                requests.append(self._request(claim, row, "reply", reply))
            elif row["erased"] is not None:
                requests.append(self._request(claim, row, "erased", json.loads(row["erased"])))
            until = row["seq"]
        return PushBatch(tuple(requests), until)

    def _request(
        self, claim: PushClaim, row: asyncpg.Record, kind: Any, content: Mapping[str, Any]
    ) -> TranscriptSegmentRequest:
        return TranscriptSegmentRequest(
            meeting_id=claim.meeting_id,
            room=claim.room,
            title=claim.title,
            seq=row["seq"],
            kind=kind,
            content={name: self._mask(text) if name in _TEXTS else text for name, text in content.items()},
            recorded_at=row["recorded_at"],
            tenant=self._pool.tenant,
        )

    async def settle(self, claim: PushClaim, progress: Progress) -> bool:
        """See `PushQueue.settle`."""
        error = (progress.error or "")[:_ERROR_LIMIT].replace("\0", "\ufffd") or None
        written: bool = await self._pool.call(
            _SQL["settle"],
            claim.meeting_id,
            claim.id,
            progress.sent_until,
            progress.failures,
            progress.retry_s,
            error,
            progress.gone,
        )
        return written

    async def backlog(self) -> PushBacklog:
        """See `PushQueue.backlog`."""
        row = await self._pool.row(_SQL["backlog"])
        assert row is not None
        return PushBacklog(lag_s=max(0.0, row["lag_s"]), failing=row["failing"])


def _utterance(claim: PushClaim, row: asyncpg.Record) -> dict[str, Any]:
    """Return a turn as `moim export` has it, with name and time of day, without its topic: it may change."""
    return {
        "id": row["id"],
        # the id under which room and streams show this turn
        "segment_id": f"{claim.meeting_id}/{row['key']}",
        "speaker": row["speaker_id"],
        "speaker_name": clean_name(row["speaker_name"]),
        "text": one_line(row["text"]),
        "start_ms": row["start_ms"],
        "end_ms": row["end_ms"],
        "spoken_at": row["spoken_at"].isoformat() if row["spoken_at"] is not None else None,
        "confidence": row["confidence"],
        "language": row["language"],
    }
