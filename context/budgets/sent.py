"""The prompts that were sent to models for a meeting, summed up by its fold.

Theory of operation. Whoever sends a prompt appends a `PromptRecord` to what comes of it: an answer, a
summary, a verdict. The fold adds these up here, so after a takeover and in any other process the sums are the
same as where the prompts were sent. A budget is one prompt's (`tracker`): what was sent before takes nothing
from the next one. Only what the last hour cost may be bounded, by whoever wants that (`of_last_hour`). The
state stays small however long a meeting is: sums, the last hour's minutes, the last prompt of each purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from context.budgets.configuration import BudgetConfig
from context.budgets.output import CompressionLevel
from context.budgets.tracker import ContextBudgetTracker
from context.models import Frozen, PromptRecord
from context.ports import ChatMessage, Tokenizer

_HOUR_MIN: Final = 60
_MINUTE_MS: Final = 60_000
RULES: Final = "rules"
"""The producer that stands for all that no other one brought: rules, tags, frames."""


class Spent(Frozen):
    """How many prompts were sent for one purpose, and their tokens."""

    calls: int = 0
    tokens: int = 0


class SentPrompts:
    """What was sent to models for one meeting; only its fold changes this."""

    def __init__(self) -> None:
        self.by_purpose: dict[str, Spent] = {}
        self.last: dict[str, PromptRecord] = {}
        """The newest prompt of each purpose, the newest of all last."""
        self._by_minute: dict[int, int] = {}
        """Tokens by minute of the meeting, sixty minutes at most, in the order in which they were sent."""

    def add(self, records: Iterable[PromptRecord], *, at_ms: int) -> None:
        """Add prompts, in the order in which they were sent. `at_ms`: when, in meeting time."""
        minute = at_ms // _MINUTE_MS
        for record in records:
            self._by_minute[minute] = self._by_minute.get(minute, 0) + record.tokens
            spent = self.by_purpose.get(record.purpose, Spent())
            self.by_purpose[record.purpose] = Spent(
                calls=spent.calls + 1, tokens=spent.tokens + record.tokens
            )
            self.last.pop(record.purpose, None)
            self.last[record.purpose] = record
        for oldest in list(self._by_minute)[:-_HOUR_MIN]:
            del self._by_minute[oldest]

    def of_last_hour(self, at_ms: int | None = None) -> int:
        """The tokens of all prompts in an hour, by whole minutes of the meeting's time.

        The hour ends at `at_ms`; without it, with the newest prompt. What was dated ahead of it by a wrong
        clock does not count, lest it count for ever.
        """
        now = max(self._by_minute, default=0) if at_ms is None else at_ms // _MINUTE_MS
        hour = range(now - _HOUR_MIN + 1, now + 1)
        return sum(tokens for minute, tokens in self._by_minute.items() if minute in hour)

    @property
    def shown(self) -> PromptRecord | None:
        """The last prompt of an answer, else the last of any purpose; None before the first."""
        return self.last.get("answer") or next(reversed(self.last.values()), None)

    def tracker(self, config: BudgetConfig) -> ContextBudgetTracker:
        """The tracker of the prompt that is `shown`: what its producers brought, and what it had room for."""
        shown = self.shown
        tracker = config.tracker(shown.budget if shown is not None else 0)
        for producer, tokens in (shown.producers if shown is not None else {}).items():
            tracker.track(producer, tokens)
        return tracker

    def dump(self) -> dict[str, Any]:
        """The state for a snapshot, as JSON can hold it; `load` takes it back."""
        return {
            "by_minute": {str(minute): tokens for minute, tokens in self._by_minute.items()},
            "by_purpose": {name: spent.model_dump() for name, spent in self.by_purpose.items()},
            "last": [record.model_dump(mode="json") for record in self.last.values()],
        }

    def load(self, dumped: Mapping[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self._by_minute = {int(at): tokens for at, tokens in dumped["by_minute"].items()}
        self.by_purpose = {name: Spent(**spent) for name, spent in dumped["by_purpose"].items()}
        records = (PromptRecord.model_validate(each) for each in dumped["last"])
        self.last = {record.purpose: record for record in records}


def producers_of(record: PromptRecord) -> dict[str, int]:
    """The tokens of a prompt by producer, adding up to the prompt's own count.

    What no producer brought is counted as `RULES`. Parts counted apart may come to more than the joined
    prompt: that excess is taken from the rules, then from the largest producers.
    """
    found = {name: max(0, tokens) for name, tokens in record.producers.items()}
    rules = found.get(RULES, 0) + record.tokens - sum(found.values())
    found[RULES] = max(0, rules)
    over = max(0, -rules)
    for name in sorted(found, key=lambda each: -found[each]):
        taken = min(over, found[name])
        found[name] -= taken
        over -= taken
    return {name: tokens for name, tokens in found.items() if tokens}


def sent(
    purpose: str,
    messages: Sequence[ChatMessage],
    tokenizer: Tokenizer,
    producers: Mapping[str, str | int] | None = None,
    *,
    level: int = CompressionLevel.FULL,
    budget: int = 0,
) -> PromptRecord:
    """The record of a prompt that was sent. `producers`: the text that each brought, or its tokens."""
    parts = {
        name: tokenizer.count(part) if isinstance(part, str) else part
        for name, part in (producers or {}).items()
    }
    tokens = sum(tokenizer.count(message.content) for message in messages)
    return PromptRecord(purpose=purpose, tokens=tokens, producers=parts, level=int(level), budget=budget)
