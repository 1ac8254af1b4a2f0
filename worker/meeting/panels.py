"""What people look at of a meeting's agent: its thread (seed 001's panel) and its budget (seed 004's)."""

from __future__ import annotations

import uuid
from typing import Any, Final, Protocol

from context.budgets.tracker import ContextBudgetTracker
from context.manager import ContextManager
from context.meeting import Meeting
from context.models import Invocation
from context.ports import MeetingStore, Refused, Unavailable
from context.thread.panel import as_fields
from worker.adapters.redis_messages import AskMessage
from worker.agent.desk import MeetingDesks
from worker.agent.prompting import parts_of
from worker.configuration.settings import Settings
from worker.engines.language_models import tokenizer_of
from worker.engines.model_budgets import model_budget
from worker.ports import MeetingRow
from worker.record.exporting import recorded

NEXT: Final = "transcript"
"""The producer whose next budget is told."""


class RateBus(Protocol):
    """The stream that a live meeting is told by."""

    async def ask(self, meeting_id: str, question: AskMessage) -> str:
        """Tell the holder."""
        ...


class Panels:
    """Of any meeting of the tenant, from its record."""

    def __init__(self, store: MeetingStore, settings: Settings, *, bus: RateBus | None) -> None:
        self._store, self._settings, self._bus = store, settings, bus

    async def thread(self, row: MeetingRow) -> dict[str, Any]:
        """The rate, the history of summaries with their texts and sizes, the totals."""
        return as_fields((await self._meeting(row)).thread)

    async def budget(self, row: MeetingRow) -> dict[str, Any]:
        """Seed 004's report of the prompt that an answer would get now."""
        tracker = await usage(await self._meeting(row), self._settings)
        return {
            **tracker.report(),
            "compression_mode": tracker.compression_mode,
            "next": {"agent": NEXT, "budget": tracker.next_budget(NEXT)},
        }

    async def set_rate(self, row: MeetingRow, rate: float, by: str) -> None:
        """From the next summary on. Raises `Refused` where the meeting is not live, `Unavailable`."""
        if row.status != "live":
            raise Refused(f"meeting {row.id!r} is {row.status}: a rate can be set while it is live")
        if self._bus is None:
            raise Unavailable("a live meeting is told through Redis: set REDIS_URL")
        await self._bus.ask(
            row.id, AskMessage(id=f"rate-{uuid.uuid4().hex[:12]}", by=by, text=f"/rate {rate:g}")
        )

    async def _meeting(self, row: MeetingRow) -> Meeting:
        return await recorded(self._store, row.id, self._settings) or Meeting(row.id, self._settings.context)


async def usage(meeting: Meeting, settings: Settings) -> ContextBudgetTracker:
    """Tokens by producer of the prompt that an answer to the last question would get now."""
    model = settings.llm.model if settings.llm.engine != "extractive" else ""
    tokenizer, budget = tokenizer_of(settings), model_budget(settings, model)
    asked = [turn.question.content for turn in meeting.thread.turns]
    invocation = Invocation(
        id="budget", by="cli", via="cli", text=asked[-1] if asked else "?", at_ms=0,
        after_utterance=len(meeting.utterances),
    )  # fmt: skip
    manager = ContextManager(meeting.meeting_id, settings.context, meeting=meeting)
    desk = MeetingDesks(tokenizer, budget=budget)(invocation, manager)
    await desk.prepare()
    tracker = ContextBudgetTracker(budget.window - budget.answer)
    for producer, text in parts_of(desk.prompt()):
        tracker.track(producer, tokenizer.count(text))
    return tracker
