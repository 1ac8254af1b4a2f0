"""What the steps of an answer know: k by complexity, the token plan, the stops, quality, follow-ups, template."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.answering.follow_up import PastQuestion, answered_by_history, follow_up, is_follow_up
from context.answering.planning import TokenManager, complexity_of, k_for, topics_by_words
from context.answering.quality import Quality, answer_quality, found_quality, overlap, retry_query, stop
from context.budgets.tokens import budget_for
from context.corpora.passage import Passage
from context.features import Features
from context.models import TopicSegment
from context.plain.answer import QuotedAnswer
from context.plain.outside_quotes import with_outside_quotes
from tests.unit.cases import cases


@pytest.mark.parametrize(
    ("question", "concepts", "kind", "k"),
    [
        ("출시일이 언제예요?", 1, "simple", 3),
        ("When is it?", 1, "simple", 3),
        ("출시일이 언제로 결정됐는지 알려 주세요", 1, "moderate", 8),
        ("What did we decide about the server?", 2, "moderate", 8),
        ("출시일?", 4, "complex", 15),
        ("x" * 51, 0, "complex", 15),
    ],
)
def test_complexity_as_the_seed_has_it(question: str, concepts: int, kind: str, k: int) -> None:
    found = complexity_of(question, concepts)
    assert (found, k_for(found, Features())) == (kind, k)


def test_the_seeds_token_plan() -> None:
    plan = TokenManager().make_plan(100)
    assert (plan.for_system, plan.for_docs, plan.for_query) == (400, 900, 100)
    assert (plan.for_profile, plan.for_longterm, plan.for_recent) == (520, 260, 1820)
    assert sum(plan.model_dump().values()) == 4000


@given(
    st.integers(0, 20_000),
    st.booleans(),
    st.booleans(),
    st.sampled_from(
        [
            TokenManager(),
            *(TokenManager.of(budget_for(name)) for name in ("HCX-003", "HCX-DASH-002", "gpt-5")),
        ]
    ),
)
def test_a_plan_never_exceeds_its_total(
    query: int, profile: bool, longterm: bool, manager: TokenManager
) -> None:
    plan = manager.make_plan(query, profile=profile, longterm=longterm)
    assert sum(plan.model_dump().values()) <= manager.total
    assert min(plan.model_dump().values()) >= 0
    rest = manager.total - plan.for_system - plan.for_docs - plan.for_query
    assert plan.for_profile <= 0.2 * rest + 1
    assert plan.for_longterm <= 0.1 * rest + 1


def test_parts_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="do not fit into 1000"):
        TokenManager(1000, system=400, docs=900)


def test_overlap_is_jaccard() -> None:
    assert overlap(frozenset("abcd"), frozenset("bcde")) == 3 / 5
    assert overlap(frozenset(), frozenset()) == 1


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, None),
        ({"quality": 0.7}, "good"),
        ({"rewrites": 2}, "most_rewrites"),
        ({"rewrites": 1, "most_rewrites": 1}, "most_rewrites"),
        ({"remaining_s": 0.5}, "deadline"),
        ({"documents": [frozenset("abcde"), frozenset("abcde")]}, "same_documents"),
        ({"documents": [frozenset("abcd"), frozenset("abcde")]}, None),
        ({"scores": [0.3, 0.34]}, "no_gain"),
        ({"scores": [0.3, 0.36]}, None),
    ],
)
def test_stops(changes: dict[str, object], why: str | None) -> None:
    given = {
        "quality": 0.2, "rewrites": 0, "most_rewrites": 2, "documents": [], "scores": [], "remaining_s": 5.0,
        "needed_s": 1.0,
    } | changes  # fmt: skip
    assert stop(given.pop("quality"), **given) == why  # type: ignore[arg-type] # a table of changes


@pytest.mark.parametrize(
    ("feedback", "query"),
    [
        ({"suggested_query": "server order", "missing_info": ("x",)}, "server order"),
        ({"missing_info": ("담당자", "기한")}, "질문 담당자 기한"),
        ({}, "질문"),
    ],
)
def test_the_retry_query(feedback: dict[str, object], query: str) -> None:
    base = {"grounding_score": 1, "completeness_score": 1, "overall_quality": 0.1}
    assert retry_query("질문", Quality.model_validate(base | feedback)) == query


@cases
def test_quality_by_words(question: str, answer: str, source: str, good: bool) -> None:
    quality = answer_quality(question, answer, (3,), {3: source})
    assert (quality.grounding_score == 10) is good
    assert 0 <= quality.overall_quality <= 1


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("예산이 얼마예요?", "출시일은 22일입니다.", "예산"),
        ("What about the budget?", "The release is on Friday.", "budget"),
    ],
)
def test_what_a_search_did_not_find_is_named(question: str, text: str, missing: str) -> None:
    quality = found_quality(question, [text])
    assert quality.needs_retrieval
    assert missing in quality.missing_info
    assert found_quality(question, []).overall_quality == 0


@cases
def test_follow_ups(before: str, question: str, read: str) -> None:
    found = follow_up(question, [PastQuestion(before, "…")])
    assert (question if found is None else found.text) == read
    assert follow_up(question, []) is None


def test_a_follow_up_that_the_last_answer_holds() -> None:
    assert is_follow_up("그럼 서버 비용은?")
    assert not is_follow_up("서버 비용이 얼마예요?")
    assert answered_by_history(
        "그럼 서버 비용은?", [PastQuestion("서버는요?", "서버 비용은 삼백 달러입니다.")]
    )
    assert answered_by_history(
        "And the server?", [PastQuestion("?", "The server costs three hundred dollars.")]
    )
    assert not answered_by_history(
        "그럼 예산은?", [PastQuestion("서버는요?", "서버 비용은 삼백 달러입니다.")]
    )


def test_topics_are_named_by_words() -> None:
    segments = [
        TopicSegment(id="t1", name="출시일", start_utterance_id=1, end_utterance_id=2),
        TopicSegment(
            id="t2", name="Budget review", start_utterance_id=3, end_utterance_id=4, keywords=["예산"]
        ),
    ]
    assert topics_by_words("예산이 얼마예요?", segments) == ["Budget review"]
    assert topics_by_words("What was the budget?", segments) == ["Budget review"]
    assert topics_by_words("무엇을 결정했나요?", segments) == []


@cases
def test_what_this_meeting_does_not_hold_is_quoted_from_elsewhere(
    language: str, question: str, text: str, line: str
) -> None:
    declined = QuotedAnswer(text="no", evidence=(), certainty="none", call_type="SEARCH")
    page = Passage(corpus="document", source_id="d", position=0, text=text, title="가격표", page=3)
    found = with_outside_quotes(question, [page], language=language, besides=declined)
    assert line in found.text
    assert not found.declined
    assert found.sources == ("가격표 p. 3",)
    meeting = Passage(corpus="earlier", source_id="m", position=0, text=f"Ben: {text}", title="Kick-off")
    assert (
        "- **Ben** (Kick-off): "
        in with_outside_quotes(question, [meeting], language=language, besides=declined).text
    )
    assert with_outside_quotes("펭귄 전시가 언제죠?", [page], language=language, besides=declined) == declined
