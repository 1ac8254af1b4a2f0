"""What is to be erased, between the wish and the rewritten record, in a real Postgres."""

from __future__ import annotations

import asyncio
import json
import unicodedata
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import Event, MeetingEnded, MeetingOpened, MeetingStarted, ParticipantJoined
from context.fold.meeting import Meeting
from context.fold.window import RoughTokenizer
from context.ports import RecordedEvent, Refused, Snapshot
from tests.contracts.events import NINE, spoken
from tests.contracts.world import World
from tests.fakes.embedder import FakeEmbedder
from tests.fakes.meeting import SETTINGS, LoopClock
from tests.fakes.outlet import FakeOutlet
from tests.integration.conftest import Moim
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_passages import PostgresPassages
from worker.adapters.postgres_people import PostgresPeople
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_pushes import PostgresPushes
from worker.bootstrap.thinking import Thinking
from worker.meeting.erasing import MeetingErasures
from worker.meeting.session import Session
from worker.passages.indexing import MeetingIndexer
from worker.record.recorder import Recorder
from worker.record.restoring import read_meeting, restore
from worker.web.following import Followed

pytestmark = pytest.mark.postgres

BEGUN: tuple[Event, ...] = (
    MeetingStarted(at=NINE),
    ParticipantJoined(participant_id="s-1", name="Minji", at_ms=0),
    spoken(1, "제 연봉은 팔천칠백만 원입니다."),
    spoken(2, "My salary is eighty-seven thousand."),
)


@pytest.fixture
def erasures(pool: PostgresPool) -> PostgresErasures:
    return PostgresErasures(pool)


async def append(world: World, epoch: int, *events: Event, after: int = 0) -> None:
    await world.store.append(
        "m-1", epoch, [RecordedEvent(seq=seq, event=event) for seq, event in enumerate(events, after + 1)]
    )


async def texts(owner: asyncpg.Connection[asyncpg.Record]) -> list[str]:
    return [row["text"] for row in await owner.fetch("SELECT text FROM moim.utterances ORDER BY id")]


@asynccontextmanager
async def at_work(world: World, epoch: int) -> AsyncIterator[Session]:
    """A session that goes on with what is on the record."""
    restored = await restore(world.store, "m-1", SETTINGS.context)
    recorder = Recorder(world.store, "m-1", epoch, clock=LoopClock(), committed=restored.last_seq)
    session = Session(
        restored.manager,
        thinker=Thinking(None, RoughTokenizer(), SETTINGS),
        outlet=FakeOutlet(),
        clock=LoopClock(),
        recorder=recorder,
    )
    running = asyncio.ensure_future(session.run())
    await asyncio.sleep(0)
    try:
        yield session
    finally:
        await session.leave("done")
        await running


async def test_what_was_taken_out_is_shown_to_nobody_while_the_record_waits_to_be_rewritten(
    world: World, owner: asyncpg.Connection[asyncpg.Record], pool: PostgresPool
) -> None:
    """The mark and a snapshot behind it are there, the words are in the table still (on hold: for long)."""
    pushes, epoch, meeting = PostgresPushes(pool), await world.hold(), Meeting("m-1", SETTINGS.context)
    await pushes.open()
    for event in BEGUN:
        meeting.receive(event)
    made = erased(
        meeting,
        Target(what="person", person=meeting.utterances[0].speaker_id),
        id_="w",
        actor=operator("ops"),
        by="Minji",
        at_ms=9_000,
    )
    assert made is not None
    meeting.receive(made[0])
    await append(world, epoch, *BEGUN, made[0])
    await world.store.save_snapshot("m-1", epoch, Snapshot(seq=len(BEGUN) + 1, state=meeting.snapshot()))
    assert any(await texts(owner))
    (claim,) = await pushes.claim(1, 30)
    pushed = [
        one.content["text"] for one in (await pushes.following(claim, 10)).requests if one.kind == "utterance"
    ]
    assert pushed == [said.text for said in meeting.utterances]
    loaded = await read_meeting(world.store, "m-1", SETTINGS)
    assert loaded is not None
    assert [said.text for said in loaded.utterances] == [said.text for said in meeting.utterances]
    assert loaded.utterances[0].text == ""
    row = await world.row()
    page = Followed(row, world.store, SETTINGS)
    await page.load()
    document = await anext(page.changes(None, row))
    assert [said["text"] for said in document.fields["utterances"]] == [u.text for u in meeting.utterances]


