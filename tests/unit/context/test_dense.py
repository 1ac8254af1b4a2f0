"""Vectors of a meeting: what lies close comes first, exactly, and ranks are fused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.retrieval.ranker import DenseIndex, per_utterance
from context.vectors import Vectors


def unit(count: int, length: int = 8, seed: int = 0) -> Vectors:
    rows = np.random.default_rng(seed).standard_normal((count, length)).astype(np.float32)
    made: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return made


@given(st.integers(0, 200), st.integers(0, 2**16))
def test_likenesses_are_those_that_a_full_comparison_gives(count: int, seed: int) -> None:
    rows, query = unit(count, seed=seed), unit(1, seed=seed + 1)[0]
    index = DenseIndex()
    for key, row in enumerate(rows):
        index.add(10 * key, row)
    expected = {10 * place: float(score) for place, score in enumerate(rows @ query)}
    assert index.similarities(query) == pytest.approx(expected, abs=1e-6)
    assert len(index) == count


def test_a_vector_in_anothers_place_and_one_of_another_length() -> None:
    index, (one, other) = DenseIndex(), unit(2)
    index.add(3, one)
    index.add(3, other)
    assert len(index) == 1
    assert index.vector(3) == pytest.approx(other)
    assert 3 in index
    assert 4 not in index
    with pytest.raises(ValueError, match="5 numbers"):
        index.add(4, unit(1, 5)[0])
    assert index.similarities(unit(1, 5)[0]) == {}
    assert DenseIndex().similarities(one) == {}


def test_each_utterance_is_as_close_as_its_passage() -> None:
    spans = {0: (0, 3), 1: (3, 5), 2: (6, 9)}
    scores = per_utterance({0: 0.9, 1: 0.8, 2: 0.7, 9: 0.1}, spans, 12)
    assert scores[:4] == pytest.approx([scores[0]] * 4)
    assert scores[0] > scores[4] == pytest.approx(0.0, abs=1e-5)
    assert scores[6] == pytest.approx(-scores[0], abs=1e-5)
    assert scores[10:].tolist() == [0.0, 0.0]
    assert per_utterance({0: 0.9}, spans, 4).tolist() == [0.0] * 4
    assert per_utterance({}, {}, 0).shape == (0,)
