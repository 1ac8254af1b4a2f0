"""Other tenants' rows, looked for: every statement of the adapters and every table, as the app's own role.

Three tenants' meetings lie in one real Postgres, each text of theirs marked with whose it is. Statements are
drawn at random and run on a few connections that all tenants share, with ids of anybody, odd values and none,
under a tenant's name, under none, under an empty or an unknown one, and after transactions that were rolled
back. A mark of another tenant than the transaction's (or, of a function that names its tenant itself,
than the one it was given) is a foreign row. Everything is rolled back, so that what writes is tried as well.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import asyncpg
import numpy as np

from context.corpora.passage import Passage
from context.events import events
from context.events.topic_events import SummaryReady, SummaryStarted
from context.models import Reply, Statement, Summary
from context.ports import RecordedEvent, Snapshot
from context.question import Question
from tests.conftest import migrated_postgres, open_directory
from worker.adapters.postgres_leases import PostgresLeases
from worker.adapters.postgres_passages import PostgresDocuments, PostgresPassages
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_pushes import PostgresPushes
from worker.adapters.postgres_recordings import PostgresRecordings
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresLateWords, PostgresStore
from worker.adapters.sql import statements
from worker.documents.library import DocumentRow
from worker.ports import Holder

TENANTS: Final = ("alpha", "beta", "gamma")
TOPICS: Final = (
    "documents", "late", "leases", "passages", "pushes", "recordings", "registry", "standbys", "store",
)  # fmt: skip
_MARK: Final = re.compile(r"<<(alpha|beta|gamma)>>")
_AT: Final = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_NAMES_ITSELF: Final = re.compile(r"\bmoim\.(\w+)\(\$1\b")
"""A function that is given its tenant."""
_ODD: Final = (
    "", " ", "'", "''; DROP TABLE moim.events; --", "%", "_", "*", "\\", "$1", "null", "m-shared' OR '1'='1",
    "{beta}", "beta", "alpha,beta", "<<none>>", "모임", "a" * 190, "\u202e",
)  # fmt: skip


@dataclass
class Result:
    """What a run came to."""

    reads: int = 0
    rows: int = 0
    refused: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    foreign: list[str] = field(default_factory=list)
    unseeded: list[str] = field(default_factory=list)

    def as_figures(self) -> dict[str, Any]:
        return {
            "reads": self.reads,
            "rows_seen": self.rows,
            "refused_by_the_database": self.refused,
            "by_name_of_tenant": dict(self.kinds),
            "tables_without_rows": self.unseeded,
            "foreign_rows": len(self.foreign),
        }


async def with_servers(seed: int, count: int) -> Result:
    """A Postgres of its own, seeded and read."""
    with open_directory() as directory:
        async with migrated_postgres(directory) as server:
            await seed_rows(server.url)
            return await fuzz(server.url, server.admin_url, seed, count)


# ---- rows ------------------------------------------------------------------------------------------


async def seed_rows(url: str) -> None:
    """The same meeting id for everybody, and one of their own; whatever there is to keep, marked."""
    for tenant in TENANTS:
        pool = PostgresPool(url, tenant)
        await PostgresPushes(pool).open()
        for meeting_id in ("m-shared", own_id(tenant)):
            await _meeting(pool, meeting_id, f"<<{tenant}>>")
        await _documents(pool, f"<<{tenant}>>")
        await _recording(pool, f"<<{tenant}>>")
        await pool.aclose()


def own_id(tenant: str) -> str:
    return f"m-<<{tenant}>>"


def _snapshot(mark: str) -> Snapshot:
    return Snapshot(
        seq=2,
        state={"mark": mark, "topics": {"count": 1, "firm": []}},
        topics={0: {"name": f"topic {mark}"}},
    )


async def _meeting(pool: PostgresPool, meeting_id: str, mark: str) -> None:
    registry, store = PostgresRegistry(pool), PostgresStore(pool)
    request_id = f"request_id {mark} {meeting_id}"
    await registry.want(
        f"room {mark} {meeting_id}", meeting_id=meeting_id, title=f"title {mark}", request_id=request_id
    )
    epoch = await PostgresLeases(pool).acquire(
        meeting_id, Holder(host=f"host {mark}", worker_pid=1, job_pid=2), 3600
    )
    assert epoch is not None
    told = _record(meeting_id, mark)
    await store.append(meeting_id, epoch, [RecordedEvent(seq=n, event=e) for n, e in enumerate(told, 1)])
    await store.save_snapshot(meeting_id, epoch, _snapshot(mark))
    late = events.UtteranceSpoken(
        key=f"late {mark}",
        speaker_id="ben",
        speaker_name="Ben",
        text=f"late {mark}",
        start_ms=9000,
        end_ms=9900,
    )
    await PostgresLateWords(pool).offer(meeting_id, [late])
    passage = Passage(
        source_id=meeting_id,
        position=0,
        text=f"words {mark}",
        title=f"title {mark}",
        first=1,
        last=1,
        said_at=_AT,
    )
    await PostgresPassages(pool).put([passage], np.eye(1, 4, dtype=np.float32), "encoder")


def _record(meeting_id: str, mark: str) -> list[events.Event]:
    invocation = Question(id=f"q {mark}", by="ben", via="chat", text=f"question {mark}", at_ms=5000)
    reply = Reply(
        id=f"r {mark}", invocation_id=f"q {mark}", by="ben", via="chat", question=f"question {mark}",
        text=f"answer {mark}", call_type="SEARCH", asked_at_ms=5000, answered_at_ms=5100,
    )  # fmt: skip
    statement = Statement(text=f"point {mark}", evidence=(1,))
    return [
        events.MeetingOpened(meeting_id=meeting_id, title=f"title {mark}"),
        events.MeetingStarted(at=_AT),
        events.ParticipantJoined(participant_id="ben", name=f"Ben {mark}", at_ms=0),
        events.UtteranceSpoken(
            key="k1", speaker_id="ben", speaker_name=f"Ben {mark}", text=f"said {mark}", start_ms=1000, end_ms=2000
        ),
        events.GapNoted(participant_id=f"gap {mark}", start_ms=0, end_ms=10, reason="overload"),
        events.QuestionAsked(question=invocation),
        events.AnswerGiven(reply=reply),
        SummaryStarted(
            topic_id=f"t {mark}", version=1, reason="closing", covered_until=1, turns=1, tokens=1, at_ms=6000
        ),
        SummaryReady(
            topic_id=f"t {mark}", version=1, reason="closing", covered_until=1, engine="extractive",
            content=Summary(text=f"summary {mark}", sentences=(statement,)),
        ),
        events.ThreadSummaryStarted(
            version=1, attempt=1, covered_until_message_id=f"r {mark}", covered_message_count=2,
            covered_token_count=9,
        ),
        events.ThreadSummaryReady(
            version=1, turns=(1,), text=f"thread {mark}", original_chars=9, compression_rate=0.3, engine="extractive"
        ),
    ]  # fmt: skip


async def _documents(pool: PostgresPool, mark: str) -> None:
    row = DocumentRow(
        id="d-shared", title=f"document {mark}", origin=f"/{mark}.md", kind="markdown", digest="same",
        bytes=1, passages=1, added_at=_AT,
    )  # fmt: skip
    await PostgresDocuments(pool).keep(row)
    passage = Passage(
        corpus="document", source_id="d-shared", position=0, text=f"page {mark}", title=f"document {mark}"
    )
    await PostgresPassages(pool).put([passage], np.eye(1, 4, dtype=np.float32), "encoder")


async def _recording(pool: PostgresPool, mark: str) -> None:
    recordings = PostgresRecordings(pool)
    waits = await recordings.want(f"{mark}.vtt", "transcript", f"title {mark}", size_bytes=1, total=1)
    await recordings.put(waits, 0, f"part {mark}".encode())
    await recordings.complete(waits)


# ---- reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Read:
    """One statement, and whether it names its tenant itself."""

    name: str
    sql: str

    @property
    def names_its_tenant(self) -> bool:
        return _NAMES_ITSELF.search(self.sql) is not None


async def fuzz(url: str, admin_url: str, seed: int, count: int) -> Result:
    """`count` random reads on three shared connections."""
    dice, result = random.Random(seed), Result()
    owner = await asyncpg.connect(admin_url)
    tables = [row[0] for row in await owner.fetch(_WITH_TENANT)]
    for table in tables:
        if await owner.fetchval(f"SELECT count(DISTINCT tenant) FROM moim.{table}") < len(TENANTS):
            result.unseeded.append(table)
    home = await owner.fetchval(
        "SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'vector'"
    )
    await owner.close()
    reads = _reads(tables, home)
    pool = await asyncpg.create_pool(url, min_size=3, max_size=3, command_timeout=30)
    try:
        for number in range(count):
            read = reads[number % len(reads)] if number < 2 * len(reads) else dice.choice(reads)
            async with pool.acquire() as connection:
                await _try(connection, read, dice, result)
    finally:
        await pool.close()
    return result


_WITH_TENANT: Final = """
SELECT DISTINCT table_name::text FROM information_schema.columns
 WHERE table_schema = 'moim' AND column_name = 'tenant' ORDER BY 1
