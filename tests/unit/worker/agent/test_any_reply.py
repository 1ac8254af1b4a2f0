"""Whatever a model sends: nothing but what callers expect is raised, its cost is its length, right items stand."""

from __future__ import annotations

import json
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from context.answering.planning import Plan
from context.budgets.tokens import EstimateTokenizer
from context.models import Summary
from context.ports import ChatMessage
from context.prompts.citing import as_cited, cited_in, without_citations
from context.prompts.json_replies import read
from context.prompts.json_shapes import UnreadableJson
from context.statements.verdicts import Claim
from context.topic_detector import TopicChangeResult
from tests.fakes.clumsy import SLIPS
from tests.fakes.llm import ScriptedModel
from tests.fakes.virtual_time import in_virtual_time
from tests.unit.worker.agent.meetings import LINES, said
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.structured import Unusable, ask
from worker.agent.calls.verifying import VerdictDraft, VerdictsDraft, Verifier
from worker.agent.prompt.judging_answers import AnswerVerdict
from worker.agent.reply.citations import CitedText
from worker.agent.reply.loops import Loops
from worker.agent.reply.non_answers import what_instead
from worker.agent.summaries.summary_draft import ItemDraft, SummaryDraft, summary_of

SHAPES: list[type[BaseModel]] = [SummaryDraft, VerdictsDraft, Plan, TopicChangeResult, AnswerVerdict]
KEYS = [
    *{name for shape in (*SHAPES, ItemDraft, VerdictDraft) for name in shape.model_fields},
    "결정", "요약", "근거", "할 일", "판정", "번호", "citations", "ids", "decision", "keyPoints", "action_items", "1", "claim 2", "result",
    "arguments", "id", "",
]  # fmt: skip
WORDS = [
    "supported", "not said", "모순", "예", "no", "done", "decided", "They add it. [#3]", "서버를 더한다. (3번 발언)", "[#1-99999]", "#3", "3",
    "utterance 3", "1: supported", "12월 22일", "9/10", "80%", '{"summary": []}', "[1", "none", "\u2028", "(owner: Ben)", "1e99", "٣", "²",
]  # fmt: skip
TEXTS = st.sampled_from(WORDS) | st.text(max_size=12)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(KEYS) | TEXTS, inner, max_size=5)
    ),
    max_leaves=20,
)
MARKS = st.sampled_from(
    ["{", "}", "[", "]", '"', "'", ",", ":", "\n", "\n## ", "**", "- ", "1. ", "|", "[#", "(#", "3", "번 발언", "발언 ", "utterance ",
     " — ", "“", "】", "［", "\\", "//", "/*", "```json\n", "summary", "결정", "supported", "According to ", "(", ")", "†", "٣", " "]
)  # fmt: skip
BABBLE = st.lists(MARKS | st.text(max_size=3), max_size=60).map("".join)
DUMPED = VALUES.map(lambda value: json.dumps(value, ensure_ascii=False))


@st.composite
def broken(draw: st.DrawFn) -> str:
    """JSON from which a piece was cut, or into which another was put."""
    text = draw(DUMPED)
    start = draw(st.integers(0, len(text)))
    return text[:start] + draw(BABBLE) + text[draw(st.integers(start, len(text))) :]


REPLIES = DUMPED | BABBLE | broken()


@given(text=REPLIES, shape=st.sampled_from(SHAPES), cut_off_counts=st.booleans())
def test_any_reply_is_read_or_unreadable(text: str, shape: type[BaseModel], cut_off_counts: bool) -> None:
    try:
        found = read(text, shape, cut_off_counts=cut_off_counts).found
    except UnreadableJson:
        return
    if isinstance(found, SummaryDraft):
        summary_of(found, Summary(), said(LINES["ko"]))


@given(text=REPLIES, size=st.integers(1, 40), language=st.sampled_from(["ko", "en"]))
def test_of_any_answer_only_what_cites_what_was_shown_is_let_out(text: str, size: int, language: str) -> None:
    shown, claims, loops = said(LINES[language]), list[Claim](), Loops()
    cited = CitedText(shown, on_claim=claims.append, language=language)
    out = "".join(cited.feed(loops.feed(text[at : at + size])) for at in range(0, len(text), size))
    out += cited.feed(loops.finish()) + cited.finish()
    assert set(cited.evidence) <= {each.id for each in shown}
    assert all(claim.evidence for claim in claims)
    assert not out.strip() or claims
    what_instead(text)
    assert cited_in(without_citations(text)) == [] or "#" in without_citations(text)


RIGHT = {
    "ko": [{"text": "출시일은 12월 22일로 결정되었다.", "evidence": [3]}, {"text": "해외 배포는 하지 않는다.", "evidence": ["#5"]}],
    "en": [{"text": "They add a second server.", "evidence": [3]}, {"text": "They do not move it.", "evidence": ["utterance 5"]}],
}  # fmt: skip


def mixed(right: list[Any], wrong: list[Any], places: list[int]) -> list[Any]:
    items = list(wrong)
    for place, each in zip(sorted(places, reverse=True), reversed(right), strict=True):
        items.insert(min(place, len(wrong)), each)
    return items


