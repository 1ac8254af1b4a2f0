"""Who is here, who asks, what is commanded, and when a meeting is over."""

from __future__ import annotations

import asyncio
from functools import partial
from math import inf

import pytest

from context.events import events
from context.events.actors import operator
from context.events.erasure_target import Target
from context.events.privacy_events import RecordingPaused
from context.export.document import document
from context.features import OF_THIS_MEETING
from context.language.korean import has_hangul
from context.primitives.guest_identity import guest_identity
from stt.track_events import Interim, Missed, Waits, Wordless
from tests.fakes.meeting import meeting_at_work
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import until
from tests.unit.cases import cases
from tests.unit.worker.rooms import Room, room
from worker.bootstrap.language_models import growing_mask_of
from worker.configuration.settings import Settings
from worker.participants.attendant import Attendant
from worker.participants.closing import EVERYBODY_LEFT_GRACE_S
from worker.participants.guests import Guests
from worker.participants.tracks import LAST_WORDS_DEADLINE_S

pytestmark = in_virtual_time


async def test_everybody_is_heard_under_their_own_name() -> None:
    async with room() as it:
        it.enter("minji", "김민지").hears("안녕하세요.", 100)
        it.enter("ben", "Ben Carter").hears("Good morning.", 1200)
        await it.world.settle()
        spoken = it.session.manager.meeting.utterances
        assert [(u.speaker_name, u.text) for u in spoken] == [
            ("김민지", "안녕하세요."),
            ("Ben Carter", "Good morning."),
        ]


@cases
async def test_which_chat_is_for_the_agent(text: str, for_moim: bool) -> None:
    async with room() as it:
        it.enter("minji", "김민지").hears("출시일은 이십이일로 결정하겠습니다. 예산은 이억입니다.", 100)
        it.enter("junho", "박준호")
        it.enter("ben", "Ben Carter").hears("We will add a second server this week.", 2000)
        await it.world.settle()
        it.attendant.chat("chat-1", "minji", "김민지", text)
        await it.world.settle()
        assert [r.invocation_id for r in it.world.outlet.replies] == (["chat-1"] if for_moim else [])


@cases
async def test_a_private_question_is_answered_to_its_asker_alone(text: str, private: bool) -> None:
    """What was addressed to the agent alone is for it, without its name and without a question mark."""
    async with room() as it:
        it.enter("minji").hears("출시일은 이십이일로 결정하겠습니다.", 100)
        await it.world.settle()
        it.attendant.chat("chat-1", "minji", "minji", text, private=private)
        await it.world.settle()
        assert [r.to for r in it.world.outlet.replies] == ["minji"]
        assert document(it.world.session.manager.meeting)["replies"] == []


@pytest.mark.parametrize("text", ["모임, 예산이 얼마예요?", "Moim, what is the budget?"])
@pytest.mark.parametrize(("who", "alone"), [("guest-l1-0123456789", True), ("minji", False)])
async def test_a_guest_is_answered_from_this_meeting_alone(text: str, who: str, alone: bool) -> None:
    async with room() as it:
        it.enter(who).hears("예산은 이억입니다. The budget is two hundred.", 100)
        await it.world.settle()
        it.attendant.chat("chat-1", who, who, text)
        await it.world.settle()
        await it.session.recorder.settled(it.session.seq)
        stored = await it.world.store.load(it.session.meeting_id, use_snapshot=False)
        asked = [each.event for each in stored.events if isinstance(each.event, events.QuestionAsked)]
        assert [each.question.features == OF_THIS_MEETING for each in asked] == [alone]


@cases
async def test_the_agent_is_called_by_voice(first: str, then: str | None, asked: bool) -> None:
    async with room() as it:
        track = it.enter("minji")
        track.hears("출시일은 이십이일로 결정하겠습니다.", 100)
        track.hears(first, 2000)
        if then:
            it.enter("ben").hears(
                "It is late, is it not?", 3000
            )  # somebody else's words are not the question
            track.hears(then, 5000)
        await it.world.settle()
        assert len(it.world.outlet.replies) == int(asked)


