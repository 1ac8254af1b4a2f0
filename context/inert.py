"""Somebody's words in a chat message: readable, and unable to be more than words.

Answers are Markdown. What people say, write or call themselves is quoted in them as it was said, but it must
not become a link, a picture or HTML, must not look like a quote of somebody else, and must not hold
what nobody can see (characters without width, marks that turn the writing direction round, tag characters).
"""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Without width, or invisible; not the joiners of scripts and emoji."""
_LINK: Final = re.compile(r"\](?=[(\[:])")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_NAME_MARKS: Final = re.compile(r"[*`\[\]<>]+|\(\d{1,2}:\d{2}(?::\d{2})?\)")
_FORGED: Final = re.compile(r"\*\*([^*\n]{1,200})\*\*(?=\s*\(\s*\d{1,2}:\d{2})")


def visible(text: str) -> str:
    """`text` without what nobody can see."""
    return _HIDDEN.sub("", text) if not text.isascii() else text


def inert(text: str) -> str:
    """`text` as it reads, in which no Markdown link, picture, reference or HTML is left. Idempotent."""
    shown = visible(text)
    if "]" in shown:
        shown = _LINK.sub("] ", shown)
    return _TAG.sub("‹", shown) if "<" in shown else shown


def inert_quote(text: str) -> str:
    """Somebody's words behind their name: inert, and without the marks that names stand between."""
    return inert(text).replace("**", "")


def inert_claim(text: str) -> str:
    """A model's own line: inert, its bold type kept, but no forged `**name** (time)`."""
    return _FORGED.sub(r"\1", inert(text))


def inert_name(name: str) -> str:
    """A person's name, or a title, between the marks of a quote."""
    return " ".join(_NAME_MARKS.sub(" ", visible(name)).split())
