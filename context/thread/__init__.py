"""The agent's thread: the turns that a meeting's participants exchange with it, and their summaries.

Pure, like all of `context`. `Thread` is the fold that a meeting holds; the functions of seed 001 and the
cases of seed 003 are below it. Names are looked up when first used: the events and effects of a meeting
import from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from context.thread.briefing import build_context_prompt
    from context.thread.history import SummaryEntry, statistics, target_length
    from context.thread.messages import ChatState, Message, ToolCall
    from context.thread.thread import Thread
    from context.thread.turn import SummaryRow, extract_current_turn, extract_last_n_turns, should_summarize
    from context.thread.writing import generate_summary

__all__ = [
    "ChatState",
    "Message",
    "SummaryEntry",
    "SummaryRow",
    "Thread",
    "ToolCall",
    "build_context_prompt",
    "extract_current_turn",
    "extract_last_n_turns",
    "generate_summary",
    "should_summarize",
    "statistics",
    "target_length",
]

_HOME: Final = {
    "briefing": ("build_context_prompt",),
    "history": ("SummaryEntry", "statistics", "target_length"),
    "messages": ("ChatState", "Message", "ToolCall"),
    "thread": ("Thread",),
    "turn": ("SummaryRow", "extract_current_turn", "extract_last_n_turns", "should_summarize"),
    "writing": ("generate_summary",),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOME.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
