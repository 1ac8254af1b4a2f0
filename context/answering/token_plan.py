"""How one answer's prompt is shared out (seed 002 §3.6.1), in the seed's numbers or a model's budget."""

from __future__ import annotations

from typing import Final

from context.budget import ModelBudget
from context.models import Frozen

_PROFILE: Final = 0.20
_LONGTERM: Final = 0.10
"""Of what system, documents and question leave."""


class TokenPlan(Frozen):
    """Tokens by use; together never more than the manager's total."""

    for_query: int
    for_profile: int
    for_longterm: int
    for_recent: int
    for_docs: int
    for_system: int

    @property
    def total(self) -> int:
        """All of it."""
        return (
            self.for_query
            + self.for_profile
            + self.for_longterm
            + self.for_recent
            + self.for_docs
            + self.for_system
        )


class TokenManager:
    """Makes plans for prompts of one size."""

    def __init__(self, total: int = 4000, *, system: int = 400, docs: int = 900) -> None:
        """The seed's numbers. Raises `ValueError` where the parts do not fit into the total."""
        if min(total, system, docs) < 0 or system + docs > total:
            raise ValueError(f"system {system} and documents {docs} do not fit into {total} tokens")
        self.total, self.system, self.docs = total, system, docs

    @classmethod
    def of(cls, budget: ModelBudget) -> TokenManager:
        """For a model: rules in half of its system share, evidence in three quarters of L0."""
        half = budget.system // 2
        return cls(budget.system + budget.l0 + budget.l1, system=half, docs=budget.l0 * 3 // 4)

    def make_plan(self, query_tokens: int, *, profile: bool = True, longterm: bool = True) -> TokenPlan:
        """`query_tokens`: of the question as it was asked; one that is too long is cut to what there is.

        Without a profile or a long-term memory their shares go to the recent turns.
        """
        room = self.total - self.system - self.docs
        query = min(max(0, query_tokens), room)
        rest = room - query
        for_profile = int(rest * _PROFILE) if profile else 0
        for_longterm = int(rest * _LONGTERM) if longterm else 0
        return TokenPlan(
            for_query=query,
            for_profile=for_profile,
            for_longterm=for_longterm,
            for_recent=rest - for_profile - for_longterm,
            for_docs=self.docs,
            for_system=self.system,
        )