"""


def _reads(tables: Sequence[str], vector_schema: str | None) -> list[_Read]:
    """Every named statement; each table and view as a whole, and by a tenant's name and an id."""
    found = []
    for topic in TOPICS:
        for name, sql in statements(topic).items():
            if vector_schema is None and ("{vector}" in sql or "passage_vectors" in sql):
                continue
            found.append(_Read(f"{topic}.{name}", sql.replace("{vector}", vector_schema or "")))
    for table in tables:
        found.append(_Read(f"table {table}", f"SELECT t.*, t::text AS whole FROM moim.{table} t"))
        found.append(
            _Read(f"count {table}", f"SELECT string_agg(t::text, ' ') FROM moim.{table} t WHERE tenant = $1")
        )
    return found


async def _try(connection: Any, read: _Read, dice: random.Random, result: Result) -> None:
    tenant = dice.choice((*TENANTS, *TENANTS, None, "", "nobody", "Alpha", "alpha "))
    transaction = connection.transaction()
    await transaction.start()
    try:
        if tenant is not None:
            await connection.execute("SELECT set_config('moim.tenant', $1, true)", tenant)
        prepared = await connection.prepare(read.sql)
        given = _arguments(prepared.get_parameters(), tenant, dice)
        allowed = given[0] if read.names_its_tenant and given else tenant
        rows = await prepared.fetch(*given)
    except (asyncpg.PostgresError, asyncpg.DataError, OverflowError) as error:
        if isinstance(error, asyncpg.InsufficientPrivilegeError) and "row-level" not in str(error):
            result.foreign.append(f"{read.name}: the app lacks a right that its statement needs: {error}")
        result.refused += 1
        rows, given, allowed = [], [], tenant
        _look(read, [str(error), str(getattr(error, "detail", ""))], [], tenant, result)
    finally:
        await transaction.rollback()
    result.reads += 1
    result.rows += len(rows)
    result.kinds["unset" if tenant is None else tenant if tenant in TENANTS else "odd"] += 1
    _look(read, [str(value) for row in rows for value in row.values()], given, allowed, result)
    for row in rows:
        if "tenant" in row and row["tenant"] not in (None, allowed, *map(str, given)):
            result.foreign.append(f"{read.name} as {allowed!r}: a row of {row['tenant']!r}")


