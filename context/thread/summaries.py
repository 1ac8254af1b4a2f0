"""The summaries of a thread: when one is due, over which turns, and what came of it.

The cadence is seed 001's (turns 1–3, 4–6, …), the rows are seed 003's (IN_PROGRESS, COMPLETED, FAILED).
There is one job at a time. What is covered is kept as the last covered turn, not as a number of summaries
times three, so a failed or missed span stays due until it is covered. A thread's settings (seed 003's, and
seed 001's rate) are one value that may change at run time (`ThreadPolicy`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import takewhile
from typing import Any, Final

from pydantic import Field

from context.events.effects import SummariseThread
from context.events.events import ThreadSummaryFailed, ThreadSummaryReady, ThreadSummaryStarted
from context.events.message import chars_of
from context.models import Frozen
from context.ports import Tokenizer
from context.primitives.values import changed
from context.thread.turn import SummaryRow, Turn, extract_last_n_turns, should_summarize, span_end

LOWEST_RATE: Final = 0.1
HIGHEST_RATE: Final = 0.5
"""Bounds of a summary's length over that of its originals (seed 001)."""


def checked_rate(rate: float) -> float:
    """`rate` rounded to the steps of 0.05 of seed 001's slider. Raises `ValueError` outside 0.1–0.5."""
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise ValueError(f"compression rate {rate:g}: give {LOWEST_RATE:g} to {HIGHEST_RATE:g}")
    return round(round(rate / 0.05) * 0.05, 2)


def target_length(original_chars: int, compression_rate: float) -> int:
    """Characters that a summary should have (seed 001's length rule)."""
    return int(original_chars * compression_rate)


class SummaryEntry(Frozen):
    """A summary of some turns. The first seven fields are those of seed 001's `summary_history`."""

    thread_id: str
    turns: tuple[int, ...]
    """Numbers of the turns that it covers, ascending."""
    turn_length: int
    """How many they are."""
    original_chars: int
    summary_chars: int
    compression_rate: float
    """The rate that was asked for when it was written."""
    summary: str
    version: int = 0
    engine: str = ""
    """What wrote it: a model's name, or `extractive`."""
    merged: bool = False
    """Whether it took the place of older ones, because the model's window has no room for all of them."""

    @property
    def true_rate(self) -> float:
        """Its length over that of its originals; below `compression_rate` where the window forced that."""
        return round(self.summary_chars / self.original_chars, 3) if self.original_chars else 0.0

    @property
    def heading(self) -> str:
        """The turns as `1-3`, or `4` for a single one."""
        first, last = self.turns[0], self.turns[-1]
        return f"{first}-{last}" if last > first else f"{first}"

    def as_history(self) -> dict[str, Any]:
        """The entry with exactly the seed's keys, JSON-able."""
        return self.model_dump(mode="json", exclude={"version", "engine", "merged"})


class Statistics(Frozen):
    """Totals over all summaries of a thread, as seed 001's side panel shows them."""

    summaries: int
    turns_covered: int
    original_chars: int
    summary_chars: int
    saved_percent: float
    """How many of 100 original characters are saved; below 0 where the summaries are longer."""


def statistics(entries: Sequence[SummaryEntry]) -> Statistics:
    """The totals over these summaries."""
    original = sum(entry.original_chars for entry in entries)
    written = sum(entry.summary_chars for entry in entries)
    return Statistics(
        summaries=len(entries),
        turns_covered=sum(entry.turn_length for entry in entries),
        original_chars=original,
        summary_chars=written,
        saved_percent=round(100 * (1 - written / original), 1) if original else 0.0,
    )


