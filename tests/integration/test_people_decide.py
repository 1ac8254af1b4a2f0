"""Holds, retention, the audit log, a person's own data, and what receivers and disks hear of an erasure."""

from __future__ import annotations

import json
from pathlib import Path

import asyncpg
import pytest

from context.events.actors import operator
from context.events.corrections import UtteranceFix
from context.events.erasure_target import Target
from context.events.events import Corrected, Event, MeetingEnded, MeetingStarted, ParticipantJoined, decode
from context.events.privacy_events import ConsentTold, Erased
from context.ports import RecordedEvent, Refused
from context.primitives.askers import nobodys
from tests.conftest import Database
from tests.contracts.events import NINE, spoken
from tests.contracts.world import World
from tests.integration.conftest import Moim
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_people import PostgresAudit, PostgresConsents, PostgresPeople
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_pushes import PostgresPushes
from worker.audit_log import Deed
from worker.erasures import ErasureBacklog

pytestmark = pytest.mark.postgres


async def met(world: World, owner: asyncpg.Connection, *, days_ago: int = 0) -> int:
    """Meeting m-1 of Minji and Ben, over for so many days; its epoch."""
    epoch = await world.hold()
    said = [spoken(1, "비밀 하나"), spoken(2, "a secret").model_copy(update={"speaker_id": "ben"})]
    happened = [
        MeetingStarted(at=NINE),
        ParticipantJoined(participant_id="ben", name="Ben", at_ms=0),
        ConsentTold(participant_id="ben", agreed=False, how="chat", at_ms=5),
        *said,
        MeetingEnded(at_ms=9_000, reason="over"),
    ]
    await world.store.append("m-1", epoch, [RecordedEvent(seq=n, event=e) for n, e in enumerate(happened, 1)])
    await world.registry.mark_ended("m-1", epoch, NINE)
    await owner.execute(
        "UPDATE moim.meetings SET ended_at = clock_timestamp() - make_interval(days => $1, secs => 1),"
        " created_at = clock_timestamp() - make_interval(days => $1, secs => 2)",
        days_ago,
    )
    return epoch


async def test_who_is_erased_everywhere_is_on_no_list_of_readers(
    pool: PostgresPool, owner: asyncpg.Connection, world: World
) -> None:
    erasures = PostgresErasures(pool)
    await met(world, owner)
    await owner.execute(
        "INSERT INTO moim.documents (tenant, id, title, origin, kind, digest, bytes, passages, access)"
        " VALUES ($1, 'd1', 't', 'o', 'text', 'x', 1, 0, $2)",
        pool.tenant,
        ["ben"],
    )
    await erasures.ask(Target(what="person", person="ben"), id_="e1", actor=operator("ops"), by="ben")
    assert await owner.fetchval("SELECT access FROM moim.documents") == ["(erased)"], (
        "an empty list is for all"
    )


async def test_what_was_kept_long_enough_is_due_once(
    pool: PostgresPool, owner: asyncpg.Connection, world: World
) -> None:
    erasures = PostgresErasures(pool)
    await met(world, owner, days_ago=30)
    assert list(await erasures.ask_for_due(None, 5)) == [], "kept for ever"
    assert list(await erasures.ask_for_due(31, 5)) == []
    await erasures.hold("m-1", held=True)
    assert list(await erasures.ask_for_due(30, 5)) == [], "on hold"
    await erasures.hold("m-1", held=False)
    assert list(await erasures.ask_for_due(30, 5)) == ["m-1"]
    assert list(await erasures.ask_for_due(30, 5)) == []
    assert list(await erasures.meetings(5)) == ["m-1"]


async def test_how_erasing_stands(pool: PostgresPool, owner: asyncpg.Connection, world: World) -> None:
    erasures = PostgresErasures(pool)
    await met(world, owner, days_ago=30)
    assert await erasures.standing(31) == ErasureBacklog()
    assert await erasures.standing(30) == ErasureBacklog(due=1)
    await erasures.hold("m-1", held=True)
    assert await erasures.standing(30) == ErasureBacklog(held=1)
    await erasures.hold("m-1", held=False)
    await erasures.ask_for_due(30, 5)
    asked = await erasures.standing(30)
    assert (asked.due, asked.waiting, asked.erased) == (0, 1, 0)
    assert 0 < asked.oldest_s < 60


