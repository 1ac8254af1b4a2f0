"""Answers made of quotes: who said it and when, the right line, and an honest no."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from context.answers import answer
from context.call_types import call_type
from context.extractive import summarise
from context.extractive.subjects import superseded
from context.models import Summary, TopicSegment, Utterance
from tests.unit.context.samples import load, utter


def segment(utterances: list[Utterance], name: str = "t") -> TopicSegment:
    notes = summarise(Summary(), utterances)
    return TopicSegment(
        id=name,
        name=name,
        start_utterance_id=utterances[0].id,
        end_utterance_id=utterances[-1].id,
        notes=notes,
        covered_until=utterances[-1].id,
        version=1,
    )


@pytest.mark.parametrize("summarised", [False, True])
@pytest.mark.parametrize(
    ("meeting", "question", "evidence", "quote"),
    [
        (
            "ko-release-planning",
            "모임아, 출시일이 언제로 결정됐지?",
            (9,),
            "출시일은 십이월 이십이일로 결정하겠습니다.",
        ),
        (
            "ko-release-planning",
            "모임아 조실이 언제로 결정받지",
            (9,),
            "출시일은 십이월 이십이일로 결정하겠습니다.",
        ),
        (
            "ko-release-planning",
            "마케팅 예산은 얼마로 확정됐나요?",
            (18,),
            "마케팅 예산은 일억 팔천만 원으로 확정합니다.",
        ),
        ("ko-release-planning", "이차 면접은 누가 진행하나요?", (24,), "이차 면접은 제가 진행하겠습니다."),
        (
            "en-sprint-review",
            "Moim, what did we decide about the second server?",
            (7,),
            "We will add a second server this week.",
        ),
        (
            "en-sprint-review",
            "How much does a second server cost?",
            (6,),
            "About three hundred dollars a month.",
        ),
        ("en-sprint-review", "How long does the export take to build?", (21,), "I think five days of work."),
    ],
)
def test_the_right_line_is_quoted(
    meeting: str, question: str, evidence: tuple[int, ...], quote: str, summarised: bool
) -> None:
    said = load(meeting)
    segments = [segment(said[:20], "one"), segment(said[20:], "two")] if summarised else []
    found = answer(question, utterances=said, segments=segments)
    assert not found.declined
    assert found.evidence == evidence
    speaker = said[evidence[0] - 1]
    assert f"**{speaker.speaker_name}** ({speaker.absolute_timestamp:%H:%M:%S}): {quote}" in found.text


@pytest.mark.parametrize("question", ["출시일이 언제로 결정됐지?", "조실이 언제로 결정받지"])
def test_a_garbled_transcript_answers_too(question: str) -> None:
    said = [
        utter(1, "a", "처음에는 십오일이 가능한가요"),
        utter(2, "b", "저는 이시비일을 제안합니다"),
        utter(3, "c", "좋습니다 출시리는 시비월 이시비일로 결정하겠습니다"),
        utter(4, "d", "마케팅 예산은 일억 팔천만 원으로 확정합니다"),
    ]
    assert answer(question, utterances=said).evidence == (3,)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "What did we decide about the second server?",
            (
                "How much would a second server cost?",
                "About $300 a month.",
                "That is fine, we will add a second Saturdays week.",
            ),
        ),
        (
            "출시일이 언제로 결정됐지?",
            (
                "출시일은 언제가 좋을까요?",
                "저는 이십이일을 제안합니다.",
                "좋습니다. 그러면 이십이일로 결정하겠습니다.",
            ),
        ),
    ],
)
def test_a_decision_is_found_by_the_talk_that_led_to_it(question: str, lines: tuple[str, ...]) -> None:
    """As heard in a room: the decision itself lost the word that is asked for, or never had it."""
    said = [utter(number, "ab"[number % 2], text) for number, text in enumerate(lines, start=1)]
    found = answer(question, utterances=said)
    assert found.evidence == (3,)
    assert lines[-1].rsplit(". ", 1)[-1] in found.text


def test_a_decision_on_something_else_is_no_answer_for_standing_near() -> None:
    for question, lines in (
        (
            "What did we decide about the second server?",
            ("Who ordered coffee?", "I did.", "Then we will move the office in March, that is decided."),
        ),
        (
            "출시일이 언제로 결정됐지?",
            ("점심은 뭐 먹을까요?", "국수요.", "예산은 일억으로 결정하겠습니다."),
        ),
        (
            "출시일이 언제로 결정됐지?",
            ("출시일은 언제가 좋을까요?", "글쎄요.", "And we decided to buy the second server next month."),
        ),
    ):
        said = [utter(number, "ab"[number % 2], text) for number, text in enumerate(lines, start=1)]
        assert 3 not in answer(question, utterances=said).evidence


@pytest.mark.parametrize(
    ("meeting", "question", "text"),
    [
        ("ko-release-planning", "우주여행은 언제 가나요?", "이 회의에서는 찾지 못했습니다."),
        ("en-sprint-review", "What is the colour of the logo?", "I don't find that in this meeting."),
        ("en-sprint-review", "what did we decide about the logo", "I don't find that in this meeting."),
    ],
)
def test_what_was_not_said_is_declined(meeting: str, question: str, text: str) -> None:
    found = answer(question, utterances=load(meeting))
    assert (found.declined, found.text, found.evidence) == (True, text, ())


def test_an_empty_meeting_declines_everything() -> None:
    for question in ("요약해 줘", "list the action items", "what did we decide", "언제야?", ""):
        assert answer(question, utterances=[]).declined


@pytest.mark.parametrize(
    ("meeting", "question", "evidence"),
    [
        ("ko-release-planning", "무엇을 결정했지?", (9, 18)),
        ("en-sprint-review", "What did we decide?", (7, 14, 22)),
    ],
)
def test_all_decisions(meeting: str, question: str, evidence: tuple[int, ...]) -> None:
    assert answer(question, utterances=load(meeting)).evidence == evidence


def test_a_changed_decision_is_answered_as_it_stands_now() -> None:
    for first, second, question in (
        (
            "출시일은 십이월 십오일로 결정하겠습니다.",
            "출시일은 십이월 이십이일로 결정하겠습니다.",
            "출시일이 언제로 결정됐지?",
        ),
        (
            "We will add a second server on Monday.",
            "We will add a second server on Friday.",
            "What did we decide about the second server?",
        ),
    ):
        said = [utter(1, "a", first), utter(2, "b", second)]
        lines = answer(question, utterances=said).text.splitlines()
        old, new = segment(said[:1], "one"), segment(said[1:], "two")
        changed = superseded(old.notes.decisions, new.notes.decisions)  # as the fold marks it
        marked = old.model_copy(update={"notes": old.notes.model_copy(update={"decisions": changed})})
        assert answer(question, utterances=said, segments=[marked, new]).text.splitlines() == lines
        assert any(second in line and "(" not in line.split(second)[1] for line in lines)
        assert all(line.endswith((")",)) for line in lines if first in line), (
            "the old one is marked as changed"
        )


def test_actions_name_owner_and_due() -> None:
    korean = answer("액션 아이템 알려줘", utterances=load("ko-release-planning"))
    assert "박준호, 기한 금요일까지" in korean.text
    english = answer("list the action items", utterances=load("en-sprint-review"))
    assert "Chloe Park, due by Monday" in english.text
    assert korean.call_type == english.call_type == "ACTION_EXTRACTION"


def test_a_summary_goes_by_topic() -> None:
    said = load("ko-release-planning")
    segments = [segment(said[:10], "출시 일정"), segment(said[10:19], "예산")]
    whole = answer("지금까지 요약해 줘", utterances=said, segments=segments)
    assert whole.text.index("**출시 일정**") < whole.text.index("**예산**")
    assert {9, 18} <= set(whole.evidence)
    part = answer("예산 부분만 요약해 줘", utterances=said[:19], segments=segments)
    assert "**출시 일정**" not in part.text
    assert 18 in part.evidence


def test_times_are_told_in_the_zone_that_is_asked_for() -> None:
    said = load("en-sprint-review")
    assert (
        "(23:30:30)" in answer("second server decision?", utterances=said, zone=ZoneInfo("Asia/Seoul")).text
    )


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("요약해 줘", "SUMMARY"),
        ("What have we discussed so far?", "SUMMARY"),
        ("할 일이 뭐야", "ACTION_EXTRACTION"),
        ("What are the next steps?", "ACTION_EXTRACTION"),
        ("지난 회의에서 예산 찾아줘", "SEARCH"),
        ("search the documents for the budget", "SEARCH"),
        ("출시일이 언제야?", "IMMEDIATE_RESPONSE"),
        ("Who owns the export?", "IMMEDIATE_RESPONSE"),
    ],
)
def test_call_types(question: str, wanted: str) -> None:
    assert call_type(question) == wanted


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "하루에 몇 건으로 제한해?",
            ("알림이 너무 많아요.", "하루 두 건으로 제한하면 어떨까요?", "좋아요.", "네, 그렇게 합시다."),
            2,
        ),
        (
            "How many messages a day?",
            ("There are too many messages.", "I'd suggest we limit it to two messages a day.", "Agreed."),
            2,
        ),
    ],
)
def test_what_one_proposed_and_others_agreed_to_is_quoted_in_the_name_of_who_said_it(
    question: str, lines: tuple[str, ...], evidence: int
) -> None:
    said = [utter(number, "abcd"[number - 1], text) for number, text in enumerate(lines, start=1)]
    found = answer(question, utterances=said, segments=[segment(said)])
    assert evidence in found.evidence
    line = next(line for line in found.text.splitlines() if "제한" in line or "limit" in line)
    assert f"**{said[evidence - 1].speaker_name}**" in line


@pytest.mark.parametrize(
    ("question", "lines", "evidence"),
    [
        (
            "수아가 채용에 대해 뭐라고 했어?",
            ("수아: 채용은 두 명이면 됩니다.", "현우: 채용은 세 명이요."),
            (1,),
        ),
        (
            "What did Tom say about hiring?",
            ("Tom: For hiring two people are enough.", "Eva: Hiring needs three."),
            (1,),
        ),
        ("면접관은 누구야?", ("지훈: 면접관은 누가 들어가나요?", "수아: 저하고 현우 님이요."), (2,)),
        ("Who is interviewing?", ("Eva: Who's interviewing?", "Tom: Ravi and I will do it."), (2,)),
    ],
)
def test_whose_words_and_who(question: str, lines: tuple[str, ...], evidence: tuple[int, ...]) -> None:
    said = [utter(n, *line.split(": ", 1)) for n, line in enumerate(lines, start=1)]
    assert answer(question, utterances=said).evidence == evidence


@pytest.mark.parametrize(
    ("questions", "lines"),
    [
        (
            ("뭐가 바뀌었어?", "예산이 어떻게 바뀌었어?"),
            (
                "예산은 천이백만 원으로 확정합니다.",
                "부족합니다.",
                "그럼 예산은 천오백만 원으로 변경하겠습니다.",
            ),
        ),
        (
            ("What changed?", "What changed about the release?"),
            (
                "The release will be on Monday, that is decided.",
                "Too early.",
                "We decided to move the release to Friday instead.",
            ),
        ),
    ],
)
def test_what_changed_shows_both(questions: tuple[str, ...], lines: tuple[str, ...]) -> None:
    said = [utter(number, "ab"[number % 2], text) for number, text in enumerate(lines, start=1)]
    for question in questions:
        assert answer(question, utterances=said).evidence == (1, 3)


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "How much did the raffle raise?",
            (
                "Ailsa: And the raffle? I've asked the shops so far, is that enough?",
                "Wen: Keep going.",
                "Tob: The rota. We're two short on Thursday nights.",
            ),
        ),
        (
            "바자회 수익은 얼마야?",
            (
                "지우: 바자회 수익은 정리됐어요?",
                "세훈: 아직 하고 있어요.",
                "보라: 당직은 두 명 모자랍니다.",
            ),
        ),
    ],
)
def test_the_next_topics_figure_is_no_reply(question: str, lines: tuple[str, ...]) -> None:
    said = [utter(n, *line.split(": ", 1)) for n, line in enumerate(lines, start=1)]
    said = [u.model_copy(update={"topic_id": "t2" if u.id > 2 else "t1"}) for u in said]
    assert 3 not in answer(question, utterances=said).evidence
