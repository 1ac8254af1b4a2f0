"""Names of people in a meeting: when two look the same, how the second is then shown, and who is named.

Anybody may call themselves anything. So that nobody is taken for somebody else, or for the agent, a name that
another one bears already gets a number behind it: 김민지 (2). The agent is the first bearer of its names.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable
from functools import lru_cache
from typing import Final

from context.primitives.text import MAX_NAME_CHARS, one_line, visible

SHOWN_IN_ROOM: Final = "Moim"
"""What the agent is called in the list of a room's participants."""
STANDBY_IN_ROOM: Final = "Moim (standby)"
"""What its standby is called there."""
_FULL_NAME_SYLLABLES: Final = 3
"""Syllables of a Korean name with its family name, most often."""
_LOOKALIKES: Final = str.maketrans(
    "авекмнорстухіјѕԁһӏԛԝ" + "αβεικμνορτυχζ" + "ıɩɪᴍᴏ",
    "abekmhopctyxijsdhlqw" + "abeikmvoptyxz" + "iiimo",
)
"""Letters of Cyrillic, Greek and phonetic script that are drawn as letters of Latin script."""


@lru_cache(maxsize=4_096)
def canonical(name: str) -> str:
    """Give the form in which names are compared: without case, marks, signs and blanks, width and script.

    Two names of the same form cannot be told apart by whoever reads them quickly.
    """
    # Letters with marks are taken apart, before and after case is folded, which makes new ones.
    parts = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", visible(name)).casefold())
    letters = "".join(sign for sign in parts if unicodedata.category(sign)[0] in "LN")
    return letters.translate(_LOOKALIKES) or "".join(parts.split())


def identity_meant(named: str, known: Container[str]) -> str:
    """Give the id of the person whom somebody names: exactly this one where it is among the `known`.

    Else it is the canonical form of what they wrote. Identities stay as LiveKit has them, and so may be in
    any form; people and programs write them as their keyboard or file system does (macOS: decomposed).
    """
    return named if named in known else one_line(named) or named


def names_of_agent(wake_words: Iterable[str], *more: str) -> frozenset[str]:
    """Give the names that are the agent's, in the form in which names are compared."""
    return frozenset(map(canonical, (*wake_words, SHOWN_IN_ROOM, STANDBY_IN_ROOM, *more)))


def told_apart(name: str, taken: Iterable[str]) -> str:
    """Give the name as it is shown beside `taken` ones (in their `canonical` form), numbered if need be."""
    others = frozenset(taken)
    shown, number = name, 1
    while canonical(shown) in others:
        number += 1
        behind = f" ({number})"
        shown = name[: MAX_NAME_CHARS - len(behind)].rstrip() + behind
    return shown


def called(name: str, text: str) -> bool:
    """Tell whether `text` names a participant: in full, by a Korean given name, by an English first name."""
    return bool(name) and _calling(name).search(text) is not None


@lru_cache(maxsize=512)
def _calling(name: str) -> re.Pattern[str]:
    """Give a pattern for a name; cached, as a question tries every name on every decision of the meeting."""
    if name[0] >= "가":
        given = name[1:] if len(name) == _FULL_NAME_SYLLABLES else name
        alone = rf"|(?<![가-힣]){re.escape(given)}" if len(given) > 1 else ""
        return re.compile(f"{re.escape(name)}{alone}")
    return re.compile(rf"\b{re.escape(name.split(maxsplit=1)[0])}\b", re.IGNORECASE)