async def test_a_meeting_may_have_a_time_of_its_own(
    pool: PostgresPool, owner: asyncpg.Connection, world: World
) -> None:
    erasures = PostgresErasures(pool)
    await met(world, owner, days_ago=8)
    await erasures.keep("m-1", 7)
    assert list(await erasures.ask_for_due(None, 5)) == ["m-1"]
    with pytest.raises(Refused, match="m-none"):
        await erasures.keep("m-none", 7)


async def test_on_hold_a_wish_waits(pool: PostgresPool, owner: asyncpg.Connection, world: World) -> None:
    erasures = PostgresErasures(pool)
    await met(world, owner)
    await erasures.hold("m-1", held=True)
    assert (
        await erasures.ask(Target(what="person", person="ben"), id_="e1", actor=operator("ops"), by="ben")
        == 1
    )
    assert (list(await erasures.meetings(5)), list(await erasures.waiting("m-1"))) == ([], [])
    await erasures.hold("m-1", held=False)
    assert list(await erasures.meetings(5)) == ["m-1"]


async def test_the_audit_log_is_added_to_and_never_changed(pool: PostgresPool, database: Database) -> None:
    audit = PostgresAudit(pool)
    await audit.note(Deed(who="program", how="http", action="export", meeting_id="m-1"))
    await audit.note(Deed(who="root", how="command", action="erase", subject="ben"))
    assert [(row.who, row.action) for row in await audit.newest()] == [
        ("root", "erase"),
        ("program", "export"),
    ]
    assert [row.action for row in await audit.newest(meeting_id="m-1")] == ["export"]
    app = await asyncpg.connect(database.url)
    await app.execute("SELECT set_config('moim.tenant', $1, false)", pool.tenant)
    for statement in ("UPDATE moim.audit SET who = 'x'", "DELETE FROM moim.audit"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await app.execute(statement)
    await app.close()


async def test_rows_that_no_column_holds_are_cut_and_fail_no_others(pool: PostgresPool) -> None:
    audit = PostgresAudit(pool)
    odd = Deed(who="user \0\ud800" + "긴" * 500, how="http", action="read", subject="\0" * 500)
    plain = Deed(who="user minji", how="http", action="read", meeting_id="m-1")
    await audit.note_many([odd, plain, odd])
    assert len(await audit.newest()) == 3
    assert [row.who for row in await audit.newest(who="minji")] == ["user minji"]
    assert await audit.newest(who="link minji") == []


async def test_a_command_is_noted_before_it_shows_anything(moim: Moim, owner: asyncpg.Connection) -> None:
    code, _, _ = await moim("meetings", "--json")
    assert code == 0
    code, _, err = await moim("export", "nowhere", "--format", "md")
    assert (code, "there is no meeting" in err) == (2, True)
    rows = await owner.fetch("SELECT action, how, meeting_id FROM moim.audit ORDER BY at")
    assert [tuple(row) for row in rows] == [
        ("meetings", "command", None),
        ("export", "command", "nowhere"),
        ("export_refused", "command", "nowhere"),
    ]
    await owner.execute("REVOKE INSERT ON moim.audit FROM moim_app")
    code, out, err = await moim("meetings", "--json")
    assert (code != 0, out) == (True, ""), err
    assert len(err.splitlines()) == 1
    code, out, _ = await moim("audit", "--who", "nobody at all", "--json")
    assert (code, json.loads(out)) == (0, [])


async def test_everything_of_one_person_and_of_nobody_else(
    pool: PostgresPool, owner: asyncpg.Connection, world: World
) -> None:
    await met(world, owner)
    found = await PostgresPeople(pool).everything("ben")
    assert [row["text"] for row in found["utterances"]] == ["a secret"]
    assert [row["agreed"] for row in found["consents"]] == [False]
    assert "비밀" not in json.dumps(found, ensure_ascii=False)
    assert [(row.who, row.how, row.action) for row in await PostgresAudit(pool).newest()] == [
        ("participant ben", "meeting", "refused")
    ]
    consents = PostgresConsents(pool)
    assert (await consents.of("m-1"), await consents.newest("ben"), await consents.newest("minji")) == (
        {"ben": False},
        False,
        None,
    )


async def test_questions_that_are_nobodys_are_no_persons(pool: PostgresPool, world: World) -> None:
    epoch = await world.hold()
    askers = [
        ("ben", "http"),
        ("ben", "chat"),
        ("http", "http"),
        ("cli", "cli"),
        (nobodys("http", "s"), "http"),
    ]
    asked = [
        {"kind": "question_asked", "invocation": {"id": f"q{n}", "by": by, "via": via, "text": f"질문 {n}", "at_ms": n}}
        for n, (by, via) in enumerate(askers, 1)
    ]  # fmt: skip
    happened = [RecordedEvent(seq=n, event=decode(each)) for n, each in enumerate(asked, 1)]
    await world.store.append("m-1", epoch, happened)
    people = PostgresPeople(pool)
    assert [row["id"] for row in (await people.everything("ben"))["questions"]] == ["q1", "q2"]
    for nobody in ("http", "cli", "program", "page", nobodys("http"), nobodys("http", "s")):
        assert (await people.everything(nobody))["questions"] == []


async def test_a_line_that_was_moved_stays_with_whoever_spoke_it(pool: PostgresPool, world: World) -> None:
    epoch = await world.hold()
    fix = UtteranceFix(of="utterance", utterance=1, text="a secret", was="a secret", speaker="minji")
    happened: list[Event] = [
        MeetingStarted(at=NINE),
        *(ParticipantJoined(participant_id=who, name=who, at_ms=0) for who in ("ben", "minji")),
        spoken(1, "a secret").model_copy(update={"speaker_id": "ben"}),
        Corrected(id="c1", by="minji", at_ms=9, fix=fix),
    ]
    await world.store.append("m-1", epoch, [RecordedEvent(seq=n, event=e) for n, e in enumerate(happened, 1)])
    people = PostgresPeople(pool)
    assert [row["text"] for row in (await people.everything("ben"))["utterances"]] == ["a secret"]
    assert (await people.everything("minji"))["utterances"] == []


@pytest.mark.parametrize("before", [None, 0o644])
async def test_a_persons_own_data_is_readable_by_its_writer_alone(
    before: int | None, world: World, owner: asyncpg.Connection, moim: Moim, tmp_path: Path
) -> None:
    await met(world, owner)
    export = tmp_path / "ben.json"
    if before is not None:
        export.write_text("old", "utf-8")
        export.chmod(before)
    code, _, said = await moim("person", "ben", "--export", str(export))
    assert code == 0, said
    assert [row["text"] for row in json.loads(export.read_text("utf-8"))["utterances"]] == ["a secret"]
    assert export.stat().st_mode & 0o777 == 0o600


async def test_a_receiver_hears_of_it_once_more(pool: PostgresPool, world: World) -> None:
    pushes = PostgresPushes(pool)
    await pushes.open()
    epoch = await world.hold()
    state = {"secret": "never sent"}
    happened = [
        MeetingStarted(at=NINE),
        spoken(1, "하나"),
        Erased(
            id="e1",
            by="ben",
            at_ms=9,
            target=Target(what="person", person="ben"),
            utterances=(1,),
            keys=("k1",),
            state=state,
        ),
    ]
    await world.store.append("m-1", epoch, [RecordedEvent(seq=n, event=e) for n, e in enumerate(happened, 1)])
    await pushes.open()
    (claim,) = await pushes.claim(5, 30)
    sent = (await pushes.following(claim, 50)).requests
    assert [push.kind for push in sent] == ["utterance", "erased"]
    assert sent[1].content == {
        "id": "e1", "by": "ben", "at_ms": 9, "target": {"what": "person", "person": "ben"}, "utterances": [1],
    }  # fmt: skip
