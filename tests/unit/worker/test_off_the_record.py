"""Going off the record: from now on it is anybody's; what others said before that is never erased by it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence

import pytest

from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.test_hiding import LINES, Room, room, said
from worker.messages import AskMessage, InputEntry, Message, SegmentMessage
from worker.room.attendant import Attendant
from worker.room.text_input import TextInput

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
async def test_an_order_that_comes_by_a_late_segment_erases_nobodys_words(
    language: str, by_voice: bool
) -> None:
    said_before = LINES[language]
    orders: dict[bool, tuple[str, Message]] = {
        True: ({"ko": "모임, 오프 더 레코드", "en": "Moim, off the record."}[language], AskMessage(id="q", by="x", text="-")),
        False: ("안녕하세요." if language == "ko" else "Hello.", AskMessage(id="q", by="mallory", text="/off")),
    }  # fmt: skip
    late, then = orders[by_voice]
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


async def test_off_the_record_goes_on_until_an_order_that_comes_later_in_the_stream() -> None:
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
async def test_what_overtook_the_order_is_erased_of_its_giver_and_hidden_of_others(language: str) -> None:
    async with room() as (it, attendant):
        await said(it, language)  # minji at 1,202 s, ben at 1,203 s
        order = attendant.orders.order_in("/off")
        assert order is not None
        attendant.orders.carry_out(order, "minji", "/off", 1_201_500)
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        assert [(u.text, u.hidden) for u in meeting.utterances][1:] == [("", False), ("", True)]
        assert len(it.told("ben")) == 1, "whose words are hidden is told"


async def test_a_guest_who_was_overtaken_hides_nobodys_words() -> None:
    async with room() as (it, attendant):
        await said(it, "ko")
        order = attendant.orders.order_in("/off")
        assert order is not None
        attendant.orders.carry_out(order, "guest-5c1d09ab-0123456789", "/off", 1_201_500)
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
    ("orders", "told"),
    [
        (("/me no erase",), "come too fast"), (("/off 15m", "/on"), "come too fast"), (("/me erase",), "come too fast"),
        (("/me 싫어요 삭제",), "너무 많이"), (("/me yes", "/me no erase"), "come too fast"), (("/rate 0.2",), "come too fast"),
    ],
)  # fmt: skip
async def test_orders_have_a_pace_and_what_is_left_out_is_told_once(
    orders: tuple[str, ...], told: str
) -> None:
    async with room() as (it, attendant):
        await said(it, "en")
        seq = it.world.session.seq
        for number in range(300):
            attendant.chat(f"c{number}", "minji", "Minji", orders[number % len(orders)])
        attendant.chat("c-ben", "ben", "Ben", "/off 1m")
        assert it.world.session.manager.meeting.paused, "another's order counts at once"
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
    ("order", "words_after"), [("/me no", "비밀두꺼비"), ("/me no erase", "secret toad"), ("/off", "비밀")]
)
async def test_what_nobody_is_to_hear_is_taken_out_of_the_stream(order: str, words_after: str) -> None:
    async with room() as (it, attendant):
        stream = await fed(
            it,
            attendant,
            line("ben", "하나", 1_000, 2_000),
            AskMessage(id="q", by="ben", text=order),
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
        attendant.obey("minji", "/off 5m", order_at_ms=60_000)
        await asyncio.sleep(1)
        attendant.obey("minji", "/on", order_at_ms=60_000)
        stream = await fed(it, attendant, line("ben", text, 2_500, 2_900))
        assert stream.dropped == ["1"]
        assert it.world.session.manager.meeting.utterances[-1].hidden
