"""What Prometheus is told, right across a process per meeting.

Every process that imports this keeps its own figures; in the worker they lie in the directory of
`worker.monitoring.multiproc`, and the main process adds them up when it is scraped. What there is to tell
stands in `worker.monitoring.instruments`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from context.answer_cache.cache import LookUp
from context.compression import Compression
from context.models import Utterance
from worker.erasures import Standing
from worker.monitoring import multiproc
from worker.monitoring.instruments import ERASURE_STATES, PARTS, QUEUES, Instruments, QueueName
from worker.monitoring.labels import Check, Missed
from worker.ports import DispatchOutcome
from worker.push.queue import Outcome

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class _Sums:
    """What the meetings of a process say, added up.

    The sums are kept, not made: of hundreds of meetings in a process each tells of itself every second.
    """

    def __init__(self) -> None:
        self.meetings: dict[str, Mapping[Any, float]] = {}
        self.total: Counter[Any] = Counter()

    def tell(self, meeting_id: str, now: Mapping[Any, float] | None) -> bool:
        """What a meeting says now, None: it is gone. Whether that is another thing than before."""
        before = self.meetings.pop(meeting_id, None)
        if now is not None:
            self.meetings[meeting_id] = now
        if now == before:
            return False
        self.total.subtract(before or {})
        self.total.update(now or {})
        if not self.meetings:
            self.total.clear()
        return True


class Metrics:
    """All figures of one process. One per process: the names are registered once.

    Across processes the instruments are made on first use: livekit-agents wipes the directory when
    a worker begins to run, and a file that was open by then would never be read again.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._sizes, self._queues = _Sums(), _Sums()
        self._degraded: dict[str, frozenset[str]] = {}
        if multiproc.directory() is None:
            _ = self.figures

    @cached_property
    def figures(self) -> Instruments:
        """The figures themselves."""
        return Instruments(self.registry)

    def meeting_size(self, meeting_id: str, *, l0: Sequence[Utterance], topics: int) -> None:
        """The present size of a meeting's memory; the first call counts the meeting as under way."""
        characters = sum(len(u.text) for u in l0)
        self._count_size(meeting_id, {"turns": len(l0), "characters": characters, "topics": topics})

    def _count_size(self, meeting_id: str, size: Mapping[str, float] | None) -> None:
        if self._sizes.tell(meeting_id, size):
            turns = self._sizes.total["turns"]
            self.figures.jobs.set(len(self._sizes.meetings))
            self.figures.l0_size.set(turns)
            self.figures.l0_length.set(self._sizes.total["characters"] / turns if turns else 0.0)
            self.figures.l1_count.set(self._sizes.total["topics"])

    def meeting_queues(self, meeting_id: str, depths: Mapping[QueueName, float] | None) -> None:
        """What waits in a meeting now, None: it is gone; a process with many meetings shows their sum."""
        if self._queues.tell(meeting_id, depths):
            for queue in QUEUES:
                self.figures.queue_depth.labels(queue=queue).set(max(0.0, self._queues.total[queue]))

    def meeting_degraded(self, meeting_id: str, parts: Collection[str]) -> None:
        """The parts that a meeting has to do without, as its status names them; none: all is well."""
        now = frozenset(parts)
        if now == self._degraded.get(meeting_id, frozenset()):
            return
        self._degraded[meeting_id] = now
        if not now:
            del self._degraded[meeting_id]
        for part in PARTS:
            meetings = sum(part in each for each in self._degraded.values())
            self.figures.degraded.labels(part=part).set(meetings)

    def meeting_gone(self, meeting_id: str) -> None:
        """This process has left the meeting."""
        self._count_size(meeting_id, None)
        self.meeting_queues(meeting_id, None)
        self.meeting_degraded(meeting_id, ())

    def late_words(self, outcome: Literal["offered", "folded", "kept"], turns: int) -> None:
        """Turns that a dead job had heard while the record was away."""
        self.figures.late_words.labels(outcome=outcome).inc(turns)

    def erasures(self, standing: Standing) -> None:
        """How many meetings are to be erased, and how that goes; every dispatcher sees the same."""
        for state in ERASURE_STATES:
            self.figures.erasures.labels(state=state).set(getattr(standing, state))
        self.figures.erasure_waited.set(standing.oldest_s)

    def statement_dropped(self, fault: str) -> None:
        """A statement of a summary, or its owner or moment, did not stand."""
        self.figures.dropped.labels(fault=fault).inc()

    def context_tokens(self, tokens: int) -> None:
        """A context of so many tokens was built for an answer."""
        self.figures.call_tokens.observe(tokens)

    def budget_spent(self) -> None:
        """A meeting's answers are held to level 2 from here on."""
        self.figures.budgets_spent.inc()

    def answer_step(self, step: str, took_s: float) -> None:
        """A step of an answer ended; one that ran twice counts twice."""
        self.figures.answer_steps.labels(step=step).observe(max(0.0, took_s))

    def cache_look_up(self, look_up: LookUp) -> None:
        """A question was looked up among kept answers."""
        outcome = ("exact" if look_up.exact else "similar") if look_up.hit else "miss"
        self.figures.cache_look_ups.labels(outcome=outcome).inc()
        self.figures.cache_tokens.inc(look_up.tokens_saved)
        if look_up.guard is not None:
            self.figures.cache_guarded.labels(guard=look_up.guard).inc()

    def compressed(self, made: Compression) -> None:
        """Passages were made shorter."""
        self.figures.compressions.labels(strategy=made.strategy).inc()
        self.figures.compression_tokens.inc(max(0, made.tokens_before - made.tokens_after))

    def llm_called(self, purpose: str) -> None:
        """A request went to the model."""
        self.figures.llm_calls.labels(purpose=purpose).inc()

    def llm_done(self, purpose: str, latency_s: float) -> None:
        """The model answered, whole, after `latency_s`."""
        self.figures.llm_latency.labels(purpose=purpose).observe(max(0.0, latency_s))

    def llm_usage(
        self, purpose: str, *, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0
    ) -> None:
        """What the server says it counted; `cached_tokens` are among the prompt's."""
        self.figures.llm_tokens.labels(kind="prompt", purpose=purpose).inc(prompt_tokens)
        self.figures.llm_tokens.labels(kind="completion", purpose=purpose).inc(completion_tokens)
        self.figures.llm_cached.labels(purpose=purpose).inc(cached_tokens)

    def llm_useless(self, purpose: str, fault: Check) -> None:
        """The model answered, and nobody can use it."""
        self.figures.llm_useless.labels(purpose=purpose, fault=fault).inc()

    def llm_repaired(self, purpose: str, well: bool) -> None:
        """Wrong JSON was sent back; `well`: what came then was right."""
        self.figures.llm_repairs.labels(purpose=purpose, outcome="repaired" if well else "failed").inc()

    def llm_missed(self, purpose: str, reason: Missed) -> None:
        """Work that was asked of the model was done without it."""
        self.figures.llm_missed.labels(purpose=purpose, reason=reason).inc()

    def llm_error(self, reason: str) -> None:
        """The model gave nothing."""
        self.figures.llm_errors.labels(reason=reason).inc()

    def dispatched(self, outcome: DispatchOutcome) -> None:
        """A job was asked for, or could not be."""
        self.figures.dispatches.labels(outcome=outcome).inc()

    def command_refused(self, via: str) -> None:
        """Somebody gave an order who may not, or does not show it."""
        self.figures.refused.labels(via=via).inc()

    def api_request(self, route: str, status: int) -> None:
        """The API answered; `route`: its pattern, never a path with an id in it."""
        self.figures.api_requests.labels(route=route, status=str(status)).inc()

    def meetings_waiting(self, meetings: int, longest_s: float) -> None:
        """Open meetings that nobody holds; every dispatcher sees the same."""
        self.figures.waiting.set(meetings)
        self.figures.waited.set(longest_s)

    def push(self, outcome: Outcome, took_s: float) -> None:
        """A post to the webhook came to its end."""
        self.figures.pushes.labels(outcome=outcome).inc()
        self.figures.push_latency.observe(max(0.0, took_s))

    def push_backlog(self, lag_s: float, failing: int) -> None:
        """What waits for the webhook; every process that pushes sees the same."""
        self.figures.push_lag.set(lag_s)
        self.figures.push_failing.set(failing)

    def render(self) -> bytes:
        """The exposition text: of all processes where there is a directory, else of this one."""
        _ = self.figures  # those that nobody has touched are 0, not absent
        directory = multiproc.directory()
        if directory is None:
            return generate_latest(self.registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone, path=str(directory))  # type: ignore[no-untyped-call] # the library has none
        return generate_latest(everyone)


def forget_process(pid: int) -> None:
    """A job process is gone: its gauges no longer count, its counters stay."""
    directory = multiproc.directory()
    if directory is not None:
        mark_process_dead(pid, str(directory))  # type: ignore[no-untyped-call] # the library has none


_metrics: Metrics | None = None


def process_metrics() -> Metrics:
    """This process's figures, made on first use (in a job: after the fork)."""
    global _metrics  # noqa: PLW0603 - Prometheus metrics are one per process by nature
    if _metrics is None:
        _metrics = Metrics()
    return _metrics
