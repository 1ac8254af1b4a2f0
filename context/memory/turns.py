"""One exchange with the agent, and how much it matters (seed 002 §3.2.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pydantic import AwareDatetime

from context.entities.entity import Entity
from context.entities.medical_pack import is_chronic
from context.models import Frozen

_BASE: Final = 0.5
_MOST_FOR_SLOTS: Final = 0.3
_PER_SLOT: Final = 10
_LASTING: Final = 0.2


def importance(slots: Sequence[Entity]) -> float:
    """0.5 + min(0.3, slots/10) + 0.2 for a chronic condition + 0.2 for an allergy; at most 1.0.

    In a meeting a decision counts as an allergy does: it is kept at its first mention.
    """
    chronic = any(is_chronic(entity) for entity in slots)
    at_once = any(entity.kind in ("allergies", "decisions") for entity in slots)
    return min(
        1.0, _BASE + min(_MOST_FOR_SLOTS, len(slots) / _PER_SLOT) + _LASTING * chronic + _LASTING * at_once
    )


class DialogueTurn(Frozen):
    """A question and its answer, with what they name."""

    turn_id: int
    """From 1."""
    user_query: str
    agent_response: str
    extracted_slots: tuple[Entity, ...] = ()
    timestamp: AwareDatetime
    importance: float = _BASE
