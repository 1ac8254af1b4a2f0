"""Seed 001's side panel: the rate, each summary with its turns and sizes, the totals; as data and as text."""

from __future__ import annotations

from typing import Any

from context.thread.history import statistics
from context.thread.thread import Thread
from context.thread.turn import Turn, extract_current_turn


def as_fields(thread: Thread) -> dict[str, Any]:
    """JSON-able. Private turns are counted, never shown."""
    policy, state = thread.policy, thread.state
    return {
        "thread_id": state["session_id"],
        "turn_count": state["turn_count"],
        "under_way": [message.content for message in extract_current_turn(state["messages"])],
        "private_turns": len(thread.asides),
        "covered_until_turn": thread.summaries.covered,
        "unsummarised_tokens": thread.unsummarised_tokens,
        **policy.model_dump(mode="json"),
        "summary_history": state["summary_history"],
        "statistics": statistics(thread.summaries.entries).model_dump(mode="json"),
        "rows": [row.model_dump(mode="json") for row in thread.summaries.rows],
        "turns": [_turn(turn) for turn in thread.turns],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    told = turn.model_dump(include={"by", "status", "tokens"})
    return {"turn": turn.number, "question": turn.question.content, **told}


def as_text(thread: Thread) -> str:
    """Write the panel as text for people."""
    policy, summaries = thread.policy, thread.summaries
    lines = [
        "Summaries of the thread",
        f"Compression rate now: {policy.compression_rate:g}" + ("" if policy.enabled else " (switched off)"),
    ]
    for entry in summaries.entries:
        sizes = f"{entry.original_chars:,} → {entry.summary_chars:,} characters"
        by = entry.engine or "unknown"
        lines += ["", f"[turns {entry.heading}] rate {entry.compression_rate:g}, {sizes}, by {by}"]
        lines += [f"  {line}" for line in entry.summary.split("\n")]
    if summaries.rows and summaries.rows[-1].status != "COMPLETED":
        row = summaries.rows[-1]
        why = f", {row.error}" if row.error else ""
        lines += ["", f"Version {row.summary_version}: {row.status}{why}"]
    totals = statistics(summaries.entries)
    raw = sum(turn.number > summaries.covered for turn in thread.turns)
    lines += [
        "",
        "Totals",
        f"Summaries: {totals.summaries}, of {_turns(totals.turns_covered)}; {_turns(raw)} raw",
        f"Characters: {totals.original_chars:,} → {totals.summary_chars:,}, {totals.saved_percent:g} % saved",
    ]
    return "\n".join(lines)


def _turns(count: int) -> str:
    return f"{count} turn" if count == 1 else f"{count} turns"