def _look(
    read: _Read, texts: Sequence[str], given: Sequence[Any], allowed: str | None, result: Result
) -> None:
    """What was handed in may come back; a mark in anything else tells whose it is."""
    echoes = sorted(
        {str(part) for value in given for part in (value if isinstance(value, list) else [value])}, key=len
    )
    for text in texts:
        rest = text
        for echo in reversed(echoes):
            rest = rest.replace(echo, "") if "<<" in echo else rest
        for mark in _MARK.findall(rest):
            if mark != allowed:
                result.foreign.append(f"{read.name} as {allowed!r}, with {list(given)!r}: {text[:120]}")


def _arguments(parameters: Sequence[Any], tenant: str | None, dice: random.Random) -> list[Any]:
    """A value for each parameter; the first is mostly a tenant, not always the transaction's."""
    values: list[Any] = []
    for place, parameter in enumerate(parameters):
        kind = parameter.name
        if place == 0 and kind == "text":
            values.append(dice.choice((tenant, tenant, *TENANTS, *dice.sample(_ODD, 2), None)))
        else:
            values.append(_value(kind, dice))
    return values


def _value(kind: str, dice: random.Random) -> Any:
    ids = (
        "m-shared",
        "m-shared",
        *map(own_id, TENANTS),
        "d-shared",
        "k1",
        "meeting",
        "document",
        "encoder",
        "ben",
    )
    if dice.random() < 0.06:
        return None
    match kind:
        case "text" | "varchar" | "name":
            return dice.choice((*ids, *ids, dice.choice(_ODD), f"q <<{dice.choice(TENANTS)}>>"))
        case "text[]" | "_text":
            return dice.choice(
                ([], ["meeting", "document"], [dice.choice(ids)], list(ids), [dice.choice(_ODD)])
            )
        case "int2" | "int4":
            return dice.choice((0, 1, 3, 100, -1, 2**31 - 1))
        case "int8":
            return dice.choice((0, 1, 2, 5, 100, -1, 2**40))
        case "int8[]" | "_int8":
            return dice.choice(([], [1], [0, 1, 2]))
        case "float8" | "float4":
            return dice.choice((0.0, 1.0, 5.0, 60.0))
        case "float4[]" | "_float4" | "float8[]" | "_float8":
            return dice.choice(([1.0, 0.0, 0.0, 0.0], [0.5, 0.5, 0.5, 0.5], []))
        case "bool":
            return dice.random() < 0.5
        case "json" | "jsonb":
            return dice.choice(
                ("{}", "[]", '[{"seq": 10, "version": 1, "payload": {"kind": "input_read"}}]', "1")
            )
        case "timestamptz":
            return _AT + timedelta(days=dice.choice((-1, 0, 1)))
        case _:
            return None
