"""`make chaos ARGS=consent`, short: real workers, who die, and people who come and go and have not agreed."""

from __future__ import annotations

import pytest

from tests.chaos.short import short

pytestmark = [pytest.mark.room, pytest.mark.postgres]


async def test_of_who_has_not_agreed_no_frame_reaches_a_track() -> None:
    await short("consent", "--count", "12")
