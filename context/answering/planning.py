"""Seed 000's first stage (§10.3.3, §10.4): which earlier topics does an answer need in full?

With a language model that reads the planning input and names topics, or, without one, by words: a topic
is needed where its name or its keywords hold what is asked about.

How much a question asks for, and how many passages that is worth (seed 002 §3.4.2).

How one answer's prompt is shared out (seed 002 §3.6.1), in the seed's numbers or a model's budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from context.budget import ModelBudget
from context.features import Features
from context.models import Frozen, TopicSegment
from context.retrieval.questions import coverage, topic_words

MOST_TOPICS: Final = 4
_LEAST: Final = 0.5


class Plan(Frozen):
    """What planning decided: the topics that an answer needs in full."""

    required_topics: list[str] = Field(default_factory=list, max_length=12)


def topics_by_words(question: str, segments: Sequence[TopicSegment]) -> list[str]:
    """Names of the topics that a question is about, best first; none where it names nothing."""
    topic = topic_words(question)
    scored = [
        (-coverage(topic, " ".join((segment.name, *segment.keywords))), -place, segment.name)
        for place, segment in enumerate(segments if topic else ())
    ]
    best = sorted(row for row in scored if -row[0] >= _LEAST)
    return list(dict.fromkeys(name for _, _, name in best))[:MOST_TOPICS]


QueryComplexity = Literal["simple", "moderate", "complex"]

_SIMPLE: Final = (1, 20)
_MODERATE: Final = (3, 50)
"""Most concepts and most characters."""


def complexity_of(question: str, concepts: int) -> QueryComplexity:
    """`concepts`: how many things the question names."""
    chars = len(question.strip())
    if concepts <= _SIMPLE[0] and chars <= _SIMPLE[1]:
        return "simple"
    return "moderate" if concepts <= _MODERATE[0] and chars <= _MODERATE[1] else "complex"


def k_for(complexity: QueryComplexity, features: Features) -> int:
    """Passages to fetch: 3, 8 or 15 by default."""
    return {
        "simple": features.simple_query_k,
        "moderate": features.moderate_query_k,
        "complex": features.complex_query_k,
    }[complexity]


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
