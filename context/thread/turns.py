"""Turns: question, tool calls with their results, final answer. A turn is never split (seed 001).

A turn ends at an assistant message without tool calls. A summary is due at turns 4, 7, 10, … and
covers the three turns before; so the spans are 1–3, 4–6, 7–9, whatever came in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.thread.messages import Message

TURNS_PER_SUMMARY: Final = 3


def should_summarize(turn_count: int) -> bool:
    """Whether the turns before the `turn_count`-th call for a summary: at 4, 7, 10, 13, …"""
    return turn_count >= TURNS_PER_SUMMARY + 1 and (turn_count - 1) % TURNS_PER_SUMMARY == 0


def span_end(first: int) -> int:
    """The last turn of the span that turn `first` belongs to: 3 for 1–3, 6 for 4–6."""
    return -(-first // TURNS_PER_SUMMARY) * TURNS_PER_SUMMARY


def completed_turns(messages: Sequence[Message]) -> list[list[Message]]:
    """The finished turns in order, each whole; what follows the last of them is left out."""
    turns: list[list[Message]] = []
    begun: list[Message] = []
    for message in messages:
        begun.append(message)
        if message.ends_turn:
            turns.append(begun)
            begun = []
    return turns


def extract_last_n_turns(messages: Sequence[Message], n: int) -> list[Message]:
    """The messages of the last `n` finished turns."""
    turns = completed_turns(messages)
    return [message for turn in (turns[-n:] if n > 0 else []) for message in turn]


def extract_current_turn(messages: Sequence[Message]) -> list[Message]:
    """Everything after the last finished turn: all of it where none has finished."""
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].ends_turn:
            return list(messages[place + 1 :])
    return list(messages)
