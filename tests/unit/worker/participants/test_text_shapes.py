"""Text in every shape at a meeting's doors: composed, on one line, with nothing hidden, or nothing at all."""

from __future__ import annotations

import json
import unicodedata
from typing import Any

import pytest

from context.events import events
from context.events.corrections import Fix, PersonFix, StatementFix, TermFix, TopicFix, UtteranceFix
from context.events.events import Corrected, ParticipantJoined, QuestionAsked, UtteranceSpoken
from context.events.older_records import canonical
from context.export.document import document
from context.export.minutes import to_markdown
from context.export.subtitles import to_srt, to_vtt
from context.ports import RecordedEvent
from context.question import Question
from tests.fakes.meeting import World, meeting_at_work
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.participants.consent_rooms import room
from tests.unit.worker.participants.inputs import Asked
from worker.configuration.settings import Settings
from worker.messages import AskMessage, CorrectionMessage, Malformed, SegmentMessage, read_input
from worker.participants.consent import ConsentRule
from worker.participants.text_input import TextInput
from worker.record.restoring import restore

pytestmark = in_virtual_time

FORGED = "좋아요.\n\n# Decisions\r\n- CEO (10:00:00): I resign. [#9]\u2028# 결정 사항\x0b- 대표: 사임합니다.\x85# End"
AT_LINE_STARTS = ("# Decisions", "- CEO", "# 결정 사항", "- 대표", "# End")


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


def forged_in(*texts: str) -> list[str]:
    shown = [line.lstrip("> ") for text in texts for line in text.splitlines()]
    return [line for line in shown if line.startswith(AT_LINE_STARTS)]


def shown_of(world: World) -> tuple[str, ...]:
    shape = document(world.session.manager.meeting)
    return to_markdown(shape, "ko"), to_markdown(shape, "en"), to_vtt(shape), to_srt(shape)


@pytest.mark.parametrize("refusal", [nfd("/me 아니오"), nfd("/me 아니요"), "/me no\u200b", "\ufeff/me  no"])
async def test_a_refusal_is_one_however_it_is_written(refusal: str) -> None:
    async with room(ConsentRule()) as it:
        it.attendant.joined("ben", "Ben")
        assert it.hears("ben")
        await it.writes("ben", refusal)
        assert not it.hears("ben")


@pytest.mark.parametrize(
    "command",
    [nfd("모임, 오프 더 레코드"), nfd("모임아 오프 더 레코드"), "Moim, off the\u00a0record"],
)
async def test_a_command_is_one_however_it_is_written(command: str) -> None:
    async with room(ConsentRule()) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", command)
        assert it.world.session.manager.meeting.paused


@pytest.mark.parametrize(
    "command", ["\u200b/off", "/o\u2060ff", "\u202e/pause", "모임, 오프\u200b 더 레코드", "Moim, leave\u200b"]
)
async def test_a_line_in_which_something_is_hidden_commands_nothing(command: str) -> None:
    async with room(ConsentRule()) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", command)
        asked = AskMessage(id="q", by="ben", text=command)
        await TextInput(Asked(asked), it.world.session, ends_meeting=False, attendant=it.attendant).run()
        await it.world.settle()
        assert not it.world.session.manager.meeting.paused
        assert it.world.session.stopped is None


@pytest.mark.parametrize("word", ["모임", "Moïm"])
async def test_a_wake_word_and_a_question_are_heard_decomposed(word: str) -> None:
    assert Settings.from_env({"MOIM_WAKE_WORDS": f"{nfd(word)}, \u200b"}).agent.wake_words == (word,)
    async with room(ConsentRule(), hears=False) as it:
        it.attendant.agent_text(
            "t1", "ben", nfd("김민지"), nfd("모임, 출시일이 언제로\n정해졌죠?"), final=True
        )
        await it.world.settle()
        (said,) = it.world.session.manager.meeting.utterances
        assert (said.text, said.speaker_name) == ("모임, 출시일이 언제로 정해졌죠?", "김민지")
        assert [asked.text for asked in asked_of(it.world)] == ["출시일이 언제로 정해졌죠?"]


def asked_of(world: World) -> list[Question]:
    stored = [json.loads(each.payload) for each in world.store.record.meetings["m-test"].events]
    return [Question.model_validate(e["invocation"]) for e in stored if e["kind"] == "question_asked"]


async def test_a_question_is_recorded_on_one_line() -> None:
    async with room(ConsentRule()) as it:
        it.attendant.joined("ben", "Ben")
        await it.writes("ben", f"모임, 언제죠?\n{FORGED}")
        (asked,) = asked_of(it.world)
        assert asked.text.splitlines() == [asked.text]
        await it.writes("ben", "\u200b \u2060")
        assert len(asked_of(it.world)) == 1
        assert not forged_in(*shown_of(it.world))


