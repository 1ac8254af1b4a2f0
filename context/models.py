"""The nouns of a meeting, under the names that seed 000 gives them (§10.2.2).

All of them are values: frozen, comparable, and serialisable without loss. Times inside a
meeting are milliseconds from its start; `datetime`s are UTC-aware.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field


class Frozen(BaseModel):
    """A value: equal by content, never changed in place."""

    model_config = ConfigDict(frozen=True)


class Utterance(Frozen):
    """One turn of one speaker in meeting time; the unit of everything after STT."""

    id: int
    """From 1, in fold order; 0 asks the manager to number it."""
    speaker_id: str
    speaker_name: str
    text: str
    start_ms: int
    end_ms: int
    confidence: float | None = None
    """0–1, or None where the engine gives none."""
    absolute_timestamp: AwareDatetime
    """Meeting start + `start_ms`; not when the text arrived."""
    topic: str | None = None
    topic_id: str | None = None
    language: str | None = None
    key: str | None = None
    """The sender's own id of this utterance: the same key twice counts once."""
    source: tuple[int, int] | None = None
    """First and last 0-based input line, for text input."""
    times_derived: bool = False
    """The input gave no times: these come from a speaking rate."""
    heard: str | None = None
    """What the engine had heard, where a person has put the text right."""
    corrected_by: str | None = None


StatementStatus = Literal["open", "done", "decided", "superseded"]
PendingKind = Literal["action", "open"]


class Statement(Frozen):
    """One sentence of a summary, with the utterances that it rests on."""

    text: str
    evidence: tuple[int, ...]
    owner: str | None = None
    due: str | None = None
    status: StatementStatus | None = None
    superseded_by: str | None = None
    kind: PendingKind | None = None
    """Of a pending item: somebody's task, or a question left open."""
    replaces: tuple[int, ...] = ()
    """Of a decision: the last utterance of each decision that it takes the place of, in any topic."""
    corrected_by: str | None = None
    """Who confirmed or edited it; no engine changes it then."""
    quoted: bool = False
    """Somebody's words that the configured model has not read yet: they stand in until it has."""


class Contradiction(Frozen):
    """Something was said that does not fit a decision, and nothing was decided anew."""

    text: str
    evidence: tuple[int, ...]
    decision: str
    decision_evidence: tuple[int, ...]


