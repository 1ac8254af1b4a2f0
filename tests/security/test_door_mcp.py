"""The attack `mcp`: `python -m tests.security doors --only mcp`."""

from __future__ import annotations

import pytest

from tests.security.doors.mcp import attack

pytestmark = [pytest.mark.postgres, pytest.mark.long]


async def test_nobody_gets_in_by_mcp_without_the_right_token_or_to_more_than_it_reads() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > 400
