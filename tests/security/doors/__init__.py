"""Attacks on Moim's doors, each on real parts: `python -m tests.security doors [--only NAME]`.

One module an attack, with one coroutine `attack(seed) -> Outcome`. What got in is a line each; none is the goal.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Final

ATTACKS: Final = (
    "tenants", "commands", "connections", "requests", "rights", "taking_out", "names", "shares", "files", "memory", "headings",
    "mcp", "forms",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one attack came to."""

    tried: int
    got_in: tuple[str, ...] = ()
    """What should not have been possible and was, a line each."""
    figures: Mapping[str, float | str] = field(default_factory=dict)


async def attack(name: str, seed: int) -> Outcome:
    """Run the attack of this name, one of `ATTACKS`."""
    outcome = await import_module(f"tests.security.doors.{name}").attack(seed)
    assert isinstance(outcome, Outcome), name
    return outcome
