"""Texts for answers: rules, template, headings and wording, and the prompts for verifying and planning."""

from __future__ import annotations

from typing import Final

from context.language.closed_lists import closed_lists, wording
from context.prompts import prompts

_PROMPTS: Final = prompts("answer_prompts")
ANSWER_RULES: Final = _PROMPTS["rules"]
"""By language: what a model is told that answers. In: `rule` on quoted speech, `headings`, `nothing`."""

LACKING: Final = _PROMPTS["lacking"]
BETTER_PROMPTS: Final = _PROMPTS["better"]
"""By language: what a second answer is to say, where something was lacking in the first, and where not."""

RESPONSE_TEMPLATE: Final = _PROMPTS["response"]
"""Seed 000's template of an answer (§5.2), by language. In: `analysis`, `attributed_quotes`, `suggestion`."""

HEADINGS: Final = closed_lists("headings")
"""By language: what may head cited lines of an answer; the names of the meeting's topics may, too."""

WORDING: Final = wording("answers")
"""By language: the sentences around quotes in an answer that is made of quotes."""


VERIFICATION_PROMPT: Final = _PROMPTS["verification"]
"""By language: what a model is told that verifies claims; claims and utterances follow as data."""
PLANNING_PROMPT: Final = _PROMPTS["planning"]
"""By language: what a model is told that chooses topics. In: `most`; topics and question follow as data."""
