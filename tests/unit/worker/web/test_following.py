"""A meeting as it goes on: everybody sees each change once, in order, whenever they come and wherever they left off."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import aiohttp
import jwt
import pytest

from context.erasure.erased_record import erased
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.events import MeetingOpened, MeetingStarted, ParticipantJoined
from context.fold.meeting import Meeting
from context.ports import RecordedEvent
from tests.fakes.leases import FakeLeases
from tests.fakes.store import FakeStore
from tests.unit.context.samples import START
from tests.unit.worker.web.conftest import ENVIRONMENT, SETTINGS
from tests.unit.worker.web.server import ID, TOKEN, Site
from tests.unit.worker.web.talk import LINES, Talk
from worker.configuration.settings import Settings
from worker.ports import Holder
from worker.web import following
from worker.web.viewers import COOKIE


@pytest.fixture
async def talk(site: Site) -> Talk:
    made = Talk(site, await site.hold(ID))
    await made.record(MeetingStarted(at=START))
    return made


async def watched(
    site: Site, after: str | None = None
) -> AsyncIterator[tuple[int | None, str, dict[str, Any]]]:
    """Each event's id, None where it has none; its kind and its fields."""
    headers = {"Authorization": f"Bearer {TOKEN}", **({"Last-Event-ID": after} if after else {})}
    url = f"http://127.0.0.1:{site.port}/v1/meetings/{ID}/events"
    async with site.client.get(url, headers=headers, timeout=aiohttp.ClientTimeout(total=20)) as answer:
        assert answer.status == 200
        fields: dict[str, str] = {}
        async for raw in answer.content:
            name, _, value = raw.decode().rstrip("\n").partition(": ")
            if name:
                fields[name] = value
            elif fields:
                number = int(fields["id"]) if "id" in fields else None
                yield number, fields["event"], json.loads(fields["data"])
                fields = {}


async def utterances(site: Site, count: int, after: str | None = None) -> tuple[list[int], int]:
    """Ids of utterances, the document's among them, until all of `count` is shown; and the last event's id."""
    seen: list[int] = []
    async with aclosing(watched(site, after)) as events:  # type: ignore[type-var]  # a generator it is
        async for seq, kind, fields in events:
            if kind == "document":
                seen = [each["id"] for each in fields["utterances"]]
                assert fields["meeting"]["status"] == "live"
                assert {each["text"] for each in fields["utterances"]} <= {text for _, text in LINES}
            elif kind == "utterance":
                seen.append(fields["id"])
            if len(seen) >= count and seq is not None:
                return seen, seq
    raise AssertionError("the stream ended")


async def test_who_comes_late_sees_all_and_then_each_line_once(site: Site, talk: Talk) -> None:
    await talk.say(3)
    watching = asyncio.ensure_future(utterances(site, 7))
    await asyncio.sleep(0.2)
    await talk.say(4)
    seen, _ = await watching
    assert seen == list(range(1, 8))


async def test_who_was_away_goes_on_without_a_hole_and_without_a_repeat(site: Site, talk: Talk) -> None:
    watching = asyncio.ensure_future(utterances(site, 2))
    await asyncio.sleep(0.1)
    await talk.say(2)
    seen, last = await watching
    await talk.say(5)
    later, _ = await utterances(site, 5, after=str(last))
    assert seen + later == list(range(1, 8))


async def test_who_lost_the_connection_between_two_changes_of_one_event_gets_both(
    site: Site, talk: Talk
) -> None:
    async with aclosing(watched(site)) as before:  # type: ignore[type-var]  # a generator it is
        last, kind, _ = await anext(before)
        assert kind == "document"
        await talk.say(1)
        number, kind, _ = await anext(before)
        assert kind == "utterance"
        last = last if number is None else number  # as a browser keeps it
    async with aclosing(watched(site, str(last))) as again:  # type: ignore[type-var]
        shown = {(await asyncio.wait_for(anext(again), 5))[1] for _ in range(2)}
    assert shown == {"utterance", "participants"}


