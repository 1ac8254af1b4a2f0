"""A question as the cache compares it: what it asks for, about what, of whom, when, and whether denied.

Two questions may share an answer only where their readings agree in every part. What a reading could not
understand stays in it as a word of its own, so that what is unknown keeps questions apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

Asking = Literal[
    "what", "who", "when", "hour", "where", "why", "how", "how_much", "how_many", "how_long", "how_often",
    "yes_no", "anyone",
]  # fmt: skip
Tense = Literal["past", "coming", ""]
Role = Literal[
    "", "subject", "topic", "object", "to", "from", "than", "with", "by", "for", "about", "actor", "at"
]  # fmt: skip

_NOT_LETTERS: Final = re.compile(r"[^\w%€$£+#.,:/-]+|(?<!\d)[.,:/-]+|[.,:/-]+(?!\d)")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of the matter."""

    key: str
    """A group of `concepts`, or the word's stem."""
    role: Role = ""
    soft: bool = False
    """May be missing in the other question: "in the meeting", "on the list"."""
    concept: bool = False
    """`key` is a group: its words take who acts and what is acted upon as their kind tells, in any order."""
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """What a question says, in parts that can be compared one by one."""

    normal: str
    """The text in lower case without punctuation: equal ones were asked in the same words."""
    language: str
    asking: Asking
    words: tuple[Word, ...]
    names: frozenset[str]
    """Of participants, as they are on the list."""
    numbers: tuple[float, ...]
    """As they came."""
    moments: frozenset[str]
    """Days, weeks, months, as dates where the moment of asking tells them."""
    scope: frozenset[str]
    """all, some, only, except, first, last, most, least, also …"""
    tense: Tense
    leaning: bool
    """It leans on something said before ("who does that?"): alone it can't be answered from a cache."""
    moving: bool
    """It asks for the state of things as of now ("just now", "so far")."""
    own: bool
    """Its answer depends on who asks ("what do I have to do?")."""

    @property
    def matter(self) -> frozenset[str]:
        """The words that the questions must share."""
        return frozenset(word.key for word in self.words if not word.soft)

    @property
    def subjects(self) -> tuple[str, ...]:
        """The words that name something, apart from those of asking and doing."""
        return tuple(word.key for word in self.words if not word.soft and not word.concept)


def normalised(text: str) -> str:
    """Lower case, one blank, no punctuation but in numbers: the seed's exact key, a little wider."""
    return " ".join(_NOT_LETTERS.sub(" ", text.lower()).split())
