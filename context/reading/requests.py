"""What a request to the agent asks for: a list that the record holds, or a fact that somebody said.

And for whom: what somebody missed bores the others, and what they ask for themselves alone is not for them
to read. That is a second head over the same text, since it does not follow from the intent: any list and any
fact may be asked "just between us".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from context.primitives.vectors import Vectors
from context.question import Intent
from context.reading.acts import ACTS, log_odds
from context.reading.linear import head

LIST_INTENTS: Final = frozenset[Intent](
    (
        "attendees", "changed", "decisions", "duration", "most_talk", "open", "summary", "tasks", "topic_now",
        "topics",
    )
)  # fmt: skip
"""Intents that are answered from the record as a whole; nothing is looked up for them."""
SURE_CHANCE: Final = 0.5
"""An intent that is less likely counts as a question for a fact."""
CERTAIN_CHANCE: Final = 0.8
"""The least chance of an intent where neither a question mark nor the agent's name shows it."""
EMBEDDING_SHARE: Final = 0.7
"""The share of the head with the embedding in the combined chances, a geometric mean; the rest is the words'.

Cross-validated, .856 of the requests are read right so, .848 by the head with it, .749 by words.
"""
_COURTESY_LOG_ODDS: Final = 1.6
"""Log odds: with five to one a question is mere courtesy ("How are you?"), unless an intent is likely."""
_SURE_INTENT_CHANCE: Final = 0.7
"""The least chance of an intent for a line that sounds like courtesy to be for the agent all the same."""
_MIN_CHANCE: Final = 1e-9
INTENTS_WITH_MEANING: Final = Path(__file__).with_name("requests.npz")
INTENTS_BY_WORDS: Final = Path(__file__).with_name("requests_by_words.npz")
PRIVATE_WITH_MEANING: Final = Path(__file__).with_name("private.npz")
PRIVATE_BY_WORDS: Final = Path(__file__).with_name("private_by_words.npz")
MIN_PRIVATE_CHANCE: Final = 0.48
"""From this chance on an answer is private; not above `SURE_CHANCE`, so that what one missed always is.

As low as costs some 5 % of the public requests a private answer, cross-validated; `requests.scores.json` has
what is public at it though it should not be. What is private by mistake is asked for again; what is public by
mistake is read by all.
"""


@dataclass(frozen=True, slots=True)
class Request:
    """What somebody asks of the agent, as far as their words (and their embedding) show it."""

    intent: Intent
    chance: float
    """The chance that this is the intent, 0 to 1."""
    private: bool
    """Whether the answer is for the asker alone: what they missed, or what they ask for themselves alone.

    Also where that is not sure.
    """


def request_in(text: str, meaning: Vectors | None = None) -> Request:
    """What `text` asks for, in Korean or English. `meaning`: its embedding as a question, where there is one.

    An embedding of another length than those that this was trained with says nothing: words alone decide.
    Anything but a fact has to be at least `SURE_CHANCE`: a list that nobody asked for is worse than a
    look-up. The answer is private where the words or the vector suggest it: neither errs where the other
    does.
    """
    by_words = head(INTENTS_BY_WORDS).probabilities(text)
    chances, private_chances = by_words, [private_chance(by_words, _asker_alone_chance(text, None))]
    if meaning is not None and len(meaning) == len(head(INTENTS_WITH_MEANING).mean_embedding):
        by_vector = head(INTENTS_WITH_MEANING).probabilities(text, meaning)
        chances = _combined(by_vector, by_words)
        private_chances.append(private_chance(by_vector, _asker_alone_chance(text, meaning)))
    intent, chance = max(chances.items(), key=lambda item: item[1])
    if intent not in ("fact", "none") and chance < SURE_CHANCE:
        intent, chance = "fact", chances["fact"] + chances["none"]
    private = intent == "catch_up" or max(private_chances) >= MIN_PRIVATE_CHANCE
    return Request(cast("Intent", intent), chance, private=private)


def asks_for_something(text: str) -> bool:
    """Whether what is said to the agent by its name asks it for something, question or not, by its words."""
    request = request_in(text)
    return request.intent != "none" and request.chance >= (
        CERTAIN_CHANCE if request.intent == "fact" else SURE_CHANCE
    )


def asks_for_a_list(text: str) -> bool:
    """Whether a line of chat that calls nobody surely asks what only the agent can tell.

    Of 1,370 lines of talk that are no question, two do.
    """
    request = request_in(text)
    return request.intent not in ("fact", "none") and request.chance >= CERTAIN_CHANCE


def asks_one_another(text: str) -> bool:
    """Whether a question in the chat that calls nobody is one among people: "Shall we begin?", 들리세요?

    Of 1,891 questions about meetings that neither head was trained on, four are taken for one.
    """
    request = request_in(text)
    if request.intent == "none":
        return request.chance >= SURE_CHANCE or _is_courteous(text)
    return request.chance < _SURE_INTENT_CHANCE and _is_courteous(text)


def _is_courteous(text: str) -> bool:
    return float(log_odds(text)[ACTS.index("courtesy")]) >= _COURTESY_LOG_ODDS


def _combined(by_vector: Mapping[str, float], by_words: Mapping[str, float]) -> Mapping[str, float]:
    """The chances by both heads: an embedding misreads a fragment ("how come"), words another wording."""
    joined = {
        intent: chance**EMBEDDING_SHARE * max(by_words[intent], _MIN_CHANCE) ** (1 - EMBEDDING_SHARE)
        for intent, chance in by_vector.items()
    }
    total = sum(joined.values())
    return {intent: chance / total for intent, chance in joined.items()}


def private_chance(intents: Mapping[str, float], alone: float) -> float:
    """How likely it is that somebody wants to catch up, or asks for themselves alone (`alone`), or both."""
    return 1 - (1 - intents["catch_up"]) * (1 - alone)


def _asker_alone_chance(text: str, meaning: Vectors | None) -> float:
    path = PRIVATE_WITH_MEANING if meaning is not None else PRIVATE_BY_WORDS
    return head(path).probabilities(text, meaning)["private"]