async def test_a_meeting_that_a_worker_has_is_ready_before_anybody_joins(site: Site) -> None:
    await site.registry.want("회의실", meeting_id=ID)
    leases = FakeLeases(site.registry.record)
    async with aclosing(watched(site)) as changes:  # type: ignore[type-var]  # a generator it is
        _, kind, fields = await anext(changes)
        assert (kind, fields["meeting"]["status"], "ready" in fields["meeting"]) == (
            "document",
            "wanted",
            False,
        )
        epoch = await leases.acquire(ID, Holder(host="a", worker_pid=1, job_pid=2), 60)
        assert epoch is not None
        talk = Talk(site, epoch)
        await talk.record(MeetingOpened(meeting_id=ID, room="회의실"))
        _, kind, fields = await asyncio.wait_for(anext(changes), 5)
        assert (kind, fields["status"]) == ("status", "ready")
        await site.registry.mark_live(ID, epoch, None)
        async with aclosing(watched(site)) as later:  # type: ignore[type-var]
            meeting = (await anext(later))[2]["meeting"]
            assert (meeting["status"], meeting["ready"]) == ("live", True)
        await talk.record(MeetingStarted(at=START))
        _, kind, fields = await asyncio.wait_for(anext(changes), 5)
        assert (kind, fields["status"]) == ("status", "live")


@pytest.mark.parametrize("title", ["예산 회의", "Budget"])
async def test_who_watches_sees_a_new_title_at_once(site: Site, talk: Talk, title: str) -> None:
    async with aclosing(watched(site)) as changes:  # type: ignore[type-var]  # a generator it is
        assert (await anext(changes))[1] == "document"
        assert await site.status("PUT", f"/v1/meetings/{ID}/title", {"title": title}) == 200
        assert await asyncio.wait_for(anext(changes), 5) == (None, "title", {"title": title})
    async with aclosing(watched(site)) as again:  # type: ignore[type-var]
        assert (await anext(again))[2]["meeting"]["title"] == title
    assert (await site.call("GET", f"/v1/meetings/{ID}"))[1]["title"] == title
    for wrong in ("", "x" * 2001, 7):
        status, answer = await site.call("PUT", f"/v1/meetings/{ID}/title", {"title": wrong})
        assert (status, answer["error"]["field"]) == (400, "title")


async def test_whom_this_process_does_not_know_gets_the_document_again(site: Site, talk: Talk) -> None:
    await talk.say(4)
    seen, _ = await utterances(site, 4, after="2")
    assert seen == [1, 2, 3, 4]


async def test_words_that_were_erased_are_shown_to_nobody_any_more(site: Site, talk: Talk) -> None:
    await talk.say(4)
    seen, last = await utterances(site, 4)
    assert len(seen) == 4
    stored = await site.store.load(ID, use_snapshot=False)
    meeting = Meeting(ID)
    for recorded in stored.events:
        meeting.receive(recorded.event)
    made = erased(
        meeting, Target(what="person", person="Ben"), id_="e1", actor=operator("ops"), by="Ben", at_ms=99_000
    )
    await talk.record(made[0])
    for after in (None, str(last), "2"):  # who comes anew, who is up to date, who was away
        async with aclosing(watched(site, after)) as changes:
            async for _, kind, fields in changes:
                assert kind == "document"
                if fields["utterances"][0]["text"] == "":  # the record is looked at now and again
                    assert [u["text"] for u in fields["utterances"] if u["speaker"] == "Ben"] == ["", ""]
                    break


