"""The plan of an answer: topics in full, a number of passages, and shares of its prompt.

- Topics: seed 000's first stage (§10.3.3, §10.4). A language model that reads the planning input names them
  (`Plan`); without one a topic is needed if its name or keywords hold what is asked about.
- Passages: more of them for a question that asks for more (seed 002 §3.4.2).
- Shares of the prompt (seed 002 §3.6.1), in the seed's numbers or from a model's budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from context.budgets.tokens import ModelBudget
from context.features import Features
from context.models import Frozen, TopicSegment
from context.retrieval.question_subject import coverage, topic_words

MOST_TOPICS: Final = 4
"""Topics that an answer is given in full, at most."""
_MIN_SCORE: Final = 0.5
"""Least share of a question's topic words that a topic's name and keywords must hold."""


class Plan(Frozen):
    """A language model's plan: the names of the topics that an answer needs in full."""

    required_topics: list[str] = Field(default_factory=list, max_length=12)


def topics_by_words(question: str, segments: Sequence[TopicSegment]) -> list[str]:
    """Names of the topics that a question is about, best first, of equal ones the newest; [] for none."""
    asked_about = topic_words(question)
    if not asked_about:
        return []
    scored = [
        (coverage(asked_about, " ".join((segment.name, *segment.keywords))), place, segment.name)
        for place, segment in enumerate(segments)
    ]
    best = sorted((row for row in scored if row[0] >= _MIN_SCORE), reverse=True)
    return list(dict.fromkeys(name for _, _, name in best))[:MOST_TOPICS]


QueryComplexity = Literal["simple", "moderate", "complex"]

_SIMPLE_LIMITS: Final = (1, 20)
_MODERATE_LIMITS: Final = (3, 50)
"""Most concepts and most characters of such a question."""


def complexity_of(question: str, concepts: int) -> QueryComplexity:
    """The complexity of a question (seed 002 §3.4.2). `concepts`: how many things it names."""
    chars = len(question.strip())
    if concepts <= _SIMPLE_LIMITS[0] and chars <= _SIMPLE_LIMITS[1]:
        return "simple"
    return "moderate" if concepts <= _MODERATE_LIMITS[0] and chars <= _MODERATE_LIMITS[1] else "complex"


def k_for(complexity: QueryComplexity, features: Features) -> int:
    """How many passages a question of this complexity is given: 3, 8 or 15 by default."""
    return {
        "simple": features.simple_query_k,
        "moderate": features.moderate_query_k,
        "complex": features.complex_query_k,
    }[complexity]


_PROFILE: Final = 0.20
_LONGTERM: Final = 0.10
"""Shares of the tokens that system, documents and question leave."""


class TokenPlan(Frozen):
    """The tokens of a prompt by use (seed 002 §3.6.1); together never more than the manager's total."""

    for_query: int
    for_profile: int
    for_longterm: int
    for_recent: int
    for_docs: int
    for_system: int


class TokenManager:
    """Seed 002's `TokenManager` (§3.6.1): shares out prompts of one size."""

    def __init__(self, total: int = 4000, *, system: int = 400, docs: int = 900) -> None:
        """`total` tokens of which `system` and `docs` are fixed, by default with the seed's numbers.

        Raises `ValueError` where those do not fit into the total, or one is negative.
        """
        if min(total, system, docs) < 0 or system + docs > total:
            raise ValueError(f"system {system} and documents {docs} do not fit into {total} tokens")
        self.total, self.system, self.docs = total, system, docs

    @classmethod
    def of(cls, budget: ModelBudget) -> TokenManager:
        """A manager for a model: rules in half of its system share, documents in three quarters of L0."""
        half = budget.system // 2
        return cls(budget.system + budget.l0 + budget.l1, system=half, docs=budget.l0 * 3 // 4)

    def make_plan(self, query_tokens: int, *, profile: bool = True, longterm: bool = True) -> TokenPlan:
        """The plan for a question of so many tokens; one that is too long is cut to what there is.

        Without a `profile` or a `longterm` memory their shares go to the recent turns.
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
