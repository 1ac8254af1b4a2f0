"""The attack `shares`: `python -m tests.security doors --only shares`."""

from __future__ import annotations

import pytest

from tests.security.doors.shares import attack

pytestmark = [pytest.mark.postgres, pytest.mark.long]


async def test_one_guest_takes_their_share_and_others_are_served() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > 500