async def test_a_slow_viewer_is_shown_no_words_that_were_erased_meanwhile(
    site: Site, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.01)
    row = await site.registry.get(ID)
    assert row is not None
    async with (
        following.Following(site.store, SETTINGS) as meetings,
        meetings.watching(row) as followed,
        aclosing(followed.changes(None, row)) as changes,
    ):
        assert (await anext(changes)).kind == "document"
        await talk.say(3)
        assert (await anext(changes)).fields["text"] == LINES[1][1]
        meeting = Meeting(ID)
        for recorded in site.store.events_of(ID):
            meeting.receive(recorded.event)
        made = erased(
            meeting, Target(what="meeting"), id_="e1", actor=operator("ops"), by="Ben", at_ms=99_000
        )
        await talk.record(made[0])
        await asyncio.sleep(0.2)
        change = await asyncio.wait_for(anext(changes), 5)
        assert (change.kind, {each["text"] for each in change.fields["utterances"]}) == ("document", {""})


class SlowToEnd(FakeStore):
    """A query takes a moment to be cancelled, as it does with Postgres."""

    async def events_after(self, meeting_id: str, seq: int, most: int) -> Sequence[RecordedEvent]:
        try:
            await asyncio.sleep(0.05)
            return await super().events_after(meeting_id, seq, most)
        except asyncio.CancelledError:
            await asyncio.sleep(0.3)
            raise


async def test_who_comes_while_a_meeting_is_being_left_sees_it_go_on(
    site: Site, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.001)
    monkeypatch.setattr(following, "_LEFT_S", 0.1)
    row = await site.registry.get(ID)
    assert row is not None
    async with following.Following(SlowToEnd(site.registry.record), SETTINGS) as meetings:
        async with meetings.watching(row):
            pass
        await asyncio.sleep(0.2)  # nobody watches it: its tasks are being cancelled
        async with (
            meetings.watching(row) as followed,
            aclosing(followed.changes(None, row)) as changes,
        ):
            assert (await anext(changes)).kind == "document"
            await asyncio.sleep(0.3)
            await talk.say(1)
            assert (await asyncio.wait_for(anext(changes), 5)).kind == "utterance"


class UnreadableOnce(FakeStore):
    """The first look at what is new finds something that nobody has thought of."""

    failed = False

    async def events_after(self, meeting_id: str, seq: int, most: int) -> Sequence[RecordedEvent]:
        if not self.failed and meeting_id == ID:
            self.failed = True
            raise ValueError("of ours")
        return await super().events_after(meeting_id, seq, most)


