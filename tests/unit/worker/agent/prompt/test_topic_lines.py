"""What was decided in a long meeting stands in its prompts, whatever else finds no room."""

from __future__ import annotations

import re

import pytest

from context.budgets.output import CompressionLevel
from context.budgets.templates import TOPIC_TEMPLATES, TopicTemplate
from context.budgets.tokens import BUDGETS, EstimateTokenizer
from context.models import Statement, Summary, TopicSegment
from tests.languages import BOTH
from tests.unit.cases import cases
from worker.agent.prompt.topic_lines import TopicLines

TOKENS = EstimateTokenizer()
SMALL = BUDGETS[0]
SAID = {
    "ko": "결제 모듈의 시험 결과를 두고 여러 사람이 오래 이야기했다.",
    "en": "Several people talked for a long time about how the payment module was tested.",
}
DECIDED = {"ko": "{}번 서버는 금요일에 바꾼다.", "en": "Server {} is replaced on Friday."}
TASK = {"ko": "{}번 보고서를 쓴다.", "en": "Write report {}."}
FULL, DETAILED, BRIEF, KEY = CompressionLevel


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
    told = lines.told(SMALL.l1, FULL)
    assert lines.wanted(FULL) > SMALL.l1 >= told.tokens
    assert len(re.findall(r"- decided: .*Friday|- decided: .*금요일", told.text)) == 12
    assert len(re.findall(r"- open: .*\(Ben\) \(May 3\) \[#\d+\]", told.text)) == 12
    assert 1200 in told.shows, "the newest topic's summary is told"
    assert 100 not in told.shows, "the oldest one's is not"


@BOTH
def test_many_decisions_are_shortened_before_any_is_left_out(language: str) -> None:
    told = TopicLines(topics(language, 12, decisions=6), TOKENS).told(SMALL.l1 + 1500, FULL)
    assert SMALL.l1 < told.tokens <= SMALL.l1 + 1500
    assert told.text.count("- decided: ") == 72
    assert "left out" not in told.text


@BOTH
def test_of_very_many_the_newest_are_told_and_it_is_said_how_many_are_not(language: str) -> None:
    told = TopicLines(topics(language, 200, decisions=3), TOKENS).told(SMALL.l1, FULL)
    assert told.tokens <= SMALL.l1
    shown = len(re.findall(r"^- (?:decided|open): ", told.text, re.MULTILINE))
    assert f"\n({800 - shown} earlier decisions and open items are left out)\n" in told.text
    assert 20_050 in told.shows


@BOTH
def test_topics_that_planning_asked_for_are_told_in_full_and_no_others(language: str) -> None:
    segments = topics(language, 40)
    lines = TopicLines(segments, TOKENS, name="required_topics", only=[segments[2].name])
    told = lines.told(SMALL.l1, FULL)
    assert told.shows == {*range(300, 305), 350, 399}
    assert lines.text in told.text
    assert lines.least == 0, "what stands, stands among the topics"


@BOTH
def test_each_level_tells_less_of_a_topic(language: str) -> None:
    point = Statement(text="한마디 a point", evidence=(7,))
    segments = [
        each.model_copy(update={"notes": each.notes.model_copy(update={"key_points": (point,)})})
        for each in topics(language, 2)
    ]
    lines = TopicLines(segments, TOKENS)
    texts = {level: lines.told(9_000, level).text for level in CompressionLevel}
    assert texts[FULL].count("- point: 한마디 a point [#7]") == 2
    assert "- point" not in texts[DETAILED]
    assert SAID[language] in texts[DETAILED]
    assert SAID[language] not in texts[BRIEF]
    assert texts[BRIEF].count("- decided: ") == texts[BRIEF].count("- open: ") == 2
    assert texts[KEY].split("\n")[1:-1] == [
        "(2 earlier decisions and open items are left out)",
        *(f"- {language} {n}: {DECIDED[language].format(100 * n)} [#{100 * n + 50}]" for n in (1, 2)),
    ]
    wanted = [lines.wanted(level) for level in CompressionLevel]
    assert wanted == sorted(wanted, reverse=True)


@BOTH
def test_a_topic_without_a_decision_has_one_line_at_level_2(language: str) -> None:
    segments = topics(language, 1)
    bare = segments[0].model_copy(update={"notes": Summary(sentences=segments[0].notes.sentences)})
    told = TopicLines([bare], TOKENS).told(1000, BRIEF)
    assert f"- {language} 1: {SAID[language]} [#100]" in told.text


@BOTH
def test_a_users_own_template_says_what_is_told(language: str) -> None:
    own = TopicTemplate(format="{name} —\n* {decisions}\n* ({open})", target_tokens=400)
    lines = TopicLines(topics(language, 1), TOKENS, templates={**TOPIC_TEMPLATES, "level_2_brief": own})
    assert f"\n* {DECIDED[language].format(100)} [#150]\n* (" in lines.told(1000, BRIEF).text


@cases
def test_a_wrong_template_is_told(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        TopicTemplate(format=text, target_tokens=100)


@BOTH
@pytest.mark.parametrize("room", [300, 700, 1000, 3000])
def test_the_order_is_that_of_the_meeting(language: str, room: int) -> None:
    told = TopicLines(topics(language, 9), TOKENS).told(room, FULL)
    names = re.findall(rf"^{language} (\d+):$", told.text, re.MULTILINE)
    assert names == sorted(names, key=int)
    assert len(names) == len(set(names))
