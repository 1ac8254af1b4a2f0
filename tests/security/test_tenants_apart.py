"""Two tenants with the same meeting ids see and change nothing of each other, by any door.

All of it: `python -m tests.security doors --only tenants`.
"""

from __future__ import annotations

import pytest

from tests.security.doors.tenants import attack

pytestmark = pytest.mark.postgres


async def test_the_same_ids_live_side_by_side() -> None:
    outcome = await attack(20260105, meetings=3)
    assert outcome.got_in == ()
    assert outcome.figures["meeting_ids_in_both"] == 3
    assert int(outcome.figures["pushes"]) >= 2 * 3 * 4, "both webhooks got what was theirs"