async def test_what_was_said_after_a_live_meeting_was_erased_is_kept_no_longer_than_any_other(
    world: World, erasures: PostgresErasures, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    epoch = await world.hold()
    await append(world, epoch, *BEGUN)
    await erasures.ask(Target(what="meeting"), id_="e1", actor=operator("ops"), by="dpo", meeting_id="m-1")
    await erasures.erase("m-1", epoch, "e1", events=[], utterances=[1, 2])
    await append(world, epoch, spoken(3), MeetingEnded(at_ms=9_000_000, reason="over"), after=len(BEGUN))
    await world.registry.mark_ended("m-1", epoch, NINE)
    await owner.execute(
        "UPDATE moim.meetings SET ended_at = clock_timestamp() + interval '1 ms';"
        "UPDATE moim.erasures SET asked_at = asked_at - interval '40 days';"
        "UPDATE moim.meetings SET ended_at = ended_at - interval '31 days', created_at = created_at - interval '31 days'"
    )
    assert (await erasures.standing(30)).due == 1
    assert list(await erasures.ask_for_due(30, 5)) == ["m-1"]
    assert (await erasures.standing(30)).due == 0


async def test_a_hold_counts_up_to_the_moment_of_rewriting(
    world: World, erasures: PostgresErasures, owner: asyncpg.Connection[asyncpg.Record], pool: PostgresPool
) -> None:
    epoch = await world.hold()
    await append(world, epoch, *BEGUN)
    await erasures.ask(Target(what="meeting"), id_="e1", actor=operator("ops"), by="dpo", meeting_id="m-1")
    assert [wish.id for wish in await erasures.waiting("m-1")] == ["e1"]
    await PostgresErasures(pool).hold("m-1", held=True)
    assert await erasures.waiting("m-1") == [], "though it was looked a moment ago"
    with pytest.raises(Refused, match="on hold"):
        await erasures.erase("m-1", epoch, "e1", events=[], utterances=[1, 2])
    assert all(await texts(owner))
    await erasures.hold("m-1", held=False)
    await erasures.erase("m-1", epoch, "e1", events=[], utterances=[1, 2])
    assert await texts(owner) == ["", ""]


async def test_the_command_says_once_that_a_meeting_is_on_hold_and_does_not_wait_for_it(
    world: World, erasures: PostgresErasures, moim: Moim, monkeypatch: pytest.MonkeyPatch
) -> None:
    epoch = await world.hold()
    await append(world, epoch, *BEGUN, MeetingEnded(at_ms=9_000, reason="over"))
    await world.registry.mark_ended("m-1", epoch, NINE)
    await erasures.hold("m-1", held=True)
    for engine in ("STT_ENGINE", "EMBED_ENGINE"):
        monkeypatch.setenv(engine, "none")
    async with asyncio.timeout(30):
        code, out, err = await moim("erase", "--meeting", "m-1", "--wait", "40")
    assert (code, json.loads(out)["done"]) == (1, False)
    assert err.count("m-1: on hold") == 1


async def test_the_passages_of_a_live_meeting_are_kept_again_after_an_erasure(
    world: World, erasures: PostgresErasures, pool: PostgresPool
) -> None:
    """They are cut anew at the mark, seconds before the rewriting takes all of them away."""
    epoch, store = await world.hold(), PostgresPassages(pool)
    said = [
        spoken(number, f"{number} 번째 안건을 이야기해 봅시다. Item {number}.") for number in range(1, 161)
    ]
    await append(world, epoch, BEGUN[0], *said)
    async with at_work(world, epoch) as session:
        indexer = MeetingIndexer(session.manager.meeting, embedder=FakeEmbedder(), store=store)
        while await indexer.step():
            pass
        before = await store.of_source("meeting", "m-1")
        assert before
        erasing = MeetingErasures(session, erasures, world.store, epoch, passages=indexer)
        await erasing.take_out(Target(what="utterances", utterances=(5,)), operator("ops"), "Minji")
        while await indexer.step():
            pass
        assert await session.recorder.settled(session.seq)  # with the mark the wish is there
        assert await erasing.carry_out() == 1
        await indexer.finish(10)
        kept = await store.of_source("meeting", "m-1")
    assert [(each.first, each.last) for each in kept if not each.is_note] == indexer.stretches
    assert len(kept) >= len(before)
    assert not any("Item 5." in each.text for each in kept)


async def test_a_mark_on_the_record_is_a_wish_to_rewrite_it(
    world: World, erasures: PostgresErasures, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    """Its job may have died, or ended with the meeting, before it could ask for that."""
    epoch = await world.hold()
    await append(world, epoch, *BEGUN)
    async with at_work(world, epoch) as session:
        await session.erase(
            Target(what="person", person="minji"), id_="mark", actor=operator("ops"), by="Minji"
        )
        await session.end("over")
    await world.registry.mark_ended("m-1", epoch, NINE)
    assert all(await texts(owner))
    assert list(await erasures.meetings(5)) == ["m-1"]
    async with at_work(world, epoch) as session:
        assert await MeetingErasures(session, erasures, world.store, epoch).carry_out() == 1
    assert await texts(owner) == ["", ""]
    assert list(await erasures.meetings(5)) == []


async def test_a_meeting_that_nobody_came_to_gives_up_its_title(
    world: World, erasures: PostgresErasures, owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await world.registry.want(None, meeting_id="m-1", title="징계 위원회: 김민지")
    epoch = await world.taken()
    opened = MeetingOpened(meeting_id="m-1", title="징계 위원회: 김민지")
    await append(world, epoch, opened, MeetingEnded(at_ms=0, reason="requested"))
    await world.registry.mark_ended("m-1", epoch, NINE)
    await owner.execute("UPDATE moim.meetings SET created_at = ended_at")
    assert list(await erasures.ask_for_due(30, 5)) == ["m-1"]
    async with at_work(world, epoch) as session:
        await MeetingErasures(session, erasures, world.store, epoch).carry_out()
    assert list(await erasures.meetings(5)) == []
    assert (await world.row()).title is None
    stored = await world.store.load("m-1", use_snapshot=False)
    assert stored is not None
    assert "김민지" not in str(stored.events)


@pytest.mark.parametrize("name", ["김민지", "José"])
async def test_a_person_is_found_by_their_id_in_whichever_form_it_is_written(
    name: str, world: World, pool: PostgresPool, erasures: PostgresErasures
) -> None:
    nfc, nfd = (unicodedata.normalize(form, name) for form in ("NFC", "NFD"))
    people, epoch = PostgresPeople(pool), await world.hold()
    theirs = spoken(1, "수달 이야기입니다.").model_copy(update={"speaker_id": nfc, "speaker_name": nfc})
    await append(world, epoch, MeetingStarted(at=NINE), theirs)
    assert await people.meant(nfd) == nfc
    found = await people.everything(nfd)
    assert (found["person"], len(found["utterances"])) == (nfc, 1)
    assert [each.utterances for each in await erasures.beside(nfd)] == [1]
    target = Target(what="person", person=nfd, people=(nfd, "ben"))
    assert await erasures.preview(target) == {"m-1": 1}
    for number, meeting_id in enumerate(("m-1", None)):
        assert await erasures.ask(target, id_=f"e{number}", actor=operator("ops"), meeting_id=meeting_id) == 1
        receipt = await erasures.receipt(f"e{number}")
        assert receipt is not None
        assert receipt.target.everybody == (nfc, nfc, "ben")
    # Somebody whom LiveKit knows by exactly the other form is another person.
    other = spoken(2, "제 말입니다.").model_copy(update={"speaker_id": nfd, "speaker_name": nfd})
    await append(world, epoch, other, after=2)
    assert await people.meant(nfd) == nfd
    assert await people.meant(nfc) == nfc
    await erasures.ask(target, id_="e9", actor=operator("ops"))
    receipt = await erasures.receipt("e9")
    assert receipt is not None
    assert receipt.target.person == nfd
