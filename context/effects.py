"""What a meeting wants done. Imperatives: the fold asks, the session does, results come back as events.

Every event is appended to the record whatever it asks for, so there is no effect for that.
"""

from __future__ import annotations

from typing import Literal

from context.events import UpdateReason
from context.models import Frozen, Gap, Invocation, Reply, Statement, TopicSegment, Utterance
from context.thread.turn import Message


class PublishUtterance(Frozen):
    """Send a final utterance out, once its event is durable."""

    utterance: Utterance


class PublishCorrected(Frozen):
    """Show an utterance as somebody has put it right, to whoever reads along outside the room."""

    utterance: Utterance


class PublishTopic(Frozen):
    """A topic began, was renamed, summarised or closed."""

    segment: TopicSegment


class PublishGap(Frozen):
    """Tell that something was not heard."""

    gap: Gap


class PublishReply(Frozen):
    """An answer is on the record; tell those who follow the meeting from outside the room."""

    reply: Reply


class PublishStatus(Frozen):
    """The meeting as a whole changed: live, paused, resumed, closing, ended."""

    status: str
    detail: str = ""


Published = PublishUtterance | PublishCorrected | PublishTopic | PublishGap | PublishReply | PublishStatus
"""What is shown outside, once it is on the record."""


class Summarise(Frozen):
    """Write summary `version` of a topic from its last summary and what came since (`SummaryReady`)."""

    topic: TopicSegment
    version: int
    reason: UpdateReason
    utterances: tuple[Utterance, ...]
    """The utterances that no completed summary covers, in order; never empty."""
    before: tuple[Utterance, ...] = ()
    """The last ones of the topic that are covered: a yes is heard with its question, not without."""
    unread: tuple[Utterance, ...] = ()
    """Those before them that no language model has read yet: the last summary was made without one."""
    standing: tuple[Statement, ...] = ()
    """The newest decisions of other topics, to notice what changes or contradicts them."""
    heard: tuple[Utterance, ...] = ()
    """All that was said so far, the utterance `n` at `n - 1`: what came later counts, too."""


class JudgeTopic(Frozen):
    """Ask a stronger judge whether the topic changed at `at_utterance` (`TopicJudged`)."""

    at_utterance: int
    recent: tuple[Utterance, ...]
    previous_topic_summary: str


class ScoreTopics(Frozen):
    """Hear what has not been heard yet and say where topics begin (`TopicsScored`, if anywhere).

    `context.topics.topic_changes` carries it out. Asked for at every utterance: whoever is at it goes on.
    """

    until: int
    """The newest utterance."""
    rest: bool = False
    """The meeting closes: decide what is undecided, and say so in any case."""


class SummariseThread(Frozen):
    """Write summary `version` of the agent's thread (`ThreadSummaryReady` or `ThreadSummaryFailed`)."""

    version: int
    purpose: Literal["span", "fold", "merge"]
    """A span of turns, one summary out of several older ones, or the last summary and new messages in one."""
    turns: tuple[int, ...]
    """The turns that it will cover."""
    messages: tuple[Message, ...] = ()
    """Their messages, whole; empty where older summaries are folded."""
    previous: str = ""
    """span: the last summary, so that the new one goes on from it; fold: those that become one; merge: the
    last one, which the new one holds."""
    original_chars: int
    target_chars: int
    compression_rate: float


class Answer(Frozen):
    """Answer an invocation (`AnswerGiven` or `AnswerDropped`)."""

    invocation: Invocation


class Forget(Frozen):
    """Stop working on an invocation: another one of the same asker took its place."""

    invocation_id: str


Effect = Published | Summarise | JudgeTopic | ScoreTopics | SummariseThread | Answer | Forget
