"""The values of a meeting, under the names that seed 000 gives them (§10.2.2).

All of them are frozen, comparable, and serialisable without loss. Times inside a
meeting are milliseconds from its start; `datetime`s are UTC-aware.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from context.primitives.text import Id, Name, Prose


class Frozen(BaseModel):
    """Base of all values: equal by content, never changed in place."""

    model_config = ConfigDict(frozen=True)


Span = tuple[int, int]
"""Characters of a text: from where, and up to where."""


class Utterance(Frozen):
    """One turn of one speaker, in meeting time (seed 000): the unit of all that follows recognition."""

    id: int
    """The number from 1, in fold order; 0 asks the manager to number it."""
    speaker_id: Id
    speaker_name: Name
    text: str
    start_ms: int
    end_ms: int
    confidence: float | None = None
    """0–1; None where the engine gives none."""
    absolute_timestamp: AwareDatetime
    """Meeting start + `start_ms`; not when the text arrived."""
    topic: str | None = None
    """Name of its topic."""
    topic_id: str | None = None
    language: str | None = None
    """`ko`, `en` or another code, where the engine tells it."""
    key: Id | None = None
    """The sender's own id of this utterance: the same key twice counts once."""
    source: tuple[int, int] | None = None
    """First and last 0-based input line, for text input."""
    times_derived: bool = False
    """Whether the input gave no times: these come from a speaking rate."""
    heard: str | None = None
    """What the engine heard, where somebody corrected the text; else None."""
    corrected_by: Name | None = None
    """Who corrected the text."""
    hidden: bool = False
    """Whether its text is empty because it is hidden, until its speaker or an administrator decides."""
    late: bool = False
    """Whether it was recognised only afterwards, and has a later number than what was said after it."""
    doubtful: tuple[Span, ...] = ()
    """Where in its text figures and days stand that its engine did not hear clearly; none once corrected."""


StatementStatus = Literal["open", "done", "decided", "superseded"]
PendingKind = Literal["action", "open"]


class Statement(Frozen):
    """One statement of a summary, such as a decision, with the utterances that it rests on."""

    text: Prose
    """What several utterances said together is a line each, in order (`context.statements.voices`)."""
    evidence: tuple[int, ...]
    """Ids of the utterances that bear it out, ascending."""
    owner: str | None = None
    """Who has to do it, by name, as it was said; None where nobody was named."""
    due: str | None = None
    """When it is due, as it was said; None where no time was named."""
    status: StatementStatus | None = None
    superseded_by: str | None = None
    """Id of the utterance that made the decision which took its place."""
    kind: PendingKind | None = None
    """What a pending item is: somebody's task, or a question left open."""
    replaces: tuple[int, ...] = ()
    """The last utterance of each decision, in any topic, that this decision takes the place of."""
    takes_up: tuple[int, ...] = ()
    """The last utterance of an earlier decision (in any topic) that this one seems to take up again.

    Both stand: this one is shown beside the earlier one, and does not take its place."""
    repeats: tuple[int, ...] = ()
    """The last utterance of an earlier decision, of another topic, that this one only says again.

    Lists show the two as one, with both times and voices, as long as the earlier one stands."""
    corrected_by: str | None = None
    """Who confirmed or edited it; no engine changes it then."""
    quoted: bool = False
    """Whether it quotes words that the configured model has not read yet, until it has."""
    unverified: bool = False
    """Whether a model wrote it and no verifier has judged it yet."""


class Contradiction(Frozen):
    """A sentence that does not fit a decision made before it, and decides nothing anew.

    `text` and `decision` are the two sentences, each with the ids of its utterances.
    """

    text: str
    evidence: tuple[int, ...]
    decision: str
    decision_evidence: tuple[int, ...]


