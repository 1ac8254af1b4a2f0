"""Texts for the agent's thread: its headings in a prompt, and the prompt of its summaries.

Also what a model is told that compresses passages.
"""

from __future__ import annotations

from typing import Final

from context.prompts import prompts

TURNS: Final = {"ko": "[{}턴] {}", "en": "[turns {}] {}"}
"""A summary marked with the turns that it covers (seed 001), by language."""

CONTEXT_HEADING: Final = "[CONVERSATION CONTEXT]"
CONTEXT_OPENING: Final = "The following is a summary of our earlier conversation:"
RECENT_HEADING: Final = "[RECENT MESSAGES]"
CURRENT_HEADING: Final = "[CURRENT MESSAGE]"
"""The headings of seed 003's three parts."""

_PROMPTS: Final = prompts("thread_prompts")


def summary_prompt(lines: str, previous: str, *, target: int, language: str, merge: bool = False) -> str:
    """The prompt for a summary of about `target` characters of the messages in `lines`.

    `previous`: the last summary, or "". The new one goes on from it; with `merge` it includes what it says.
    Without `lines` the prompt is for merging the summaries in `previous`. Both texts must have been made safe
    (`fenced`): they are other people's words.
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
"""What a model is told that compresses passages, by language. In: `target_tokens`; sources follow as data."""
