"""Vectors of a meeting: what lies close comes first, exactly, and ranks are fused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.primitives.vectors import Vectors
from context.retrieval.ranker import per_utterance, similarities


def unit(count: int, length: int = 8, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, length)).astype(np.float32)
    made: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


@given(st.integers(0, 200), st.integers(0, 2**16))
def test_likenesses_are_those_that_a_full_comparison_gives(count: int, seed: int) -> None:
    rows, query = unit(count, seed=seed), unit(1, seed=seed + 1)[0]
    vectors = {10 * key: row for key, row in enumerate(rows)}
    expected = {10 * place: float(score) for place, score in enumerate(rows @ query)}
    assert similarities(vectors, query) == pytest.approx(expected, abs=1e-6)
    another_model = {1: unit(1, 5)[0]}
    assert similarities(vectors | another_model, query) == pytest.approx(expected, abs=1e-6)


def test_each_utterance_is_as_close_as_its_passage() -> None:
    spans = {0: (0, 3), 1: (3, 5), 2: (6, 9)}
    scores = per_utterance({0: 0.9, 1: 0.8, 2: 0.7, 9: 0.1}, spans, 12)
    assert scores[:4] == pytest.approx([scores[0]] * 4)
    assert scores[0] > scores[4] == pytest.approx(0.0, abs=1e-5)
    assert scores[6] == pytest.approx(-scores[0], abs=1e-5)
    assert scores[10:].tolist() == [0.0, 0.0]
    assert per_utterance({0: 0.9}, spans, 4).tolist() == [0.0] * 4
    assert per_utterance({}, {}, 0).shape == (0,)
