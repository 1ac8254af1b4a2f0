"""Hundreds of wrong requests at a real dispatcher: each is answered as its sender's fault, the log stays readable."""

from __future__ import annotations

from tests.security.doors.requests import attack


async def test_none_is_a_fault_of_ours() -> None:
    assert (await attack(2, by_rule=60)).got_in == ()
