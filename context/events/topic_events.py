"""Events of what is worked out beside the fold: topics and their summaries (see `events`)."""

from __future__ import annotations

from typing import Literal

from context.models import Frozen, PromptRecord, Summary


class TopicJudged(Frozen):
    """A language model has judged whether the topic changed at utterance `at_utterance` (`JudgeTopic`)."""

    kind: Literal["topic_judged"] = "topic_judged"
    at_utterance: int
    changed: bool
    name: str | None = None
    """The name of the topic that begins there, where the model gave one."""
    confidence: float = 0.0
    """0–1."""
    reason: str = ""
    prompts: tuple[PromptRecord, ...] = ()
    """The prompts that were sent for it."""


class FoundBoundary(Frozen):
    """An utterance at which a topic likely begins, whatever the open topic is."""

    at: int
    """Id of the utterance."""
    kind: Literal["cue", "drop", "suspicion"]
    """`cue`: an announcing word stands near it; `drop`: none; `suspicion`: only a language model can tell."""
    shortest: int
    """Least number of utterances that the topic which ends there must have, else it goes on."""
    raised: bool = False
    """Whether somebody brings a matter up with this very utterance."""


class TopicsScored(Frozen):
    """Where topics begin, found beside the fold with the utterances up to `heard` (`ScoreTopics`).

    Where nothing was found there is no event.
    """

    kind: Literal["topics_scored"] = "topics_scored"
    heard: int
    found: tuple[FoundBoundary, ...] = ()
    """In order."""
    rest: bool = False
    """Whether this answers a `ScoreTopics` with `rest`: the meeting closes, and nothing stays undecided."""


UpdateReason = Literal["topic_change", "turn_limit", "time_limit", "closing", "correction"]
"""Why a topic is summarised: it ended, grew long or old, the meeting ends, or something was corrected."""


class SummaryStarted(Frozen):
    """A summary job is under way: its row is IN_PROGRESS from here to `SummaryReady` or `SummaryFailed`.

    The fold knows the jobs that it asked for without it. It is recorded so that the job is seen from outside;
    whoever takes the meeting over records it again (same topic, same version) when it starts the job again.
    """

    kind: Literal["summary_started"] = "summary_started"
    topic_id: str
    version: int
    reason: UpdateReason
    covered_until: int
    """Id of the last utterance that the summary will cover."""
    turns: int
    """Number of utterances that it folds in."""
    tokens: int
    """Tokens of those utterances."""
    at_ms: int


class SummaryReady(Frozen):
    """A summary job has come back: `content` covers its topic up to `covered_until`."""

    kind: Literal["summary_ready"] = "summary_ready"
    topic_id: str
    version: int
    reason: UpdateReason
    covered_until: int
    content: Summary
    engine: str
    topic_name: str | None = None
    """A better name for the topic, where the engine found one."""
    latency_ms: int = 0
    tokens: int = 0
    """Tokens of the summary's text."""
    carried_decisions: int = 0
    """So many decisions of the last version stand unchanged before those of `content`, not repeated."""
    carried_pending: int = 0
    """The same number for its pending items."""
    prompts: tuple[PromptRecord, ...] = ()
    """The prompts that were sent for it."""


class SummaryFailed(Frozen):
    """A summary job gave nothing; the last completed summary stands, and the next trigger tries again."""

    kind: Literal["summary_failed"] = "summary_failed"
    topic_id: str
    version: int
    error: str
    prompts: tuple[PromptRecord, ...] = ()
    """The prompts that were sent for it, in vain."""


TopicEvent = TopicJudged | TopicsScored | SummaryStarted | SummaryReady | SummaryFailed
"""Events of what was worked out beside the fold: where topics change, and their summaries."""
