"""What people look at of a meeting's agent: its thread (seed 001's panel) and its budget (seed 004's)."""

from __future__ import annotations

import uuid
from typing import Any, Final

from context.budgets.sent import producers_of
from context.fold.meeting import Meeting
from context.ports import MeetingStore, Refused, Unavailable
from context.thread.thread import as_fields
from context.thread.turns_from_elsewhere import NOTHING_LEFT_OUT, TurnsFromElsewhere
from worker.configuration.settings import Settings
from worker.meeting.asker import AskBus
from worker.messages import AskMessage
from worker.ports import MeetingRow
from worker.record.restoring import read_meeting

NEXT_AGENT: Final = "transcript"
"""The producer whose next budget is told."""


class Panels:
    """What the panels show of any meeting of the tenant, from its record."""

    def __init__(self, store: MeetingStore, settings: Settings, *, bus: AskBus | None) -> None:
        self._store, self._settings, self._bus = store, settings, bus

    async def thread(self, row: MeetingRow, *, here_alone: bool = False) -> dict[str, Any]:
        """The thread's compression rate, its summaries with texts and sizes, and the totals.

        `here_alone`: without summaries of answers that rest on other meetings or documents.
        """
        meeting = await self._meeting(row)
        turns = meeting.thread.turns
        left_out = TurnsFromElsewhere.of(turns, meeting.replies) if here_alone else NOTHING_LEFT_OUT
        return as_fields(meeting.thread, left_out)

    async def budget(self, row: MeetingRow) -> dict[str, Any]:
        """See `spending`."""
        return spending(await self._meeting(row), self._settings)

    async def set_rate(self, row: MeetingRow, rate: float, by: str) -> None:
        """Set the thread's compression rate (0.1 to 0.5) from the next summary on, as `by` asks.

        Raises `Refused` where the meeting is not live, `Unavailable` without Redis.
        """
        if row.status != "live":
            raise Refused(f"meeting {row.id!r} is {row.status}: a rate can be set while it is live")
        if self._bus is None:
            raise Unavailable("a live meeting is told through Redis: set REDIS_URL")
        await self._bus.ask(
            row.id, AskMessage(id=f"rate-{uuid.uuid4().hex[:12]}", by=by, text=f"/rate {rate:g}")
        )

    async def _meeting(self, row: MeetingRow) -> Meeting:
        return await read_meeting(self._store, row.id, self._settings) or Meeting(
            row.id, self._settings.context
        )


def spending(meeting: Meeting, settings: Settings) -> dict[str, Any]:
    """Seed 004's report of the last answer's prompt; beside it what was sent by purpose and hour."""
    tracker, last = meeting.prompts.tracker(settings.budgets), meeting.prompts.shown
    return {
        **tracker.report(),
        "compression_mode": tracker.compression_mode,
        "compression_share": tracker.compression_share,
        "next": {
            "agent": NEXT_AGENT,
            "budget": tracker.next_budget(NEXT_AGENT),
            "level": int(tracker.level_for_next()),
        },
        "hour": {"used": meeting.prompts.of_last_hour(), "limit": settings.agent.tokens_per_hour},
        "per_purpose": {name: spent.model_dump() for name, spent in meeting.prompts.by_purpose.items()},
        "last": None if last is None else {**last.model_dump(), "producers": producers_of(last)},
    }


def dashboard(meeting: Meeting, settings: Settings) -> str:
    """What models were sent in a meeting (`spending`), as lines of text for a terminal."""
    tracker, last = meeting.prompts.tracker(settings.budgets), meeting.prompts.shown
    limit = settings.agent.tokens_per_hour
    hour = f"Last Hour: {meeting.prompts.of_last_hour():,} tokens" + (f" of {limit:,}" if limit else "")
    lines = [tracker.dashboard(NEXT_AGENT), "", hour, "", "Per Purpose:"]
    spent = sorted(meeting.prompts.by_purpose.items(), key=lambda item: -item[1].tokens)
    width = max((len(name) for name, _ in spent), default=0)
    for name, spending in spent:
        calls = f"{spending.calls} prompt{'' if spending.calls == 1 else 's'}"
        lines.append(f"  {name.ljust(width)} {spending.tokens:,} tokens, {calls}")
    if last is None:
        return "\n".join([*lines, "  (no model was asked)"])
    lines += ["", f"Last Prompt: {last.tokens:,} tokens ({last.purpose}, level {last.level})"]
    brought = sorted(producers_of(last).items(), key=lambda item: -item[1])
    width = max(len(name) for name, _ in brought) if brought else 0
    lines += [f"  {name.ljust(width)} {tokens:,}" for name, tokens in brought]
    return "\n".join(lines)
