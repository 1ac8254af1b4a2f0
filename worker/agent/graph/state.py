"""What the steps of one answer hand to each other: what a later step or a route reads, and nothing else.

Every key may be absent until its step has run; a step returns only the keys it sets. Values are data (no
tasks, no connections): what a step works *with*, and what it leaves behind for the reply, is in its `Run`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from context.answering.planning import TokenPlan
from context.corpora.passage import Passage


class AgentState(TypedDict, total=False):
    """The keys of seed 002's `AgentState` (§2.2) and of seed 000 (§10.3.3) that are read here, and ours.

    Ours are `query` and `found_history`, and `stopped_because`, by which the graph finds its way.
    """

    user_text: str
    """The question, as it was asked."""
    query: str
    """What is searched for now: the question, read in the light of what came before it, or a rewrite."""
    cache_hit: bool
    cached_response: str | None
    response: str
    """The answer to small talk, which needs nothing else."""
    needs_retrieval: bool
    required_topics: Sequence[str]
    """The names of the topics that the prompt is to show in full."""
    slot_out: Mapping[str, Any]
    """What the question names: entities by kind."""
    profile_summary: str
    """What is known of the asker, in plain prose."""
    hierarchical_contexts: Mapping[str, str]
    """The tiers' texts for this question: `working`, `compressed`, `semantic`."""
    dynamic_k: int
    """How many passages to fetch."""
    token_plan: TokenPlan
    """The shares of the prompt."""
    retrieved_docs: Sequence[Passage]
    """The passages in hand, best first."""
    retrieved_docs_history: Sequence[frozenset[str]]
    """Per search, the hashes of its passages."""
    found_history: Sequence[float]
    """Per search, how well what was found covers the question, 0 to 1."""
    iteration_count: int
    """How often the query was rewritten."""
    quality_score: float
    """The grade of the last check, 0 to 1."""
    quality_feedback: Mapping[str, Any]
    """The last check's JSON, a dumped `Quality`."""
    quality_score_history: Sequence[float]
    """Per check of an answer, its grade, 0 to 1."""
    stopped_because: str
    """Why there is no further search or correction; "" where there is one."""