@cases
async def test_a_pause_is_obeyed_told_and_ended(language: str, command: str, said: str) -> None:
    """It is told in the language of the command; where nobody has spoken, of a bare one in the meeting's."""
    async with room(language) as it:
        track = it.enter("minji")
        it.attendant.chat("c1", "minji", "minji", command)
        await it.world.settle()
        await asyncio.sleep(0)
        assert track.paused
        assert it.session.manager.meeting.paused
        it.attendant.chat("c2", "minji", "minji", "/resume")
        await it.world.settle()
        await asyncio.sleep(0)
        assert not track.paused
        assert not it.session.manager.meeting.paused
        assert said in it.world.outlet.said[0][0]
        assert len(it.world.outlet.said) == 2


@cases
async def test_a_command_that_does_not_exist_is_told_to_its_writer_alone(
    spoken: str, command: str, said: str
) -> None:
    async with room() as it:
        it.enter("minji").hears(spoken, 100)
        await it.world.settle()
        it.attendant.chat("c1", "minji", "minji", command)
        await it.world.settle()
        await asyncio.sleep(0)
        assert it.world.outlet.replies == []
        if not said:
            assert it.world.outlet.said == []
            return
        (told,) = it.world.outlet.said
        assert said in told[0]
        assert told[1] == "minji"
        assert "/me" in told[0]


async def test_who_comes_into_a_pause_is_not_heard_either() -> None:
    async with room() as it:
        it.enter("minji")
        it.attendant.chat("c1", "minji", "minji", "/pause")
        assert it.enter("ben").paused


async def test_when_everybody_has_left_the_closing_summary_is_said() -> None:
    async with room() as it:
        track = it.enter("minji", "김민지")
        track.hears("출시일은 십이월 이십이일로 결정하겠습니다.", 100)
        it.attendant.left("minji")
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S + 1)
        await it.world.settle()
        assert track.finished
        assert "이십이일" in it.world.outlet.said[-1][0]


@pytest.mark.parametrize("text", ["출시일이 언제로 결정됐어?", "When is the release?"])
async def test_what_somebody_wrote_before_leaving_brings_nobody_back(text: str) -> None:
    """A message is read piece by piece: its writer may be gone by its end, or its successor reads it then."""
    async with room() as it:
        it.enter("minji", "김민지").hears("출시일은 십이월 이십이일로 결정하겠습니다.", 100)
        it.attendant.left("minji")
        it.attendant.chat("c1", "minji", "김민지", text)
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S + 1)
        await it.world.settle()
        assert [reply.invocation_id for reply in it.world.outlet.replies] == ["c1"]
        assert len(it.world.outlet.said) == 1, "the closing summary"


async def test_who_comes_back_in_time_is_in_the_same_meeting() -> None:
    async with room() as it:
        it.enter("minji", "김민지").hears("하나", 100)
        it.attendant.left("minji")
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S / 2)
        it.enter("minji", "김민지").hears("둘", 5000)
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S * 2)
        await it.world.settle()
        assert it.world.outlet.said == []
        assert [u.text for u in it.session.manager.meeting.utterances] == ["하나", "둘"]


@pytest.mark.parametrize(
    ("reason", "stopped"),
    [("ROOM_CLOSED", ("ended", "room_closed")), ("SIGNAL_CLOSE", ("left", "signal_close"))],
)
async def test_a_closed_room_ends_the_meeting_and_a_lost_one_does_not(
    reason: str, stopped: tuple[str, str]
) -> None:
    async with room() as it:
        it.enter("minji").hears("하나", 100)
        it.attendant.closed(reason)
        await asyncio.sleep(1)
        assert it.world.running is not None
        await it.world.running
        assert it.session.stopped == stopped


async def test_what_the_engine_missed_is_a_gap() -> None:
    async with room() as it:
        track = it.enter("minji")
        track.tell(Missed("minji", 100, 900, "stt_timeout", track.track_id, 1000))
        await it.world.settle()
        (gap,) = it.session.manager.meeting.gaps
        assert (gap.participant, gap.start_ms, gap.end_ms, gap.reason) == ("minji", 100, 900, "stt_timeout")


async def test_another_agents_text_counts_only_where_we_do_not_transcribe() -> None:
    async with room() as it:
        it.attendant.agent_text("s1", "minji", "김민지", "들었습니다", final=True)
        await it.world.settle()
        assert it.session.manager.meeting.utterances == []
    async with meeting_at_work() as world, asyncio.TaskGroup() as tasks:
        deaf = Attendant(world.session, tasks, make_track=None, wake_words=("Moim",), chat="all")
        world.session.fold_now(events.MeetingStarted(at=world.session.clock.now_utc()))
        deaf.agent_text("s1", "minji", "김민지", "들었", final=False)
        deaf.agent_text("s1", "minji", "김민지", "들었습니다", final=True)
        deaf.agent_text("s1", "minji", "김민지", "들었습니다", final=True)
        await world.settle()
        assert world.outlet.texts == ["들었습니다"]
        await deaf.aclose()


