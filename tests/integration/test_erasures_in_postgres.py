"""What is to be erased, between the wish and the rewritten record, in a real Postgres."""

from __future__ import annotations

import asyncpg
import pytest

from context.erasure.erasing import erased
from context.erasure.target import Target
from context.events import Event, MeetingStarted, ParticipantJoined
from context.meeting import Meeting
from context.ports import RecordedEvent, Snapshot
from tests.conftest import Database
from tests.contracts.test_meeting_store import NINE, spoken
from tests.contracts.world import World, world_in_postgres
from tests.fakes.meeting import SETTINGS
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_pool import PostgresPool
from worker.record.restoring import described, recorded
from worker.web.following import Followed

pytestmark = pytest.mark.postgres

BEGUN: tuple[Event, ...] = (
    MeetingStarted(at=NINE),
    ParticipantJoined(participant_id="s-1", name="Minji", at_ms=0),
    spoken(1, "제 연봉은 팔천칠백만 원입니다."),
    spoken(2, "My salary is eighty-seven thousand."),
)


@pytest.fixture
def world(pool: PostgresPool, database: Database) -> World:
    return world_in_postgres(pool, database)


@pytest.fixture
def erasures(pool: PostgresPool) -> PostgresErasures:
    return PostgresErasures(pool)


async def append(world: World, epoch: int, *events: Event, after: int = 0) -> None:
    await world.store.append(
        "m-1", epoch, [RecordedEvent(seq=seq, event=event) for seq, event in enumerate(events, after + 1)]
    )


async def texts(database: Database) -> list[str]:
    owner = await asyncpg.connect(database.admin_url)
    try:
        return [row["text"] for row in await owner.fetch("SELECT text FROM moim.utterances ORDER BY id")]
    finally:
        await owner.close()


async def test_what_was_taken_out_is_shown_to_nobody_while_the_record_waits_to_be_rewritten(
    world: World, database: Database
) -> None:
    """The mark and a snapshot behind it are there, the words are in the table still (on hold: for long)."""
    epoch, meeting = await world.hold(), Meeting("m-1", SETTINGS.context)
    for event in BEGUN:
        meeting.receive(event)
    made = erased(
        meeting,
        Target(what="person", person=meeting.utterances[0].speaker_id),
        id_="w",
        by="Minji",
        at_ms=9_000,
    )
    assert made is not None
    meeting.receive(made[0])
    await append(world, epoch, *BEGUN, made[0])
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=len(BEGUN) + 1, state=meeting.snapshot()))
    assert any(await texts(database))
    exported = await recorded(world.store, "m-1", SETTINGS)
    assert exported is not None
    assert [said.text for said in exported.utterances] == [said.text for said in meeting.utterances]
    assert exported.utterances[0].text == ""
    row = await world.row()
    page = Followed(row, world.store, SETTINGS.context, lambda m, r: described(m, r, SETTINGS))
    await page.load()
    document = await anext(page.changes(None, row))
    assert [said["text"] for said in document.fields["utterances"]] == [u.text for u in meeting.utterances]
