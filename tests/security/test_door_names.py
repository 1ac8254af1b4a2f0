"""The attack `names`: `python -m tests.security doors --only names`."""

from __future__ import annotations

import pytest

from tests.security.doors.names import attack

pytestmark = pytest.mark.postgres


async def test_nobody_is_shown_as_somebody_else() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > 50