@pytest.mark.parametrize("text", ["그래서 제 생각", "So what I think"])
async def test_another_agents_final_without_words_is_no_turn_and_takes_its_interim_back(text: str) -> None:
    async with meeting_at_work() as world, asyncio.TaskGroup() as tasks:
        deaf = Attendant(world.session, tasks, make_track=None, wake_words=("Moim",), chat="all")
        deaf.joined("minji", "김민지")
        deaf.agent_text("s1", "minji", "김민지", text, final=False)
        deaf.agent_text("s1", "minji", "김민지", " ", final=True)
        await world.settle()
        await asyncio.sleep(0)
        assert [shown for _, _, shown in world.outlet.interims] == [text, ""]
        assert world.session.manager.meeting.utterances == []
        await deaf.aclose()


@pytest.mark.parametrize("command", ["/leave", "모임, 회의에서 나가줘"])
async def test_who_commands_it_to_leave_and_goes_gets_one_closing_summary(command: str) -> None:
    async with room() as it:
        it.enter("ben").hears("We ship on the 20th.", 100)
        slow = asyncio.Event()

        async def finish(_deadline_s: float) -> None:
            await slow.wait()

        it.tracks["TR_ben"].finish = finish  # type: ignore[method-assign]  # words that take time
        await it.world.settle()
        it.attendant.chat("c1", "ben", "Ben", command)
        await asyncio.sleep(1)
        it.attendant.left("ben")
        await asyncio.sleep(EVERYBODY_LEFT_GRACE_S + 1)
        slow.set()
        await asyncio.sleep(30)
        assert it.session.stopped is not None
        assert it.session.stopped.reason == "asked_to_leave"
        assert len(it.world.outlet.said) == 2, "that it leaves, and the summary"


@pytest.mark.parametrize("text", ["그래서 제 생각", "So what I think"])
@pytest.mark.parametrize("lost", [False, True])
async def test_an_interim_that_came_to_nothing_or_whose_words_were_lost_is_taken_back(
    text: str, lost: bool
) -> None:
    async with room() as it:
        track = it.enter("minji")
        track.tell(Interim("minji@100", "minji", text))
        for start_ms in (100, 2000):
            key, end_ms = f"minji@{start_ms}", start_ms + 800
            missed = Missed("minji", start_ms, end_ms, "stt_timeout", track.track_id, end_ms, key)
            track.tell(missed if lost else Wordless(key, "minji", track.track_id, end_ms))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert [shown for _, _, shown in it.world.outlet.interims] == [text, ""]


@cases
async def test_the_compression_rate_is_changed_by_a_chat_command(
    language: str, command: str, rate: float, said: str
) -> None:
    async with room(language) as it:
        it.enter("minji")
        it.attendant.chat("c1", "minji", "minji", command)
        await it.world.settle()
        await asyncio.sleep(0)
        assert it.session.manager.meeting.thread.policy.compression_rate == rate
        assert said in it.world.outlet.said[0][0]
        assert it.world.outlet.replies == []


async def test_what_held_no_words_and_what_a_track_brought_go_on_record() -> None:
    async with room() as it:
        track = it.enter("minji", "김민지")
        track.tell(Wordless("minji@100", "minji", track.track_id, 900, 100, 700))
        track.sound_ms = 61_000
        it.attendant.track_closed(track.track_id)
        await it.world.settle()
        await until(lambda: it.session.manager.meeting.speech.everybody.sound_ms)
        count = it.session.manager.meeting.speech.of("minji")
        assert (count.wordless_ms, count.heard_ms, count.sound_ms) == (600, 600, 61_000)
        assert it.session.manager.meeting.coverage.heard_until == {track.track_id: 900}


