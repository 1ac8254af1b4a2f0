"""A text meeting seen from outside: fed through Redis, followed on its stream, checked on its record."""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import redis.asyncio as redis
from redis.exceptions import RedisError

from context.export.document import document
from tests.chaos.script import Ask, Say, Step
from tests.chaos.servers import Servers
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresStore
from worker.clock import monotonic_s
from worker.configuration.settings import Settings
from worker.ports import MeetingRow
from worker.record.restoring import load_meeting

_LOOK_S: Final = 0.03
_TIME_OF_DAY: Final = re.compile(r"\b\d\d:\d\d:\d\d\b")


@dataclass
class Losses:
    """What an outsider can hold against a meeting that is over."""

    lost: list[str] = field(default_factory=list)
    """Published finals that the record does not have, or has otherwise."""
    doubled: list[str] = field(default_factory=list)
    """Turns that stand twice on the record, or were published under two ids or with two texts."""
    missing: list[str] = field(default_factory=list)
    """Segments that were sent and are not on the record."""
    disordered: bool = False
    """Ids are not 1, 2, 3… in the order of speech."""
    unshown: list[str] = field(default_factory=list)
    """On the record, and never published: their worker died between the two."""
    repeated: int = 0
    """Finals that came again, with the same id and text: allowed."""


