"""Who may be heard: told once, asked where that is the rule, and a no counts at once."""

from __future__ import annotations

import asyncio
import json

import pytest

from context.events.erasure_target import Target
from context.events.events import ParticipantJoined
from context.events.privacy_events import ParticipantInformed
from context.export.document import document
from context.export.minutes import to_markdown
from context.fold.meeting import Meeting
from context.language.korean import has_hangul
from context.ports import Unavailable
from context.primitives.guest_identity import guest_identity
from tests.fakes.meeting import LoopClock
from tests.fakes.virtual_time import in_virtual_time
from tests.fakes.waiting import beside
from tests.unit.cases import cases
from tests.unit.worker.participants.consent_rooms import room
from tests.unit.worker.participants.inputs import Asked
from tests.unit.worker.rooms import FakeTrack
from worker.holder.standby import StandbyConsent
from worker.holder.standby_listener import OnRecord, StandbyListener
from worker.meeting.erasing import TakenOut
from worker.messages import ConsentMessage, SegmentMessage
from worker.participants.consent import LOOK_AGAIN_S, ConsentRule, Mode
from worker.participants.listener import ChatVia
from worker.participants.text_input import TextInput

pytestmark = in_virtual_time


NOTICE = {
    language: ConsentRule("notice", notice=True, language=language, kept_days=30) for language in ("ko", "en")
}
ASK = {language: ConsentRule("ask", notice=True, language=language) for language in ("ko", "en")}


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("ko", ("글로 기록합니다(30일", "“/me no erase”라고")),
        ("en", ("as text (for 30 days)", "/me no erase")),
    ],
)
async def test_each_who_comes_is_told_once(language: str, words: tuple[str, ...]) -> None:
    async with room(NOTICE[language]) as it:
        for who in ("minji", "ben"):
            it.attendant.joined(who, who)
            await it.world.settle()
        it.attendant.left("ben")
        await it.world.settle()
        it.attendant.joined("ben", "Ben")
        await it.world.settle()
        for who in ("minji", "ben"):
            (notice,) = it.told(who)
            assert all(word in notice for word in (*words, "/me no"))
        assert it.hears("ben")


@pytest.mark.parametrize(("language", "yes", "no"), [("ko", "네", "싫어요"), ("en", "Yes.", "No")])
async def test_who_is_asked_is_not_heard_before_they_agree(language: str, yes: str, no: str) -> None:
    async with room(ASK[language]) as it:
        for who in ("minji", "ben", "cho"):
            it.attendant.joined(who, who)
            await it.world.settle()
            assert not it.hears(who)
        await it.writes("minji", yes)
        await it.writes("ben", no)
        assert (it.hears("minji"), it.hears("ben"), it.hears("cho")) == (True, False, False)
        assert it.considered == ["minji", "ben"]
        await it.writes("ben", "/me yes")
        assert it.hears("ben")
        it.attendant.told_consent("cho", agreed=True)
        it.attendant.told_consent("cho", agreed=True)
        assert it.hears("cho")
        assert it.considered == ["minji", "ben", "ben", "cho"]


@pytest.mark.parametrize("no", ["싫어요", "don't record me"])
async def test_a_plain_no_is_asked_back_once(no: str) -> None:
    async with room(NOTICE["en"]) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", no)
        assert it.hears("ben")
        assert "/me no" in it.told("ben")[-1]
        await it.writes("ben", no)
        assert not it.hears("ben")
        (person,) = document(it.world.session.manager.meeting)["participants"]
        assert (person["agreed"], person["told_how"]) == (False, "chat")


@pytest.mark.parametrize("no", ["싫어요", "no"])
@pytest.mark.parametrize(("between", "after_s"), [("", 600), ("예산 얘기 계속할까요?", 1), ("go on", 1)])
async def test_a_no_that_was_asked_back_does_not_wait_for_the_next_no(
    no: str, between: str, after_s: float
) -> None:
    async with room(NOTICE["ko"]) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", no)
        await asyncio.sleep(after_s)
        if between:
            await it.writes("ben", between)
        await it.writes("ben", no)
        assert it.hears("ben"), "that was to somebody else"
        await it.writes("ben", no)
        assert not it.hears("ben")


@cases
async def test_who_says_no_may_have_their_words_deleted(command: str, erases: bool) -> None:
    async with room(NOTICE["ko"]) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", command)
        assert not it.hears("ben")
        assert it.erased == ([(Target(what="person", person="ben"), "ben")] if erases else [])