async def test_the_words_of_who_left_are_waited_for_until_the_meeting_ends() -> None:
    """While an engine is away their sound is kept; at the end there are eight seconds for it."""
    async with room() as it:
        deadlines: list[float] = []
        released = asyncio.Event()

        async def finish(deadline_s: float) -> None:
            deadlines.append(deadline_s)
            await released.wait()

        leaver, _ = it.enter("minji"), it.enter("ben")
        leaver.finish = finish  # type: ignore[method-assign]  # one that takes its time
        leaver.trouble = "connection refused"
        it.attendant.left("minji")
        await asyncio.sleep(100)
        assert deadlines == [inf]
        assert leaver.hurried_s is None
        assert it.attendant.tracks.trouble == "connection refused"
        ending = asyncio.ensure_future(it.attendant.tracks.last_words())
        await asyncio.sleep(1)
        assert leaver.hurried_s == LAST_WORDS_DEADLINE_S
        released.set()
        await ending
        assert it.attendant.tracks.trouble == ""


@pytest.mark.parametrize("target", [Target(what="person", person="minji"), Target(what="stretch"), None])
@pytest.mark.parametrize(
    "question", ["모임, 제 연봉 인상 건은 어떻게 됐나요?", "Moim, what was decided about my raise?"]
)
async def test_a_question_that_is_not_recorded_as_said_is_not_asked(
    target: Target | None, question: str
) -> None:
    async with room() as it:
        minji = it.enter("minji", "김민지")
        minji.hears("안녕하세요. 시작하겠습니다.", 1_000)
        await asyncio.sleep(20)
        await it.world.settle()
        if target is not None:
            await it.session.erase(target, id_="e-1", actor=operator("ops"), by="김민지")
        else:
            it.session.fold_now(RecordingPaused(by="minji", at_ms=17_000))
        minji.hears(question, 18_000)  # said before that, and text now
        await it.world.settle()
        meeting = it.session.manager.meeting
        assert [u.text for u in meeting.utterances if u.start_ms == 18_000] in ([""], [])
        assert meeting.thread.turns == []
        assert it.world.outlet.replies == []


@pytest.mark.parametrize("said", ["출시일은 이십이일로 결정하겠습니다.", "We ship on the 20th."])
async def test_a_command_is_answered_in_the_language_of_words_that_are_not_erased(said: str) -> None:
    async with room() as it:
        it.enter("ben", "Ben").hears(said, 1_000)
        minji = it.enter("minji", "김민지")
        for number in range(2, 8):
            minji.hears(said, number * 1_000)
        await it.world.settle()
        await it.session.erase(
            Target(what="person", person="minji"), id_="e-1", actor=operator("ops"), by="김민지"
        )
        it.attendant.chat("c1", "ben", "Ben", "/pause")
        await asyncio.sleep(1)
        assert has_hangul(it.world.outlet.said[-1][0]) == has_hangul(said)


async def test_a_guest_whose_link_is_withdrawn_has_no_say_and_is_not_heard() -> None:
    guest, standing, removed = guest_identity("5c1d09ab", "0" * 16), {"5c1d09ab"}, []

    class Links:
        async def stands(self, link_id: str) -> bool:
            return link_id in standing

    async def remove(identity: str) -> None:
        removed.append(identity)

    async with room(guests=partial(Guests, Links(), remove)) as it:
        it.attendant.joined(guest, "Moim")
        await it.world.settle()
        await asyncio.sleep(0)
        assert it.attendant.may_hear(guest)
        it.attendant.track_opened(guest, "TR_1")
        it.tracks["TR_1"].hears("출시일은 이십이일로 결정하겠습니다.", 100)
        it.attendant.left(guest)
        standing.clear()
        it.attendant.joined(guest, "Moim")
        await it.world.settle()
        await asyncio.sleep(0)
        assert removed == [guest]
        assert not it.attendant.may_hear(guest)
        it.attendant.track_opened(guest, "TR_2")
        it.attendant.chat("c1", guest, "Moim", "/pause")
        await it.world.settle()
        assert "TR_2" not in it.tracks
        assert not it.session.manager.meeting.paused
        assert [said.speaker_name for said in it.session.manager.meeting.utterances] == ["Moim (2)"]


async def _some_time() -> None:
    await asyncio.sleep(0.01)


def _no(it: Room) -> None:
    it.attendant.consent.record("minji", False, "chat")


@pytest.mark.parametrize("text", ["제 월급은 사백", "My salary is four"])
async def test_words_under_way_of_somebody_who_refuses_are_taken_back_at_once_and_no_more_come(
    text: str,
) -> None:
    async with room() as it:
        track = it.enter("minji")
        it.attendant.consent.changed = lambda who: (
            None if it.attendant.may_hear(who) else it.attendant.track_closed(f"TR_{who}")
        )
        track.tell(Interim("minji@100", "minji", text, firm=2))
        await _some_time()
        _no(it)
        await _some_time()
        assert [shown for *_, shown in it.world.outlet.interims] == [text, ""]
        track.tell(Interim("minji@100", "minji", f"{text} …", firm=2))
        await _some_time()
        assert [shown for *_, shown in it.world.outlet.interims] == [text, ""]


