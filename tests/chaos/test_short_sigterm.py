"""`make chaos ARGS=sigterm` and `ARGS=soak`, short."""

from __future__ import annotations

import pytest

from tests.chaos.short import short

pytestmark = [pytest.mark.postgres]


async def test_asked_to_go_a_worker_leaves_everything_saved() -> None:
    await short("sigterm", "--count", "5", "--lanes", "1", "--lines", "40")


async def test_fifteen_speakers_are_kept_up_with() -> None:
    await short("soak", "--hours", "0.1", "--every", "3")
