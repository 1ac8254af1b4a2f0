"""What a request to the agent asks for: a list that the record holds, or a fact that somebody said."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast

from context.models import AgentCallType
from context.reading.linear import head
from context.vectors import Vectors

Wish = Literal[
    "attendees", "catch_up", "changed", "decisions", "duration", "fact", "most_talk", "none", "open",
    "said_by", "search", "summary", "summary_of", "tasks", "topic_now", "topics",
]  # fmt: skip
"""`said_by`: what one person said. `summary_of`: the main of one matter. `none`: nothing is asked of Moim."""

LISTS: Final = frozenset[Wish](
    (
        "attendees", "changed", "decisions", "duration", "most_talk", "open", "summary", "tasks", "topic_now",
        "topics",
    )
)  # fmt: skip
"""Wishes that are answered from the record as a whole; nothing is looked up for them."""
SURE: Final = 0.5
"""A wish that is less likely counts as a question for a fact."""
_CALL_TYPES: Final[dict[str, AgentCallType]] = {
    "catch_up": "SUMMARY",
    "summary": "SUMMARY",
    "summary_of": "SUMMARY",
    "tasks": "ACTION_EXTRACTION",
    "search": "SEARCH",
}
WITH_MEANING: Final = Path(__file__).with_name("requests.npz")
BY_WORDS: Final = Path(__file__).with_name("requests_by_words.npz")


@dataclass(frozen=True, slots=True)
class Request:
    """What an asker wants of the agent, as far as their words (and vector) show it."""

    wish: Wish
    sure: float
    """How likely it is that, 0 to 1."""

    @property
    def call_type(self) -> AgentCallType:
        """Seed 000's call type of this request."""
        return _CALL_TYPES.get(self.wish, "IMMEDIATE_RESPONSE")


def request_in(text: str, meaning: Vectors | None = None) -> Request:
    """What `text` asks for, in Korean or English. `meaning`: its embedding as a question, where there is one.

    An embedding of another length than those that this was trained with says nothing: words alone decide.
    Anything but a fact has to be at least `SURE`: a list that nobody asked for is worse than a look-up.
    """
    learnt = head(WITH_MEANING)
    if meaning is None or len(meaning) != len(learnt.usual):
        learnt, meaning = head(BY_WORDS), None
    likely = dict(learnt.probabilities(text, meaning))
    wish, sure = max(likely.items(), key=lambda item: item[1])
    if wish not in ("fact", "none") and sure < SURE:
        wish, sure = "fact", likely["fact"] + likely["none"]
    return Request(cast("Wish", wish), sure)