class Summary(Frozen):
    """What is known of one topic: every field is written anew by every update."""

    text: str = ""
    sentences: tuple[Statement, ...] = ()
    """The sentences of `text`, each with its evidence."""
    key_points: tuple[Statement, ...] = ()
    decisions: tuple[Statement, ...] = ()
    pending: tuple[Statement, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    participants: tuple[str, ...] = ()
    """Speaker ids, in order of first appearance."""
    keywords: tuple[str, ...] = ()
    verified: bool | None = None
    """Whether a verifier has held what a model wrote against the talk; None where no model wrote it."""


TopicReason = Literal["start", "keyword", "semantic", "llm"]


class TopicSegment(BaseModel):
    """A topic of the meeting and its summary: L1. Seed 000's fields, with the evidence beside them."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    summary: str = ""
    start_utterance_id: int
    end_utterance_id: int
    key_points: list[str] = Field(default_factory=list)
    keywords: list[str] = Field(default_factory=list)
    key_decisions: list[str] = Field(default_factory=list)
    pending_items: list[str] = Field(default_factory=list)
    participants: list[str] = Field(default_factory=list)

    notes: Summary = Summary()
    """The same content with its evidence; the lists above are drawn from it."""
    version: int = 0
    """How many summaries have been completed; 0 = none yet."""
    covered_until: int = 0
    """The last utterance that the summary has seen."""
    written_until: int = 0
    """The last utterance that a language model has seen; what follows was folded in without one."""
    reason: TopicReason = "start"
    decided_after: int = 0
    """The last utterance heard when this topic's start was decided."""
    returns_to: str | None = None
    """The earlier segment that this one comes back to."""
    closed: bool = False


class Participant(Frozen):
    """A human in the meeting."""

    user_id: str
    name: str
    role: str | None = None


AgentCallType = Literal["IMMEDIATE_RESPONSE", "SUMMARY", "ACTION_EXTRACTION", "SEARCH"]


class AgentContext(Frozen):
    """What one call of the agent gets to see."""

    meeting_id: str
    current_time: datetime
    call_type: str
    recent_utterances: list[Utterance] | None = None
    current_topic: str | None = None
    topic_segments: list[TopicSegment] | None = None
    pending_items: list[str] | None = None
    participants: list[Participant] = Field(default_factory=list)
    speaker_roles: dict[str, str] = Field(default_factory=dict)


GapReason = Literal["takeover", "stt_error", "stt_timeout", "overload", "track_lost", "off_record"]


class Gap(Frozen):
    """A stretch in which somebody may have spoken and nothing is on the record."""

    participant: str
    start_ms: int
    end_ms: int
    reason: GapReason


InvocationChannel = Literal["chat", "voice", "data", "redis", "http", "cli"]


class Invocation(Frozen):
    """Somebody asks the agent. The id makes it count once."""

    id: str
    by: str
    """The asker's participant id."""
    via: InvocationChannel
    text: str
    private: bool = False
    at_ms: int
    after_utterance: int = 0
    """The last utterance on the record when it was asked."""
    features: dict[str, str] = Field(default_factory=dict)
    """Seed 002's `feature_overrides`, for this question alone."""


class ToolUse(Frozen):
    """One thing that the agent looked up on its way to an answer."""

    name: str
    arguments: str = ""
    result: str = ""


class PromptRecord(Frozen):
    """One prompt as it was sent to a model: what the budgets' tracker adds up (seed 004)."""

    purpose: str
    """What it was for: answer, plan, verification, quality, summary, thread_summary, compression."""
    tokens: int
    """Of all its messages, as the model counts them."""
    producers: dict[str, int] = Field(default_factory=dict)
    """Tokens by producer of context; rules, question and frames are under `rules`."""
    level: int = 0
    """The compression level that it was held to (`CompressionLevel`); 2 in compression mode."""


class AnswerRun(Frozen):
    """How an answer came about (seed 002 §7.4, beside the answer itself)."""

    quality_score: float | None = None
    """0–1; None where nothing was checked."""
    tokens_used: int = 0
    """Of what the model read and wrote; without a model, of what was looked up and said."""
    latency_ms: float = 0.0
    first_words_ms: float | None = None
    cache_hit: bool = False
    retrieval_count: int = 0
    """How many searches."""
    compression_applied: bool = False
    steps: dict[str, float] = Field(default_factory=dict)
    """Milliseconds by step, in the order of their first run; a step that ran twice adds up."""
    notes: dict[str, str] = Field(default_factory=dict)
    """By step: why it was left out, or what was away."""
    complexity: str = ""
    stopped_because: str = ""
    corrected: bool = False
    quality_gain: float = 0.0
    """The last check's score less the first one's; 0 where nothing was corrected."""
    prompts: tuple[PromptRecord, ...] = ()
    """What was sent to models on the way, in order."""
    verified: bool | None = None
    """Whether all that a model said was verified; None where it said nothing, or nobody kept that yet."""
    taken_back: int = 0
    """Claims that were let out and taken back behind the last word."""


class Reply(Frozen):
    """What the agent answered to one invocation."""

    id: str
    invocation_id: str
    by: str
    via: InvocationChannel
    question: str
    text: str
    call_type: AgentCallType
    evidence: tuple[int, ...] = ()
    declined: bool = False
    certainty: Literal["answer", "closest", "none"] | None = None
    """An answer, what comes closest, or none; None in records from before it was kept."""
    degraded: bool = False
    private: bool = False
    asked_at_ms: int
    answered_at_ms: int
    tools: tuple[ToolUse, ...] = ()
    """In order of use; the thread keeps them with their turn."""
    sources: tuple[str, ...] = ()
    """What it rests on outside this meeting, as it is cited: a document with its page, an earlier meeting."""
    run: AnswerRun | None = None