@given(
    language=st.sampled_from(["ko", "en"]),
    wrong=st.lists(VALUES, max_size=5),
    places=st.lists(st.integers(0, 5), min_size=2, max_size=2),
    beside=VALUES,
)
def test_right_statements_stand_beside_whatever_is_wrong(
    language: str, wrong: list[Any], places: list[int], beside: Any
) -> None:
    reply = {"summary": wrong, "decisions": mixed(RIGHT[language], wrong, places), "keywords": beside, "x": 1}
    found = read(json.dumps(reply), SummaryDraft).found.decisions
    told = [(each.text, each.evidence) for each in found]
    due = [(str(each["text"]), [id_]) for each, id_ in zip(RIGHT[language], (3, 5), strict=True)]
    assert [each for each in told if each in due] == due


@given(wrong=st.lists(VALUES, max_size=5), places=st.lists(st.integers(0, 5), min_size=2, max_size=2))
def test_right_verdicts_stand_beside_whatever_is_wrong(wrong: list[Any], places: list[int]) -> None:
    right = [{"claim": 71, "verdict": "supported"}, {"claim": "72", "verdict": "not_said", "changed": ["#4"]}]
    found = read(json.dumps({"verdicts": mixed(right, wrong, places)}), VerdictsDraft).found.verdicts
    told = [(each.claim, each.verdict, each.changed) for each in found if each.claim > 70]
    assert told == [(71, "supported", []), (72, "not_said", [4])]


@in_virtual_time
@given(first=REPLIES, second=REPLIES, shape=st.sampled_from(SHAPES))
async def test_asking_gives_the_shape_or_unusable(first: str, second: str, shape: type[BaseModel]) -> None:
    model = CalledModel(ScriptedModel([first], [second]))
    prompt = [ChatMessage(role="user", content="?")]
    try:
        got = await ask(model, prompt, shape, name="x", max_tokens=9, tokenizer=EstimateTokenizer())
    except Unusable:
        return
    assert isinstance(got, shape)


UNITS = [
    "(3번 발언", "[3번][", "(utterance 3, ", "utterances 3 and ", "3번, ", "- 발언 3, ", " — ", "출처: ", "(근거: 발언 ", "\n- 3번 발언: ",
    "in utterance 3,\n", "\n## ", "\n**a", "\n**결정:** ", "**a** ", "1. ", "claim ", "(a: b", "(owner: Ben) ", "- \n", "*_`", '{"결정":',
    '{"a":"{', '{"arguments":"', "[[3],", '{"1":', "#3 ", "1,1 and ", "³", "가",
]  # fmt: skip


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_without_end_costs_no_more_than_its_length(unit: str) -> None:
    """Nothing here may take ten times as long for a text that is four times as long."""
    parts: list[Callable[[str], Any]] = [
        lambda text: as_cited(text, {3}),
        cited_in,
        lambda text: _tried(text, SummaryDraft),
        lambda text: _tried(text, VerdictsDraft),
        lambda text: _tried(json.dumps({"summary": [{"text": text, "evidence": text}]}), SummaryDraft),
    ]
    for part in parts:
        short, long = (_seconds(part, unit * (size // len(unit))) for size in (10_000, 40_000))
        assert long < 10 * short + 0.2


def _tried(text: str, shape: type[BaseModel]) -> None:
    try:
        read(text, shape)
    except UnreadableJson:
        return


def _seconds(part: Callable[[str], Any], text: str) -> float:
    began = process_time()
    part(text)
    return process_time() - began


@in_virtual_time
@given(reply=REPLIES)
async def test_verifying_never_raises(reply: str) -> None:
    lines = said(LINES["ko"])
    claims = [Claim(text=each.text, evidence=(each.id,)) for each in lines[:2]]
    checks = Verifier(CalledModel(ScriptedModel([reply], [reply])), tokenizer=EstimateTokenizer())
    assert len(await checks.verify(claims, lines, language="ko", within_s=5)) == 2


@given(slip=st.sampled_from(SLIPS), language=st.sampled_from(["ko", "en"]), cut=st.integers(0, 400))
def test_a_slip_that_is_cut_off_tells_nothing_false(slip: Any, language: str, cut: int) -> None:
    """A right summary whose form is spoilt, and that ends anywhere, is read as nothing but what it said."""
    rows = [{**each, "evidence": [id_]} for each, id_ in zip(RIGHT[language], (31, 52), strict=True)]
    whole = {"summary": rows, "key_points": rows[:1], "decisions": rows, "pending": [], "keywords": []}
    if "summary" not in slip.purposes or slip.name in {"an_empty_text", "an_item_that_is_none"}:
        return
    text = slip.make(json.dumps(whole, ensure_ascii=False), language)[:cut]
    try:
        draft = read(text, SummaryDraft, cut_off_counts=True).found
    except UnreadableJson:
        return
    right = {(str(row["text"]), (row["evidence"][0],)) for row in rows}
    summary = summary_of(draft, Summary(), ())
    for each in (*summary.sentences, *summary.decisions, *summary.key_points):
        assert not each.evidence or (each.text, each.evidence) in right
