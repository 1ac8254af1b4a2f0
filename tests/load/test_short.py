"""The short form of the load: everything is delivered once, and what grows is bounded. No speed is asserted."""

from __future__ import annotations

import json
from itertools import islice, pairwise

import pytest

from tests.load.talk import talk
from tests.load.text import text

pytestmark = [pytest.mark.postgres, pytest.mark.timeout(900)]

_MB_PER_MEETING = 12.0
"""Some 1.5 here; a leak of a connection's buffers or of a model for each meeting would be more."""


async def test_twelve_text_meetings_lose_and_double_nothing_and_cost_little_each() -> None:
    row = await text(12, 6.0, history=3, durable=False, environment={"EMBED_ENGINE": "none"})
    assert row.turns >= 12, "everybody spoke"
    assert (row.lost, row.doubled) == (0, 0)
    assert row.rss_mb_per_meeting < _MB_PER_MEETING
    assert json.loads(json.dumps(row.fields()))["meetings"] == 12


def test_the_talk_is_real_in_both_languages_and_the_same_every_time() -> None:
    for number, letters in ((0, "가나다라"), (1, "abcd")):
        lines = list(islice(talk(number, seed=6), 300))
        assert lines == list(islice(talk(number, seed=6), 300))
        assert 2 <= len({line.speaker for line in lines}) <= 4
        assert any(letter in line.text for line in lines for letter in letters)
        assert all(before.end_ms <= after.start_ms for before, after in pairwise(lines))
        assert 4_000 <= (lines[-1].end_ms - lines[0].end_ms) / 299 <= 6_000
