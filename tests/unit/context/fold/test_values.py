"""The short cuts of the fold give what the long way gives."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budgets.tokens import EstimateTokenizer, ExactTokenizer
from context.events.older_records import STATE_VERSION
from context.fold.snapshot import stamps
from context.fold.window import RoughTokenizer, Window
from context.models import Summary, TopicSegment, Utterance
from context.ports import Tokenizer
from context.primitives.values import changed, made
from tests.unit.context.samples import utter

WORDS = ("서버", "서버를", "예산", "출시", "일정", "비용은", "search", "budget", "the", "index", "2026", "네")
texts = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


def utterance(number: int, text: str = "안녕하세요") -> Utterance:
    """With all of its fields set."""
    return Utterance(**utter(number, "a", text).model_dump())


def same(one: Any, other: Any) -> bool:
    return bool(
        one == other
        and repr(one) == repr(other)
        and one.model_dump_json() == other.model_dump_json()
        and one.model_dump(exclude_unset=True) == other.model_dump(exclude_unset=True)
    )


def test_a_value_made_by_hand_is_a_validated_one() -> None:
    value = made(Utterance, utterance(3).model_dump())
    assert same(value, utterance(3))
    assert hash(value) == hash(utterance(3))
    with pytest.raises(ValueError, match="frozen"):
        value.text = "other"  # type: ignore[misc]  # that it cannot is the point


def test_a_changed_value_is_a_model_copy() -> None:
    segment = TopicSegment(id="t1", name="Intro", start_utterance_id=1, end_utterance_id=4)
    changes = {"end_utterance_id": 9, "notes": Summary(text="요약"), "version": 2}
    assert same(changed(segment, changes), segment.model_copy(update=changes))
    assert segment.end_utterance_id == 4
    assert "version" not in segment.model_fields_set
    stamp = {"topic": "예산", "topic_id": "t2"}
    for said in (utterance(1), utter(2, "a", "안녕하세요")):
        assert same(changed(said, stamp), said.model_copy(update=stamp))
        assert said.topic is None


def test_a_snapshot_tells_the_topic_of_each_utterance() -> None:
    topics = [
        {"name": "Intro", "id": "t1", "start_utterance_id": 1, "end_utterance_id": 2},
        {"name": "예산", "id": "t2", "start_utterance_id": 3, "end_utterance_id": 3},
    ]
    told = stamps({"version": STATE_VERSION, "topics": {"segments": topics}})
    assert [next(told) for _ in range(4)] == [("Intro", "t1"), ("Intro", "t1"), ("예산", "t2"), (None, None)]
    assert next(stamps({})) == (None, None)


def window(turns: int, tokens: int) -> Window:
    return Window(RoughTokenizer().count, timestamps=True, max_turns=turns, max_tokens=tokens)


@given(st.lists(texts, min_size=1, max_size=30), st.integers(1, 6), st.integers(1, 40), st.integers(0, 12))
def test_a_window_begins_anew_as_if_it_were_filled_anew(
    said: list[str], turns: int, tokens: int, back: int
) -> None:
    archive = [utterance(n, text) for n, text in enumerate(said, 1)]
    begun, again = window(turns, tokens), window(turns, tokens)
    for each in archive:
        begun.add(each)
        begun.trim()
    first = max(1, len(archive) + 1 - back)
    again.refill(archive[first - 1 :])
    begun.refresh(archive, first)
    for _ in range(2):
        assert (begun.utterances, begun.tokens) == (again.utterances, again.tokens)
        begun.trim()
        again.trim()


@settings(deadline=None)
@given(
    texts | st.text(max_size=60), st.sampled_from([RoughTokenizer(), EstimateTokenizer(), ExactTokenizer()])
)
def test_what_is_not_counted_is_never_taken_for_too_little(text: str, tokenizer: Tokenizer) -> None:
    tokens = 9 + tokenizer.count(f"A: {text}")
    for most, over in ((tokens, False), (tokens - 1, True)):
        filled = Window(tokenizer.count, timestamps=True, max_turns=2, max_tokens=most)
        filled.add(utterance(1, text))
        assert filled.over == over


@given(
    st.lists(st.tuples(texts, st.booleans()), max_size=40),
    st.integers(1, 6),
    st.integers(1, 60),
    st.integers(0, 40),
)
def test_a_window_holds_the_same_whenever_it_counts(
    said: list[tuple[str, bool]], turns: int, tokens: int, keep: int
) -> None:
    now, late = window(turns, tokens), window(turns, tokens)
    for number, (text, looks) in enumerate(said, 1):
        for each in (now, late):
            each.add(utterance(number, text))
        assert now.tokens == sum(9 + RoughTokenizer().count(f"A: {u.text}") for u in now.utterances)
        for each in (now, late):
            each.trim(keep_from=keep or None)
        assert now.utterances == late.utterances
        assert now.over == late.over
        assert not looks or now.tokens == late.tokens