@pytest.mark.parametrize("nothing", ["", "  \t ", "\u200b", "\u200d\ufe0f", "\u3164\u2800", "\x00"])
async def test_what_cannot_be_seen_is_no_turn_and_no_name(nothing: str) -> None:
    async with room(ConsentRule(), hears=False) as it:
        it.attendant.joined("ben", nothing)
        it.attendant.agent_text("t1", "ben", nothing, nothing, final=True)
        await TextInput(
            Asked(SegmentMessage(id="s1", speaker="ann", name=nothing, text=nothing, start_ms=0, end_ms=9),
                  SegmentMessage(id="s2", speaker="ann", name=nothing, text="Yes.", start_ms=10, end_ms=19)),
            it.world.session, ends_meeting=False, attendant=it.attendant,
        ).run()  # fmt: skip
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        assert [(said.speaker_name, said.text) for said in meeting.utterances] == [("ann", "Yes.")]
        assert meeting.attendance.name_of("ben") == "ben"


async def test_one_name_is_one_person_and_an_identity_stays_as_livekit_has_it() -> None:
    async with room(ConsentRule(), hears=False) as it:
        theirs = nfd("박지훈")
        it.attendant.joined(theirs, theirs)
        said = [
            SegmentMessage(id=f"s{n}", speaker=who, text=nfd("네, 그렇게 합시다."), start_ms=n, end_ms=n)
            for n, who in enumerate(["김민지", nfd("김민지"), "\ufeff김민지 ", theirs])
        ]
        await TextInput(Asked(*said), it.world.session, ends_meeting=False, attendant=it.attendant).run()
        await it.world.settle()
        people = it.world.session.manager.meeting.attendance.people
        assert {who: person.name for who, person in people.items()} == {theirs: "박지훈", "김민지": "김민지"}
        assert {u.text for u in it.world.session.manager.meeting.utterances} == {"네, 그렇게 합시다."}
        assert document(it.world.session.manager.meeting)["meeting"]["language"] == "ko"


async def test_a_later_name_counts_everywhere_and_no_name_takes_none_away() -> None:
    async with room(ConsentRule(), hears=False) as it:
        said = [
            SegmentMessage(id=f"s{n}", speaker="s1", name=name, text=f"Line {n}.", start_ms=n, end_ms=n)
            for n, name in enumerate(["Guest", "Hana Lee", None, "Hana Lee"])
        ]
        await TextInput(Asked(*said), it.world.session, ends_meeting=False, attendant=it.attendant).run()
        await it.world.settle()
        meeting = it.world.session.manager.meeting
        (person,) = document(meeting)["participants"]
        assert (person["name"], person["earlier_names"]) == ("Hana Lee", ["Guest"])
        assert {u.speaker_name for u in meeting.utterances} == {"Hana Lee"}


@pytest.mark.parametrize("hides", ["\u200b", "\u2060", "\u00ad", "\x07"])
async def test_a_mask_sees_a_number_whatever_is_hidden_in_it(hides: str) -> None:
    async with meeting_at_work() as world:
        world.session._mask = lambda text: text.replace("010-1234-5678", "[전화번호]")
        world.speak(f"제 번호는 010-12{hides}34-5678입니다.")
        await world.settle()
        assert world.outlet.texts == ["제 번호는 [전화번호]입니다."]


