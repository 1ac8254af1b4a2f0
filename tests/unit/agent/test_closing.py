"""The closing summary: every point with its witness, in the language of the meeting."""

from __future__ import annotations

from datetime import timedelta, timezone

from context.meeting import Meeting
from context.models import Statement, Summary
from tests.unit.agent.meetings import EN, KO
from tests.unit.agent.test_prompting import meeting_of, with_summary
from worker.agent.closing import closing_summary


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
    assert closing_summary(noted(meeting_of(KO), KOREAN)) == (
        "# 회의 요약: 주간 회의 weekly\n\n"
        "## 주제\n\n"
        "### 1. 출시 release (14:32)\n"
        "- 출시일을 논의했다. — **김민지** (14:32:01), **박준호** (14:32:02)\n\n"
        "## 결정 사항\n"
        "- 출시일은 12월 22일 — **김민지** (14:32:03)\n\n"
        "## 할 일\n"
        "- 결제 테스트 계획 공유 (담당: 박준호, 기한: 금요일) — **박준호** (14:32:04)\n\n"
        "## 미결 사항\n"
        "- 해외 배포 여부 — **최하나** (14:32:05)\n\n"
        "## 발언 시간\n"
        "- 박준호: 0:02 (발언 2회)\n"
        "- 김민지: 0:02 (발언 2회)\n"
        "- 최하나: 0:01 (발언 1회)"
    )


def test_english_with_nothing_summarised_yet_quotes_what_was_said() -> None:
    page = closing_summary(meeting_of(EN))
    assert page.startswith("# Meeting summary: 주간 회의 weekly\n\n## Topics\n\n### 1. ")
    assert "**Chloe** (14:32:02)" in page or "**Alice** (14:32:03)" in page
    assert "- Ben: 0:02 (2 turns)" in page
    assert "- Chloe: 0:01 (1 turn)" in page


def test_the_language_and_the_zone_may_be_told() -> None:
    page = closing_summary(noted(meeting_of(KO), KOREAN), "en", zone=timezone(timedelta(hours=9)))
    assert "## Decisions\n- 출시일은 12월 22일 — **김민지** (23:32:03)" in page


def test_a_silent_meeting() -> None:
    assert closing_summary(Meeting("m"), "ko") == "기록된 발언이 없습니다."
    assert closing_summary(Meeting("m"), "en") == "Nothing was said on the record."


def test_nobody_breaks_the_page() -> None:
    evil = Summary(key_points=(Statement(text="a\n# Fake heading\n- x", evidence=(1, 99)),))
    page = closing_summary(noted(meeting_of([("e", "E\nve", "# hi\nthere")]), evil), "en")
    assert "\n# Fake" not in page
    assert page.count("\n#") == page.count("\n##")
    assert "**E ve**" in page


def test_the_first_topic_is_told_by_what_it_is_about() -> None:
    for spoken, title in ((KO, "십이월 이십이일"), (EN, "server")):
        meeting = meeting_of(spoken)
        assert meeting.segments[0].name == "Intro"
        assert f"### 1. {title} (14:32)" in closing_summary(meeting).splitlines()
