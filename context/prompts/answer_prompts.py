"""Texts for answers: rules, template, headings and wording, and the prompts for verifying and planning."""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import closed_lists, wording
from context.prompts import prompts

_PROMPTS: Final = prompts("answer_prompts")
ANSWER_RULES: Final = _PROMPTS["rules"]
"""What a model is told that answers, by language. In: `rule` on quoted speech, `headings`, `nothing`."""

LACKING: Final = _PROMPTS["lacking"]
BETTER_PROMPTS: Final = _PROMPTS["better"]
"""What a second answer is to say where something was lacking in the first, and where not, by language."""

RESPONSE_TEMPLATE: Final = _PROMPTS["response"]
"""Seed 000's template of an answer (§5.2), by language. In: `analysis`, `attributed_quotes`, `suggestion`."""

HEADINGS: Final = closed_lists("headings")
"""What may head cited lines of an answer, by language; the names of the meeting's topics may, too."""

WORDING: Final = wording("answers")
"""The sentences around quotes in an answer that is made of quotes, by language."""


VERIFICATION_PROMPT: Final = _PROMPTS["verification"]
"""What a model is told that verifies claims, by language; claims and utterances follow as data."""
PLANNING_PROMPT: Final = _PROMPTS["planning"]
"""What a model is told that chooses topics, by language. In: `most`; topics and question follow as data."""
