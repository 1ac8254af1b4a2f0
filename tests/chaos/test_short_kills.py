"""`make chaos ARGS=kills`, short."""

from __future__ import annotations

import pytest

from tests.chaos.short import short

pytestmark = [pytest.mark.postgres]


async def test_killed_twice_a_meeting_is_what_it_would_have_been() -> None:
    await short("kills", "--count", "2", "--lanes", "1", "--lines", "40", "--seed", "4")
