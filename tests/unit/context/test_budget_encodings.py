"""Which encoding a model counts with; no network is asked."""

from __future__ import annotations

import pytest

from context.budget import ExactTokenizer, encoding_for


@pytest.mark.parametrize(
    ("model", "encoding"),
    [("gpt-4o-mini", "o200k_base"), ("gpt-4", "cl100k_base"), ("HCX-007", "o200k_base"), ("", "o200k_base")],
)
def test_models_count_with_their_own_encoding(model: str, encoding: str) -> None:
    assert encoding_for(model) == encoding


def test_encodings_differ_where_it_matters() -> None:
    korean = "출시일은 십이월 이십이일로 결정하겠습니다."
    assert ExactTokenizer("cl100k_base").count(korean) > ExactTokenizer("o200k_base").count(korean) > 0
