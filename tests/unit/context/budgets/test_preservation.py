"""What is kept when not everything fits, and at which level."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budgets.allocation import FACTORS, calculate_priority
from context.budgets.output import TARGET_TOKENS, AgentOutput, Alternative, CompressionLevel, NextAgent
from context.budgets.preservation import (
    compressed,
    select_context_to_preserve,
    summarize_output,
)
from context.budgets.templates import SUMMARY_TEMPLATES, filled
from context.budgets.tokens import BUDGETS, EstimateTokenizer, ExactTokenizer
from context.language.questions import sentences
from tests.unit.context.samples import LINES, load_lines

EXACT = ExactTokenizer()
ESTIMATE = EstimateTokenizer()
KO_TEXT = " ".join(text for _, text in load_lines("ko-release-planning"))
EN_TEXT = " ".join(text for _, text in load_lines("en-sprint-review"))

DECIDED = AgentOutput(
    agent_id="05",
    content="긴 원문입니다. " * 2000,
    decision="12월 22일 출시",
    t_score=0.35,
    confidence=0.82,
    reasons=("결제 테스트가 끝난다", "고객과 약속했다", "연말 전이다", "넷째 이유"),
    alternatives=(Alternative(text="15일", t_score=0.6), Alternative(text="1월")),
    strength="근거가 분명하다",
    weakness="일정이 빠듯하다",
    improvement="예비일을 둔다",
    next_agents=(NextAgent(agent="10-statistical", reason="수치 확인"),),
)


def test_the_five_factors() -> None:
    assert dict(FACTORS) == {
        "recency": 0.3, "vs_level": 0.25, "confidence": 0.2, "dependencies": 0.15, "user_relevance": 0.1,
    }  # fmt: skip
    assert calculate_priority({}) == pytest.approx(
        0.5 * 0.3 + 0.4 * 0.25 + 0.5 * 0.2 + 0.3 * 0.15 + 0.5 * 0.1
    )
    best = {"recency_score": 1, "confidence": 1, "has_dependents": True, "relevance_score": 1}
    assert calculate_priority({**best, "vs_level": "full"}) == pytest.approx(1.0)
    assert calculate_priority({"vs_level": "enhanced"}) - calculate_priority({}) == pytest.approx(0.25 * 0.3)


def test_level_1_tells_everything_that_is_known() -> None:
    text = filled(SUMMARY_TEMPLATES["level_1_detailed"], DECIDED)
    for words in (
        "Agent 05", "12월 22일 출시", "0.35", "82/100", "1. 결제 테스트가 끝난다", "3. 연말 전이다", "15일 (T=0.6)",
        "1월 (T=-)", "근거가 분명하다", "일정이 빠듯하다", "예비일을 둔다", "10-statistical: 수치 확인",
    ):  # fmt: skip
        assert words in text
    assert "넷째 이유" not in text


def test_levels_2_and_3_are_short() -> None:
    brief = filled(SUMMARY_TEMPLATES["level_2_brief"], DECIDED)
    assert "(T=0.35, 신뢰도=82)" in brief
    assert "결제 테스트가 끝난다; 고객과 약속했다; 연말 전이다" in brief
    assert "15일 (T=0.6); 1월" in brief
    assert "10-statistical" in brief
    assert filled(SUMMARY_TEMPLATES["level_3_key"], DECIDED) == "[05] 12월 22일 출시 | T=0.35 | 82/100"


def test_what_is_not_known_is_left_out() -> None:
    bare = AgentOutput(agent_id="x", decision="Ship it in {0.__class__}", confidence=0.5)
    text = filled(SUMMARY_TEMPLATES["level_1_detailed"], bare)
    assert "Ship it in {0.__class__}" in text, "braces in what was said are only text"
    assert not any(words in text for words in ("###", "None"))


@pytest.mark.parametrize("text", [KO_TEXT * 8, EN_TEXT * 8], ids=["ko", "en"])
def test_each_level_keeps_its_size_by_true_count(text: str) -> None:
    for level in CompressionLevel:
        told = summarize_output(AgentOutput(agent_id="a", content=text), level, tokenizer=EXACT)
        assert 0 < EXACT.count(told.content) <= TARGET_TOKENS[level]
        assert EXACT.count(told.content) > TARGET_TOKENS[level] * 0.6 or told.content == text
        assert told.level == level


@pytest.mark.parametrize(("text", "kept"), [(KO_TEXT, "십이월 이십이일"), (EN_TEXT, "second server")])
def test_compression_keeps_whole_sentences_of_weight(text: str, kept: str) -> None:
    short = compressed(text, EXACT.count(text) * 2 // 3, EXACT)
    assert kept in short
    assert set(sentences(short)) <= set(sentences(text))


def test_a_short_block_is_left_alone_and_a_known_decision_goes_by_its_template() -> None:
    short = AgentOutput(agent_id="a", content="짧다.")
    assert summarize_output(short, 3).content == "짧다."
    assert summarize_output(DECIDED, 3).content == "[05] 12월 22일 출시 | T=0.35 | 82/100"
    assert summarize_output(summarize_output(DECIDED, 3), 1).level is CompressionLevel.KEY, (
        "it does not grow back"
    )


def block(name: str, tokens: int, **more: Any) -> AgentOutput:
    return AgentOutput(agent_id=name, content=" ".join(["word"] * tokens), **more)


def test_the_best_comes_first_and_what_does_not_fit_comes_at_level_2() -> None:
    blocks = [block("low", 3000, recency_score=0.1), block("high", 3000, vs_level="full", recency_score=1)]
    kept = select_context_to_preserve(blocks, 4100, tokenizer=EXACT)
    assert [(b.agent_id, int(b.level)) for b in kept] == [("high", 0), ("low", 2)]
    assert kept.dropped == ()
    smaller = select_context_to_preserve(blocks, 3500, tokenizer=EXACT)
    assert [b.level for b in smaller] == [CompressionLevel.FULL, CompressionLevel.KEY]


def test_what_fits_at_no_level_is_dropped_and_named() -> None:
    kept = select_context_to_preserve(
        [block("a", 500, recency_score=1), block("b", 500)], 520, tokenizer=EXACT
    )
    assert [b.agent_id for b in kept] == ["a"]
    assert kept.dropped == ("b",)


def test_critical_ones_lose_as_little_as_can_be() -> None:
    blocks = [block("05", 4000), block("01", 2000, recency_score=0)]
    kept = select_context_to_preserve(blocks, 3900, tokenizer=EXACT, critical=frozenset({"05"}))
    assert {b.agent_id: int(b.level) for b in kept} == {"05": 1, "01": 3}


def test_the_seeds_plain_dictionaries_will_do() -> None:
    kept = select_context_to_preserve([{"agent_id": "02", "content": "a b c", "vs_level": "full"}], 100)
    assert [b.agent_id for b in kept] == ["02"]


def test_newest_turn_decisions_and_actions_stay_whatever_the_others_bring() -> None:
    texts = {
        "newest": "What about the second server?",
        "decisions": "- 출시일은 12월 22일로 결정했다.",
        "actions": "- Ben: order the server by Thursday",
    }
    protected = [
        AgentOutput(agent_id=name, content=text, protected=True, recency_score=0)
        for name, text in texts.items()
    ]
    others = [block(f"o{n}", 300, vs_level="full", recency_score=1.0, confidence=1.0) for n in range(20)]
    kept = select_context_to_preserve([*others, *protected], 400, tokenizer=EXACT)
    text = "\n\n".join(one.content for one in kept)
    assert all(one.content in text for one in protected)
    assert EXACT.count(text) <= 400
    assert len(kept) <= 4


CONTENT = st.one_of(
    st.lists(st.sampled_from(LINES), max_size=60).map(" ".join),
    st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), max_size=200),
    st.text(max_size=120),
    st.sampled_from(["x" * 5000, "가" * 3000, "🎉" * 400, "\n\n\n", ""]),
)
SCORE = st.floats(0, 1)
OUTPUTS = st.lists(
    st.builds(
        AgentOutput,
        agent_id=st.sampled_from(["transcript", "topics", "thread", "05", "x"]),
        content=CONTENT,
        vs_level=st.sampled_from(["full", "enhanced", "light"]),
        recency_score=SCORE,
        confidence=SCORE,
        has_dependents=st.booleans(),
        relevance_score=SCORE,
        protected=st.booleans(),
        decision=st.sampled_from(["", "12월 22일 출시"]),
    ),
    max_size=12,
)


@settings(max_examples=200, deadline=None)
@given(
    OUTPUTS,
    st.sampled_from(BUDGETS),
    st.integers(-5, 6000),
    st.booleans(),
)
def test_no_context_is_ever_above_its_budget(
    outputs: list[AgentOutput], model: Any, room: int, exact: bool
) -> None:
    tokenizer = EXACT if exact else ESTIMATE
    limit = min(room, model.window - model.answer)
    kept = select_context_to_preserve(outputs, limit, tokenizer=tokenizer).in_order()
    assert sum(EXACT.count(one.content) for one in kept) <= max(0, limit)
    assert len(kept) <= len(outputs)
    roomy = limit >= 2000
    if roomy:
        wanted = [o for o in outputs if o.protected and o.content.strip()]
        there = [o for o in kept if o.protected and o.content]
        assert len(there) >= len(wanted)


@settings(max_examples=100, deadline=None)
@given(OUTPUTS, st.integers(0, 3000))
def test_each_block_is_kept_or_named_as_dropped(outputs: list[AgentOutput], budget: int) -> None:
    told = [o for o in outputs if o.content and not o.protected]
    kept = select_context_to_preserve(told, budget, tokenizer=ESTIMATE)
    assert len(kept) + len(kept.dropped) == len(told)
