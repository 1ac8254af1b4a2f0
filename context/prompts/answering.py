"""The shape of an analysed answer, the wording of quoted ones, and what a verifier is told of claims."""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import closed_lists, wording
from context.prompts import prompts

_PROMPTS: Final = prompts("answering")
RESPONSE_TEMPLATE: Final = _PROMPTS["response"]
"""Seed 000 §5.2, by language: analysis, quotes with name and time, suggestion."""

HEADINGS: Final = closed_lists("headings")
"""What may stand above or before cited lines, by language, beside the names of the meeting's topics."""

WORDING: Final = wording("answers")
"""The lines around quotes, by language."""


VERIFICATION_PROMPT: Final = _PROMPTS["verification"]
"""By language; the claims and the utterances follow as data."""
PLANNING_PROMPT: Final = _PROMPTS["planning"]
"""By language. In: `most`; the topics and the question follow as data."""
