"""The generator of `moim bench budgets`: seeded, of all sorts, and none above budget."""

from __future__ import annotations

from random import Random

import pytest

from worker.bench import budgets
from worker.commands import bench


def test_a_few_contexts_of_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "CONTEXTS", 260)
    monkeypatch.setattr(budgets, "PROMPTS", 10)
    monkeypatch.setattr(budgets, "_MODELS", budgets._MODELS[:2])
    above, without = budgets.budgets()
    assert above.met is True
    assert above.value == without.value == 0
    assert above.baseline_value is not None
    assert above.baseline_value > 50, "without a budget many would not fit"
    assert bench.quality()["budgets"] is budgets.budgets


def test_the_same_seed_gives_the_same_contexts() -> None:
    one, other = (list(budgets._contexts(Random(1), 20)) for _ in range(2))
    assert one == other
    assert len({limit for _, limit, _, _ in one}) > 1
