"""What the steps of one answer hand to each other: seed 002's `AgentState`, and what we add to it.

Every key may be absent until its step has run; a step returns only the keys it sets. Values are data
(no tasks, no connections): what a step works *with* is in its `Run`.
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
    """The memory of the thread, a `Remembered`, where `hierarchical_memory_enabled`."""
    retrieved_docs: Sequence[Any]
    """The passages in hand, best first."""
    query_vector: Sequence[float] | None
    """The seed's key for the question's embedding. No step sets it: vectors stay at the `Desk`."""
    context_prompt: str
    """The text of all messages of the answer's prompt."""
    token_plan: Any
    """The shares of the prompt, a `TokenPlan`."""
    answer: str
    """What was said so far."""
    quality_score: float
    """The grade of the last check, 0 to 1."""
    quality_feedback: Mapping[str, Any]
    """The last check's JSON, a dumped `Quality`."""
    cache_hit: bool
    cached_response: str | None
    needs_retrieval: bool
    dynamic_k: int
    """How many passages to fetch."""
    query_complexity: QueryComplexity
    compression_stats: Mapping[str, Any]
    """Tokens of the passages before and after compression, and their ratio; empty where it is off."""
    hierarchical_contexts: Mapping[str, Any]
    """The tiers' texts for this question: `working`, `compressed`, `semantic`."""
    iteration_count: int
    """How often the query was rewritten."""
    retrieved_docs_history: Sequence[frozenset[str]]
    """Per search, the hashes of its passages."""
    quality_score_history: Sequence[float]
    """Per check of an answer, its grade, 0 to 1."""


class OrchestrationState(TypedDict, total=False):
    """The keys that seed 000 (§10.3.3) names, exactly."""

    planning_context: str
    """The meeting in outline, from which topics are chosen."""
    required_topics: Sequence[str]
    """The names of the topics that the prompt is to show in full."""
    additional_context: str
    """The text of those topics."""
    skip_planning: bool
    retry_count: int
    """As `iteration_count`."""
    response: str
    """The answer to small talk, which needs nothing else."""
    meeting_context: AgentContext | None
    """What the call type gets to see of the meeting (seed 000 §4)."""
    call_type: str


class AgentState(SeedState, OrchestrationState, total=False):
    """The seeds' keys, and ours."""

    query: str
    """What is searched for now: the question, read in the light of what came before it, or a rewrite."""
    found_history: Sequence[float]
    """Per search, how well what was found covers the question, 0 to 1."""
    missing_topics: Sequence[str]
    """Required topics that the meeting does not have."""
    session_context: str
    """The thread and the memory's working tier, as the prompt has them (seed 002 §3.6.2, as the next two)."""
    profile_context: str
    """What is known of the asker, as the prompt has it."""
    longterm_context: str
    """The memory's semantic and compressed tiers."""
    evidence: Sequence[int]
    """As `Run` has it, like the next two."""
    declined: bool
    degraded: bool
    stopped_because: str
    """Why there is no further search or correction; "" where there is one."""
    corrected: bool
    """Whether a correction was appended."""
