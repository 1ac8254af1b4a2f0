"""The generator of `python -m tests.bench budgets`: seeded, of all sorts, none above budget or without what must stand."""

from __future__ import annotations

from random import Random

import pytest

from tests.bench import budgets, needed
from tests.bench.measures import QUALITY


def test_a_few_prompts_of_the_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budgets, "_SIZES", (0, 2, 20, 60))
    monkeypatch.setattr(budgets, "_EACH", 1)
    above, *lacking = budgets.budgets(prompts=120)
    assert above.met is True
    assert [figure.value for figure in (above, *lacking)] == [0, 0, 0, 0]
    assert above.baseline_value is not None
    assert above.baseline_value > 10, "without a budget many would not fit"
    assert QUALITY["budgets"] is budgets.budgets


def test_the_same_seed_gives_the_same_texts_and_meetings() -> None:
    one, other = (budgets._texts(Random(1)) for _ in range(2))
    assert one == other
    meetings = [budgets._meeting(Random(2), one, 20).meeting for _ in range(2)]
    assert meetings[0].segments[:4] == meetings[1].segments[:4]
    assert any(topic.notes.decisions for topic in meetings[0].segments)


async def test_the_needed_utterance_is_looked_for_in_the_prompt_that_is_sent() -> None:
    trials = needed.trials("ko")[:1]
    tally = await needed._asked([needed.joined(trials)], needed.SMALL, last=True)
    asked = [ask for ask in trials[0]["asks"] if ask["evidence"] and not ask["declined"]]
    assert len(tally.stands) == len(asked) > 5
    assert tally.share == 1.0, tally.missed
    assert QUALITY["needed"] is needed.needed
