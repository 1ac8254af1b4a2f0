"""What was decided in a long meeting stands in its prompts, whatever else finds no room."""

from __future__ import annotations

import re

import pytest

from context.budget import BUDGETS, EstimateTokenizer
from context.models import Statement, Summary, TopicSegment
from worker.agent.topic_lines import TopicLines

TOKENS = EstimateTokenizer()
SMALL = BUDGETS[0]
SAID = {
    "ko": "결제 모듈의 시험 결과를 두고 여러 사람이 오래 이야기했다.",
    "en": "Several people talked for a long time about how the payment module was tested.",
}
DECIDED = {"ko": "{}번 서버는 금요일에 바꾼다.", "en": "Server {} is replaced on Friday."}
TASK = {"ko": "{}번 보고서를 쓴다.", "en": "Write report {}."}
BOTH = pytest.mark.parametrize("language", ["ko", "en"])


def topics(language: str, count: int, *, decisions: int = 1, sentences: int = 5) -> list[TopicSegment]:
    made = []
    for number in range(1, count + 1):
        first = 100 * number
        notes = Summary(
            sentences=tuple(Statement(text=SAID[language], evidence=(first + n,)) for n in range(sentences)),
            decisions=tuple(
                Statement(text=DECIDED[language].format(first + n), evidence=(first + 50 + n,))
                for n in range(decisions)
            ),
            pending=(
                Statement(
                    text=TASK[language].format(number), evidence=(first + 99,), owner="Ben", due="May 3"
                ),
            ),
        )
        made.append(
            TopicSegment(
                id=f"t{number}", name=f"{language} {number}", start_utterance_id=first,
                end_utterance_id=first + 99, notes=notes,
            )
        )  # fmt: skip
    return made


@BOTH
def test_old_decisions_and_tasks_stay_where_the_summaries_find_no_room(language: str) -> None:
    lines = TopicLines(topics(language, 12), TOKENS)
    told = lines.told(SMALL.l1)
    assert lines.whole_tokens > SMALL.l1 >= TOKENS.count(told.text)
    assert len(re.findall(r"- decided: .*Friday|- decided: .*금요일", told.text)) == 12
    assert len(re.findall(r"- open: .*\(Ben\) \(May 3\) \[#\d+\]", told.text)) == 12
    assert 1200 in told.cited, "the newest topic's summary is told"
    assert 100 not in told.cited, "the oldest one's is not"


@BOTH
def test_many_decisions_take_what_is_spared_and_are_shortened_before_any_is_left_out(language: str) -> None:
    lines = TopicLines(topics(language, 12, decisions=6), TOKENS)
    told = lines.told(SMALL.l1, spare=1500)
    assert SMALL.l1 < TOKENS.count(told.text) <= SMALL.l1 + 1500
    assert told.text.count("- decided: ") == 72
    assert "left out" not in told.text


@BOTH
def test_of_very_many_the_newest_are_told_and_it_is_said_how_many_are_not(language: str) -> None:
    told = TopicLines(topics(language, 200, decisions=3), TOKENS).told(SMALL.l1)
    assert TOKENS.count(told.text) <= SMALL.l1
    shown = len(re.findall(r"^- (?:decided|open): ", told.text, re.MULTILINE))
    assert told.text.startswith(f"({800 - shown} earlier decisions and open items are left out)")
    assert 20_050 in told.cited


@BOTH
def test_a_topic_that_planning_asked_for_is_told_with_its_citations(language: str) -> None:
    segments = topics(language, 40)
    told = TopicLines(segments, TOKENS).told(SMALL.l1, wanted=[segments[2].name])
    assert {300, 304} <= told.cited
    assert TOKENS.count(told.text) <= SMALL.l1


def test_what_is_over_is_not_told_and_nothing_is_nothing() -> None:
    over = (
        Statement(text="x", evidence=(1,), status="superseded"),
        Statement(text="y", evidence=(2,), status="done"),
    )
    segment = TopicSegment(
        id="t",
        name="n",
        start_utterance_id=1,
        end_utterance_id=2,
        notes=Summary(decisions=over[:1], pending=over[1:]),
    )
    assert TopicLines([segment], TOKENS).told(1000).text == ""
    assert TopicLines([], TOKENS).whole_tokens == 0


@BOTH
def test_the_order_is_that_of_the_meeting(language: str) -> None:
    told = TopicLines(topics(language, 9), TOKENS).told(SMALL.l1, wanted=[f"{language} 4"])
    names = re.findall(rf"^{language} (\d+):$", told.text, re.MULTILINE)
    assert names == sorted(names, key=int)
    assert len(names) == len(set(names)) == 9