@pytest.mark.parametrize("text", ["이건 우리끼리", "Just between us"])
async def test_off_the_record_no_words_under_way_are_shown(text: str) -> None:
    async with room() as it:
        track = it.enter("minji")
        track.tell(Interim("minji@100", "minji", text))
        await _some_time()
        it.attendant.chat("c1", "ben", "Ben", "/pause")
        await it.world.settle()
        track.tell(Interim("minji@100", "minji", f"{text}, …"))
        await _some_time()
        assert [shown for *_, shown in it.world.outlet.interims] == [text, ""]


async def test_words_under_way_go_out_one_after_the_other_and_none_behind_their_final() -> None:
    async with room() as it:
        track = it.enter("minji")
        free = asyncio.Event()
        show = it.world.outlet.interim

        async def slow(speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
            await free.wait()
            await show(speaker_id, segment_id, text, firm)

        it.world.outlet.interim = slow  # type: ignore[method-assign]  # a room that is slow
        for at, text in enumerate(("안녕", "안녕하세요", "안녕하세요 오늘", "안녕하세요 오늘은")):
            track.tell(Interim("minji@100", "minji", text, firm=at))
        await _some_time()
        free.set()
        await _some_time()
        texts = [text for *_, text in it.world.outlet.interims]
        shown = list(zip(texts, it.world.outlet.firm, strict=True))
        assert shown == [("안녕", 0), ("안녕하세요 오늘은", 3)], "what was outrun is not shown"
        free.clear()
        track.tell(Interim("minji@100", "minji", "안녕하세요 오늘은 날씨가"))
        track.tell(Interim("minji@100", "minji", "안녕하세요 오늘은 날씨가 참"))
        await _some_time()
        track.hears("안녕하세요 오늘은 날씨가 참 좋네요.", 100)
        free.set()
        await it.world.settle()
        await _some_time()
        assert it.world.outlet.interims[-1][2] == "안녕하세요 오늘은 날씨가"
        assert len(it.world.outlet.interims) == 3


@cases
async def test_words_under_way_are_masked_as_finals_are_and_no_half_number_is_shown(
    said: str, firm: str, shown: str, shown_firm: str
) -> None:
    settings = Settings.from_env({"MOIM_REDACT": "record"})
    async with room(mask_growing=growing_mask_of(settings)) as it:
        it.enter("minji").tell(Interim("minji@100", "minji", said, firm=len(firm)))
        await _some_time()
        texts = [text for *_, text in it.world.outlet.interims]
        assert texts == ([shown] if shown else [])
        assert [shown[:count] for count in it.world.outlet.firm] == ([shown_firm] if shown else [])


async def test_what_is_no_text_yet_of_who_says_no_is_heard_no_more_nor_what_is_erased() -> None:
    async with room() as it:
        minji, ben = it.enter("minji"), it.enter("ben")
        gone: list[str] = []
        it.attendant.tracks.forget_sound = lambda means: gone.extend(
            who for who in ("minji", "ben", "left") if means(who, 1_000, 2_000)
        )
        await asyncio.sleep(5)
        it.attendant.consent.record("minji", False, "chat")
        assert (minji.forgotten, ben.forgotten, gone) == (True, False, ["minji"])
        ben.hears("이건 지워 주세요", 3_000)
        await it.world.settle()
        target = Target(what="person", person="ben")
        assert await it.world.session.erase(target, id_="e1", actor=operator("root"))
        assert (ben.forgotten, gone) == (True, ["minji", "ben"])


async def test_what_waits_at_the_end_is_told_and_its_interim_taken_back() -> None:
    async with room() as it:
        minji = it.enter("minji")
        minji.tell(Interim("minji@1000", "minji", "출시"))
        minji.tell(Waits("minji@1000", "minji", "TR_minji", 1_000, 3_000, 3_500))
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        assert meeting.speech.people["minji"].waits_ms == {"minji@1000": 2_000}
        assert meeting.gaps == []
        assert meeting.coverage.heard_until["TR_minji"] == 3_500, "no successor hears it again"
