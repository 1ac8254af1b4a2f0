"""Seed 001's `ChatState`: one session, as its side panel and its nodes see it."""

from __future__ import annotations

from typing import Any, TypedDict

from context.thread.messages import Message


class ChatState(TypedDict):
    """One session; `session_id` is the thread's id. A meeting's is `Thread.state`."""

    messages: list[Message]
    session_id: str
    summary_history: list[dict[str, Any]]
    turn_count: int
    """Of the current turn: +1 when a user message arrives, before the run."""
    compression_rate: float
