"""How producers share one room: by weight, and what one does not need goes to those who can use it."""

from __future__ import annotations

from collections.abc import Mapping

from context.budgets.allocation import allocate_context_budget
from context.budgets.levels import PER_AGENT_LIMITS, PRODUCERS, AgentLimits, VsLevel


def shared_out(
    wants: Mapping[str, int],
    room: int,
    *,
    producers: Mapping[str, VsLevel] = PRODUCERS,
    limits: Mapping[VsLevel, AgentLimits] = PER_AGENT_LIMITS,
) -> dict[str, int]:
    """Tokens per producer: by weight, none more than it wants, together never more than `room`.

    Who wants less than its weight gives it leaves the rest to the others, by their weights, and so on until
    every want is met or the room is full.
    """
    given = dict.fromkeys(wants, 0)
    waiting = [agent for agent, wanted in wants.items() if wanted > 0]
    left = max(0, room)
    while waiting:
        shares = allocate_context_budget(waiting, left, producers=producers, limits=limits)
        content = [agent for agent in waiting if wants[agent] <= shares[agent]]
        if not content:
            return given | shares
        for agent in content:
            given[agent] = wants[agent]
            left -= wants[agent]
        waiting = [agent for agent in waiting if agent not in content]
    return given