@pytest.mark.parametrize(
    ("taken", "language", "words"),
    [
        ("done", "ko", "삭제합니다"), ("done", "en", "is deleted"), ("held", "ko", "보존 조치"), ("held", "en", "on hold"),
        ("failed", "ko", "삭제하지 못했습니다"), ("failed", "en", "is not deleted. Please write"),
    ],
)  # fmt: skip
async def test_who_wants_their_words_deleted_is_told_what_came_of_it(
    taken: TakenOut, language: str, words: str
) -> None:
    async with room(NOTICE[language], taken=taken) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", "/me no erase")
        assert not it.hears("ben"), "the no counts in any case"
        assert words in it.told("ben")[-1]


@cases
async def test_the_reply_is_in_the_language_of_the_answer_else_of_the_notice(
    mode: Mode, language: str, answer: str, told_in: tuple[str, ...]
) -> None:
    """A command and a bare “ok” are written alike in both languages: they show none."""
    async with room(ConsentRule(mode, notice=True, language=language)) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", answer)
        _, reply = it.told("ben")
        assert tuple("ko" if has_hangul(line) else "en" for line in reply.splitlines()) == told_in


@pytest.mark.parametrize("mode", ["notice", "ask", "off"])
async def test_a_no_counts_whatever_the_rule(mode: Mode) -> None:
    async with room(ConsentRule(mode)) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", "/me no")
        assert not it.hears("ben")


async def test_an_old_attribute_does_not_undo_a_no() -> None:
    async with room(ASK["en"]) as it:
        it.attendant.joined("ben", "Ben")
        it.attendant.told_consent("ben", agreed=True, standing=True)
        assert it.hears("ben"), "nothing else was said"
        await it.writes("ben", "/me no")
        it.attendant.told_consent("ben", agreed=True, standing=True)
        assert not it.hears("ben"), "as after a takeover"
        it.attendant.told_consent("ben", agreed=True)
        assert it.hears("ben"), "said anew"


async def test_a_successor_looks_up_what_its_predecessor_had_no_time_for() -> None:
    async with room(NOTICE["ko"], {"ben": False}) as it:
        session = it.world.session
        session.fold_now(ParticipantJoined(participant_id="ben", name="Ben", at_ms=0))
        session.fold_now(ParticipantInformed(participant_id="ben", at_ms=0))
        it.attendant.joined("ben", "Ben")
        await asyncio.sleep(1)
        await it.world.settle()
        assert not it.hears("ben")


@cases
async def test_a_question_for_oneself_is_no_consent(question: str) -> None:
    async with room(NOTICE["en"]) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", question)
        assert it.hears("ben")
        assert it.erased == []


@pytest.mark.parametrize(
    ("mode", "language", "words"), [("notice", "ko", "지난 회의에서"), ("off", "en", "earlier")]
)
async def test_who_refused_earlier_is_not_heard_while_nobody_can_look_it_up(
    mode: Mode, language: str, words: str
) -> None:
    away = asyncio.Event()
    away.set()
    async with room(ConsentRule(mode, language=language), {"ben": False, "minji": False}, away=away) as it:
        for who in ("ben", "minji", "cho"):
            it.attendant.joined(who, who)
        await asyncio.sleep(20)
        assert not any(map(it.hears, ("ben", "minji", "cho")))
        assert [words in line for line in it.told("ben")] == [True], "told once"
        await it.writes("minji", "/me yes")
        assert it.hears("minji"), "what they say themselves counts at once"
        away.clear()
        await asyncio.sleep(LOOK_AGAIN_S)
        await it.world.settle()
        assert [it.hears(who) for who in ("ben", "minji", "cho")] == [False, True, True]


@pytest.mark.parametrize("command", ["/off", "모임, 오프 더 레코드"])
async def test_off_the_record_stays_as_a_mark_with_its_length_and_by_whom(command: str) -> None:
    async with room(ConsentRule()) as it:
        meeting = it.world.session.manager.meeting
        it.attendant.joined("ben", "Ben")
        await asyncio.sleep(10)
        await it.writes("ben", "/pause")
        await asyncio.sleep(10)
        assert "off_the_record" not in document(meeting), "a pause is none"
        await it.writes("ben", command)
        (mark,) = document(meeting)["off_the_record"]
        assert (mark["by"], mark["end_ms"]) == ("ben", None)
        await asyncio.sleep(30)
        await it.writes("ben", "/on")
        (mark,) = document(meeting)["off_the_record"]
        assert round(mark["end_ms"] - mark["start_ms"], -3) == 30_000
        restored = Meeting.restore("m-1", meeting.config, json.loads(json.dumps(meeting.snapshot())), [])
        assert document(restored)["off_the_record"] == [mark]
        for language, words in (("ko", "오프 더 레코드 (Ben)"), ("en", "off the record (Ben)")):
            assert words in to_markdown(document(meeting), language)
        assert it.world.outlet.statuses()[-3:] == ["paused", "off_the_record", "resumed"]


