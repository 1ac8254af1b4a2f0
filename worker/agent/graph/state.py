"""What the steps of one answer hand to each other: seed 002's `AgentState`, and what we add to it.

Every key may be absent until its step has run; a step returns only the keys it sets. Values are data
(no tasks, no connections): what a step works *with* is in `worker.agent.graph.parts`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from context.answering.planning import QueryComplexity
from context.models import AgentContext


class SeedState(TypedDict, total=False):
    """The keys that seed 002 (§2.2) names, exactly."""

    user_text: str
    """The question, as it was asked."""
    conversation_history: Sequence[Any]
    """Earlier turns of the agent's thread, oldest first."""
    slot_out: Mapping[str, Any]
    """What the question names: entities by kind."""
    profile_summary: str
    """What is known of the asker, in plain prose."""
    hierarchical_memory: Any
    """The tiers of the thread, where `hierarchical_memory_enabled`."""
    retrieved_docs: Sequence[Any]
    """The passages in hand, best first."""
    query_vector: Sequence[float] | None
    """The question's embedding, where there is an encoder."""
    context_prompt: str
    """The assembled context."""
    token_plan: Any
    """Shares of the prompt, a `TokenPlan`."""
    answer: str
    """What was said so far."""
    quality_score: float
    """0–1, of the last check."""
    quality_feedback: Mapping[str, Any]
    """The last check's JSON."""
    cache_hit: bool
    cached_response: str | None
    needs_retrieval: bool
    dynamic_k: int
    """How many passages to fetch."""
    query_complexity: QueryComplexity
    compression_stats: Mapping[str, Any]
    hierarchical_contexts: Mapping[str, Any]
    """The tiers' texts for this question: `working`, `compressed`, `semantic`."""
    iteration_count: int
    """How often the query was rewritten."""
    retrieved_docs_history: Sequence[frozenset[str]]
    """Per search, the hashes of its passages."""
    quality_score_history: Sequence[float]


class OrchestrationState(TypedDict, total=False):
    """The keys that seed 000 (§10.3.3) names, exactly."""

    planning_context: str
    required_topics: Sequence[str]
    additional_context: str
    skip_planning: bool
    retry_count: int
    response: str
    meeting_context: AgentContext | None
    """What the call type gets to see of the meeting (seed 000 §4)."""
    call_type: str


class AgentState(SeedState, OrchestrationState, total=False):
    """The seeds' keys, and ours."""

    query: str
    """What is searched for now: the question, read in the light of what came before it, or a rewrite."""
    found_history: Sequence[float]
    """Per search, how well it covered the question."""
    missing_topics: Sequence[str]
    session_context: str
    """The thread and the working tier, as the prompt has them (seed 002 §3.6.2, as the next two)."""
    profile_context: str
    longterm_context: str
    """The semantic and the compressed tier."""
    evidence: Sequence[int]
    declined: bool
    degraded: bool
    stopped_because: str
    """Why no further search was made."""
    corrected: bool
    """Was a correction appended?"""
