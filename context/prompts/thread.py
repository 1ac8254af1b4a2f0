"""The texts of the agent's own thread: how a prompt shows it, and the prompts of its summaries.

What a model is told that makes passages shorter.
"""

from __future__ import annotations

from typing import Final

from context.prompts import prompts

TURNS: Final = {"ko": "[{}턴] {}", "en": "[turns {}] {}"}

CONTEXT_HEADING: Final = "[CONVERSATION CONTEXT]"
CONTEXT_OPENING: Final = "The following is a summary of our earlier conversation:"
RECENT_HEADING: Final = "[RECENT MESSAGES]"
CURRENT_HEADING: Final = "[CURRENT MESSAGE]"
"""Seed 003's three parts."""

_PROMPTS: Final = prompts("thread")


def summary_prompt(lines: str, previous: str, *, target: int, language: str, merge: bool = False) -> str:
    """For new messages, after `previous` (may be empty); without `lines`: for merging what `previous` holds.

    `merge`: the new summary takes the place of `previous`, and holds it. Both texts must have been quoted:
    they are other people's words.
    """
    tongue = "en" if language == "en" else "ko"
    parts = [_PROMPTS["rules"][tongue].format(target=max(1, target))]
    if previous:
        heading = "merge" if not lines else "take_in" if merge else "previous"
        parts.append(f"{_PROMPTS[heading][tongue]}\n<previous_summary>\n{previous}\n</previous_summary>")
    if lines:
        parts.append(f"{_PROMPTS['new' if previous else 'whole'][tongue]}\n<messages>\n{lines}\n</messages>")
    return "\n\n".join(parts)


COMPRESSION_PROMPT: Final = _PROMPTS["compression"]
"""By language. In: `target_tokens`; the sources and the question follow as data."""
