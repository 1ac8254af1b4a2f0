"""Whatever is sent to the API and to the webhook, it is an answer below 500, in JSON, and no traceback."""

from __future__ import annotations

from tests.security.doors import attack


async def test_nothing_of_it_is_our_fault() -> None:
    outcome = await attack("requests", 1)
    assert outcome.tried > 500
    assert outcome.got_in == ()