class ThreadPolicy(Frozen):
    """How a thread is kept. It is changed by an event (`ThreadTuned`), so that a record explains itself."""

    enabled: bool = True
    """Off: a question goes out alone, and nothing is summarised."""
    threshold: int = Field(default=8_000, ge=1)
    """With more unsummarised tokens a summary is due before its three turns are complete."""
    recent_messages: int = Field(default=6, ge=0)
    """So many of the newest messages are shown raw, also where a summary covers them."""
    share_tokens: int = Field(default=8_000, ge=1)
    """Tokens that the thread may take of a prompt: its share of the model's window."""
    compression_rate: float = Field(default=0.3, ge=LOWEST_RATE, le=HIGHEST_RATE)
    """Length of the next summaries over that of their originals."""

    @property
    def trigger_tokens(self) -> int:
        """The lesser of `threshold` and `share_tokens`."""
        return min(self.threshold, self.share_tokens)

    @property
    def summary_tokens(self) -> int:
        """Most tokens of all summaries together; above that the older ones are folded into one."""
        return max(1, self.share_tokens // 2)


SUPERSEDED_REASON: Final = "superseded"
"""The error of an attempt whose holder is gone: the next holder begins another attempt."""
_MOST_ROWS: Final = 200
_HEADING_TOKENS: Final = 8
_UNMERGED_COUNT: Final = 2
"""So many of the newest summaries stand as they are while older ones are merged, where there is room."""
_MIN_MERGED_SHARE: Final = 0.25
_MAX_MERGED_SHARE: Final = 0.75
"""A merge has at least and at most these shares of the length of what it merges."""


class ThreadSummaries:
    """The summaries of a thread, the rows of all attempts, and the job under way; part of the fold."""

    def __init__(self, thread_id: str, tokenizer: Tokenizer) -> None:
        self.thread_id = thread_id
        self.entries: list[SummaryEntry] = []
        """The summaries, oldest first; together they cover turns 1 to `covered`."""
        self.rows: list[SummaryRow] = []
        """The attempts, oldest first, at most the newest 200."""
        self.job: SummariseThread | None = None
        """The job under way without its texts, which are the turns' and entries'; the last row is its."""
        self.covered = 0
        """Number of the last turn that a summary covers; 0 for none."""
        self.covered_messages = 0
        self.covered_tokens = 0
        self._completed = 0
        """Version of the last completed summary."""
        self._attempts = 0
        """Attempts at the next version so far."""
        self._begun = False
        """Whether a holder has begun the attempt that the last row stands for."""
        self._tokenizer = tokenizer

    def span(self, turns: Sequence[Turn], policy: ThreadPolicy) -> list[Turn]:
        """The closed turns that are to be summarised now: a whole span, or fewer long ones; [] for none."""
        first, last = self.covered + 1, span_end(self.covered + 1)
        later = [turn for turn in turns if turn.number >= first]
        closed = list(takewhile(lambda turn: turn.closed and turn.number <= last, later))
        if closed and should_summarize(closed[-1].number + 1):  # the turn after it is to find the summary
            return closed
        unsummarised = sum(turn.tokens for turn in later if turn.closed)
        return closed if unsummarised > policy.trigger_tokens else []

    def next(self, turns: Sequence[Turn], policy: ThreadPolicy, at: datetime | None) -> list[SummariseThread]:
        """Start the job that is due now, for an uncovered span or else to fold old summaries; [] if none is.

        `at`: now, in wall-clock time, for the row.
        """
        if self.job is not None or not policy.enabled:
            return []
        span = self.span(turns, policy)
        job = self._span_job(span, policy) if span else self._fold_job(policy)
        if job is None:
            return []
        self.job, self._begun = job, False
        self._attempts += 1
        self._add_row(
            SummaryRow(
                id=f"{self.thread_id}/v{job.version}.{self._attempts}",
                conversation_id=self.thread_id,
                covered_until_message_id=self._covered_until(span),
                covered_message_count=self.covered_messages + sum(len(turn.messages) for turn in span),
                covered_token_count=self.covered_tokens + sum(turn.tokens for turn in span),
                summary_version=job.version,
                created_at=at,
            )
        )
        return self.in_progress(turns)

    def _covered_until(self, span: Sequence[Turn]) -> str:
        """The id of the last message that a span covers, or the rows do; "" where an erasure left none."""
        if span:
            return span[-1].messages[-1].id
        return self.rows[-1].covered_until_message_id if self.rows else ""

    def in_progress(self, turns: Sequence[Turn]) -> list[SummariseThread]:
        """The job under way, if any, with its texts as they stand now."""
        job = self.job
        if job is None:
            return []
        if job.purpose == "fold":
            older = [entry for entry in self.entries if entry.turns[-1] <= job.turns[-1]]
            return [changed(job, {"previous": _told(older)})]
        told = [message for turn in turns if turn.number <= job.turns[-1] for message in turn.messages]
        messages = tuple(extract_last_n_turns(told, len(job.turns)))
        previous = self.entries[-1].summary if self.entries else ""
        return [changed(job, {"messages": messages, "previous": previous})]

    def attempt(self, version: int, *, at_ms: int) -> ThreadSummaryStarted | None:
        """The event that work on the job begins, to be recorded before; None if `version` is not the job's.

        Where a holder that is gone had begun an attempt, it is the next attempt.
        """
        if self.job is None or self.job.version != version:
            return None
        row = self.rows[-1]
        return ThreadSummaryStarted(
            version=version,
            attempt=self._attempts + self._begun,
            covered_until_message_id=row.covered_until_message_id,
            covered_message_count=row.covered_message_count,
            covered_token_count=row.covered_token_count,
            at_ms=at_ms,
        )

    def began(self, event: ThreadSummaryStarted, at: datetime | None) -> None:
        """Note that work on the job has begun; an earlier attempt, whose holder is gone, becomes FAILED."""
        if self.job is None or self.job.version != event.version:
            return
        if event.attempt > self._attempts:
            self._attempts = event.attempt
            row = self.rows[-1]
            self.rows[-1] = row.failed(SUPERSEDED_REASON)
            new = f"{self.thread_id}/v{event.version}.{self._attempts}"
            self._add_row(row.model_copy(update={"id": new, "created_at": at}))
        self._begun = True

    def ready(self, event: ThreadSummaryReady, turns: Sequence[Turn]) -> bool:
        """Take in a summary that came back, and end the job; False where it is empty or fits nowhere."""
        text = event.text.strip()
        entry = SummaryEntry(
            thread_id=self.thread_id,
            turns=event.turns,
            turn_length=len(event.turns),
            original_chars=event.original_chars,
            summary_chars=len(text),
            compression_rate=event.compression_rate,
            summary=text,
            version=event.version,
            engine=event.engine,
        )
        taken = bool(text and event.turns) and (self._append(entry, turns) or self._replace(entry))
        if self._end_job(event.version):
            row = self.rows[-1]
            self.rows[-1] = row.completed(text) if taken else row.failed("it covers nothing that is due")
        if taken:
            self._completed = max(self._completed, event.version)
            self._attempts = 0
        return taken

    def failed(self, event: ThreadSummaryFailed) -> None:
        """Note that the job gave nothing; the last COMPLETED summary stands."""
        if self._end_job(event.version):
            self.rows[-1] = self.rows[-1].failed(event.error)

    def _span_job(self, span: Sequence[Turn], policy: ThreadPolicy) -> SummariseThread:
        original = sum(chars_of(turn.messages) for turn in span)
        return SummariseThread(
            version=self._completed + 1,
            purpose="span",
            turns=tuple(turn.number for turn in span),
            original_chars=original,
            target_chars=target_length(original, policy.compression_rate),
            compression_rate=policy.compression_rate,
        )

    def _fold_job(self, policy: ThreadPolicy) -> SummariseThread | None:
        tokens = sum(self._tokenizer.count(entry.summary) + _HEADING_TOKENS for entry in self.entries)
        if len(self.entries) < 2 or tokens <= policy.summary_tokens:
            return None
        each = tokens // len(self.entries)
        # The next summary is to find room beside those that stay and the merge, which has half of it all.
        staying = min(_UNMERGED_COUNT, max(0, policy.summary_tokens // 2 // max(1, each) - 1))
        older = self.entries[: max(2, len(self.entries) - staying)]
        text = _told(older)
        others = each * (len(self.entries) - len(older) + 1)
        share = (policy.summary_tokens - others) / max(1, self._tokenizer.count(text))
        return SummariseThread(
            version=self._completed + 1,
            purpose="fold",
            turns=tuple(number for entry in older for number in entry.turns),
            original_chars=sum(entry.original_chars for entry in older),
            target_chars=int(len(text) * min(_MAX_MERGED_SHARE, max(_MIN_MERGED_SHARE, share))),
            compression_rate=policy.compression_rate,
        )

    def _add_row(self, row: SummaryRow) -> None:
        self.rows.append(row)
        del self.rows[:-_MOST_ROWS]

    def _end_job(self, version: int) -> bool:
        if self.job is None or self.job.version != version:
            return False
        self.job = None
        return True

    def _append(self, entry: SummaryEntry, turns: Sequence[Turn]) -> bool:
        """Append a summary if it covers exactly the next turns, all of them closed; False otherwise."""
        following = tuple(range(self.covered + 1, self.covered + 1 + len(entry.turns)))
        span = [turn for turn in turns if turn.closed and turn.number in entry.turns]
        if entry.turns != following or len(span) != len(following):
            return False
        self.entries.append(entry)
        self.covered = entry.turns[-1]
        self.covered_messages += sum(len(turn.messages) for turn in span)
        self.covered_tokens += sum(turn.tokens for turn in span)
        return True

    def _replace(self, entry: SummaryEntry) -> bool:
        """Put a summary in the place of the oldest ones if it covers exactly their turns; False otherwise."""
        told: tuple[int, ...] = ()
        for count, older in enumerate(self.entries, 1):
            told += older.turns
            if told == entry.turns and count > 1:
                self.entries[:count] = [entry.model_copy(update={"merged": True})]
                return True
        return False

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "entries": [entry.model_dump(mode="json") for entry in self.entries],
            "rows": [row.model_dump(mode="json") for row in self.rows],
            "job": self.job.model_dump(mode="json", exclude_defaults=True) if self.job else None,
            "covered": [self.covered, self.covered_messages, self.covered_tokens],
            "counts": [self._completed, self._attempts],
            "begun": self._begun,
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.entries = [SummaryEntry.model_validate(entry) for entry in dumped["entries"]]
        self.rows = [SummaryRow.model_validate(row) for row in dumped["rows"]]
        self.job = SummariseThread.model_validate(dumped["job"]) if dumped["job"] else None
        self.covered, self.covered_messages, self.covered_tokens = dumped["covered"]
        self._completed, self._attempts = dumped["counts"]
        self._begun = dumped["begun"]


def _told(entries: Iterable[SummaryEntry]) -> str:
    """Older summaries as one text, as a job that folds them is given it."""
    return "\n".join(f"[{entry.heading}] {entry.summary}" for entry in entries)
