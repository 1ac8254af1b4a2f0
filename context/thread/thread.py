"""A meeting's thread: the questions to the agent with its answers, as turns, and their summaries.

Theory of operation. What was asked and said is kept once, in `Invocations`; the thread keeps places, and a
turn is the invocation at such a place, shown as messages. Public turns are numbered from 1 in the order in
which they were asked; each closes with its answer or, marked, without one. Whenever one closes,
`ThreadSummaries` is asked what is due. So the summary of turns 1–3 is under way when turn 4 begins; until it
is there, prompts show its turns raw. A summary that came back may set off the next one; a failed one waits
for the next turn to close.

Private turns concern nobody but the asker: they are kept beside the public ones, the newest 20 per person,
and no summary ever covers them.

A public turn is dropped when a summary covers it and it is no longer recent, so the state stays bounded.
Like the meeting it belongs to, a thread knows no clock and never raises on well-formed events. Seed 001's
side panel (the rate, each summary with its turns and sizes, the totals) is at the end, as data and as text.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from itertools import takewhile
from typing import Any, Final

from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryReady, ThreadTuned
from context.models import Reply
from context.ports import Tokenizer
from context.primitives.values import changed
from context.question import Question
from context.thread.invocations import Invocation, Unanswered
from context.thread.summaries import ThreadPolicy, ThreadSummaries, statistics
from context.thread.turn import ChatState, Turn, extract_current_turn
from context.thread.turns_from_elsewhere import NOTHING_LEFT_OUT, TurnsFromElsewhere

_MAX_PRIVATE_TURNS: Final = 20
"""Private turns that are kept of one person, the newest."""
_MAX_COVERED_TURNS: Final = 1_000
"""Covered turns that are kept as recent, at most."""


class Thread:
    """The state of a thread; only the meeting's fold changes it."""

    def __init__(self, thread_id: str, tokenizer: Tokenizer) -> None:
        self.thread_id = thread_id
        self.policy = ThreadPolicy()
        self.kept: list[Turn] = []
        """All turns that are kept raw, in the order in which they were asked."""
        self.summaries = ThreadSummaries(thread_id, tokenizer)
        self.turn_count = 0
        """Public turns so far, open ones included (seed 001)."""
        self._order = 0
        self._tokenizer = tokenizer

    # What others look at

    @property
    def turns(self) -> list[Turn]:
        """Public turns that are kept raw, by number."""
        return [turn for turn in self.kept if not turn.private]

    @property
    def asides(self) -> list[Turn]:
        """Private turns that are kept, in the order in which they were asked."""
        return [turn for turn in self.kept if turn.private]

    @property
    def summary_history(self) -> list[dict[str, Any]]:
        """Seed 001's `summary_history`: the summaries with its keys, JSON-able, oldest first."""
        return [entry.as_history() for entry in self.summaries.entries]

    @property
    def state(self) -> ChatState:
        """The thread as seed 001's `ChatState`, with the messages that are kept raw, closed turns first."""
        in_order = sorted(self.turns, key=lambda turn: not turn.closed)
        return ChatState(
            messages=[message for turn in in_order for message in turn.messages],
            session_id=self.thread_id,
            summary_history=self.summary_history,
            turn_count=self.turn_count,
            compression_rate=self.policy.compression_rate,
        )

    @property
    def unsummarised_tokens(self) -> int:
        """Tokens of the closed public turns that no COMPLETED summary covers."""
        return sum(t.tokens for t in self.turns if t.closed and t.number > self.summaries.covered)

    def should_summarize(self) -> bool:
        """Whether a summary of turns is due and none IN_PROGRESS (seed 003, step 2); False while disabled."""
        idle = self.summaries.job is None and self.policy.enabled
        return idle and bool(self.summaries.span(self.turns, self.policy))

    def earlier(self, question: Question) -> list[Turn]:
        """The closed turns before a question that its answer may use, in the order of asking.

        Those are the public ones and, if it is private, the asker's own private ones.
        """
        own = question.private
        seen = [turn for turn in self.kept if not turn.private or (own and turn.by == question.by)]
        before = takewhile(lambda turn: turn.id != question.id, seen)
        return [turn for turn in before if turn.closed]

    # The fold

    def asked(self, question: Question, name: str = "") -> None:
        """Open a turn with its question; `name`: of the asker."""
        self._order += 1
        if not question.private:
            self.turn_count += 1
        number = 0 if question.private else self.turn_count
        turn = Turn(id=question.id, number=number, order=self._order, name=name, invocation=question)
        self.kept.append(turn)
        own = [turn.id for turn in self.asides if turn.by == question.by] if question.private else []
        if len(own) > _MAX_PRIVATE_TURNS:
            self._let_go({own[0]})

    def closed(self, ended: Reply | Unanswered, at: datetime | None = None) -> list[SummariseThread]:
        """Close a turn as its invocation ended; gives the summary job that is due then.

        `at`: wall-clock time.
        """
        for index, asked in enumerate(self.kept):
            if asked.id == ended.invocation_id:
                turn = changed(asked, {"invocation": ended})
                tokens = sum(self._tokenizer.count(message.content) for message in turn.messages)
                self.kept[index] = changed(turn, {"tokens": tokens})
                return [] if turn.private else self.summaries.next(self.turns, self.policy, at)
        return []

    def tuned(self, event: ThreadTuned) -> bool:
        """Change the policy; False where it stays the same. A new rate counts from the next summary on."""
        before = self.policy
        wanted = {f: v for f in ThreadPolicy.model_fields if (v := getattr(event, f)) is not None}
        self.policy = before.model_copy(update=wanted)
        return self.policy != before

    def summarised(self, event: ThreadSummaryReady, at: datetime | None = None) -> list[SummariseThread]:
        """Take in a summary that came back, and drop covered turns that are old; gives the next job."""
        if not self.summaries.ready(event, self.turns):
            return []
        recent = min(_MAX_COVERED_TURNS, -(-self.policy.recent_messages // 2))
        first = min(self.summaries.covered, self.turn_count - recent)
        self._let_go({turn.id for turn in self.turns if turn.closed and turn.number <= first})
        return self.summaries.next(self.turns, self.policy, at)

    def _let_go(self, ids: Collection[str]) -> None:
        self.kept = [turn for turn in self.kept if turn.id not in ids]

    def in_progress(self) -> list[SummariseThread]:
        """The effect of the job under way, if any, to be carried out again after a restore."""
        return self.summaries.in_progress(self.turns)

    # The snapshot

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "policy": self.policy.model_dump(mode="json"),
            "places": [turn.model_dump(mode="json", exclude_defaults=True) for turn in self.kept],
            "summaries": self.summaries.dump(),
            "counts": [self.turn_count, self._order],
        }

    def load(self, dumped: dict[str, Any], invocations: Mapping[str, Invocation]) -> None:
        """Take the state from a snapshot, as `dump` gave it; `invocations`: by their ids."""
        self.policy = ThreadPolicy.model_validate(dumped["policy"])
        self.kept = [Turn(**place, invocation=invocations[place["id"]]) for place in dumped["places"]]
        self.summaries.load(dumped["summaries"])
        self.turn_count, self._order = dumped["counts"]


def as_fields(thread: Thread, left_out: TurnsFromElsewhere = NOTHING_LEFT_OUT) -> dict[str, Any]:
    """The side panel as data, JSON-able; private turns are counted, never shown.

    Of `left_out` neither the summaries nor their texts are there.
    """
    state = thread.state
    shown = [entry for entry in thread.summaries.entries if not left_out.summary(entry)]
    texts = {entry.summary for entry in shown} if left_out.since is not None else None
    return {
        "thread_id": thread.thread_id,
        "turn_count": thread.turn_count,
        "under_way": [message.content for message in extract_current_turn(state["messages"])],
        "private_turns": len(thread.asides),
        "covered_until_turn": thread.summaries.covered,
        "unsummarised_tokens": thread.unsummarised_tokens,
        **thread.policy.model_dump(mode="json"),
        "trigger_tokens": thread.policy.trigger_tokens,
        "summary_history": [
            entry.as_history() | {"true_rate": entry.true_rate, "merged": entry.merged} for entry in shown
        ],
        "statistics": statistics(thread.summaries.entries).model_dump(mode="json"),
        "rows": [
            row.model_dump(mode="json")
            | ({} if texts is None or row.summary_text in texts else {"summary_text": None})
            for row in thread.summaries.rows
        ],
        "turns": [
            {
                "turn": turn.number,
                "question": turn.question.content,
                "by": turn.by,
                "status": turn.status,
                "tokens": turn.tokens,
            }
            for turn in thread.turns
        ],
    }


def as_text(thread: Thread) -> str:
    """The side panel as English text."""
    policy, summaries = thread.policy, thread.summaries
    lines = [
        "Summaries of the thread",
        f"Compression rate now: {policy.compression_rate:g}" + ("" if policy.enabled else " (switched off)"),
    ]
    if policy.trigger_tokens < policy.threshold:
        lines.append(
            f"A summary is due after {policy.trigger_tokens:,} tokens: the model's window has no room"
            f" for the {policy.threshold:,} that are set"
        )
    for entry in summaries.entries:
        sizes = f"{entry.original_chars:,} → {entry.summary_chars:,} characters"
        by = entry.engine or "unknown"
        rate = f"rate {entry.compression_rate:g}"
        if entry.merged:
            rate += f", {entry.true_rate:g} in truth: merged, as the model's window has no room for more"
        lines += ["", f"[turns {entry.heading}] {rate}, {sizes}, by {by}"]
        lines += [f"  {line}" for line in entry.summary.split("\n")]
    if summaries.rows and summaries.rows[-1].status != "COMPLETED":
        row = summaries.rows[-1]
        why = f", {row.error}" if row.error else ""
        lines += ["", f"Version {row.summary_version}: {row.status}{why}"]
    totals = statistics(summaries.entries)
    raw = sum(turn.number > summaries.covered for turn in thread.turns)
    sizes = f"{totals.original_chars:,} → {totals.summary_chars:,}"
    covered, beside = (f"{n} turn" if n == 1 else f"{n} turns" for n in (totals.turns_covered, raw))
    return "\n".join(
        [
            *lines,
            "",
            "Totals",
            f"Summaries: {totals.summaries}, of {covered}; {beside} raw",
            f"Characters: {sizes}, {totals.saved_percent:g} % saved",
        ]
    )