async def test_words_under_way_are_taken_back_once_it_is_off_the_record() -> None:
    async with room(ConsentRule(), hears=False) as it:
        it.attendant.joined("ben", "Ben")
        it.attendant.agent_text("s-1", "ben", "Ben", "between us", final=False)
        await it.writes("ben", "/off")
        it.attendant.agent_text("s-1", "ben", "Ben", "between us, I", final=False)
        it.attendant.agent_text("s-1", "ben", "Ben", "between us, I leave", final=True)
        await it.world.settle()
        assert [text for *_, text in it.world.outlet.interims] == ["between us", ""]
        assert it.world.session.manager.meeting.utterances == []


@pytest.mark.parametrize("via", ["chat", "page"])
async def test_it_stands_by_which_way_somebody_told(via: ChatVia) -> None:
    async with room(NOTICE["ko"]) as it:
        it.attendant.chat("c1", "ben", "Ben", "/me no", via=via)
        await it.world.settle()
        (person,) = document(it.world.session.manager.meeting)["participants"]
        assert (person["agreed"], person["told_how"]) == (False, via)
        assert "told_by" not in person, "they themselves"


async def test_what_a_program_tells_stands_with_who_told_it_and_counts_once() -> None:
    told = ConsentMessage(id="c-1", person="ben", agreed=False, erase=True, how="command", by="ops")
    async with room(NOTICE["en"]) as it:
        it.attendant.joined("ben", "Ben")
        bus = Asked(told)
        await TextInput(bus, it.world.session, ends_meeting=False, attendant=it.attendant).run()
        await it.world.settle()
        assert not it.hears("ben")
        (person,) = document(it.world.session.manager.meeting)["participants"]
        assert (person["agreed"], person["told_how"], person["told_by"]) == (False, "command", "ops")
        assert it.erased == [(Target(what="person", person="ben"), "ops")]
        assert bus.refusals == ["ask"]


@pytest.mark.parametrize(("successor", "is_away"), [(False, False), (True, False), (False, True)])
async def test_a_no_of_an_earlier_meeting_counts_for_what_comes_as_text(
    successor: bool, is_away: bool
) -> None:
    said = [
        SegmentMessage(id=f"s-{who}", speaker=who, text=text, start_ms=1_000, end_ms=2_000)
        for who, text in (("ben", "This is private."), ("minji", "이건 남겨도 됩니다."))
    ]
    away = asyncio.Event()
    if is_away:
        away.set()
    async with room(NOTICE["ko"], {"ben": False}, away=away) as it:
        session = it.world.session
        if successor:  # of a holder that had no time to look
            for who in ("ben", "minji"):
                session.human_seen(who, who)
            await it.world.settle()
        await TextInput(Asked(*said), session, ends_meeting=True, attendant=it.attendant).run()
        await it.world.settle()
        meeting = session.manager.meeting
        assert [u.text for u in meeting.utterances] == ([] if is_away else ["이건 남겨도 됩니다."])
        assert {gap.participant for gap in meeting.gaps} == ({"ben", "minji"} if is_away else {"ben"})


@pytest.mark.parametrize("text", ["잠깐만요", "One moment"])
async def test_what_was_shown_of_a_segment_that_ends_without_words_is_taken_back(text: str) -> None:
    segment = SegmentMessage(id="s-1", speaker="ben", text=text, start_ms=0, end_ms=900, final=False)
    async with room(ConsentRule()) as it:
        wordless = segment.model_copy(update={"text": " ", "final": True})
        await TextInput(
            Asked(segment, wordless), it.world.session, ends_meeting=True, attendant=it.attendant
        ).run()
        await it.world.settle()
        assert [shown for *_, shown in it.world.outlet.interims] == [text, ""]
        assert not it.world.session.manager.meeting.utterances


