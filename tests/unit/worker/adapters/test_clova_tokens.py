"""HyperCLOVA X's tokens are never undercounted, as far as anybody outside knows them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.budgets.tokens import ExactTokenizer
from tests.fakes import clova_studio_rules as rules
from worker.adapters.clova_tokens import MESSAGE_TOKENS, ClovaTokenizer

BOUND = ClovaTokenizer()
EXACT = ExactTokenizer()
PUBLISHED = [(item["text"], item["count"]) for item in rules.published()["messages"]]


@pytest.mark.parametrize(("text", "count"), PUBLISHED)
def test_what_naver_published_is_within_the_bound(text: str, count: int) -> None:
    assert count <= BOUND.count(text) + MESSAGE_TOKENS


def test_openai_s_encoding_would_have_undercounted_korean() -> None:
    """The reason for a tokenizer of its own."""
    under = [text for text, count in PUBLISHED if EXACT.count(text) < count]
    assert len(under) == 5


def test_the_published_schema_is_within_the_bound() -> None:
    schema = rules.published()["schema"]
    assert schema["count"] <= BOUND.count(json.dumps(schema["schema"], ensure_ascii=False))


@given(st.integers(0, 10**40))
def test_at_most_one_token_a_digit(number: int) -> None:
    assert BOUND.count(str(number)) >= len(str(number))