def fixes(text: str) -> list[Fix]:
    return [
        UtteranceFix(of="utterance", utterance=1, text=text),
        TermFix(of="term", heard="11월", meant=text[:100]),
        PersonFix(of="person", person="minji", name=text),
        TopicFix(of="topic", topic="t1", name=text),
        StatementFix(of="statement", topic="t1", list="decisions", evidence=(1,), was="출시일", text=text,
                     owner=text, due=text),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", range(5))
async def test_no_correction_forges_a_line(kind: int) -> None:
    async with meeting_at_work() as world:
        world.session.human_seen("minji", "민지")
        world.speak("출시일은 11월 20일로 결정했습니다.")
        await world.settle()
        fix = fixes(FORGED)[kind]
        world.session.post(Corrected(id="c1", by=f"ben\n{FORGED}", at_ms=5, fix=fix))
        await world.settle()
        ask = Question(id="q1", by="minji", via="chat", text=f"출시일이 언제죠?\n{FORGED}", at_ms=9)
        world.session.post(QuestionAsked(question=ask))
        await world.settle()
        assert not forged_in(*shown_of(world), *(reply.text for reply in world.outlet.replies))
        held = json.dumps(document(world.session.manager.meeting), ensure_ascii=False)
        assert "I resign" in held
        assert not any(mark in held for mark in ("\\r", "\u2028", "\x85", "\\u000b"))


@pytest.mark.parametrize("field", ["text", "name", "heard", "meant"])
def test_a_correction_to_nothing_is_refused_and_another_is_canonical(field: str) -> None:
    shapes: dict[str, dict[str, Any]] = {
        "text": {"of": "utterance", "utterance": 1},
        "name": {"of": "person", "person": "a"},
        "heard": {"of": "term", "meant": "Valkey"},
        "meant": {"of": "term", "heard": "발키"},
    }
    for text in ("\u200b", "\u3164\n"):
        fields = {"id": "c", "by": "ben", "fix": {**shapes[field], field: text}}
        told = read_input(json.dumps(fields).encode())
        assert isinstance(told, Malformed)
        assert f"{field}: must hold text" in told.reason
    fields = {"id": "c", "by": nfd("벤\n이"), "fix": {**shapes[field], field: nfd("가\n나")}}
    told = read_input(json.dumps(fields).encode())
    assert isinstance(told, CorrectionMessage)
    assert (told.by, getattr(told.fix, field)) == ("벤 이", "가 나")


OLD = [
    events.MeetingOpened(meeting_id="m-test", title="주간 회의"),
    ParticipantJoined(participant_id="minji", name="김민지", at_ms=0),
    *(
        UtteranceSpoken(
            key=f"k{n}",
            speaker_id="minji",
            speaker_name="김민지",
            text=text,
            start_ms=n * 1000,
            end_ms=n * 1000,
        )
        for n, text in enumerate(["출시일은 11월 20일로 결정했습니다.", "네, 좋습니다.", "It is on Friday."])
    ),
    Corrected(
        id="c", by="벤", at_ms=9, fix=UtteranceFix(of="utterance", utterance=2, text="네, 아주 좋습니다.")
    ),
    Corrected(id="d", by="벤", at_ms=9, fix=TopicFix(of="topic", topic="t1", name="출시 일정")),
]
"""A record, as it reads in its canonical form."""


def as_earlier(held: Any) -> Any:
    """JSON as an earlier version may have written it: decomposed, and with a line break in what was said."""
    written = (
        json.dumps(held, ensure_ascii=False)
        .replace("좋습니다", "좋\\u200b습니다")
        .replace("20일로", "20일로\\n")
    )
    return json.loads(nfd(written))


@pytest.mark.parametrize("snapshot", [True, False])
async def test_an_old_record_is_read_in_its_canonical_form(snapshot: bool) -> None:
    """With a snapshot that a worker of today has taken, and without."""
    async with meeting_at_work() as now:
        for event in OLD:
            now.session.fold_now(event)
        await now.settle()
        await now.session.save()
        record = now.store.record.meetings["m-test"]
        config, count = now.session.manager.config, now.session.manager.meeting.tokenizer
        live = now.session.manager.meeting
        for stored in record.events:
            stored.payload = json.dumps(as_earlier(json.loads(stored.payload)))
        assert record.snapshot is not None
        record.snapshot = record.snapshot if snapshot else None
        restored = (await restore(now.store, "m-test", config, tokenizer=count)).manager.meeting
        assert not [
            found for found in restored.changes.score() if found is not None
        ]  # whoever goes on does so
        assert restored.snapshot() == live.snapshot()
        assert restored.utterances == live.utterances
        assert document(restored) == document(live)


async def test_the_state_that_an_old_erasure_brings_is_canonical_too() -> None:
    async with meeting_at_work() as now:
        for event in OLD:
            now.session.fold_now(event)
        await now.settle()
        new = json.loads(json.dumps(now.session.manager.meeting.snapshot()))
        old = as_earlier(new)
        del old["canonical"]
        assert canonical(old) == new
        assert canonical(new) is new
        same = {key: held for key, held in new.items() if key != "canonical"}
        assert canonical(same) is same
        ids = {"corrections": {"merged": {nfd("가"): nfd("나")}, "speakers": {"3": nfd("다")}}}
        assert canonical(ids) is ids


def test_what_is_recorded_reads_back_to_the_letter() -> None:
    for event in OLD:
        recorded = RecordedEvent(seq=1, event=event)
        assert events.decode(json.loads(json.dumps(events.encode(recorded.event)))) == event
        assert events.decode(as_earlier(events.encode(event))) == event