@pytest.mark.parametrize(
    ("command", "since_ms"),
    [("/off", None), ("/off 5m", 0), ("/off 1분", 240_000), ("모임, 오프 더 레코드", None)],
)
async def test_off_the_record(command: str, since_ms: int | None) -> None:
    async with room(ConsentRule()) as it:
        it.attendant.joined("ben", "Ben")
        await asyncio.sleep(300)
        await it.writes("ben", command)
        meeting = it.world.session.manager.meeting
        assert meeting.paused
        targets = [target for target, _ in it.erased]
        assert [(t.what, round(t.since_ms, -3)) for t in targets] == (
            [] if since_ms is None else [("stretch", since_ms)]
        )
        await it.writes("ben", "/on")
        assert not meeting.paused


@pytest.mark.parametrize("is_away", [False, True])
async def test_a_successor_hears_on_whom_it_has_to_look_up(is_away: bool) -> None:
    away = asyncio.Event()
    if is_away:
        away.set()
    async with room(NOTICE["ko"], {"ben": False}, away=away) as it:
        clock = LoopClock()
        standby = StandbyListener(clock, on_closed=lambda: None)
        sinks = {who: standby.track_opened(who, f"TR_{who}") for who in ("minji", "ben", "gone")}

        def consider(who: str) -> None:  # as a room does
            if not standby.may_hear(who):
                sinks.pop(who, None)
                standby.track_closed(f"TR_{who}")
            elif who not in sinks:
                sinks[who] = standby.track_opened(who, f"TR_{who}")

        it.attendant.consent.changed = consider
        for who in ("minji", "ben"):
            standby.joined(who, who)
        for sink in sinks.values():
            sink.push(b"\0\0" * 800, clock.monotonic_s())
        record = OnRecord(
            zero_s=it.world.session.zero_s, resume_ms={}, off_record=lambda _ms: False, holder_until_s=0.0
        )
        await standby.hand_to(it.attendant, record)
        away.clear()
        await asyncio.sleep(LOOK_AGAIN_S + 1)
        assert sinks.keys() == {"minji", "gone"}
        for who, sink in sinks.items():
            sink.push(b"\0\0" * 800, clock.monotonic_s())
            track = it.attendant.track_opened(who, f"TR_{who}")
            assert isinstance(track, FakeTrack)
            assert track.pushed == (1 if is_away else 2), "what is said while nobody knows is not heard"


@pytest.mark.parametrize("overtaken", [False, True])
@pytest.mark.parametrize(
    ("command", "then"),
    [("모임, 오프 더 레코드", "이건 비밀인데요."), ("Moim, off the record.", "This is a secret.")],
)
async def test_a_command_by_voice_counts_from_when_it_was_said(
    command: str, then: str, overtaken: bool
) -> None:
    async with room(ConsentRule()) as it:
        ben, minji = (it.attendant.track_opened(who, f"TR_{who}") for who in ("ben", "minji"))
        assert isinstance(ben, FakeTrack)
        assert isinstance(minji, FakeTrack)
        it.attendant.joined("ben", "Ben")
        await asyncio.sleep(14)
        minji.hears("시작하겠습니다. Let us begin.", 5_000)
        if overtaken:  # its text is there before the command's
            minji.hears(then, 12_000)
            await it.world.settle()
        ben.hears(command, 10_000)
        if not overtaken:
            minji.hears(then, 12_000)
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        assert [pause.start_ms for pause in meeting.coverage.pauses] == [10_900]
        assert (then in [u.text for u in meeting.utterances]) == overtaken
        late = Target(what="stretch", person="ben", since_ms=10_900, until_ms=12_900, others="hide")
        assert it.erased == ([(late, "Ben")] if overtaken else [])


class Told:
    """What the holder has on the record."""

    def __init__(self) -> None:
        self.agreed: dict[str, bool] = {}
        self.earlier: dict[str, bool] = {}
        self.away = False

    async def of(self, meeting_id: str) -> dict[str, bool]:
        if self.away:
            raise Unavailable("the database is away")
        return dict(self.agreed)

    async def newest(self, participant: str) -> bool | None:
        return self.earlier.get(participant)