async def test_a_fault_in_one_meeting_ends_its_own_streams_alone(
    site: Site, talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(following, "_LOOK_EVERY_S", 0.01)
    await site.registry.want(None, meeting_id="other")
    row, other = await site.registry.get(ID), await site.registry.get("other")
    assert row is not None
    assert other is not None
    async with (
        following.Following(UnreadableOnce(site.registry.record), SETTINGS) as meetings,
        meetings.watching(other) as at_hand,
        aclosing(at_hand.changes(None, other)) as changes,
    ):
        assert (await anext(changes)).kind == "document"
        async with meetings.watching(row) as followed:
            assert [each.kind async for each in followed.changes(None, row)] == ["document"]
        async with meetings.watching(row) as anew, aclosing(anew.changes(None, row)) as once_more:
            assert anew is not followed
            assert (await anext(once_more)).kind == "document"
            await talk.say(1)
            assert (await asyncio.wait_for(anext(once_more), 5)).kind == "utterance"


@pytest.mark.parametrize("last", ["x", "-1", "1" * 20, "１"])
async def test_a_wrong_number_is_refused(site: Site, talk: Talk, last: str) -> None:
    headers = {"Last-Event-ID": last.encode().decode("latin-1") if not last.isascii() else last}
    status, answer = await site.call("GET", f"/v1/meetings/{ID}/events", headers=headers)
    assert (status, answer["error"]["field"]) == (400, "Last-Event-ID")


async def test_a_session_is_as_good_as_the_token_and_ends(site: Site, talk: Talk) -> None:
    own = site.own
    status, _ = await site.call("POST", "/v1/session", {"token": "wrong"}, token=None, headers=own)
    assert status == 401
    status, viewer = await site.call("POST", "/v1/session", {"token": TOKEN}, token=None, headers=own)
    assert (status, viewer) == (
        200,
        {
            "meeting_id": None,
            "may_edit": True,
            "may_join": True,
            "person": None,
            "administrator": True,
            "kept_days": None,
            "own_minutes": False,
            "packaged_speech": True,
        },
    )
    kept = site.headers["Set-Cookie"]
    assert "HttpOnly" in kept
    assert "SameSite=Strict" in kept
    cookie = {"Cookie": f"{COOKIE}={kept.split('=', 1)[1].split(';')[0]}"}
    assert await site.status("GET", "/v1/meetings", token=None, headers=cookie) == 200
    assert await site.status("GET", "/v1/meetings", token=None, headers={"Cookie": f"{COOKIE}=x"}) == 401
    other = {**cookie, "Origin": "https://elsewhere.example"}
    for headers in (cookie, other):  # another site's page lets the browser send it
        status, answer = await site.call("POST", "/v1/meetings", {"room": "x"}, token=None, headers=headers)
        assert (status, answer["error"]["field"]) == (403, "Origin")
    status, _ = await site.call("POST", "/v1/meetings", {"room": "x"}, token=None, headers={**cookie, **own})
    assert status == 202


async def test_one_joins_an_open_meeting_under_an_identity_of_ones_own(site: Site, talk: Talk) -> None:
    ways = [await site.call("POST", f"/v1/meetings/{ID}/join", {"name": "김민지"}) for _ in range(2)]
    assert [status for status, _ in ways] == [200, 200]
    first, second = (way for _, way in ways)
    assert first["identity"] != second["identity"]
    claims = jwt.decode(first["token"], "s" * 40, algorithms=["HS256"])
    assert (claims["sub"], claims["name"], claims["video"]["room"]) == (first["identity"], "김민지", "회의실")
    await site.registry.want(None, meeting_id="text")
    assert await site.status("POST", "/v1/meetings/text/join", {"name": "Ben"}) == 409


@pytest.mark.parametrize("settings", [Settings.from_env({**ENVIRONMENT, "MOIM_JOIN_URL": ""})])
async def test_where_browsers_cannot_reach_livekit_joining_says_which_setting_is_missing(
    site: Site, talk: Talk
) -> None:
    status, answer = await site.call("POST", f"/v1/meetings/{ID}/join", {"name": "김민지"})
    assert status == 409
    assert "MOIM_JOIN_URL" in answer["error"]["mend"]


async def test_the_pages_come_with_a_policy_and_from_here_alone(site: Site) -> None:
    for address in ("/", f"/m/{ID}", f"/m/{ID}/minutes"):
        status, page = await site.call("GET", address, token=None)
        assert status == 200
        assert "default-src 'none'" in site.headers["Content-Security-Policy"]
        assert "http:" not in page
    status, script = await site.call("GET", "/static/app.js", token=None)
    assert (status, "import" in script) == (200, True)
    for address in ("/static/none.js", "/static/../pages.py", "/static/vendor/README.md", "/m"):
        assert await site.status("GET", address, token=None) == 404


async def test_a_new_name_is_shown_to_who_watches(site: Site, talk: Talk) -> None:
    joined = ParticipantJoined(participant_id="g1", name="Guest", at_ms=0)
    await talk.record(joined)
    seen = []
    async with aclosing(watched(site)) as events:
        async for _, kind, fields in events:
            if kind == "document":
                await talk.record(joined.model_copy(update={"name": "Hana Lee"}))
            else:
                seen.append((kind, fields))
            if kind == "participants":
                break
    (_, status), (_, people) = seen
    assert (status["status"], status["detail"], status["name"]) == ("renamed", "g1", "Hana Lee")
    (row,) = people["participants"]
    assert (row["name"], row["earlier_names"]) == ("Hana Lee", ["Guest"])
