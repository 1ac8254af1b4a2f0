"""Decisions and tasks in real talk; what changes, repeats or contradicts a decision; nothing lost on the way."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.carrying import carried, with_all_of
from context.effects import Summarise
from context.events import MeetingEnded, MeetingStarted, SummaryReady, UtteranceSpoken
from context.extractive import summarise
from context.extractive.cues import kind_of
from context.extractive.subjects import contradicts, restates, supersedes
from context.meeting import Meeting
from context.models import Statement, Summary
from tests.unit.context.samples import START, utter

NAMES = ("Ben", "Alice", "Industrial Designer", "박준호", "김민지")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("We'll order the server tomorrow and report on Thursday.", "action"),
        ("We'll ask three moving companies for a price by Monday.", "action"),
        ("Please also measure the slowest one percent of the searches.", "action"),
        ("I 'm gonna uh send out the the minutes .", "action"),
        ("If you could write to us about that, that would be helpful.", "action"),
        ("The Industrial Designer is gonna work on the look and feel design .", "action"),
        ("We will add a second server this week.", "decision"),
        ("Then we move in the second week of March, that is decided.", "decision"),
        ("So we've basically decided on the rubber case .", "decision"),
        ("Let us leave the network question for the next meeting.", "open"),
        ("We'll take a short break now.", "plain"),
        ("I'll be here tomorrow.", "plain"),
        ("We will see how that goes.", "plain"),
        ("일차 면접은 제가 하고, 이차 면접은 최하나 님이 하면 좋겠습니다.", "action"),
        ("그 검토 자료를 제출해 주시고요.", "action"),
        ("명단은 공개하지 않는 것으로 그렇게 하겠습니다.", "decision"),
        ("출시일은 11월 20일로 하겠습니다.", "decision"),
        ("올해는 채용을 하지 않기로 했습니다.", "decision"),
        ("서버는 늘리지 않기로 합시다.", "decision"),
        ("해외 배포는 이번에 하지 않기로 결정했습니다.", "decision"),
        ("지난 회의에서 채용을 하지 않기로 했습니다.", "plain"),
        ("We decided not to hire anyone this year.", "decision"),
        ("We won't hire anyone this year.", "decision"),
        ("Okay, then we are not going to renew the contract.", "decision"),
        ("We'll not open a second office.", "decision"),
        ("We will not extend the deadline unless they ask.", "decision"),
        ("Maybe we won't hire anyone this year.", "plain"),
        ("I hope we won't raise the price again.", "plain"),
        ("If sales fall, we won't hire anyone this year.", "plain"),
        ("We won't hire anyone this year, will we?", "question"),
        ("We won't have the results by Monday.", "plain"),
        ("We won't start without you, Ben.", "plain"),
        ("We're not going to be able to sell it for that.", "plain"),
        ("We won't keep you much longer.", "plain"),
        ("We won't spend much time on this.", "plain"),
        ("We haven't agreed, so we won't launch it yet.", "open"),
        ("계약은 갱신하지 않겠습니다.", "decision"),
        ("올해는 신규 채용을 하지 않겠습니다.", "decision"),
        ("가격은 이번에 올리지 않겠습니다.", "decision"),
        ("해외 배포는 안 하겠습니다.", "decision"),
        ("저는 계약을 갱신하지 않겠습니다.", "plain"),
        ("반응이 없을 경우 계약은 갱신하지 않겠습니다.", "plain"),
        ("계약은 갱신하지 않겠습니까?", "question"),
        ("그 부분은 더 말씀드리지 않겠습니다.", "plain"),
        ("질의는 더 하지 않겠습니다.", "plain"),
        ("시간은 오래 끌지 않겠습니다.", "plain"),
        ("다시는 늦지 않겠습니다.", "plain"),
        ("그렇게 결정하죠.", "echo"),
        ("질의는 바로 하겠습니다.", "plain"),
        ("저는 발표 위주로 하겠습니다.", "action"),
        ("표결 결과 찬성 13명, 반대 6명으로 가결되었음을 선포합니다.", "decision"),
        ("캐시 도입은 다음 달에 다시 논의하겠습니다.", "open"),
        ("찬성하시는 위원님은 거수해 주시기 바랍니다.", "plain"),
        ("표결하도록 하겠습니다.", "plain"),
        ("더 없으면 마치겠습니다.", "courtesy"),
        ("다른 의견 없으시면 오늘은 여기서 마치겠습니다.", "courtesy"),
        ("If there's nothing else, let's stop there.", "courtesy"),
        ("보고서는 제가 금요일까지 마치겠습니다.", "action"),
    ],
)
def test_what_a_sentence_is(text: str, kind: str) -> None:
    assert kind_of(text, NAMES) == kind


@pytest.mark.parametrize(
    ("lines", "evidence"),
    [
        ([("a", "Okay, so let's keep the old logo for now."), ("b", "Yeah, sure.")], (1, 2)),
        ([("a", "I suggest that we use the blue case."), ("b", "Mm-hmm, okay.")], (1, 2)),
        ([("a", "로고는 그대로 두는 게 어떨까요?"), ("b", "네, 좋습니다.")], (1, 2)),
        ([("a", "회의는 월요일로 옮기면 좋겠습니다."), ("b", "찬성합니다.")], (1, 2)),
    ],
)
def test_a_proposal_and_a_yes_are_a_decision(lines: list[tuple[str, str]], evidence: tuple[int, ...]) -> None:
    summary = summarise(Summary(), [utter(n, who, text) for n, (who, text) in enumerate(lines, 1)])
    (decision,) = summary.decisions
    assert decision.evidence == evidence
    assert decision.text in lines[0][1]


@pytest.mark.parametrize(
    "lines",
    [
        [("a", "Okay, so let's keep the old logo for now."), ("b", "No, I don't like it.")],
        [("a", "Okay, so let's keep the old logo for now."), ("a", "Yeah.")],
        [("a", "Okay, so let's keep the old logo for now."), ("b", "Where is the printer?")],
        [("a", "로고는 그대로 두는 게 어떨까요?"), ("b", "글쎄요, 어렵습니다.")],
        [("a", "로고는 그대로 두는 게 어떨까요?"), ("a", "네.")],
    ],
)
def test_no_yes_of_another_no_decision(lines: list[tuple[str, str]]) -> None:
    summary = summarise(Summary(), [utter(n, who, text) for n, (who, text) in enumerate(lines, 1)])
    assert summary.decisions == ()


@pytest.mark.parametrize(
    ("lines", "owner"),
    [
        ([("a", "Can you mail that to the list?"), ("b", "Yeah, I will.")], "b"),
        ([("a", "The page for Windows is still missing."), ("b", "I definitely will do that.")], "b"),
        ([("a", "그 자료를 저한테 보내 주실 수 있나요?"), ("b", "네, 보내겠습니다.")], "b"),
    ],
)
def test_a_request_that_is_taken_on_is_a_task_of_who_takes_it(
    lines: list[tuple[str, str]], owner: str
) -> None:
    summary = summarise(Summary(), [utter(n, who, text) for n, (who, text) in enumerate(lines, 1)])
    (task,) = summary.pending
    assert (task.kind, task.owner, set(task.evidence)) == ("action", owner, {1, 2})


def test_a_vote_is_kept_with_what_was_voted_on() -> None:
    summary = summarise(
        Summary(),
        [
            utter(1, "a", "청문회 실시계획서 채택의 건을 상정합니다. 이의 없으십니까?"),
            utter(2, "a", "표결 결과 찬성 12명으로 가결되었음을 선포합니다."),
        ],
    )
    (decision,) = summary.decisions
    assert decision.evidence == (1, 2)
    assert "채택의 건" in decision.text


@pytest.mark.parametrize(
    ("new", "old", "changes"),
    [
        (
            "We will release the app on December 22 instead.",
            "We decided to release the app on December 15.",
            True,
        ),
        ("출시일은 십이월 이십이일로 변경하기로 했습니다.", "출시일은 십이월 십오일로 결정하겠습니다.", True),
        ("So we release the app on December 15.", "We decided to release the app on December 15.", False),
        ("출시일은 십이월 십오일로 확정합니다.", "출시일은 십이월 십오일로 결정하겠습니다.", False),
        ("We will buy a printer for the office.", "We decided to release the app on December 15.", False),
        ("개발자 채용을 하지 않기로 했습니다.", "올해는 개발자 채용을 하기로 했습니다.", True),
        ("올해는 회식을 하지 않기로 했습니다.", "올해는 워크숍을 하기로 했습니다.", False),
        ("이번 주는 배포를 하지 않기로 했습니다.", "이번 주는 배포를 하기로 했습니다.", True),
        ("We decided not to hire a developer.", "We decided to hire a developer this year.", True),
    ],
)
def test_a_change_is_one_and_a_repetition_is_none(new: str, old: str, *, changes: bool) -> None:
    assert supersedes(new, old) is changes
    assert not (restates(new, old) and changes)


@pytest.mark.parametrize(
    ("said", "decision", "against"),
    [
        ("마케팅 예산은 일억 원입니다.", "마케팅 예산은 이억 원으로 확정합니다.", True),
        ("출시일은 십이월 십오일입니다.", "출시일은 십이월 이십이일로 결정하겠습니다.", True),
        ("마케팅 예산은 이억 원입니다.", "마케팅 예산은 이억 원으로 확정합니다.", False),
        ("서버 비용은 일억 원입니다.", "마케팅 예산은 이억 원으로 확정합니다.", False),
        ("We are not adding a second server this week.", "We will add a second server this week.", True),
        (
            "The mobile app release is on December 15.",
            "The mobile app release is moved to December 22.",
            True,
        ),
        ("We add the second server this week.", "We will add a second server this week.", False),
        ("There are three people in the room.", "We will add a second server this week.", False),
    ],
)
def test_what_contradicts_a_decision(said: str, decision: str, *, against: bool) -> None:
    assert contradicts(said, decision) is against


@pytest.mark.parametrize(
    ("lines", "decided"),
    [
        (["마케팅 예산은 이억 원으로 확정합니다.", "알겠습니다.", "마케팅 예산은 일억 원입니다."], 1),
        (
            [
                "We will add a second server this week.",
                "Okay.",
                "We are not adding a second server this week.",
            ],
            1,
        ),
    ],
)
def test_a_contradiction_is_flagged_with_both_evidences_until_it_is_decided_anew(
    lines: list[str], decided: int
) -> None:
    summary = summarise(Summary(), [utter(n, "a", text) for n, text in enumerate(lines, 1)])
    (found,) = summary.contradictions
    assert (found.evidence, found.decision_evidence) == ((3,), (decided,))
    (decision,) = summary.decisions
    assert decision.status == "decided"
    anew = (
        "마케팅 예산은 일억 원으로 확정합니다."
        if "예산" in lines[0]
        else "We will add a second server next month instead."
    )
    summary = summarise(summary, [utter(4, "a", anew)])
    assert summary.contradictions == ()
    assert [d.superseded_by for d in summary.decisions] == ["4", None]


def meeting_of(*parts: list[str]) -> Meeting:
    """Each part is a topic of its own; all are summarised by the extractive engine."""
    meeting = Meeting("m")
    meeting.receive(MeetingStarted(at=START))
    number = 0

    def take(event: object) -> None:
        for effect in meeting.receive(event):  # type: ignore[arg-type]  # the events below
            if isinstance(effect, Summarise):
                content = summarise(effect.topic.notes, effect.utterances, standing=effect.standing)
                take(
                    SummaryReady(
                        topic_id=effect.topic.id,
                        version=effect.version,
                        reason=effect.reason,
                        covered_until=effect.utterances[-1].id,
                        content=content,
                        engine="extractive",
                    )
                )

    for part in parts:
        for text in part:
            number += 1
            at = number * 5000
            take(
                UtteranceSpoken(
                    key=str(number),
                    speaker_id="a",
                    speaker_name="Ann",
                    text=text,
                    start_ms=at,
                    end_ms=at + 900,
                )
            )
    take(MeetingEnded(at_ms=number * 5000 + 1000, reason="done"))
    return meeting


@pytest.mark.parametrize(
    ("first", "turn", "last"),
    [
        (
            [
                "출시일은 십이월 십오일로 결정하겠습니다.",
                "개발이 늦어지고 있습니다.",
                "테스트도 남았습니다.",
                "결제도요.",
            ],
            ["그럼 다음 안건으로 넘어가겠습니다. 예산 이야기를 해 보죠."],
            ["예산은 충분합니다.", "출시일은 십이월 이십이일로 변경하기로 했습니다."],
        ),
        (
            [
                "We decided to release the mobile app on December 15.",
                "Tests are late.",
                "Payment too.",
                "Hm, well.",
            ],
            ["Okay, let us move on to the office move."],
            ["The rent is lower.", "We will release the mobile app on December 22 instead."],
        ),
    ],
)
def test_a_later_topic_may_change_a_decision_of_an_earlier_one(
    first: list[str], turn: list[str], last: list[str]
) -> None:
    meeting = meeting_of(first, turn, last)
    assert len(meeting.segments) == 2
    (old,) = meeting.segments[0].notes.decisions
    (new,) = meeting.segments[1].notes.decisions
    assert (old.status, old.superseded_by) == ("superseded", str(new.evidence[-1]))
    assert new.status == "decided"
    assert Meeting.restore("m", None, meeting.snapshot(), meeting.utterances).segments == meeting.segments


SENTENCES = st.sampled_from(
    [
        "We will add a second server this week.",
        "We decided to keep the old logo.",
        "I will order the server tomorrow.",
        "출시일은 십이월 이십이일로 결정하겠습니다.",
        "예산은 이억 원으로 확정합니다.",
        "장애 보고서는 제가 내일까지 작성하겠습니다.",
    ]
)


@st.composite
def summaries(draw: st.DrawFn, first: int) -> Summary:
    """What an engine may write: any statements, each with evidence from `first` on or older."""
    texts = draw(st.lists(SENTENCES, max_size=4))
    made = [
        Statement(text=text, evidence=tuple(sorted({draw(st.integers(1, first + 20)), first + place})))
        for place, text in enumerate(texts)
    ]
    half = len(made) // 2
    return Summary(decisions=tuple(made[:half]), pending=tuple(made[half:]))


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_within_a_topic_summaries_are_folded_never_piled_up_never_dropped(data: st.DataObject) -> None:
    """Whatever a model writes anew, everything that was ever decided or taken on is still cited."""
    summary = Summary()
    cited: set[int] = set()
    versions = data.draw(st.integers(1, 5))
    for version in range(versions):
        written = data.draw(summaries(first=1 + 30 * version))
        summary = with_all_of(summary, written)
        statements = (*summary.decisions, *summary.pending)
        cited |= {s.evidence[-1] for s in (*written.decisions, *written.pending)}
        assert cited <= {i for statement in statements for i in statement.evidence}, "dropped"
        assert len(statements) <= 4 * (version + 1), "piled up"
        again = with_all_of(summary, summary)
        assert len(again.decisions) == len(summary.decisions)
        assert len(again.pending) == len(summary.pending)


def test_an_event_repeats_only_what_may_have_changed() -> None:
    before = tuple(Statement(text=f"We decided on number {n}.", evidence=(n,)) for n in range(1, 601))
    now = (
        *before[:-1],
        before[-1].model_copy(update={"status": "superseded"}),
        Statement(text="x", evidence=(601,)),
    )
    same = carried(before, now)
    assert 300 <= same < 600
    assert (*before[:same], *now[same:]) == now
    assert carried(before[:100], before[:100]) == 0, "small ones are told whole"


def test_the_fold_puts_carried_statements_back() -> None:
    meeting = meeting_of([f"We decided to use tool {n} for team {n}." for n in range(1, 27)])
    segment = meeting.segments[0]
    whole = segment.notes.decisions
    assert len(whole) > 20
    ready = SummaryReady(
        topic_id=segment.id,
        version=segment.version + 1,
        reason="closing",
        covered_until=segment.covered_until,
        content=Summary(decisions=whole[20:]),
        engine="extractive",
        carried_decisions=20,
    )
    meeting.receive(ready)
    assert meeting.segments[0].notes.decisions == whole
