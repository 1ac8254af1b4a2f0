"""Hearsay: whether a sentence passes on a rumour, for which neither its speaker nor anybody named vouches."""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import closed_lists, holds, spaced

_LISTS: Final = closed_lists("rumours")


def is_rumour(text: str) -> bool:
    """Whether a sentence passes on a rumour: "I heard they might move us", "옮긴다는 소문이 있어요"."""
    said = spaced(text)
    for phrase in _LISTS["messages_en"]:
        said = said.replace(f" {phrase} ", " ")
    return holds(said, (*_LISTS["rumours_ko"], *_LISTS["rumours_en"]))
