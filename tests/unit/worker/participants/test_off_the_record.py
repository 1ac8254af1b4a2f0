"""Going off the record: from now on it is anybody's; what others said before that is never erased by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

import pytest

from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.participants.hiding import LINES, Room, room, said
from worker.messages import AskMessage, ConsentMessage, InputEntry, Message, SegmentMessage
from worker.participants.attendant import Attendant
from worker.participants.text_input import TAKEN_OUT_WITHIN_S, TextInput

pytestmark = in_virtual_time


class Stream:
    """What programs wrote to a meeting, in its order; none of it waits for the fold."""

    def __init__(self, *messages: Message) -> None:
        self._messages = messages
        self.dropped: list[str] = []

    async def read_inputs(
        self, _meeting_id: str, _positions: Mapping[str, str]
    ) -> AsyncGenerator[InputEntry, None]:
        for number, message in enumerate(self._messages, 1):
            yield InputEntry("in", str(number), message)

    def refused(self, kind: str) -> None:
        raise AssertionError(kind)

    async def drop(self, stream: str, positions: Sequence[str]) -> None:
        self.dropped += positions


def line(who: str, text: str, start_ms: int, end_ms: int) -> SegmentMessage:
    return SegmentMessage(id=f"{who}-{start_ms}", speaker=who, text=text, start_ms=start_ms, end_ms=end_ms)


async def fed(it: Room, attendant: Attendant, *messages: Message) -> Stream:
    stream = Stream(*messages)
    await TextInput(stream, it.world.session, ends_meeting=True, attendant=attendant).run()
    await it.world.settle()
    await asyncio.sleep(1)
    return stream


def words(it: Room) -> list[str]:
    return [u.text for u in it.world.session.manager.meeting.utterances]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("by_voice", [True, False])
async def test_a_command_that_comes_by_a_late_segment_erases_nobodys_words(
    language: str, by_voice: bool
) -> None:
    said_before = LINES[language]
    commands: dict[bool, tuple[str, Message]] = {
        True: ({"ko": "모임, 오프 더 레코드", "en": "Moim, off the record."}[language], AskMessage(id="q", by="x", text="-")),
        False: ("안녕하세요." if language == "ko" else "Hello.", AskMessage(id="q", by="mallory", text="/off")),
    }  # fmt: skip
    late, then = commands[by_voice]
    async with room() as (it, attendant):
        await fed(
            it,
            attendant,
            line("minji", said_before[0], 5_000, 6_000),
            line("ben", said_before[1], 7_000, 7_000),
            line("mallory", late, 0, 10),
            *([] if by_voice else [then]),
        )
        assert words(it)[:2] == list(said_before)
        assert it.world.session.manager.meeting.paused
        assert not any(u.hidden for u in it.world.session.manager.meeting.utterances)


async def test_whoever_reads_the_stream_on_counts_from_the_record() -> None:
    async with room() as (it, attendant):
        await fed(it, attendant, line("minji", "시작합시다.", 50_000, 60_000))
        await fed(it, attendant, AskMessage(id="q", by="mallory", text="/off"))
        assert words(it) == ["시작합시다."]
        assert [pause.start_ms for pause in it.world.session.manager.meeting.coverage.pauses] == [60_000]


async def test_off_the_record_goes_on_until_a_command_that_comes_later_in_the_stream() -> None:
    async with room() as (it, attendant):
        await fed(
            it,
            attendant,
            line("minji", "모임, 오프 더 레코드", 1_000, 2_000),
            line("ben", "비밀입니다.", 3_000, 4_000),
            line("mallory", "모임, 다시 기록해 줘", 0, 10),
            line("ben", "Between us.", 3_500, 3_900),
        )
        assert "Between us." not in words(it)
        assert [pause.end_ms for pause in it.world.session.manager.meeting.coverage.pauses] == [4_000]


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_what_overtook_the_command_is_erased_of_its_giver_and_hidden_of_others(language: str) -> None:
    async with room() as (it, attendant):
        await said(it, language)  # minji at 1,202 s, ben at 1,203 s
        command = attendant.commands.command_in("/off")
        assert command is not None
        attendant.commands.carry_out(command, "minji", "/off", 1_201_500)
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        assert [(u.text, u.hidden) for u in meeting.utterances][1:] == [("", False), ("", True)]
        assert len(it.told("ben")) == 1, "whose words are hidden is told"


async def test_a_guest_who_was_overtaken_hides_nobodys_words() -> None:
    async with room() as (it, attendant):
        await said(it, "ko")
        command = attendant.commands.command_in("/off")
        assert command is not None
        attendant.commands.carry_out(command, "guest-5c1d09ab-0123456789", "/off", 1_201_500)
        await it.world.settle()
        assert words(it)[1:] == list(LINES["ko"])


@pytest.mark.parametrize(
    ("wish", "told", "taken"),
    [
        ("/off 5분 전", "지난 5분", True), ("/off last 5 minutes", "last 5 minutes", True), ("“/off 5m”", "5", True),
        ("/off 1h", "No more than 15", True), ("/off 1000분", "최대 15분", True), ("/off5m", "5", True),
        ("/off 0m", "how far back", False), ("/off 조금", "알아듣지 못해", False), ("/off 지금부터", "오프 더 레코드입니다", False),
    ],
)  # fmt: skip
async def test_what_follows_off_is_done_or_told(wish: str, told: str, taken: bool) -> None:
    async with room() as (it, attendant):
        await said(it, "ko" if any("가" <= char <= "힣" for char in wish) else "en")
        attendant.chat("c1", "minji", "Minji", wish)
        await it.world.settle()
        assert it.world.session.manager.meeting.paused
        assert any(told in text for text in it.told(None)), it.told(None)
        assert (words(it)[1:] == ["", ""]) == taken
        if not taken and "지금" not in wish:
            assert any("/off 5m" in text for text in it.told(None))


@pytest.mark.parametrize(
    ("commands", "told"),
    [
        (("/me no erase",), "come too fast"), (("/off 15m", "/on"), "come too fast"), (("/me erase",), "come too fast"),
        (("/me 싫어요 삭제",), "너무 많이"), (("/me yes", "/me no erase"), "come too fast"), (("/rate 0.2",), "come too fast"),
    ],
)  # fmt: skip
async def test_commands_have_a_pace_and_what_is_left_out_is_told_once(
    commands: tuple[str, ...], told: str
) -> None:
    async with room() as (it, attendant):
        await said(it, "en")
        seq = it.world.session.seq
        for number in range(300):
            attendant.chat(f"c{number}", "minji", "Minji", commands[number % len(commands)])
        attendant.chat("c-ben", "ben", "Ben", "/off 1m")
        assert it.world.session.manager.meeting.paused, "another's command counts at once"
        await asyncio.sleep(60)
        await it.world.settle()
        assert it.world.session.seq - seq < 40
        assert len([text for text in it.told("minji") if told in text]) == 1


async def test_a_no_counts_at_once_whatever_waits_before_it() -> None:
    async with room() as (_, attendant):
        for number in range(40):
            attendant.chat(f"c{number}", "minji", "Minji", "/me yes")
        attendant.chat("c-no", "minji", "Minji", "/me no")
        assert not attendant.may_hear("minji")
        await asyncio.sleep(120)
        assert not attendant.may_hear("minji"), "what waited before it counts no more"


@pytest.mark.parametrize(
    ("command", "words_after"), [("/me no", "비밀두꺼비"), ("/me no erase", "secret toad"), ("/off", "비밀")]
)
async def test_what_nobody_is_to_hear_is_taken_out_of_the_stream(command: str, words_after: str) -> None:
    async with room() as (it, attendant):
        stream = await fed(
            it,
            attendant,
            line("ben", "하나", 1_000, 2_000),
            AskMessage(id="q", by="ben", text=command),
            line("ben", words_after, 3_000, 4_000),
            SegmentMessage(
                id="i", speaker="ben", text=words_after, start_ms=5_000, end_ms=6_000, final=False
            ),
        )
        assert stream.dropped == ["3", "4"]
        assert words_after not in words(it)


@pytest.mark.parametrize("text", ["늦게 온 말입니다.", "This came late."])
async def test_a_late_line_that_is_hidden_is_taken_out_of_the_stream(text: str) -> None:
    async with room() as (it, attendant):
        await fed(it, attendant, line("ben", "하나", 1_000, 2_000), line("minji", "둘", 3_000, 60_000))
        attendant.obey("minji", "/off 5m", command_at_ms=60_000)
        await asyncio.sleep(1)
        attendant.obey("minji", "/on", command_at_ms=60_000)
        stream = await fed(it, attendant, line("ben", text, 2_500, 2_900))
        assert stream.dropped == ["1"]
        assert it.world.session.manager.meeting.utterances[-1].hidden


@pytest.mark.parametrize(("off", "on"), [("/off", "/on"), ("모임, 오프 더 레코드", "모임, 다시 기록해 줘")])
@pytest.mark.parametrize("taken_over", [False, True])
async def test_what_was_off_the_record_stays_so_after_a_takeover(off: str, on: str, taken_over: bool) -> None:
    before = (
        line("ben", "시작합시다.", 1_000, 3_000),
        AskMessage(id="q1", by="ben", text=off),
        line("ben", "비밀입니다.", 200_000, 300_000),
    )
    after = (
        AskMessage(id="q2", by="ben", text=on),
        line("ben", "This is a secret, too.", 150_000, 160_000),
        line("ben", "다시 시작합시다.", 301_000, 302_000),
    )
    store = FakeStore()
    if taken_over:
        async with room(store=store) as (it, attendant):
            await fed(it, attendant, *before)
    async with room(store=store) as (it, attendant):
        await fed(it, attendant, *(() if taken_over else before), *after)
        assert [text for text in words(it) if text] == ["시작합시다.", "다시 시작합시다."]


ERASING: dict[str, Message] = {
    "refusal": AskMessage(id="q1", by="ben", text="/me no erase"),
    "거부": AskMessage(id="q1", by="ben", text="모임, 내 말은 기록하지 마, 지금까지 한 말도 삭제해 줘"),
    "page": ConsentMessage(id="q1", person="ben", agreed=False, how="page", erase=True),
    "off": AskMessage(id="q1", by="ben", text="/off 5m"),
}


@pytest.mark.parametrize("how", ERASING)
async def test_a_command_whose_erasure_was_not_done_is_obeyed_by_who_takes_over(how: str) -> None:
    store = FakeStore()
    async with room(store=store) as (it, attendant):
        await fed(it, attendant, line("ben", "왜가리 이야기입니다.", 1_000, 3_000))
        it.may_take_out.clear()
        dying = asyncio.create_task(fed(it, attendant, ERASING[how]))
        await asyncio.sleep(1)
        assert len(it.asked) == 1, "it has begun"
        assert it.world.session.manager.meeting.coverage.orders == [], "and is not done"
        dying.cancel()
        await asyncio.wait({dying})
        attendant.own.cancel()
        assert words(it) == ["왜가리 이야기입니다."]
    async with room(store=store) as (it, attendant):
        await fed(it, attendant, ERASING[how])
        meeting = it.world.session.manager.meeting
        assert words(it) == [""]
        assert meeting.coverage.orders == ["q1"]
        assert len(meeting.erasures) == 1
        told = [each for each in store.record.meetings["m-test"].events if "consent_told" in each.payload]
        assert len(told) == (how != "off"), "what was recorded already is not recorded again"


@pytest.mark.parametrize(
    "no",
    [
        "모임, 내 말은 기록하지 마, 지금까지 한 말도 삭제해 줘",
        "Moim, don't record me, and delete what I said.",
    ],
)
async def test_so_is_a_refusal_aloud(no: str) -> None:
    store = FakeStore()
    aloud = line("ben", no, 4_000, 5_000)
    async with room(store=store) as (it, attendant):
        await fed(it, attendant, line("ben", "왜가리 이야기입니다.", 1_000, 3_000))
        it.may_take_out.clear()
        dying = asyncio.create_task(fed(it, attendant, line("cho", "Go on.", 3_000, 3_500), aloud))
        await asyncio.sleep(1)
        assert len(it.asked) == 1, "it has begun"
        assert it.world.session.manager.meeting.coverage.positions == {"in": "1"}, "and is not done"
        dying.cancel()
        await asyncio.wait({dying})
        attendant.own.cancel()
    async with room(store=store) as (it, attendant):
        await fed(it, attendant, aloud)
        meeting = it.world.session.manager.meeting
        assert [text for text in words(it) if text] == ["Go on."]
        assert meeting.attendance.agreed("ben") is False
        assert len(meeting.erasures) == 1


async def test_an_erasure_that_takes_very_long_does_not_hold_up_the_stream() -> None:
    async with room() as (it, attendant):
        it.may_take_out.clear()
        stream = (
            line("ben", "왜가리입니다.", 1_000, 3_000),
            ERASING["refusal"],
            line("cho", "Go on.", 4_000, 5_000),
        )
        reading = asyncio.create_task(fed(it, attendant, *stream))
        await asyncio.sleep(TAKEN_OUT_WITHIN_S + 1)
        assert words(it) == ["왜가리입니다.", "Go on."]
        it.may_take_out.set()
        await reading
        assert words(it) == ["", "Go on."]


@pytest.mark.parametrize("no", ["모임, 내 말은 기록하지 마", "Moim, don't record me."])
@pytest.mark.parametrize("command", ["/pause", "/off"])
async def test_a_refusal_aloud_counts_also_while_the_record_is_paused(no: str, command: str) -> None:
    async with room() as (it, attendant):
        await fed(
            it,
            attendant,
            line("ben", "시작합시다.", 1_000, 3_000),
            AskMessage(id="q1", by="ben", text=command),
            line("dana", no, 4_000, 5_000),
            AskMessage(id="q2", by="ben", text="/resume"),
            line("dana", "A secret of mine.", 6_000, 7_000),
            line("ben", "Go on.", 8_000, 9_000),
        )
        assert words(it) == ["시작합시다.", "Go on."]
        assert it.world.session.manager.meeting.attendance.agreed("dana") is False


async def test_a_late_line_of_any_pause_is_withheld_however_many_came_after() -> None:
    async with room() as (it, attendant):
        stream: list[Message] = []
        for n in range(30):
            stream += [
                line("ben", f"{n}번", n * 10_000, n * 10_000 + 1_000),
                AskMessage(id=f"off{n}", by=f"p{n}", text="/off"),
                line("ben", "비밀입니다.", n * 10_000 + 2_000, n * 10_000 + 5_000),
                AskMessage(id=f"on{n}", by=f"p{n}", text="/on"),
            ]
        late = [line("ben", "This is a secret.", n * 10_000 + 3_000, n * 10_000 + 3_500) for n in (0, 5, 29)]
        await fed(it, attendant, *stream, *late)
        assert [text for text in words(it) if text] == [f"{n}번" for n in range(30)]
