"""One utterance of brisk talk, with the signs in it that a matter is raised (`boundary.brisk`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from context.language.questions import BREAK
from context.topics.boundary.words import MAX_CHARACTERS, read
from context.topics.phrases import brisk_phrases as says
from context.topics.phrases.cues import cue_in
from context.topics.phrases.noun_sentences import noun_sentence

_FIGURES: Final = re.compile(r"(?<!\d)\d\d(?!\d)")
"""Longer ones count as words (`context.topics.boundary.words`)."""


@dataclass(frozen=True, slots=True)
class BriskLine:
    """One utterance and its signs (`brisk_phrases`)."""

    speaker: str
    words: int
    keys: Mapping[int, int]
    """Weight of each content word, by its hash."""
    figures: frozenset[str]
    """Numbers of two digits, as in dates and amounts: whoever says one again talks about the same matter."""
    asks: bool
    """Whether it ends with a question."""
    invites: bool
    """Whether it asks if there is anything else."""
    declines: bool
    """Whether it says that there is nothing else."""
    agrees: bool
    commits: bool
    orders: bool
    announces: bool
    """Whether it has a cue that is not weak."""
    signs: Mapping[str, float]
    """The signs that it is a beginning, whatever is around it, 0 or 1 each."""


def brisk_line(speaker: str, text: str) -> BriskLine:
    """Read one utterance: see `BriskLine`."""
    text = text[:MAX_CHARACTERS]
    turn = read(text)
    korean, words = turn.hangul, len(text.split())
    body = says.behind_lead(text)
    cue = cue_in(text)
    asks = text.rstrip().endswith("?")
    commits = says.COMMITS.search(text) is not None
    goes_on = says.GOES_ON.search(body) is not None
    raises = says.RAISES.search(body) is not None
    if korean:
        raises = raises or ("?" in text and says.RAISES_KO.search(text) is not None)
    named = noun_sentence(text)
    signs = {
        "marked": any(says.MARKED_BEGINNING.search(part) for part in (body, text)),
        "about": says.ABOUT_PHRASE.search(text) is not None,
        "raises": raises,
        "goes_on": goes_on,
        "points_back": says.POINTS_BACK.search(BREAK.split(body)[0]) is not None,
        "named": named is not None,
        "named_led": named is not None and named.led,
        "subject": not korean and says.SUBJECT.search(body) is not None,
        "tells": says.TELLING_PHRASE.search(body) is not None,
        "question": "?" in text,
        "asks": asks,
        "asks_shortly": asks and words <= (3 if korean else 4),
        "short": words <= 3,
        "commits": commits,
        "announced": cue is not None and cue.strength == "strong",
        "korean": korean,
    }
    return BriskLine(
        speaker=speaker,
        words=words,
        keys=dict(turn.keys),
        figures=frozenset(_FIGURES.findall(text)),
        asks=asks,
        invites=asks and says.INVITES.search(text) is not None,
        declines=says.NOTHING.search(text) is not None,
        agrees=says.AGREEING_PHRASE.search(text) is not None,
        commits=commits,
        orders=says.ORDERS.search(text) is not None,
        announces=cue is not None and cue.strength != "weak",
        signs={name: float(sign) for name, sign in signs.items()},
    )
