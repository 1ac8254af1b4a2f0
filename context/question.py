"""A question to the agent: one value from the channel that it comes in by to the last word of its answer.

It is made where it comes in, read there once (`context.answering.question_meaning`), recorded, and carried to
the end as it is: nobody behind that works out anew what it asks for, or who may hear the answer.
"""

from __future__ import annotations

from typing import Final, Literal

from pydantic import Field

from context.models import AgentCallType, Frozen, QuestionChannel
from context.primitives.text import Id
from context.time_spans import Absence, Since

Intent = Literal[
    "attendees", "catch_up", "changed", "decisions", "duration", "fact", "most_talk", "none", "open",
    "said_by", "search", "summary", "summary_of", "tasks", "topic_now", "topics",
]  # fmt: skip
"""`said_by`: what one person said. `summary_of`: the main of one matter. `none`: nothing is asked of Moim."""

_CALL_TYPES: Final[dict[Intent, AgentCallType]] = {
    "catch_up": "SUMMARY",
    "summary": "SUMMARY",
    "summary_of": "SUMMARY",
    "tasks": "ACTION_EXTRACTION",
    "search": "SEARCH",
}


class Question(Frozen):
    """Somebody's question to the agent; each id counts once. Until it is read, `intent` is None."""

    id: Id
    by: Id
    """The asker's participant id, or one that is nobody's (`context.primitives.askers`)."""
    via: QuestionChannel
    """The channel that it came in by, where the answer goes back to."""
    text: str
    """The question as it was asked, on one line."""
    private: bool = False
    """Whether the answer is for the asker alone."""
    at_ms: int
    """When it was asked, in ms from the meeting's start."""
    after_utterance: int = 0
    """Id of the last utterance on the record when it was asked; 0: the fold fills it in."""
    features: dict[str, str] = Field(default_factory=dict)
    """Seed 002's `feature_overrides`, for this question alone."""

    language: Literal["ko", "en"] = "en"
    """The language of the answer."""
    intent: Intent | None = None
    """What it asks for; None in older records, and where nobody has read it yet."""
    matter: str = ""
    """What it asks, as it is understood alone: without the agent's name, with what a follow-up leaves out."""
    follows: bool = False
    """Whether `matter` takes words from the asker's question before it."""
    since: Since | None = None
    """The moment from which on it asks what changed; None where it does not ask that."""
    missed: Absence | None = None
    """Where it asks what its asker missed: that part of the meeting."""

    @property
    def to(self) -> str | None:
        """Whom the answer is for: the asker's id, or None for everybody in the meeting."""
        return self.by if self.private else None

    @property
    def call_type(self) -> AgentCallType:
        """Seed 000's call type of what it asks for."""
        return _CALL_TYPES.get(self.intent or "fact", "IMMEDIATE_RESPONSE")

    @property
    def is_read(self) -> bool:
        """Whether somebody has read what it asks for."""
        return self.intent is not None