async def test_a_standby_keeps_no_sound_of_who_refused_in_an_earlier_meeting() -> None:
    told = Told()
    told.earlier = {"ben": False}
    consent = StandbyConsent(told, ConsentRule("notice", lasting=True), "m-1")
    async with beside(consent.follow()):
        await asyncio.sleep(1.5)
        assert not any(map(consent.may_hear, ("ben", "minji"))), "nobody has looked yet"
        await asyncio.sleep(1.5)
        assert (consent.may_hear("ben"), consent.may_hear("minji")) == (False, True)
        told.agreed = {"ben": True}
        await asyncio.sleep(1.5)
        assert consent.may_hear("ben"), "in this meeting they said yes"


@pytest.mark.parametrize(("mode", "silent"), [("ask", False), ("notice", True)])
async def test_a_standby_keeps_the_sound_of_whom_the_holder_may_hear(mode: Mode, silent: bool) -> None:
    told = Told()
    consent, considered = StandbyConsent(told, ConsentRule(mode), "m-1"), list[str]()
    consent.changed = considered.append
    assert not consent.may_hear("ben"), "nobody knows yet"
    async with beside(consent.follow()):
        await asyncio.sleep(1.5)
        assert (considered, consent.may_hear("ben")) == (["ben"] if silent else [], silent)
        told.agreed = {"ben": False}
        await asyncio.sleep(1.5)
        assert not consent.may_hear("ben")
        told.away = True
        told.agreed = {"ben": True}
        await asyncio.sleep(3)
        assert not consent.may_hear("ben"), "what was known last counts"
        told.away = False
        await asyncio.sleep(1.5)
        assert consent.may_hear("ben")


@pytest.mark.parametrize(
    ("no", "yes"),
    [
        ("모임아 내 말은 기록하지 마", "모임아 나 기록해도 돼"),
        ("Moim, don't record me and delete what I said.", "Moim, you may record me again."),
    ],
)
async def test_what_somebody_says_aloud_about_themselves_counts_for_them_alone(no: str, yes: str) -> None:
    lines = [
        SegmentMessage(id=f"s-{number}", speaker="ben", text=text, start_ms=number * 1000, end_ms=number * 1000 + 900)
        for number, text in enumerate(("하나", no, "비밀", yes, "둘"))
    ]  # fmt: skip
    async with room(NOTICE["ko"]) as it:
        for line in lines:
            asked = Asked(line)
            asked._messages = [line]
            await TextInput(asked, it.world.session, ends_meeting=True, attendant=it.attendant).run()
            await it.world.settle()
        assert [u.text for u in it.world.session.manager.meeting.utterances] == ["하나", no, "둘"]
        assert len(it.erased) == ("delete" in no)
        assert not it.world.session.manager.meeting.paused


@pytest.mark.parametrize(
    "line",
    ["모임아 내 말은 기록하지 마", "Moim, don't record me.", "/me 거부합니다", "/me ｎｏ", "“/me 아뇨”"],
)
async def test_a_refusal_in_the_chat_is_never_a_question(line: str) -> None:
    async with room(NOTICE["en"]) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", line)
        assert not it.hears("ben")
        assert not it.world.session.manager.meeting.replies
        assert not it.world.session.manager.meeting.paused


async def test_a_no_follows_a_browser_to_its_next_identity() -> None:
    first, second = guest_identity("5c1d09ab", "0" * 16), guest_identity("77770000", "0" * 16)
    async with room(NOTICE["ko"]) as it:
        it.attendant.joined(first, "김손님")
        await it.writes(first, "/me no")
        assert not it.hears(second), "not for a moment: their sound is never asked for"
        it.attendant.joined(second, "김손님")
        await it.world.settle()
        assert not it.hears(second)
        it.attendant.told_consent(second, agreed=True, standing=True)
        assert not it.hears(second), "what stands in their client was said before"
        it.considered.clear()
        await it.writes(second, "/me yes")
        assert it.hears(first)
        assert {first, second} <= set(it.considered)


async def test_a_standby_keeps_no_sound_of_a_browser_that_refused_under_another_identity() -> None:
    first, second = guest_identity("5c1d09ab", "0" * 16), guest_identity("77770000", "0" * 16)
    told = Told()
    told.agreed = {first: False}
    consent = StandbyConsent(told, ConsentRule("notice"), "m-1")
    async with beside(consent.follow()):
        await asyncio.sleep(1.5)
        assert not consent.may_hear(second)
        assert consent.may_hear("ben")
        told.agreed = {first: False, second: True}
        await asyncio.sleep(1.5)
        assert consent.may_hear(first), "the newest word counts"