class TextMeeting:
    """One meeting of one tenant."""

    def __init__(self, servers: Servers, tenant: str, meeting_id: str, steps: Sequence[Step]) -> None:
        self.servers, self.tenant, self.id, self.steps = servers, tenant, meeting_id, list(steps)
        self.sent = 0
        """Steps that Redis has acknowledged."""
        self.out: list[dict[str, Any]] = []
        self.out_s: list[float] = []
        """When each entry of `out` was read."""
        self._pool = PostgresPool(servers.postgres.url, tenant, max_size=2, deadline_s=60)
        self._redis = redis.Redis.from_url(servers.valkey.url, socket_timeout=10)
        self._position: bytes | str = "0"
        self._settings = Settings.from_env(servers.environment(tenant))

    @property
    def says(self) -> list[Say]:
        """The segments of the script."""
        return [step for step in self.steps if isinstance(step, Say)]

    async def want(self) -> None:
        """Put it on the list of meetings."""
        await PostgresRegistry(self._pool).want(None, meeting_id=self.id)

    async def row(self) -> MeetingRow:
        """The meeting's row in the registry."""
        row = await PostgresRegistry(self._pool).get(self.id)
        assert row is not None
        return row

    async def aclose(self) -> None:
        """Let go of the connections."""
        await self._pool.aclose()
        await self._redis.aclose()

    # ---- in -----------------------------------------------------------------------------------

    async def send(self, step: Step) -> None:
        """Into its stream; tried until Redis takes it."""
        stream = "ask" if isinstance(step, Ask) else "in"
        await self._insist(f"moim:{self.tenant}:{stream}:{self.id}", step.entry)
        self.sent += 1

    async def end(self) -> None:
        """The meeting is over."""
        await self._insist(f"moim:{self.tenant}:in:{self.id}", {"end": True})

    async def _insist(self, stream: str, entry: dict[str, Any]) -> None:
        while True:
            try:
                await self._redis.xadd(stream, {"json": json.dumps(entry, ensure_ascii=False)})
            except (RedisError, OSError):
                await asyncio.sleep(0.2)  # a client whose words Redis did not take says them again
            else:
                return

    async def feed(self, *, window: int, pause_s: float) -> None:
        """All steps, never more than `window` ahead of the record; a question waits for its answer."""
        asked = 0
        for step in self.steps[self.sent :]:
            if isinstance(step, Ask):
                await self._recorded(self.sent - asked, asked)
                await self.send(step)
                asked += 1
                await self._recorded(self.sent - asked, asked)
            else:
                await self._recorded(self.sent - asked - window, asked)
                await self.send(step)
                await asyncio.sleep(pause_s)
        await self._recorded(self.sent - asked, asked)

    async def _recorded(self, utterances: int, replies: int) -> None:
        while True:
            found = await self._pool_row(
                "SELECT (SELECT count(*) FROM moim.utterances WHERE tenant = $1 AND meeting_id = $2) AS said,"
                " (SELECT count(*) FROM moim.replies WHERE tenant = $1 AND meeting_id = $2) AS answered"
            )
            if found["said"] >= utterances and found["answered"] >= replies:
                return
            await asyncio.sleep(_LOOK_S)

    async def _pool_row(self, statement: str) -> Any:
        async with self._pool.transaction() as connection:
            return await connection.fetchrow(statement, self.tenant, self.id)

    # ---- out ----------------------------------------------------------------------------------

    async def follow(self) -> None:
        """Read what is published until cancelled."""
        while True:
            try:
                await self.read_out(block_ms=2000)
            except (RedisError, OSError):
                await asyncio.sleep(0.1)

    async def read_out(self, *, block_ms: int | None = None) -> None:
        """What has been published since the last time."""
        found: Any = await self._redis.xread(
            {f"moim:{self.tenant}:out:{self.id}": self._position}, block=block_ms
        )
        for _, entries in found or ():
            for self._position, fields in entries:
                self.out.append(json.loads(fields[b"json"]))
                self.out_s.append(monotonic_s())

    @property
    def finals(self) -> list[dict[str, Any]]:
        """Published turns."""
        return [entry for entry in self.out if entry["kind"] == "utterance"]

    async def ended(self, timeout_s: float) -> bool:
        """Wait until the registry has its end."""
        end_s = monotonic_s() + timeout_s
        while (await self.row()).status != "ended":
            if monotonic_s() > end_s:
                return False
            await asyncio.sleep(0.05)
        return True

    # ---- after the fact -----------------------------------------------------------------------

    async def document(self) -> dict[str, Any]:
        """What `moim export --format json` writes."""
        meeting = await load_meeting(PostgresStore(self._pool), self.id, self._settings)
        return document(meeting, private=True)

    async def saved(self) -> tuple[int, int]:
        """The last event on the record, and the one that the snapshot reaches to."""
        row = await self._pool_row(
            "SELECT (SELECT coalesce(max(seq), 0) FROM moim.events"
            "         WHERE tenant = $1 AND meeting_id = $2) AS recorded,"
            " (SELECT coalesce(max(seq), 0) FROM moim.snapshots"
            "   WHERE tenant = $1 AND meeting_id = $2) AS saved"
        )
        return row["recorded"], row["saved"]

    async def losses(self) -> Losses:
        """Compare what was sent, published and recorded. The follower may be late: it is read here, too."""
        await self.read_out()
        rows = await self._rows("SELECT id, key, text FROM moim.utterances ORDER BY id")
        found = Losses()
        by_id = {row["id"]: (row["key"], row["text"]) for row in rows}
        keys = [row["key"] for row in rows]
        found.doubled += [f"recorded: {key}" for key in {*keys} if keys.count(key) > 1]
        found.missing = [say.id for say in self.says[: self.sent] if say.id not in set(keys)]
        order = {say.id: number for number, say in enumerate(self.says)}
        places = [order.get(key, -1) for key in keys]
        found.disordered = places != sorted(places) or [row["id"] for row in rows] != [
            *range(1, len(rows) + 1)
        ]
        shown: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
        for final in self.finals:
            shown[final["segment_id"]].append((final["id"], final["text"]))
            if by_id.get(final["id"], ("", ""))[1] != final["text"]:
                found.lost.append(f"{final['segment_id']} as {final['id']}: {final['text']}")
        numbers: defaultdict[int, set[str]] = defaultdict(set)
        for segment, versions in shown.items():
            if len({*versions}) > 1:
                found.doubled.append(f"published: {segment} as {sorted({*versions})}")
            found.repeated += len(versions) - 1
            for number, _ in versions:
                numbers[number].add(segment)
        found.doubled += [f"number {n}: {sorted(ids)}" for n, ids in numbers.items() if len(ids) > 1]
        found.unshown = [str(row["id"]) for row in rows if row["id"] not in numbers]
        return found

    async def _rows(self, statement: str) -> list[Any]:
        table, order = statement.split(" ORDER BY ")
        async with self._pool.transaction() as connection:
            return [
                *await connection.fetch(
                    f"{table} WHERE tenant = $1 AND meeting_id = $2 ORDER BY {order}", self.tenant, self.id
                )
            ]


def timeless(found: dict[str, Any]) -> dict[str, Any]:
    """A document without what says when something was computed, not what."""
    replies = [
        {k: v for k, v in reply.items() if k not in {"id", "asked_at_ms", "answered_at_ms"}}
        | {"text": _TIME_OF_DAY.sub("…", reply["text"])}
        for reply in found["replies"]
    ]
    topics = [{k: v for k, v in topic.items() if k != "summary_version"} for topic in found["topics"]]
    return {
        "utterances": [{k: v for k, v in said.items() if k != "topic"} for said in found["utterances"]],
        "placed": [said["topic"] for said in found["utterances"]],
        "topics": topics,
        "participants": found["participants"],
        "replies": replies,
    }
