"""Effects: what a meeting wants done. The fold asks, the session does; results come back as events.

Every event is appended to the record whatever it asks for, so there is no effect for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from context.events.message import Message
from context.events.topic_events import UpdateReason
from context.models import Frozen, Gap, Reply, Statement, TopicSegment, Utterance
from context.question import Question


class PublishUtterance(Frozen):
    """Show a final utterance, once its event is durable."""

    utterance: Utterance


class PublishCorrected(Frozen):
    """Show an utterance as it reads since a correction or an erasure, to those outside the room."""

    utterance: Utterance


class PublishTopic(Frozen):
    """Show a topic that began, was renamed, summarised or closed."""

    segment: TopicSegment


class PublishGap(Frozen):
    """Show that somebody was not heard for a stretch."""

    gap: Gap


class PublishReply(Frozen):
    """Show an answer that is on the record to those who follow the meeting from outside the room."""

    reply: Reply


class PublishStatus(Frozen):
    """Show that the meeting as a whole changed."""

    status: str
    """`live paused off_the_record resumed closing ended waiting`, or
    `consent renamed merged term thread erased`."""
    detail: str = ""
    """Who did it or whom it concerns, why it ended, the term, the thread's new policy as JSON, or how many ms
    of speech wait for their text."""
    name: str | None = None
    """The name under which somebody who was renamed is shown from now on."""


Published = PublishUtterance | PublishCorrected | PublishTopic | PublishGap | PublishReply | PublishStatus
"""What is shown outside, once it is on the record."""


class Summarise(Frozen):
    """Write summary `version` of a topic, from the last one and what came since (`SummaryReady`)."""

    topic: TopicSegment
    version: int
    reason: UpdateReason
    utterances: tuple[Utterance, ...]
    """The utterances that no completed summary covers, in order; never empty."""
    before: tuple[Utterance, ...] = ()
    """The topic's last utterances before `utterances`: a yes is read with its question, not without."""
    unread: tuple[Utterance, ...] = ()
    """The topic's utterances before `utterances` that no language model has read yet."""
    standing: tuple[Statement, ...] = ()
    """The newest decisions of other topics, to notice what changes or contradicts them."""
    heard: Sequence[Utterance] = ()
    """All utterances of the meeting so far, number `n` at `n - 1`: what came after the topic counts, too."""


class JudgeTopic(Frozen):
    """Ask a language model whether the topic changed at utterance `at_utterance` (`TopicJudged`)."""

    at_utterance: int
    recent: tuple[Utterance, ...]
    previous_topic_summary: str


class ScoreTopics(Frozen):
    """Score the utterances that are not scored yet for where topics begin (`TopicsScored`, if anywhere).

    `TopicChanges.score` carries it out. It is asked for at every utterance; a run that is under way takes the
    new ones in.
    """

    until: int
    """Id of the newest utterance."""
    rest: bool = False
    """Whether the meeting closes: decide what is undecided, and send `TopicsScored` in any case."""


class SummariseThread(Frozen):
    """Write summary `version` of the agent's thread (`ThreadSummaryReady` or `ThreadSummaryFailed`)."""

    version: int
    purpose: Literal["span", "fold", "merge"]
    """span: turns that no summary covers; fold: older summaries become one; merge: the last summary and new
    messages become one (`POST /v1/summarize` alone asks for that)."""
    turns: tuple[int, ...]
    """Numbers of the turns that it will cover."""
    messages: tuple[Message, ...] = ()
    """The messages of those turns, whole; empty where older summaries are folded."""
    previous: str = ""
    """span: the last summary, so that the new one goes on from it; fold: those that become one; merge: the
    last one, which the new one holds."""
    original_chars: int
    """Characters of all messages that it sums up, those of the summaries it replaces included."""
    target_chars: int
    compression_rate: float


class Answer(Frozen):
    """Answer a question (`AnswerGiven` or `AnswerDropped`)."""

    question: Question


class CancelAnswer(Frozen):
    """Stop working on an invocation, whose asker has asked anew (`AnswerDropped`)."""

    invocation_id: str


Effect = Published | Summarise | JudgeTopic | ScoreTopics | SummariseThread | Answer | CancelAnswer
