"""The attack `forms`: `python -m tests.security doors --only forms`."""

from __future__ import annotations

import pytest

from tests.security.doors.forms import attack

pytestmark = [pytest.mark.postgres]


async def test_words_stay_words_and_a_template_within_its_bounds() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > 70
