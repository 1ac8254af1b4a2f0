"""What is written into the stream `ask` is for the agent: a command is obeyed there as in the room's chat, a question
that is only its asker's is answered where that asker reads."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Self

import pytest

from context.events import effects
from context.language.korean import has_hangul
from context.primitives.askers import nobodys
from tests.contracts.events import answered
from tests.fakes.bus import FakeBus
from tests.fakes.waiting import until
from tests.unit.cases import cases
from tests.unit.worker.meeting_jobs import World
from worker.adapters.redis_outlet import RedisOutlet
from worker.holder.presence import Presence
from worker.messages import AskMessage, SegmentMessage
from worker.outlets import Outlets


class TextMeeting:
    """A meeting without a room, held by a job, and what its followers read."""

    def __init__(self, tmp_path: Path) -> None:
        self.world = World(tmp_path)
        self.bus: FakeBus = self.world.bus
        self.session: Any = None
        self._count = 0

    async def __aenter__(self) -> Self:
        job = await self.world.job(None)
        outlet = Outlets(RedisOutlet(self.bus, "m-1"))

        async def enter(presence: Presence) -> None:
            self.session = presence.session

        self.running = asyncio.ensure_future(job.run(outlet, enter))
        await until(lambda: self.session is not None)
        return self

    async def __aexit__(self, *_: object) -> None:
        if not self.running.done():
            await self.session.leave("done")
        await self.running

    async def say(self, text: str) -> None:
        self._count += 1
        segment = SegmentMessage(
            id=f"s{self._count}",
            speaker="minji",
            text=text,
            start_ms=self._count * 10_000,
            end_ms=self._count * 10_000 + 5000,
        )
        await self.bus.send_segment("m-1", segment)
        await until(lambda: self.bus_read("moim:default:in:m-1"))

    async def ask(self, text: str, **more: Any) -> None:
        self._count += 1
        await self.bus.ask("m-1", AskMessage(id=f"q{self._count}", by="minji", text=text, **more))
        await until(lambda: self.bus_read("moim:default:ask:m-1"))

    def bus_read(self, stream: str) -> bool:
        """Whether all is read that stands there; what nobody is to hear is taken out then."""
        read = self.session.manager.meeting.coverage.positions.get(stream, "0-0")
        return all(number <= int(read.partition("-")[0]) for number, _ in self.bus.streams[stream])

    def shown(self, kind: str) -> list[dict[str, Any]]:
        events = [json.loads(payload or b"") for _, payload in self.bus.streams["moim:default:out:m-1"]]
        return [event for event in events if event["kind"] == kind]

    @property
    def said(self) -> list[str]:
        return [event["detail"] for event in self.shown("status") if event["status"] == "said"]

    @property
    def texts(self) -> list[str]:
        return [u.text for u in self.session.manager.meeting.utterances]


@cases
async def test_a_command_is_obeyed_and_said(
    commands: tuple[str, str], lines: tuple[str, str, str], tmp_path: Path
) -> None:
    (pause, resume), (before, secret, after) = commands, lines
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say(before)
        await meeting.ask(pause)
        await until(lambda: len(meeting.said) == 1)
        await meeting.say(secret)
        await meeting.ask(pause)
        await meeting.ask(resume)
        await until(lambda: len(meeting.said) == 3)
        await meeting.say(after)
        assert meeting.texts == [before, after]
        assert meeting.shown("reply") == [], "it was no question"
        assert not meeting.session.manager.meeting.paused
        assert [has_hangul(text) for text in meeting.said] == [has_hangul(before)] * 3, "in their language"


async def test_where_nobody_has_spoken_a_bare_command_is_answered_as_was_asked_last(tmp_path: Path) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.ask("출시일이 언제죠?")
        await until(lambda: meeting.shown("reply"))
        await meeting.ask("/pause")
        await until(lambda: meeting.said)
        assert has_hangul(meeting.said[0])


@pytest.mark.parametrize("text", ["출시일이 언제죠?", "When is the release?"])
async def test_a_name_that_is_only_the_way_a_question_came_in_by_is_nobodys(
    tmp_path: Path, text: str
) -> None:
    async with TextMeeting(tmp_path) as meeting:
        for number, (by, via) in enumerate([("http", "http"), ("cli", "cli"), ("minji", "http")]):
            await meeting.bus.ask("m-1", AskMessage(id=f"q{number}", by=by, via=via, text=text))
        await until(lambda: len(meeting.shown("reply")) == 3)
        told = {reply["invocation_id"]: reply["by"] for reply in meeting.shown("reply")}
        assert told == {"q0": nobodys("http"), "q1": nobodys("cli"), "q2": "minji"}


@pytest.mark.parametrize("text", ["/leave", "모임, 회의에서 나가줘"])
async def test_who_is_asked_to_leave_says_the_closing_summary_and_ends(tmp_path: Path, text: str) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say("출시일은 20일로 결정하겠습니다.")
        await meeting.bus.ask("m-1", AskMessage(id="q9", by="minji", text=text))
        async with asyncio.timeout(60):
            assert await meeting.running == ("ended", "asked_to_leave")
        assert len(meeting.said) == 2, "that it leaves, and the summary"


@pytest.mark.parametrize("text", ["/leave", "모임, 회의에서 나가줘"])
async def test_a_command_to_leave_that_is_repeated_gives_one_closing_summary(
    tmp_path: Path, text: str
) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say("We ship on the 20th.")
        for id_ in ("q8", "q9"):
            await meeting.bus.ask("m-1", AskMessage(id=id_, by="minji", text=text))
        async with asyncio.timeout(60):
            assert await meeting.running == ("ended", "asked_to_leave")
        assert len(meeting.said) == 2, "that it leaves, and the summary"


@pytest.mark.parametrize("text", ["/help", "/me", "Moim, /me"])
async def test_a_command_that_does_not_exist_is_told(tmp_path: Path, text: str) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say("We ship on the 20th.")
        await meeting.ask(text)
        await until(lambda: meeting.said)
        assert "/pause" in meeting.said[0]
        assert meeting.session.manager.meeting.coverage.orders == ["q2"]
        assert meeting.shown("reply") == [], "it was no question"


@pytest.mark.parametrize(
    ("line", "text", "private"),
    [
        ("출시일은 11월 20일로 결정하겠습니다.", "출시일이 언제야?", True),
        ("We decided to ship on the 20th of November.", "When do we ship?", True),
        ("We decided to ship on the 20th of November.", "/me when do we ship?", False),
    ],
)
async def test_a_private_question_is_answered_where_its_asker_reads(
    tmp_path: Path, line: str, text: str, private: bool
) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say(line)
        await meeting.ask(text, private=private)
        await until(lambda: meeting.shown("reply"))
        (reply,) = meeting.shown("reply")
        assert (reply["private"], reply["by"], reply["via"]) == (True, "minji", "redis")
        assert "20" in reply["text"]


async def test_a_command_that_is_put_again_is_refused_and_nothing_is_lost(tmp_path: Path) -> None:
    async with TextMeeting(tmp_path) as meeting:
        stream = meeting.bus.names.of("ask", "m-1")
        await meeting.say("출시일은 20일입니다.")
        await meeting.ask("/pause")
        (captured,) = [payload for _, payload in meeting.bus.streams[stream]]
        await meeting.ask("/resume")
        for again in range(3):
            await meeting.bus.add(stream, captured)
            await until(lambda: meeting.bus_read(stream))
            assert meeting.bus.refusals == ["ask"] * (again + 1)
        await meeting.say("We ship on the 20th.")
        assert meeting.texts == ["출시일은 20일입니다.", "We ship on the 20th."]
        assert not meeting.session.manager.meeting.paused


async def test_who_takes_over_knows_the_commands_of_the_holder_before(tmp_path: Path) -> None:
    async with TextMeeting(tmp_path) as meeting:
        stream = meeting.bus.names.of("ask", "m-1")
        await meeting.say("출시일은 20일입니다.")
        await meeting.ask("/pause")
        captured = meeting.bus.streams[stream][-1][1]
        await meeting.ask("/resume")
        await until(lambda: meeting.session.recorder.pending == 0)
        await meeting.session.leave("handed over")
        await meeting.running
        world = meeting.world
        job = await world.job(None)
        assert (await job.restore()).manager.meeting.coverage.orders == ["q2", "q3"]
        await job.release()
        await meeting.__aenter__()
        await meeting.bus.add(stream, captured)
        await until(lambda: meeting.bus_read(stream))
        assert not meeting.session.manager.meeting.paused
        assert meeting.bus.refusals == ["ask"]


@pytest.mark.parametrize("lines", [("비밀입니다.", "이것도요."), ("This is a secret.", "So is this.")])
async def test_what_a_pause_refused_is_marked_and_not_told(tmp_path: Path, lines: tuple[str, str]) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say("출시일은 20일입니다. We ship on the 20th.")
        await meeting.ask("/pause")
        for line in lines:
            await meeting.say(line)
        await meeting.bus.send_segment(
            "m-1", SegmentMessage(id="other", speaker="james", text=lines[0], start_ms=30_000, end_ms=31_000)
        )
        await meeting.bus.send_segment(  # said before, and sent once more
            "m-1", SegmentMessage(id="s1", speaker="minji", text=lines[0], start_ms=10_000, end_ms=15_000)
        )
        await until(lambda: meeting.bus_read(meeting.bus.names.of("in", "m-1")))
        await meeting.ask("/resume")
        await meeting.say("다시 시작합시다. Let us go on.")
        gaps = [gap.model_dump() for gap in meeting.session.manager.meeting.coverage.gaps]
        assert gaps == [
            {"participant": "minji", "start_ms": 30_000, "end_ms": 45_000, "reason": "off_record"},
            {"participant": "james", "start_ms": 30_000, "end_ms": 31_000, "reason": "off_record"},
        ], "one for each who spoke, over all of it"
        await until(lambda: len(meeting.shown("gap")) == 3)
        await until(lambda: meeting.session.recorder.pending == 0)
        kept = "".join(each.payload for each in meeting.world.record.meetings["m-1"].events)
        assert "20th" in kept
        assert not [line for line in lines if line in kept]


async def test_a_command_by_http_stays_a_question_that_is_answered(tmp_path: Path) -> None:
    async with TextMeeting(tmp_path) as meeting:
        await meeting.say("We ship on the 20th.")
        await meeting.ask("/pause", via="http")
        assert not meeting.session.manager.meeting.paused
        await until(lambda: meeting.shown("reply"))


@pytest.mark.parametrize("via", ["chat", "http", "cli"])
async def test_what_was_asked_in_private_elsewhere_is_no_followers_business(via: Any) -> None:
    bus = FakeBus()
    reply = answered(1, private=True)[1].reply.model_copy(update={"via": via})
    await RedisOutlet(bus, "m-1").show(effects.PublishReply(reply=reply), segment_id="", durable=True)
    assert bus.streams["moim:default:out:m-1"] == []
