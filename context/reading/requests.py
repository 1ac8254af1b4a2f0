"""What a request to the agent asks for: a list that the record holds, or a fact that somebody said.

And for whom: what somebody missed bores the others, and what they ask for themselves alone is not for them
to read. That is a second head over the same text, since it does not follow from the wish: any list and any
fact may be asked "just between us".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from context.question import Wish
from context.reading.linear import head
from context.vectors import Vectors

LISTS: Final = frozenset[Wish](
    (
        "attendees", "changed", "decisions", "duration", "most_talk", "open", "summary", "tasks", "topic_now",
        "topics",
    )
)  # fmt: skip
"""Wishes that are answered from the record as a whole; nothing is looked up for them."""
SURE: Final = 0.5
"""A wish that is less likely counts as a question for a fact."""
WITH_MEANING: Final = Path(__file__).with_name("requests.npz")
BY_WORDS: Final = Path(__file__).with_name("requests_by_words.npz")
PRIVATE_WITH_MEANING: Final = Path(__file__).with_name("private.npz")
PRIVATE_BY_WORDS: Final = Path(__file__).with_name("private_by_words.npz")
PRIVATE_FROM: Final = 0.48
"""From how likely on an answer is private; not above `SURE`, so that what one missed always is.

As low as costs some 5 % of the public requests a private answer, cross-validated; `requests.scores.json` has
what is public at it though it should not be. What is private by mistake is asked for again; what is public by
mistake is read by all.
"""


@dataclass(frozen=True, slots=True)
class Request:
    """What an asker wants of the agent, as far as their words (and vector) show it."""

    wish: Wish
    sure: float
    """How likely it is that, 0 to 1."""
    private: bool
    """Whether the answer is for the asker alone: what they missed, or what they ask for themselves alone.

    Also where that is not sure.
    """


def request_in(text: str, meaning: Vectors | None = None) -> Request:
    """What `text` asks for, in Korean or English. `meaning`: its embedding as a question, where there is one.

    Anything but a fact has to be at least `SURE`: a list that nobody asked for is worse than a look-up. The
    answer is private where the words or the vector suggest it: neither errs where the other does.
    """
    likely = _wishes(text, meaning)
    wish, sure = max(likely.items(), key=lambda item: item[1])
    if wish not in ("fact", "none") and sure < SURE:
        wish, sure = "fact", likely["fact"] + likely["none"]
    shares = [private_share(likely, _alone(text, meaning))]
    if meaning is not None:
        shares.append(private_share(_wishes(text, None), _alone(text, None)))
    return Request(cast("Wish", wish), sure, private=max(shares) >= PRIVATE_FROM)


def private_share(wishes: Mapping[str, float], alone: float) -> float:
    """How likely it is that somebody wants to catch up, or asks for themselves alone (`alone`), or both."""
    return 1 - (1 - wishes["catch_up"]) * (1 - alone)


def _wishes(text: str, meaning: Vectors | None) -> Mapping[str, float]:
    return head(WITH_MEANING if meaning is not None else BY_WORDS).probabilities(text, meaning)


def _alone(text: str, meaning: Vectors | None) -> float:
    path = PRIVATE_WITH_MEANING if meaning is not None else PRIVATE_BY_WORDS
    return head(path).probabilities(text, meaning)["private"]
