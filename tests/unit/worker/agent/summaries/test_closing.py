"""The closing summary: every point with its witness, in the language of the meeting."""

from __future__ import annotations

from datetime import timedelta, timezone

from context.fold.meeting import Meeting
from context.models import Statement, Summary
from context.primitives.values import changed
from tests.unit.worker.agent.meetings import EN, KO, weekly, with_summary
from worker.agent.summaries.closing_summary import closing_summary


def noted(meeting: Meeting, notes: Summary) -> Meeting:
    with_summary(meeting, notes)
    meeting.topics.rename(meeting.segments[0].id, "출시 release", firm=True)
    return meeting


KOREAN = Summary(
    text="x",
    key_points=(Statement(text="출시일을 논의했다.", evidence=(1, 2)),),
    decisions=(
        Statement(text="출시일은 15일", evidence=(1,), status="superseded"),
        Statement(text="출시일은 12월 22일", evidence=(3,)),
    ),
    pending=(
        Statement(text="결제 테스트 계획 공유", evidence=(4,), owner="박준호", due="금요일"),
        Statement(text="해외 배포 여부", evidence=(5,)),
        Statement(text="끝난 일", evidence=(5,), owner="최하나", status="done"),
    ),
)


def test_korean() -> None:
    assert closing_summary(noted(weekly(KO), KOREAN), minutes_url="https://moim.example/m/m/minutes") == (
        "결정: 출시일은 12월 22일 (김민지) · 출시일은 15일 (김민지, 이후 변경됨)\n"
        "할 일: 결제 테스트 계획 공유 (박준호, 기한: 금요일 = 2026-03-06)\n"
        "미정: 해외 배포 여부 (최하나)\n"
        "회의록: https://moim.example/m/m/minutes"
    )


def test_an_unclear_figure_is_marked_and_the_mark_is_told() -> None:
    for lines, notes, told in (
        (KO, KOREAN, ["결정: 출시일은 12월 22일 (?) (김민지)", "(?): 또렷이 들리지 않은"]),
        (
            EN,
            Summary(decisions=(Statement(text="Ship on the 22nd", evidence=(3,)),)),
            ["22nd (?)", "(?): a figure"],
        ),
    ):
        meeting = noted(weekly(lines), notes)
        said = {"text": "이십이일로 22nd", "doubtful": ((0, 5), (6, 10))}
        meeting.utterances[2] = changed(meeting.utterances[2], said)
        whole = closing_summary(meeting)
        assert all(each in whole for each in told), whole
        assert len(whole.splitlines()) == 3, "what the mark means stands at the end of the third line"


def test_of_many_the_first_four_are_told() -> None:
    many = Summary(decisions=tuple(Statement(text=f"We take plan {n}.", evidence=(n,)) for n in range(1, 7)))
    decided, *rest = closing_summary(noted(weekly(EN * 3), many)).splitlines()
    assert decided.count("We take plan") == 4
    assert decided.endswith("· 2 more")
    assert rest == ["To do: none", "Open: none"]


def test_where_nothing_was_recognised_it_says_what_was_talked_about() -> None:
    assert closing_summary(weekly(EN)).splitlines() == [
        "No decision, task or open point was recognised.",
        "Topics: server cost",
    ]


def test_the_language_and_the_zone_may_be_told() -> None:
    """In Seoul, 14:32 on 3 March is 23:32; far enough east it is the next day."""
    east = closing_summary(noted(weekly(KO), KOREAN), "en", zone=timezone(timedelta(hours=12)))
    assert east.startswith(
        "Decided: 출시일은 12월 22일 (김민지) · 출시일은 15일 (김민지, superseded)\nTo do: 결제 테스트 계획 공유 (박준호, due: 금요일"
    )


def test_a_silent_meeting() -> None:
    assert closing_summary(Meeting("m"), "ko") == "기록된 발언이 없습니다."
    assert closing_summary(Meeting("m"), "en") == "Nothing was said on the record."


def test_nobody_breaks_the_page() -> None:
    evil = Summary(decisions=(Statement(text="a\n# Fake heading\n- x [y](http://z)", evidence=(1, 99)),))
    page = closing_summary(noted(weekly([("e", "E\nve", "# hi\nthere")]), evil), "en")
    assert page.splitlines() == [
        "Decided: A # Fake heading - x [y] (http://z) (E ve)",
        "To do: none",
        "Open: none",
    ]
