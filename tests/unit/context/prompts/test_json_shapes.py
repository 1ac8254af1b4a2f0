"""A reply is read item by item: what cannot be read costs that item, and nothing is guessed."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from context.prompts.json_replies import read
from context.prompts.json_shapes import UnreadableJson


class Item(BaseModel):
    number: int
    verdict: Literal["supported", "not_said"]
    by: str | None = None


class Shape(BaseModel):
    topic: str = ""
    items: Annotated[list[Item], Field(max_length=3)]
    more: list[Item]
    words: list[str] = Field(default_factory=list)


class Grade(BaseModel):
    whole: float = Field(ge=0, le=10)
    share: float = Field(ge=0, le=1)
    again: bool = False
    why: str = Field(default="", max_length=9)


ONE = '{"number": 1, "verdict": "supported"}'
FIRST = Item(number=1, verdict="supported")


@pytest.mark.parametrize(
    "item",
    [
        '{"number": "1.", "verdict": "Supported."}',
        '{"Number": "#1", "VERDICT": "SUPPORTED", "by": null}',
        '{"number": 1, "verdict": "supported", "sure": true}',
    ],
)
def test_one_item_in_many_forms(item: str) -> None:
    found = read(f'{{"items": [{item}], "more": []}}', Shape)
    assert found.found.items == [FIRST]
    assert found.lost == 0


@pytest.mark.parametrize(
    "bad",
    ['{"number": 2, "verdict": "maybe"}', '{"verdict": "supported"}', '"all good"', "7", '{"number": "1 or 2", "verdict": "supported"}'],
)  # fmt: skip
def test_a_bad_item_costs_itself(bad: str) -> None:
    found = read(f'{{"items": [{ONE}, {bad}], "more": [null, {ONE}]}}', Shape)
    assert found.found.items == found.found.more == [FIRST]
    assert found.lost == 1


@pytest.mark.parametrize(
    "text",
    [
        f'{{"items": [{ONE}], "more": []}}',
        f'{{"items": [{ONE}]}}',
        f'{{"items": [{ONE}], "more": null, "words": null, "topic": null}}',
        f'{{"items": {ONE}}}',
        '{"items": {"1": {"verdict": "supported"}}}',
        f"[{ONE}]",
        ONE,
        f'{{"result": {{"items": [{ONE}]}}}}',
        f'{{"verdicts": [{ONE}]}}',
        f'[{{"items": [{ONE}]}}]',
        f'{{"topic": 7, "items": [{ONE}], "words": [1, null]}}',
        f'{{"draft": true}} {{"items": [{ONE}]}}',
        f'{{"count": 1, "rows": [{ONE}], "done": true}}',
    ],
)
def test_lists_in_many_forms(text: str) -> None:
    assert read(text, Shape).found == Shape(items=[FIRST], more=[])


def test_objects_in_a_row_are_a_list() -> None:
    rows = f'{ONE}\n{{"number": 2, "verdict": "not said"}}'
    assert [each.number for each in read(rows, Shape).found.items] == [1, 2]


def test_a_list_that_is_too_long_is_cut_and_words_may_stand_in_a_row() -> None:
    found = read(f'{{"items": [{", ".join([ONE] * 5)}], "words": "예산, 일정"}}', Shape).found
    assert len(found.items) == 3
    assert found.words == ["예산", "일정"]
    listed = read(f'{{"items": [{ONE}], "words": [{{"name": "예산"}}, ["일정"], {{"a": 1}}]}}', Shape)
    assert listed.found.words == ["예산", "일정"]


@pytest.mark.parametrize(
    "text",
    ["", "nothing", "{", "7", "[1, 2]", '{"tpic": "예산"}', '{"topic": "예산"}', '{"items": ["all good", 7]}', f'{{"items": [{ONE[:-1]}'],
)  # fmt: skip
def test_where_nothing_can_be_read_that_is_told(text: str) -> None:
    with pytest.raises(UnreadableJson) as told:
        read(text, Shape)
    assert str(told.value)
    assert "all good" not in str(told.value), "what a model wrote is not repeated"


@pytest.mark.parametrize(
    ("text", "grade"),
    [
        ('{"whole": "9/10", "share": "80%", "again": "Yes.", "why": "far too long a text"}', (9, 0.8, True)),
        ('{"whole": "8.5점", "share": "0.5", "again": "아니오"}', (8.5, 0.5, False)),
        ('{"whole": 7, "share": "4/5", "again": null}', (7, 0.8, False)),
    ],
)
def test_numbers_in_words(text: str, grade: Any) -> None:
    found = read(text, Grade).found
    assert (found.whole, found.share, found.again, found.why) == (*grade, "")


@pytest.mark.parametrize(
    "text",
    [
        '{"whole": 11, "share": 0.5}',
        '{"share": 0.5}',
        '{"whole": "high", "share": 1}',
        '{"whole": 9, "share": 0.5',
    ],
)
def test_a_single_verdict_is_read_whole_or_not_at_all(text: str) -> None:
    with pytest.raises(UnreadableJson):
        read(text, Grade)


def test_what_was_cut_off_counts_where_it_may() -> None:
    text = f'{{"items": [{ONE}, {ONE[:-2]}'
    assert read(text, Shape, cut_off_counts=True).found.items == [FIRST]
    with pytest.raises(UnreadableJson, match="cut off"):
        read(text, Shape)
    with pytest.raises(UnreadableJson, match="cut off"):
        read(f'{{"items": [{ONE[:-2]}', Shape, cut_off_counts=True)


class Told(BaseModel):
    text: str
    evidence: list[str]
    owner: str = ""


class Minutes(BaseModel):
    topic_name: str = ""
    decisions: list[Told]
    pending: list[Told]


class Verdict(BaseModel):
    claim: int
    verdict: Literal["supported", "contradicted", "not_said"]
    status: Literal["decided", "proposed", "none"] = "none"


class Verdicts(BaseModel):
    verdicts: list[Verdict]


MINUTES = Minutes(
    topic_name="예산",
    decisions=[Told(text="서버를 더한다.", evidence=["#3"])],
    pending=[Told(text="Ben orders it.", evidence=["#4"], owner="Ben")],
)


OTHERWISE: list[dict[str, Any]] = [
    {
        "topicName": "예산",
        "decision": {"text": "서버를 더한다.", "evidence": ["#3"]},
        "action_items": [{"text": "Ben orders it.", "citations": ["#4"], "assignee": "Ben"}],
    },
    {
        "주제": "예산",
        "결정": [{"내용": "서버를 더한다.", "근거": ["#3"]}],
        "할 일": {"1": {"문장": "Ben orders it.", "출처": ["#4"], "담당자": {"name": "Ben"}}},
    },
    {
        "Topic": ["예산"],
        "Decisions": ["서버를 더한다. (근거: #3)"],
        "todo": [],
        "Open items": ["1. Ben orders it. (owner: Ben) (evidence: #4)"],
    },
]


@pytest.mark.parametrize("told", OTHERWISE)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda told: told,
        lambda told: {"status": "ok", "result": {"data": told}, "error": {"code": None}},
        lambda told: {"name": "f", "arguments": json.dumps(told)},
        lambda told: [{"type": "object", "properties": told}],
    ],
)
def test_other_keys_and_wrappers(told: dict[str, Any], wrap: Callable[[Any], Any]) -> None:
    found = read(json.dumps(wrap(told), ensure_ascii=False), Minutes)
    assert found.found == MINUTES
    assert found.lost == 0


def test_an_own_key_goes_before_another_and_a_strange_one_is_none() -> None:
    text = '{"title": "x", "topic_name": "예산", "decisions": [{"id": 3, "text": "y"}, {"text": "z", "evidence": ["#1"]}]}'
    found = read(text, Minutes)
    assert found.found.topic_name == "예산"
    assert [each.text for each in found.found.decisions] == ["z"]
    assert found.lost == 1


@pytest.mark.parametrize(
    "text",
    [
        '{"1": "supported", "2": "not said", "3": "contradicted"}',
        '{"claim 1": {"verdict": true}, "Claim 2": {"verdict": "no"}, "#3": {"verdict": "refuted"}}',
        '{"verdicts": ["1: supported", "2. Not supported.", "주장 3: 모순"]}',
        '{"판정 목록": [{"번호": "1", "판정": "뒷받침"}, {"번호": "2번", "판정": "언급 없음"}, {"번호": 3, "판정": "반박"}]}',
        '{"verdicts": [{"claim": [1], "verdict": "Yes."}, {"claim": 2, "verdict": false}, {"claim": 3.0, "verdict": "contradicts"}]}',
        "1. supported\n2. not said\n3. contradicted",
        "## Verdicts\n- Claim 1: supported\n- **Claim 2:** not mentioned\n- claim 3 - contradicted\n- Claim 4: partly",
    ],
)
def test_verdicts_in_many_forms(text: str) -> None:
    found = read(text, Verdicts).found.verdicts
    assert [(each.claim, each.verdict) for each in found] == [
        (1, "supported"), (2, "not_said"), (3, "contradicted"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        '{"verdicts": ["supported", "not_said"]}',
        '["supported"]',
        '{"verdicts": [{"id": 1, "verdict": "supported"}]}',
        '{"verdicts": [{"claim": 1, "verdict": "partly supported"}]}',
        '{"verdicts": [{"claim": 1, "verdict": "supported", "status": "only an idea"}]}',
        "Claim 1 is supported by what Ben said.",
        "The first is supported.",
    ],
)
def test_what_could_be_read_falsely_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableJson):
        read(text, Verdicts)


@pytest.mark.parametrize(
    "text",
    [
        "# 예산\n## Decisions\n- We add it. (evidence: 3)\n\n## Action items:\n1. Ben orders it. (owner: Ben) (source: 4)\n## Participants\n- Kim",
        "**결정 사항:** We add it. (근거: 3)\n키워드: 서버\n- 서버 (근거: 9)\n**할 일**\n* Ben orders it. (담당: Ben) (출처: 4)",
    ],
)  # fmt: skip
def test_markdown_where_json_was_asked_for(text: str) -> None:
    class Line(BaseModel):
        text: str
        evidence: str
        owner: str = ""

    class Lines(BaseModel):
        keywords: list[str] = Field(default_factory=list)
        decisions: list[Line]
        pending: list[Line]

    found = read(text, Lines).found
    assert found.decisions == [Line(text="We add it.", evidence="3")]
    assert found.pending == [Line(text="Ben orders it.", evidence="4", owner="Ben")]
