"""The attack `taking_out`: `python -m tests.security doors --only taking_out`."""

from __future__ import annotations

import pytest

from tests.security.doors.taking_out import attack

pytestmark = [pytest.mark.postgres, pytest.mark.long]


async def test_words_go_by_their_speakers_right_or_an_administrators_alone() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > 90
