"""The attack `files`: `python -m tests.security doors --only files`."""

from __future__ import annotations

import pytest

from tests.security.doors.files import attack

pytestmark = [pytest.mark.postgres]


async def test_no_file_holds_the_dispatcher_up_or_reaches_another() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > 100
