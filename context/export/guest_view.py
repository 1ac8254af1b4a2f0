"""A meeting's document as it is for those who see this meeting alone: guests who came by a link.

An answer that rests on other meetings or on documents is not for them. They see that it was asked and
answered, and why they do not see the answer: none of its words, its evidence or its sources.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from context.language.korean import language_of, language_shown
from context.prompts.answer_prompts import WORDING

_WITHHELD_FIELDS: Final = {"evidence": [], "sources": [], "withheld": True}


def for_guests(document: Mapping[str, Any]) -> dict[str, Any]:
    """Give a meeting's document without what its answers have from elsewhere."""
    language = document["meeting"]["language"]
    return {**document, "replies": [reply_for_guests(reply, language) for reply in document["replies"]]}


def reply_for_guests(reply: Mapping[str, Any], language: str = "auto") -> dict[str, Any]:
    """Give one row of the document's `replies`; a line in its question's language stands for its answer."""
    if not reply.get("elsewhere"):
        return dict(reply)
    asked_in = language_shown(reply["question"]) or language_of("", language)
    return {**reply, "text": WORDING[asked_in]["withheld"], **_WITHHELD_FIELDS}
