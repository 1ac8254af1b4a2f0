"""The prompts that a meeting's models were sent, folded from its record: what the tracker is filled from.

Theory of operation. Whoever sends a prompt appends a `PromptRecord` to what comes of it: an answer's run, a
summary, a verdict. The fold adds these up here, so after a takeover and in any other process the sums are
the same as where the prompts were sent, and so is the level that the next answer is held to. Kept are sums
and the last prompt of each purpose: the state stays small however long a meeting is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from context.budgets.configuration import BudgetConfig
from context.budgets.output import CompressionLevel
from context.budgets.tracker import ContextBudgetTracker
from context.models import Frozen, PromptRecord
from context.ports import ChatMessage, Tokenizer

RULES: Final = "rules"
"""The producer of what nobody else brought: rules, tags, frames."""


class Spent(Frozen):
    """What was sent for one purpose."""

    calls: int = 0
    tokens: int = 0


class SentPrompts:
    """Of one meeting; changed by its fold alone."""

    def __init__(self) -> None:
        self.by_producer: dict[str, int] = {}
        self.by_purpose: dict[str, Spent] = {}
        self.last: dict[str, PromptRecord] = {}
        """The newest prompt of each purpose, the newest of all last."""

    def add(self, records: Iterable[PromptRecord]) -> None:
        """They were sent, in this order."""
        for record in records:
            for producer, tokens in producers_of(record).items():
                self.by_producer[producer] = self.by_producer.get(producer, 0) + tokens
            spent = self.by_purpose.get(record.purpose, Spent())
            self.by_purpose[record.purpose] = Spent(
                calls=spent.calls + 1, tokens=spent.tokens + record.tokens
            )
            self.last.pop(record.purpose, None)
            self.last[record.purpose] = record

    @property
    def shown(self) -> PromptRecord | None:
        """The last prompt of an answer; where there was none, the last of all; None before the first."""
        return self.last.get("answer") or next(reversed(self.last.values()), None)

    def tracker(self, config: BudgetConfig) -> ContextBudgetTracker:
        """The tracker as it stands behind the last prompt: it says at which level the next answer comes."""
        tracker = config.tracker()
        for producer, tokens in self.by_producer.items():
            tracker.track(producer, tokens)
        return tracker

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "by_producer": dict(self.by_producer),
            "by_purpose": {name: spent.model_dump() for name, spent in self.by_purpose.items()},
            "last": [record.model_dump(mode="json") for record in self.last.values()],
        }

    def load(self, dumped: Mapping[str, Any]) -> None:
        """From the snapshot; an older one knows nothing of prompts."""
        self.by_producer = dict(dumped.get("by_producer", {}))
        self.by_purpose = {name: Spent(**spent) for name, spent in dumped.get("by_purpose", {}).items()}
        records = (PromptRecord.model_validate(each) for each in dumped.get("last", ()))
        self.last = {record.purpose: record for record in records}


def producers_of(record: PromptRecord) -> dict[str, int]:
    """Tokens by producer that add up to the prompt's own count.

    Counted apart, texts may come to a token more or less than joined: what is missing or over is the rules'.
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
) -> PromptRecord:
    """The record of a prompt. `producers`: what each brought, as its text or as tokens counted already."""
    parts = {
        name: tokenizer.count(part) if isinstance(part, str) else part
        for name, part in (producers or {}).items()
    }
    tokens = sum(tokenizer.count(message.content) for message in messages)
    return PromptRecord(purpose=purpose, tokens=tokens, producers=parts, level=int(level))
