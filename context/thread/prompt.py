"""The thread in a prompt: seed 003's cases A, B and C, and seed 001's system prompt.

A: at most one earlier message and no summary: the current one alone, unchanged. B: no summary:
`[RECENT MESSAGES]` and `[CURRENT MESSAGE]`. C: with summaries, `[CONVERSATION CONTEXT]` before them.
Recent 6 is a floor (ruling 15): what no summary covers goes in too.
"""

from __future__ import annotations

from collections.abc import Sequence

from context.prompts.thread import (
    CONTEXT_HEADING,
    CONTEXT_OPENING,
    CURRENT_HEADING,
    RECENT_HEADING,
    SUMMARIES,
    SYSTEM,
    TURNS,
)
from context.thread.history import SummaryEntry
from context.thread.messages import CONTEXT_CHARS, Message, line_of
from context.thread.policy import RECENT_MESSAGES


def build_context_prompt(
    current: str,
    earlier: Sequence[Message] = (),
    summary: str = "",
    *,
    covered: int = 0,
    recent: int = RECENT_MESSAGES,
    enabled: bool = True,
) -> str:
    """One user message. `covered`: how many of the `earlier` messages the summary covers.

    Shown raw are the newest `recent` messages and all that nothing covers, each up to 2,000 characters;
    the current one is never cut.
    """
    covered = covered if summary else 0
    if not enabled or (not summary and len(earlier) <= 1):
        return current
    lines = [line_of(message) for message in recent_messages(earlier, covered=covered, recent=recent)]
    return "\n\n".join([*parts_of(summary, lines), f"{CURRENT_HEADING}\n{current}"])


def recent_messages(
    earlier: Sequence[Message], *, covered: int = 0, recent: int = RECENT_MESSAGES
) -> list[Message]:
    """The messages that are shown raw: the newest `recent`, and whatever follows the first `covered`."""
    return list(earlier[max(0, min(covered, len(earlier) - recent)) :])


def parts_of(summary: str, lines: Sequence[str]) -> list[str]:
    """What stands before the current message: the summary's block and the recent one, where not empty."""
    parts: list[str] = []
    if summary:
        parts.append(f"{CONTEXT_HEADING}\n{CONTEXT_OPENING}\n{summary}")
    if lines:
        parts.append("\n".join([RECENT_HEADING, *lines]))
    return parts


def summaries_text(entries: Sequence[SummaryEntry], language: str) -> str:
    """Every summary with its turns: `[1-3턴] …` or `[turns 1-3] …`."""
    turns = TURNS["en" if language == "en" else "ko"]
    return "\n".join(turns.format(entry.heading, entry.summary) for entry in entries)


def system_prompt(entries: Sequence[SummaryEntry], language: str = "ko", opening: str = "") -> str:
    """Seed 001's system message: who the agent is, then every summary with its turns under a heading."""
    tongue = "en" if language == "en" else "ko"
    parts = [opening or SYSTEM[tongue]]
    if entries:
        parts += ["", SUMMARIES[tongue], summaries_text(entries, tongue)]
    return "\n".join(parts)


__all__ = [
    "CONTEXT_CHARS",
    "build_context_prompt",
    "parts_of",
    "recent_messages",
    "summaries_text",
    "system_prompt",
]
