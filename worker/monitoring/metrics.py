"""Counting for Prometheus, also where a worker has a process for each meeting.

Every process that imports this keeps its own metrics; in the worker they lie in the directory of
`worker.monitoring.multiproc`, and the main process adds them up when it is scraped. The metrics are declared
in `worker.monitoring.instruments`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from context.answer_cache.kept_answers import LookUp
from context.budgets.compression import Compression
from context.models import Utterance
from stt.rereading import ReadingOutcome
from worker.erasures import ErasureBacklog
from worker.monitoring import multiproc
from worker.monitoring.instruments import ERASURE_STATES, PARTS, QUEUES, Instruments, QueueName
from worker.monitoring.metric_labels import Check, MissedReason
from worker.ports import DispatchOutcome
from worker.pressure import YIELDING
from worker.push.queue import PostOutcome

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class _Sums:
    """Numbers by name of each meeting of a process, and their sums over all meetings.

    The sums are kept up to date, not added up anew: hundreds of meetings may tell their numbers every second.
    """

    def __init__(self) -> None:
        self.meetings: dict[str, Mapping[Any, float]] = {}
        self.total: Counter[Any] = Counter()

    def tell(self, meeting_id: str, now: Mapping[Any, float] | None) -> bool:
        """Take a meeting's present numbers, None once it has left; whether they are others than before."""
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
    """The metrics of one process, and a method for each thing that takes more than one call to count.

    Where several processes are added up the instruments are made on first use: livekit-agents wipes the
    directory when a worker begins to run, and a file that was open by then would never be read again.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Register in `registry`, or in a new one. A process needs one only: see `process_metrics`."""
        self.registry = registry or CollectorRegistry()
        self._sizes, self._queues, self._giving_way = _Sums(), _Sums(), _Sums()
        self._degraded: dict[str, frozenset[str]] = {}
        if multiproc.directory() is None:
            _ = self.instruments

    @cached_property
    def instruments(self) -> Instruments:
        """The instruments, by which anything that takes one call is counted directly."""
        return Instruments(self.registry)

    def meeting_size(self, meeting_id: str, *, l0: Sequence[Utterance], topics: int) -> None:
        """Set the size of a meeting's raw window and its topics; from now on it counts as under way."""
        characters = sum(len(u.text) for u in l0)
        self._count_size(meeting_id, {"turns": len(l0), "characters": characters, "topics": topics})

    def _count_size(self, meeting_id: str, size: Mapping[str, float] | None) -> None:
        if self._sizes.tell(meeting_id, size):
            turns = self._sizes.total["turns"]
            self.instruments.jobs.set(len(self._sizes.meetings))
            self.instruments.l0_size.set(turns)
            self.instruments.l0_length.set(self._sizes.total["characters"] / turns if turns else 0.0)
            self.instruments.l1_count.set(self._sizes.total["topics"])

    def meeting_queues(self, meeting_id: str, depths: Mapping[QueueName, float] | None) -> None:
        """Set how much waits in each queue of a meeting (None: it has left); the process shows the sum."""
        if self._queues.tell(meeting_id, depths):
            for queue in QUEUES:
                self.instruments.queue_depth.labels(queue=queue).set(max(0.0, self._queues.total[queue]))

    def meeting_degraded(self, meeting_id: str, parts: Collection[str]) -> None:
        """Set which `PARTS` work less well than they should for a meeting; empty: all is well."""
        now = frozenset(parts)
        if now == self._degraded.get(meeting_id, frozenset()):
            return
        self._degraded[meeting_id] = now
        if not now:
            del self._degraded[meeting_id]
        for part in PARTS:
            meetings = sum(part in each for each in self._degraded.values())
            self.instruments.degraded.labels(part=part).set(meetings)

    def meeting_gives_way(self, meeting_id: str, what: Collection[str]) -> None:
        """Set what waits in a meeting as the machine is at its limit; empty: nothing."""
        if self._giving_way.tell(meeting_id, dict.fromkeys(what, 1) if what else None):
            for name in YIELDING[:-1]:  # whether more meetings are taken is the worker's to say
                self.instruments.giving_way.labels(what=name).set(max(0.0, self._giving_way.total[name]))

    def meeting_gone(self, meeting_id: str) -> None:
        """Drop all that was set for a meeting: this process has left it."""
        self._count_size(meeting_id, None)
        self.meeting_queues(meeting_id, None)
        self.meeting_degraded(meeting_id, ())
        self.meeting_gives_way(meeting_id, ())

    def late_words(self, outcome: Literal["offered", "folded", "kept"], turns: int) -> None:
        """Count turns that were found in a dead job's spool, by what became of them."""
        self.instruments.late_words.labels(outcome=outcome).inc(turns)

    def erasures(self, standing: ErasureBacklog) -> None:
        """Set how many meetings are to be erased and have been; every dispatcher sets the same."""
        for state in ERASURE_STATES:
            self.instruments.erasures.labels(state=state).set(getattr(standing, state))
        self.instruments.erasure_waited.set(standing.oldest_s)

    def statement_dropped(self, fault: str) -> None:
        """Count a statement of a summary, or its owner or due date, that was dropped, by its fault."""
        self.instruments.dropped.labels(fault=fault).inc()

    def stretch_read(self, outcome: ReadingOutcome) -> None:
        """Count what became of a reading of a growing stretch."""
        self.instruments.readings.labels(outcome=outcome).inc()

    def context_tokens(self, tokens: int) -> None:
        """Count the prompt of an answer, with its tokens."""
        self.instruments.call_tokens.observe(tokens)

    def budget_spent(self) -> None:
        """Count a meeting that has used up its tokens of an hour (`MOIM_TOKENS_PER_HOUR`)."""
        self.instruments.budgets_spent.inc()

    def answer_step(self, step: str, took_s: float) -> None:
        """Count a step of an answer's graph (of `STEPS`) that ended; one that ran twice counts twice."""
        self.instruments.answer_steps.labels(step=step).observe(max(0.0, took_s))

    def cache_look_up(self, look_up: LookUp) -> None:
        """Count a question that was looked up in the answer cache."""
        outcome = "miss"
        if look_up.hit:
            outcome = "exact" if look_up.exact else "similar"
        self.instruments.cache_look_ups.labels(outcome=outcome).inc()
        self.instruments.cache_tokens.inc(look_up.tokens_saved)
        if look_up.guard is not None:
            self.instruments.cache_guarded.labels(guard=look_up.guard).inc()

    def compressed(self, made: Compression) -> None:
        """Count passages that were made shorter, and the tokens that this saved."""
        self.instruments.compressions.labels(strategy=made.strategy).inc()
        self.instruments.compression_tokens.inc(max(0, made.tokens_before - made.tokens_after))

    def llm_called(self, purpose: str) -> None:
        """Count a request that was sent to a model; `purpose` is of `PURPOSES`, here and below."""
        self.instruments.llm_calls.labels(purpose=purpose).inc()

    def llm_done(self, purpose: str, latency_s: float) -> None:
        """Count a whole reply of a model, and the seconds from the request to its last piece."""
        self.instruments.llm_latency.labels(purpose=purpose).observe(max(0.0, latency_s))

    def llm_usage(
        self, purpose: str, *, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0
    ) -> None:
        """Count tokens as the model's server reports them; `cached_tokens` are among the prompt's."""
        self.instruments.llm_tokens.labels(kind="prompt", purpose=purpose).inc(prompt_tokens)
        self.instruments.llm_tokens.labels(kind="completion", purpose=purpose).inc(completion_tokens)
        self.instruments.llm_cached.labels(purpose=purpose).inc(cached_tokens)

    def llm_useless(self, purpose: str, fault: Check) -> None:
        """Count a reply of a model that is of no use, by the check that it failed."""
        self.instruments.llm_useless.labels(purpose=purpose, fault=fault).inc()

    def llm_repaired(self, purpose: str, well: bool) -> None:
        """Count wrong JSON that was sent back to a model; `well`: the second reply was right."""
        self.instruments.llm_repairs.labels(purpose=purpose, outcome="repaired" if well else "failed").inc()

    def llm_missed(self, purpose: str, reason: MissedReason) -> None:
        """Count work that a model was to do and that was done without it."""
        self.instruments.llm_missed.labels(purpose=purpose, reason=reason).inc()

    def llm_error(self, reason: str) -> None:
        """Count a request that a model gave nothing for: `unavailable` or `refused`."""
        self.instruments.llm_errors.labels(reason=reason).inc()

    def dispatched(self, outcome: DispatchOutcome) -> None:
        """Count a job that was asked for, or could not be."""
        self.instruments.dispatches.labels(outcome=outcome).inc()

    def command_refused(self, via: str) -> None:
        """Count a command without the right to give it, by the way that it came in."""
        self.instruments.refused.labels(via=via).inc()

    def api_request(self, route: str, status: int) -> None:
        """Count an answer of the API; `route` is the route's pattern, never a path with an id in it."""
        self.instruments.api_requests.labels(route=route, status=str(status)).inc()

    def meetings_waiting(self, meetings: int, longest_s: float) -> None:
        """Set how many open meetings nobody holds, and for how long; every dispatcher sets the same."""
        self.instruments.waiting.set(meetings)
        self.instruments.waited.set(longest_s)

    def push(self, outcome: PostOutcome, took_s: float) -> None:
        """See `worker.push.pusher.PushMetrics.push`."""
        self.instruments.pushes.labels(outcome=outcome).inc()
        self.instruments.push_latency.observe(max(0.0, took_s))

    def push_backlog(self, lag_s: float, failing: int) -> None:
        """See `worker.push.pusher.PushMetrics.push_backlog`; every process that pushes sets the same."""
        self.instruments.push_lag.set(lag_s)
        self.instruments.push_failing.set(failing)

    def render(self) -> bytes:
        """Give the text that Prometheus reads: of all processes of a worker, else of this process."""
        _ = self.instruments  # those that nobody has touched are 0, not absent
        directory = multiproc.directory()
        if directory is None:
            return generate_latest(self.registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone, path=str(directory))  # type: ignore[no-untyped-call] # the library has none
        return generate_latest(everyone)


def forget_process(pid: int) -> None:
    """Drop the gauges of a process that has died; its counters stay."""
    directory = multiproc.directory()
    if directory is not None:
        mark_process_dead(pid, str(directory))  # type: ignore[no-untyped-call] # the library has none


_metrics: Metrics | None = None


def process_metrics() -> Metrics:
    """Give this process's one `Metrics`, made on first use (in a job: after the fork)."""
    global _metrics  # noqa: PLW0603 - Prometheus metrics are one per process by nature
    if _metrics is None:
        _metrics = Metrics()
    return _metrics