class Summary(Frozen):
    """What is known of one topic, with evidence; every update writes all fields anew."""

    text: str = ""
    sentences: tuple[Statement, ...] = ()
    """The sentences of `text`, each with its evidence."""
    key_points: tuple[Statement, ...] = ()
    decisions: tuple[Statement, ...] = ()
    pending: tuple[Statement, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    participants: tuple[Id, ...] = ()
    """Ids of who spoke, in order of first appearance."""
    keywords: tuple[str, ...] = ()
    verified: bool | None = None
    """Whether a verifier has checked what a model wrote; None where no model wrote it."""


TopicReason = Literal["start", "keyword", "semantic", "llm"]
"""How a topic's start was found: the meeting's, a cue phrase, the trained scorer, a language model."""


class TopicSegment(BaseModel):
    """A topic of the meeting and its summary: seed 000's L1 segment, with the evidence beside its lists."""

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
    """Id of the last utterance that the summary covers; 0 before the first summary."""
    written_until: int = 0
    """Id of the last utterance that a language model has read; what follows was folded in without one."""
    reason: TopicReason = "start"
    decided_after: int = 0
    """Id of the last utterance heard when this topic's start was decided."""
    returns_to: str | None = None
    """Id of the earlier topic that this one takes up again."""
    closed: bool = False
    late: tuple[int, ...] = ()
    """Ids of utterances of its time that came late: they lie behind its last one, within later topics."""
    """Whether another topic has begun since, or the meeting has ended."""


class Participant(Frozen):
    """A human in the meeting."""

    user_id: Id
    name: Name
    role: str | None = None


AgentCallType = Literal["IMMEDIATE_RESPONSE", "SUMMARY", "ACTION_EXTRACTION", "SEARCH"]


class AgentContext(Frozen):
    """Seed 000's context: what one call of the agent is shown. None: the call type does without it."""

    meeting_id: str
    current_time: datetime
    call_type: str
    recent_utterances: list[Utterance] | None = None
    current_topic: str | None = None
    topic_segments: list[TopicSegment] | None = None
    pending_items: list[str] | None = None
    participants: list[Participant] = Field(default_factory=list)
    speaker_roles: dict[str, str] = Field(default_factory=dict)
    """Participant id → role, for all who spoke."""


GapReason = Literal[
    "takeover", "stt_error", "stt_timeout", "overload", "track_lost", "off_record", "encrypted"
]


class Gap(Frozen):
    """A stretch of which nothing is on the record, though the participant may have spoken."""

    participant: Id
    start_ms: int
    end_ms: int
    reason: GapReason


class InputNote(Frozen):
    """What a file had that was dropped, made up or not understood; it repeats nothing of what was said."""

    text: str
    line: int | None = None
    """The line in the file, from 1; None: it is about all of it."""


QuestionChannel = Literal["chat", "voice", "data", "redis", "http", "cli"]


class ToolUse(Frozen):
    """One thing that the agent looked up on its way to an answer."""

    name: str
    arguments: Prose = ""
    result: Prose = ""


class PromptRecord(Frozen):
    """One prompt as it was sent to a model: what the budgets' tracker adds up (seed 004)."""

    purpose: str
    """What it was for: answer, plan, verification, quality, summary, thread_summary, compression."""
    tokens: int
    """Tokens of all its messages, as the model counts them."""
    producers: dict[str, int] = Field(default_factory=dict)
    """Tokens by producer of context; rules, question and frames are under `rules`."""
    level: int = 0
    """The level that its last producers were held to (`CompressionLevel`); 2 in compression mode."""
    budget: int = 0
    """Tokens that its producers might bring together; 0 where they shared no budget of an answer's."""


class AnswerRun(Frozen):
    """How an answer came about (seed 002 §7.4, beside the answer itself)."""

    quality_score: float | None = None
    """0–1; None where nothing was checked."""
    tokens_used: int = 0
    """Tokens that the model read and wrote; without a model, of what was looked up and said."""
    latency_ms: float = 0.0
    first_words_ms: float | None = None
    """The time from the question to the first piece of the answer; None where there was none."""
    cache_hit: bool = False
    retrieval_count: int = 0
    """How many searches."""
    compression_applied: bool = False
    steps: dict[str, float] = Field(default_factory=dict)
    """Milliseconds by step, in the order of their first run; a step that ran twice adds up."""
    notes: dict[str, str] = Field(default_factory=dict)
    """Why a step was left out, or which part could not be reached, by step."""
    complexity: str = ""
    stopped_because: str = ""
    corrected: bool = False
    quality_gain: float = 0.0
    """The last check's score less the first one's; 0 where nothing was corrected."""
    prompts: tuple[PromptRecord, ...] = ()
    """The prompts that were sent to models for it, in order."""
    verified: bool | None = None
    """Whether all that a model said was verified; None where it said nothing, and in older records."""
    taken_back: int = 0
    """How many claims were shown and taken back after the last word."""


class Reply(Frozen):
    """The agent's answer to one question."""

    id: Id
    invocation_id: Id
    by: Id
    via: QuestionChannel
    question: str
    text: Prose
    call_type: AgentCallType
    evidence: tuple[int, ...] = ()
    """Ids of the utterances that it cites."""
    declined: bool = False
    """Whether it says that it has no answer."""
    certainty: Literal["answer", "closest", "none"] | None = None
    """An answer, what comes closest, or none; None in older records."""
    degraded: bool = False
    """Whether quotes stand in for a model that was away or late, or said nothing that stands."""
    private: bool = False
    asked_at_ms: int
    answered_at_ms: int
    tools: tuple[ToolUse, ...] = ()
    """The tools in order of use; the thread keeps them with their turn."""
    sources: tuple[str, ...] = ()
    """What it cites outside this meeting: a document with its page, an earlier meeting."""
    elsewhere: bool | None = None
    """Whether it rests, or may rest, on other meetings or documents; None: only if `sources` say so."""
    run: AnswerRun | None = None

    @property
    def rests_elsewhere(self) -> bool:
        """Whether it is not for those who see this meeting alone."""
        return bool(self.elsewhere or self.sources)
