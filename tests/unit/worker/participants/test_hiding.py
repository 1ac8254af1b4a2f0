"""Words that somebody's `/off 5m` hides: who is told of it, and what their speakers may do."""

from __future__ import annotations

import asyncio

import pytest

from context.events.actors import participant
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.participants.hiding import EARLIER, LINES, room, said

pytestmark = in_virtual_time


@pytest.mark.parametrize(("language", "word"), [("ko", "숨겼습니다"), ("en", "are hidden")])
async def test_each_whose_words_are_hidden_is_told_alone(language: str, word: str) -> None:
    async with room() as (it, attendant):
        await said(it, language)
        attendant.chat("c1", "minji", "Minji", "/off 240m")
        await it.world.settle()
        ((target, actor),) = it.asked
        assert (target.what, target.person, target.others) == ("stretch", "minji", "hide")
        assert actor == participant("minji")
        (told,) = [text for text in it.told("ben") if word in text or "숨겼습니다" in text]
        assert "1" in told
        assert it.told("guest-5c1d09ab-0123456789") == it.told("minji") == []
        assert any("15" in text for text in it.told(None)), "fifteen minutes at most"
        utterances = it.world.session.manager.meeting.utterances
        assert [(u.text, u.hidden) for u in utterances] == [
            (EARLIER[language], False),
            ("", False),
            ("", True),
        ]


@pytest.mark.parametrize(
    ("line", "shows", "word"),
    [
        ("/me show", True, "shown again"), ("/me 다시 보여 줘", True, "다시 보입니다"), ("/me Show them.", True, "shown"),
        ("/me erase", False, "deleted"), ("/me 삭제해 줘", False, "삭제했습니다"),
    ],
)  # fmt: skip
async def test_the_speaker_decides(line: str, shows: bool, word: str) -> None:
    async with room() as (it, attendant):
        await said(it, "en")
        attendant.chat("c1", "minji", "Minji", "/off 5m")
        await it.world.settle()
        attendant.chat("c2", "minji", "Minji", line)
        attendant.chat("c3", "ben", "Ben", line)
        await asyncio.sleep(1)
        target, actor = it.asked[-1]
        assert (target.utterances, target.show, actor) == ((3,), shows, participant("ben"))
        assert len(it.asked) == 2, "nothing of hers is hidden"
        assert word in it.told("ben")[-1]
        assert "/me no erase" in it.told("minji")[-1]


MARK = "0123456789abcdef"


@pytest.mark.parametrize(("line", "word"), [("/me show", "다시 보입니다"), ("/me 삭제해 줘", "삭제했습니다")])
async def test_who_is_here_by_another_mark_of_their_browser_is_told_and_decides(line: str, word: str) -> None:
    then, now = f"guest-5c1d09ab-{MARK}", f"web-{MARK}"
    async with room() as (it, attendant):
        it.world.speak(EARLIER["en"], "cho")
        it.world.speak(LINES["en"][0], then)
        await it.world.settle()
        attendant.joined(now, "Dana")
        await it.world.settle()
        attendant.chat("c1", "minji", "Minji", "/off 15m")
        await it.world.settle()
        (told,) = [text for text in it.told(now) if "hidden" in text or "숨겼습니다" in text]
        assert "1" in told
        attendant.chat("c2", now, "Dana", line)
        await asyncio.sleep(1)
        target, actor = it.asked[-1]
        assert (target.utterances, actor) == ((2,), participant(now))
        assert word in it.told(now)[-1]


async def test_a_guest_takes_back_their_own_words_alone() -> None:
    async with room() as (it, attendant):
        await said(it, "ko")
        attendant.chat("c1", "guest-5c1d09ab-0123456789", "Guest", "/off 5m")
        await it.world.settle()
        ((target, actor),) = it.asked
        assert (target.others, actor.kind, actor.id) == ("leave", "link", "5c1d09ab")
        assert [u.text for u in it.world.session.manager.meeting.utterances][1:] == list(LINES["ko"])
        assert it.told("ben") == []


@pytest.mark.parametrize(("command", "word"), [("/off 5m", "on hold"), ("모임, 오프 더 레코드", "")])
async def test_on_hold_nothing_is_promised(command: str, word: str) -> None:
    async with room(held=True) as (it, attendant):
        await said(it, "en")
        attendant.chat("c1", "minji", "Minji", command)
        await it.world.settle()
        assert [u.text for u in it.world.session.manager.meeting.utterances][1:] == list(LINES["en"])
        assert word in it.told(None)[-1]
        assert it.told("ben") == []


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("/me show", "stay hidden"), ("/me 다시 보여 줘", "잠시 뒤에 다시"), ("/me erase", "not done"),
        ("/me 삭제해 줘", "하지 못했습니다"),
    ],
)  # fmt: skip
async def test_who_could_not_be_obeyed_is_told_so(line: str, word: str) -> None:
    async with room() as (it, attendant):
        await said(it, "en")
        attendant.chat("c1", "minji", "Minji", "/off 5m")
        await it.world.settle()
        it.away = True
        attendant.chat("c2", "ben", "Ben", line)
        await asyncio.sleep(1)
        assert word in it.told("ben")[-1]
        assert len(it.told("ben")) == 2, "once, after what was hidden"
        it.away = False
        attendant.chat("c3", "ben", "Ben", line)
        await asyncio.sleep(1)
        assert it.asked[-1][0] == it.asked[-2][0], "the same once more does it"
        assert word not in it.told("ben")[-1]


@pytest.mark.parametrize(("command", "word"), [("/off 5m", "deleted or hidden"), ("/off 5분", "다시 요청해")])
async def test_minutes_that_could_not_be_taken_back_are_not_said_to_be(command: str, word: str) -> None:
    language = "ko" if "분" in command else "en"
    async with room() as (it, attendant):
        await said(it, language)
        it.away = True
        attendant.chat("c1", "minji", "Minji", command)
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        assert meeting.paused, "from now on it is off the record all the same"
        assert [u.text for u in meeting.utterances][1:] == list(LINES[language])
        assert word in it.told(None)[-1]
        assert it.told("ben") == [], "nothing of theirs is hidden"
