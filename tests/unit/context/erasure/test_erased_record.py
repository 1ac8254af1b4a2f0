"""What people erase is in nothing that is made of the meeting; the rest is as it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.erasure.erased_record import withheld, without_erased
from context.erasure.erasure_effect import takes_out
from context.erasure.erasure_reach import reach_of
from context.events.corrections import Fix, PersonFix, StatementFix, TermFix, TopicFix, UtteranceFix
from context.events.effects import PublishCorrected, Summarise, SummariseThread
from context.events.erasure_target import Target
from context.events.events import (
    AnswerDropped,
    Corrected,
    Event,
    MeetingEnded,
    MeetingOpened,
    MeetingStarted,
    ThreadSummaryReady,
    ThreadTuned,
    encode,
)
from context.events.privacy_events import RecordingPaused, RecordingResumed
from context.export.document import document
from context.export.minutes import to_markdown
from context.models import Statement, Summary
from tests.unit.context.lives import few, state
from tests.unit.context.meetings import (
    START,
    answered,
    any_events,
    asked,
    newer,
    of,
    ready,
    run,
    spoken,
    talk,
)
from tests.unit.context.recorded_meetings import Told, told

_TARGETS = st.one_of(
    st.builds(Target, what=st.just("person"), person=st.sampled_from(["a", "b", "zz"])),
    st.builds(Target, what=st.just("utterances"), utterances=st.sampled_from([(1,), (2, 5, 9), (400,)])),
    st.builds(Target, what=st.just("stretch"), since_ms=st.integers(0, 4_000_000)),
    st.just(Target(what="meeting")),
)


@few
@given(any_events(), _TARGETS, any_events(max_size=20))
def test_the_rewritten_record_gives_the_meeting_that_goes_on(
    before: list[Event], target: Target, behind: list[Event]
) -> None:
    live = told(before)
    reached = reach_of(live.meeting, target).erased
    kept = {u.id: u for u in live.meeting.utterances if u.id not in reached}
    live.erase(target)
    live.erase(target, "again")
    assert {u.id: u.text for u in live.meeting.utterances if u.id in kept} == {
        n: u.text for n, u in kept.items()
    }
    assert not any(u.text for u in live.meeting.utterances if u.id not in kept)
    for event in behind:
        live.fold(event)
    assert state(live.replayed()) == state(live.meeting)


KO = (
    "예산은 이억 원으로 합니다.", "보안 감사는 두루미재단에 맡기기로 했습니다.", "감사 보고서는 제가 쓸게요.",
    "다음 주 화요일에 발표하죠.",
)  # fmt: skip
EN = (
    "The budget is two million.", "We decided to give the audit to Heronwood.", "I will write the audit report.",
    "Let us present on Tuesday.",
)  # fmt: skip


def about(lines: Sequence[str]) -> Told:
    """Four lines by three people, summarised, asked about and answered; the second is the one that goes."""
    secret = lines[1]
    meeting = told([MeetingOpened(meeting_id="m"), MeetingStarted(at=START)])
    for number, (who, text) in enumerate(zip("abca", lines, strict=True), start=1):
        meeting.fold(spoken(number, text, who))
    both = Statement(text=f"{secret} {lines[2]}", evidence=(2, 3))
    alone, other = Statement(text=secret, evidence=(2,)), Statement(text=lines[0], evidence=(1,))
    summary = Summary(
        text=f"{lines[0]} {secret}", sentences=(other, alone), decisions=(other, alone), pending=(both,),
        key_points=(alone,), keywords=(secret.split()[-1],),
    )  # fmt: skip
    for event in (
        newer(meeting.meeting.segments[0], summary, topic_name=secret),
        asked(1, by="c"),
        answered(1, secret, by="c", evidence=(2,)),
        asked(2, f"{lines[3]} zebra?", by="b"),
    ):
        meeting.fold(event)
    return meeting


@pytest.mark.parametrize(("lines", "word"), [(KO, "두루미재단"), (EN, "Heronwood")])
@pytest.mark.parametrize(
    "target",
    [Target(what="person", person="b"), Target(what="utterances", utterances=(2,)), Target(what="meeting")],
)
@pytest.mark.parametrize("over", [False, True])
def test_a_word_that_was_erased_is_nowhere(
    lines: Sequence[str], word: str, target: Target, over: bool
) -> None:
    meeting = about(lines)
    if over:
        meeting.fold(MeetingEnded(at_ms=40_000, reason="over"))
    assert word in meeting.text()
    shown = meeting.erase(target)
    assert word not in meeting.text()
    assert 2 in [effect.utterance.id for effect in of(PublishCorrected, shown)]
    assert word not in str(shown)
    assert word not in to_markdown(document(meeting.meeting))
    (mark,) = meeting.meeting.erasures
    assert (mark.what, mark.by) == (target.what, "민지")
    if target.what == "person":
        assert "zebra" not in meeting.text()


@pytest.mark.parametrize(("lines", "word"), [(KO, "두루미재단"), (EN, "Heronwood")])
@pytest.mark.parametrize("of_what", ["utterance", "topic", "statement", "term"])
def test_nor_is_it_in_what_somebody_put_right(lines: Sequence[str], word: str, of_what: str) -> None:
    secret = lines[1]
    fixes: dict[str, Fix] = {
        "utterance": UtteranceFix(of="utterance", utterance=2, text=f"{secret} {secret}", was=secret),
        "topic": TopicFix(of="topic", topic="t1", name=secret),
        "statement": StatementFix(
            of="statement", topic="t1", list="decisions", evidence=(2,), was=secret, text=f"{secret}!"
        ),
        "term": TermFix(of="term", heard=word, meant=f"{word}s"),
    }
    meeting = about(lines)
    meeting.fold(Corrected(id="c1", by="a", at_ms=39_000, fix=fixes[of_what]))
    assert word in meeting.text()
    meeting.erase(Target(what="person", person="b"))
    assert word not in meeting.text()
    assert state(meeting.replayed()) == state(meeting.meeting)


@pytest.mark.parametrize("lines", [KO, EN])
def test_what_rests_on_others_too_stays_without_it(lines: Sequence[str]) -> None:
    meeting = about(lines)
    shown = meeting.erase(Target(what="person", person="b"))
    (topic,) = meeting.meeting.segments
    assert [(s.text, s.evidence) for s in topic.notes.decisions] == [(lines[0], (1,))]
    assert [(s.text, s.evidence, s.quoted) for s in topic.notes.pending] == [(lines[2], (3,), True)]
    assert topic.summary == lines[0]
    assert [u.text for u in meeting.meeting.utterances] == [lines[0], "", lines[2], lines[3]]
    (again,) = of(Summarise, shown)
    assert again.version == topic.version + 1


def test_a_summary_that_was_under_way_counts_no_more() -> None:
    meeting = told([MeetingStarted(at=START)])
    wanted = [effect for event in talk(8) for effect in meeting.fold(event)]
    (under_way,) = of(Summarise, wanted)
    again = of(Summarise, meeting.erase(Target(what="utterances", utterances=(3,))))
    assert [each.topic.id for each in again] == [under_way.topic.id]
    said = Statement(text="late", evidence=(3,))
    meeting.fold(ready(under_way, Summary(text="late", sentences=(said,))))
    assert meeting.meeting.segments[0].summary == ""


SECRETS = pytest.mark.parametrize(
    ("secret", "plain"),
    [
        ("제 연봉은 팔천칠백만 원입니다.", "출시일은 언제인가요?"),
        ("My salary is eighty-seven thousand.", "When do we release?"),
    ],
)


@SECRETS
@pytest.mark.parametrize("target", [Target(what="person", person="a"), Target(what="stretch", since_ms=0)])
def test_first_words_that_are_under_way_are_withheld(target: Target, secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START)])
    meeting.erase(target)
    late = spoken(0, secret, "a")
    assert withheld(meeting.meeting, late.model_copy(update={"start_ms": 0, "end_ms": 8})).text == ""
    later = late.model_copy(update={"start_ms": 9, "end_ms": 20})
    assert withheld(meeting.meeting, later).text == secret


@SECRETS
@pytest.mark.parametrize(
    "target", [Target(what="person", person="a"), Target(what="stretch", since_ms=0), Target(what="meeting")]
)
def test_turns_that_the_fold_refused_lose_their_words_on_the_record(
    target: Target, secret: str, plain: str
) -> None:
    meeting = told(
        [
            MeetingStarted(at=START),
            spoken(1, plain),
            RecordingPaused(by="b", at_ms=10_000),
            spoken(2, secret),
            RecordingResumed(by="b", at_ms=15_000),
            spoken(1, secret),
            MeetingEnded(at_ms=20_000, reason="over"),
            spoken(5, secret),
        ]
    )
    assert [each.text for each in meeting.meeting.utterances] == [plain]
    meeting.erase(target)
    assert secret not in meeting.text()


@SECRETS
def test_a_turn_that_was_recorded_twice_is_erased_twice(secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, secret), spoken(1, secret), spoken(2, plain)])
    meeting.erase(Target(what="utterances", utterances=(1,)))
    assert secret not in meeting.text()
    assert plain in meeting.text()


@SECRETS
def test_what_is_said_after_an_erasure_stays_when_it_is_carried_out_again(secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, secret, "a")])
    meeting.erase(Target(what="stretch", since_ms=0))
    meeting.fold(spoken(2, plain, "a"))
    for again in (Target(what="stretch", since_ms=0), Target(what="utterances", utterances=(1, 7))):
        assert meeting.erase(again) == [], "single turns that say nothing any more are no event, either"
    assert [each.text for each in meeting.meeting.utterances] == ["", plain]


@SECRETS
@pytest.mark.parametrize("others", ["erase", "hide"])
def test_where_its_figures_were_not_heard_clearly_goes_with_a_turn(
    others: Any, secret: str, plain: str
) -> None:
    unclear = spoken(1, secret, "a", doubtful=((0, 2),))
    meeting = told([MeetingStarted(at=START), unclear, spoken(2, plain)])
    assert "doubtful" in meeting.text()
    meeting.erase(Target(what="stretch", person="b", since_ms=0, others=others))
    assert state(meeting.replayed()) == state(meeting.meeting)
    assert "[[0, 2]]" not in meeting.text()
    assert withheld(meeting.meeting, unclear.model_copy(update={"start_ms": 0})).doubtful == ()


def summed_up(
    meeting: Told, asked_by: Sequence[tuple[str, str]], text: str, plain: str, **ends: Event
) -> None:
    """Questions that are answered (`ends`: by whom they are asked in vain), and a summary of them all."""
    effects: list[Any] = []
    for number, (by, question) in enumerate(asked_by, 1):
        effects += meeting.fold(asked(number, question, by=by))
        effects += meeting.fold(ends.get(by) or answered(number, plain, by=by, question=question))
    job = next(effect for effect in effects if isinstance(effect, SummariseThread))
    summary = {"text": text, "original_chars": 9, "compression_rate": 1.0, "engine": "model"}
    meeting.fold(ThreadSummaryReady(version=job.version, turns=job.turns, **summary))


@SECRETS
@pytest.mark.parametrize(
    "target",
    [Target(what="person", person="a"), Target(what="meeting"), Target(what="stretch", since_ms=500)],
)
def test_what_somebody_only_wrote_goes_too(target: Target, secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START), ThreadTuned(threshold=1)])
    summed_up(meeting, [("a", secret), *[("b", plain)] * 3], secret, plain)
    assert secret in meeting.text()
    meeting.erase(target)
    assert secret not in meeting.text()


@SECRETS
@pytest.mark.parametrize(("person", "other"), [("a", "phone"), ("phone", "a")])
def test_two_ids_of_one_person_are_erased_together_where_that_is_confirmed(
    person: str, other: str, secret: str, plain: str
) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, plain, "a"), spoken(2, secret, "phone")])
    meeting.fold(
        Corrected(id="c", by="b", at_ms=1, fix=PersonFix(of="person", person="phone", name="a", into="a"))
    )
    meeting.fold(asked(1, secret, by="phone", at_ms=5))
    meeting.erase(Target(what="person", person=person, people=(other,)))
    assert [each.text for each in meeting.meeting.utterances] == ["", ""]
    assert secret not in meeting.text()
    late = spoken(0, secret, "phone").model_copy(update={"start_ms": 0, "end_ms": 8})
    assert withheld(meeting.meeting, late).text == ""


@pytest.mark.parametrize(
    ("theirs", "others"),
    [("예산 자료를 공유해 주세요", "예산 금액을 알려 주세요"), ("Tell me who joined", "Tell me the budget")],
)
def test_what_others_asked_stays(theirs: str, others: str) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, "안녕하세요.", "a"), spoken(2, others, "b")])
    for number, (by, text) in enumerate([("a", theirs), ("b", others)], 1):
        meeting.fold(asked(number, text, by=by))
        meeting.fold(answered(number, others, by=by, question=text))
    meeting.fold(asked(3, others, by="c"))
    meeting.erase(Target(what="person", person="a"))
    assert [reply.question for reply in meeting.meeting.replies] == ["", others]
    assert [reply.text for reply in meeting.meeting.replies] == ["", others]
    assert [each.text for each in meeting.meeting.invocations.wanted()] == [others]
    assert theirs not in meeting.text()


@SECRETS
def test_a_spoken_question_goes_with_its_turn(secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, secret, "a"), spoken(2, secret, "b")])
    question = asked(1, secret, by="a")
    voiced = question.question.model_copy(update={"id": "voice:k1"})
    meeting.fold(question.model_copy(update={"question": voiced}))
    meeting.erase(Target(what="utterances", utterances=(1,)))
    assert [each.text for each in meeting.meeting.invocations.wanted()] == [""]


@SECRETS
def test_what_somebody_asked_in_vain_is_in_no_summary_of_the_thread(secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START), ThreadTuned(threshold=1, recent_messages=0)])
    in_vain = AnswerDropped(invocation_id="q1", why="failed", at_ms=9_000)
    summed_up(meeting, [("a", secret), *[("b", plain)] * 3], f"a: {secret}", plain, a=in_vain)
    meeting.erase(Target(what="person", person="a"))
    assert secret not in meeting.text()


@SECRETS
@pytest.mark.parametrize("others", ["erase", "hide"])
def test_what_was_asked_in_vain_goes_with_the_stretch_that_it_was_asked_in(
    others: Any, secret: str, plain: str
) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, plain, "b")])
    meeting.fold(asked(9, secret, by="a"))
    meeting.fold(AnswerDropped(invocation_id="q9", why="cancelled", at_ms=9_500))
    later = Target(what="stretch", person="a", since_ms=9_400, others=others)
    meeting.erase(later)
    assert secret in meeting.text(), "it was asked before"
    target = later.model_copy(update={"since_ms": 8_000})
    assert takes_out(meeting.meeting, target, at_ms=90_000)
    meeting.erase(target, "e2")
    assert secret not in meeting.text()


@SECRETS
def test_a_summary_of_what_others_asked_stays(secret: str, plain: str) -> None:
    tuned = ThreadTuned(threshold=1, recent_messages=0)
    meeting = told([MeetingStarted(at=START), tuned, spoken(1, secret, "a"), spoken(2, plain, "b")])
    summed_up(meeting, [("b", plain)] * 4, plain, plain)
    meeting.erase(Target(what="person", person="a"))
    assert [each.summary for each in meeting.meeting.thread.summaries.entries] == [plain]


@SECRETS
def test_of_the_rows_of_summaries_those_go_that_tell_of_it(secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START)])
    summary = {"original_chars": 9, "compression_rate": 1.0, "engine": "model"}
    for number in range(1, 11):
        by, text = ("a", secret) if number == 1 else ("b", plain)
        meeting.fold(asked(number, text, by=by))
        for effect in meeting.fold(answered(number, plain, by=by, question=text)):
            if isinstance(effect, SummariseThread):
                told_of = f"{text} {effect.turns}"
                meeting.fold(
                    ThreadSummaryReady(version=effect.version, turns=effect.turns, text=told_of, **summary)
                )
    meeting.erase(Target(what="person", person="a"))
    meeting.erase(Target(what="person", person="nobody"), id_="another")
    rows = [row.summary_text for row in meeting.meeting.thread.summaries.rows]
    assert rows == ["", "", ""], "each went on from the one before it"


@SECRETS
def test_a_correction_does_not_bring_erased_words_back(secret: str, plain: str) -> None:
    meeting = told([MeetingStarted(at=START), spoken(1, secret, "a"), spoken(2, plain, "b")])
    meeting.erase(Target(what="person", person="a"))
    fixes: dict[Fix, str] = {
        UtteranceFix(of="utterance", utterance=1, text="OK", was=secret): "-",
        UtteranceFix(of="utterance", utterance=2, text="OK", was=plain): "OK",
        TopicFix(of="topic", topic="t1", name=plain, was=secret): plain,
        StatementFix(
            of="statement", topic="t1", list="decisions", evidence=(1,), was=secret, text=secret
        ): "-",
    }
    for fix, kept in fixes.items():
        put = without_erased(meeting.meeting, Corrected(id=kept, by="b", at_ms=10, fix=fix))
        assert kept in json.dumps(encode(put), ensure_ascii=False)
        meeting.fold(put)
    assert [each.text for each in meeting.meeting.utterances] == ["", "OK"]
    assert secret not in meeting.text()


def test_a_target_says_what_is_missing() -> None:
    with pytest.raises(ValueError, match="name the participant"):
        Target(what="person")
    with pytest.raises(ValueError, match="at least one utterance"):
        Target(what="utterances")


def test_a_meeting_of_a_person_who_said_all_goes_on() -> None:
    meeting = told([MeetingStarted(at=START)])
    run(meeting.meeting, [])
    for event in talk(12):
        meeting.fold(event)
    meeting.erase(Target(what="meeting"))
    for number in range(20, 30):
        meeting.fold(spoken(number, "새로 시작합니다.", "a"))
    assert [u.text for u in meeting.meeting.window.utterances][-1] == "새로 시작합니다."
    assert state(meeting.replayed()) == state(meeting.meeting)
