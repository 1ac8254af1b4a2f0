"""`make chaos ARGS=outages`, short."""

from __future__ import annotations

import pytest

from tests.chaos.short import short

pytestmark = [pytest.mark.postgres]


async def test_killed_servers_cost_no_word() -> None:
    await short("outages", "--meetings", "3", "--away", "3", "--between", "1.5", "--pace", "0.5")
