"""What Prometheus is told, right across a process per meeting.

Every process that imports this keeps its own figures; in the worker they lie in the directory of
`worker.monitoring.multiproc`, and the main process adds them up when it is scraped. What there is to tell
stands in `worker.monitoring.instruments`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from context.answer_cache.cache import LookUp
from context.compression import Compression
from context.models import AgentCallType, Utterance
from worker.erasures import Standing
from worker.monitoring import multiproc
from worker.monitoring.instruments import ERASURE_STATES, PARTS, QUEUES, Instruments, QueueName
from worker.monitoring.labels import Check, Missed, SpeechState
from worker.monitoring.trail import Hop
from worker.ports import DispatchOutcome
from worker.push.queue import Outcome

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class _Size:
    """What one meeting adds to the gauges of its process."""

    l0_turns: int = 0
    l0_characters: int = 0
    topics: int = 0

    def changed(self, before: _Size, now: _Size) -> _Size:
        """This sum, with `now` in the place of `before`."""
        return _Size(
            self.l0_turns + now.l0_turns - before.l0_turns,
            self.l0_characters + now.l0_characters - before.l0_characters,
            self.topics + now.topics - before.topics,
        )


class Metrics:
    """All figures of one process. One per process: the names are registered once.

    Across processes the instruments are made on first use: livekit-agents wipes the directory when
    a worker begins to run, and a file that was open by then would never be read again.
    """

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = registry or CollectorRegistry()
        self._sizes: dict[str, _Size] = {}
        self._total = _Size()
        self._queues: dict[str, Mapping[QueueName, float]] = {}
        self._waiting: dict[QueueName, float] = dict.fromkeys(QUEUES, 0.0)
        self._degraded: dict[str, frozenset[str]] = {}
        if multiproc.directory() is None:
            _ = self._of

    @cached_property
    def _of(self) -> Instruments:
        return Instruments(self.registry)

    # ---- meetings -----------------------------------------------------------------------------

    def meeting_size(self, meeting_id: str, *, l0: Sequence[Utterance], topics: int) -> None:
        """The present size of a meeting's memory; the first call counts the meeting as under way."""
        size = _Size(len(l0), sum(len(u.text) for u in l0), topics)
        if self._sizes.get(meeting_id) != size:
            self._count_size(meeting_id, size)

    def meeting_gone(self, meeting_id: str) -> None:
        """This process has left the meeting."""
        self._count_size(meeting_id, None)
        self.meeting_queues(meeting_id, None)
        self.meeting_degraded(meeting_id, ())

    def utterance(self, *, lag_s: float | None = None) -> None:
        """An utterance went out, `lag_s` after its speaker's last sound (None: text without sound)."""
        self._of.utterances.inc()
        if lag_s is not None:
            self._of.ingest_lag.observe(max(0.0, lag_s))

    def turn_hops(self, took_s: Mapping[Hop, float]) -> None:
        """How long a turn took from hop to hop."""
        for hop, seconds in took_s.items():
            self._of.turn_hops.labels(hop=hop).observe(max(0.0, seconds))

    def gap(self, reason: str, duration_s: float) -> None:
        """Something was not heard."""
        self._of.gap_seconds.labels(reason=reason).inc(max(0.0, duration_s))

    def speech(self, state: SpeechState, speech_ms: int, reason: str = "") -> None:
        """So much speech of somebody was heard, or came to this end."""
        self._of.speech.labels(state=state, reason=reason).inc(max(0, speech_ms) / 1000)

    def meeting_empty(self) -> None:
        """A meeting ended with nothing on its record though it had sound."""
        self._of.empty_meetings.inc()

    def late_words(self, outcome: Literal["offered", "folded", "kept"], turns: int) -> None:
        """Turns that a dead job had heard while the record was away."""
        self._of.late_words.labels(outcome=outcome).inc(turns)

    def kept_long_enough(self, meetings: int) -> None:
        """Meetings whose words were kept for as long as they may be."""
        self._of.kept_long_enough.inc(meetings)

    def erasures(self, standing: Standing) -> None:
        """How many meetings are to be erased, and how that goes; every dispatcher sees the same."""
        for state in ERASURE_STATES:
            self._of.erasures.labels(state=state).set(getattr(standing, state))
        self._of.erasure_waited.set(standing.oldest_s)

    def meeting_degraded(self, meeting_id: str, parts: Collection[str]) -> None:
        """The parts that a meeting has to do without, as its status names them; none: all is well."""
        now = frozenset(parts)
        if now == self._degraded.get(meeting_id, frozenset()):
            return
        if now:
            self._degraded[meeting_id] = now
        else:
            self._degraded.pop(meeting_id, None)
        for part in PARTS:
            self._of.degraded.labels(part=part).set(sum(part in each for each in self._degraded.values()))

    def summary(self, reason: str, latency_s: float) -> None:
        """A summary was completed."""
        self._of.l1_updates.labels(reason=reason).inc()
        self._of.summary_latency.observe(max(0.0, latency_s))

    def statement_dropped(self, fault: str) -> None:
        """A statement of a summary, or its owner or moment, did not stand."""
        self._of.dropped.labels(fault=fault).inc()

    def agent_call(self, call_type: AgentCallType) -> None:
        """A question was answered."""
        self._of.call_types.labels(call_type=call_type).inc()

    def context_tokens(self, tokens: int) -> None:
        """A context of so many tokens was built for an answer."""
        self._of.call_tokens.observe(tokens)

    def answer_step(self, step: str, took_s: float) -> None:
        """A step of an answer ended; one that ran twice counts twice."""
        self._of.answer_steps.labels(step=step).observe(max(0.0, took_s))

    def cache_look_up(self, look_up: LookUp) -> None:
        """A question was looked up among kept answers."""
        outcome = ("exact" if look_up.exact else "similar") if look_up.hit else "miss"
        self._of.cache_look_ups.labels(outcome=outcome).inc()
        self._of.cache_tokens.inc(look_up.tokens_saved)
        if look_up.guard is not None:
            self._of.cache_guarded.labels(guard=look_up.guard).inc()

    def compressed(self, made: Compression) -> None:
        """Passages were made shorter."""
        self._of.compressions.labels(strategy=made.strategy).inc()
        self._of.compression_tokens.inc(max(0, made.tokens_before - made.tokens_after))

    def budget_spent(self) -> None:
        """A meeting's answers are held to level 2 from here on."""
        self._of.budgets_spent.inc()

    # ---- parts --------------------------------------------------------------------------------

    def stt_result(self, latency_s: float) -> None:
        """The engine's final text came `latency_s` after the end of speech."""
        self._of.stt_latency.observe(max(0.0, latency_s))

    def stt_error(self, reason: str) -> None:
        """A stretch gave no text."""
        self._of.stt_errors.labels(reason=reason).inc()

    def llm_called(self, purpose: str) -> None:
        """A request went to the model."""
        self._of.llm_calls.labels(purpose=purpose).inc()

    def llm_done(self, purpose: str, latency_s: float) -> None:
        """The model answered, whole, after `latency_s`."""
        self._of.llm_latency.labels(purpose=purpose).observe(max(0.0, latency_s))

    def llm_usage(
        self, purpose: str, *, prompt_tokens: int, completion_tokens: int, cached_tokens: int = 0
    ) -> None:
        """What the server says it counted; `cached_tokens` are among the prompt's."""
        self._of.llm_tokens.labels(kind="prompt", purpose=purpose).inc(prompt_tokens)
        self._of.llm_tokens.labels(kind="completion", purpose=purpose).inc(completion_tokens)
        self._of.llm_cached.labels(purpose=purpose).inc(cached_tokens)

    def llm_useless(self, purpose: str, fault: Check) -> None:
        """The model answered, and nobody can use it."""
        self._of.llm_useless.labels(purpose=purpose, fault=fault).inc()

    def llm_repaired(self, purpose: str, well: bool) -> None:
        """Wrong JSON was sent back; `well`: what came then was right."""
        self._of.llm_repairs.labels(purpose=purpose, outcome="repaired" if well else "failed").inc()

    def llm_missed(self, purpose: str, reason: Missed) -> None:
        """Work that was asked of the model was done without it."""
        self._of.llm_missed.labels(purpose=purpose, reason=reason).inc()

    def llm_error(self, reason: str) -> None:
        """The model gave nothing."""
        self._of.llm_errors.labels(reason=reason).inc()

    def meeting_queues(self, meeting_id: str, depths: Mapping[QueueName, float] | None) -> None:
        """What waits in a meeting now, None: it is gone; a process with many meetings shows their sum."""
        before, now = self._queues.pop(meeting_id, None), depths or {}
        if depths is not None:
            self._queues[meeting_id] = dict(depths)
        elif before is None:
            return
        for queue in QUEUES:
            change = now.get(queue, 0) - (before or {}).get(queue, 0)
            if change or before is None:
                self._waiting[queue] = self._waiting[queue] + change if self._queues else 0.0
                self._of.queue_depth.labels(queue=queue).set(max(0.0, self._waiting[queue]))

    def durable_lag(self, seconds: float) -> None:
        """Age of the oldest event that this process has not yet on the record."""
        self._of.durable_lag.set(max(0.0, seconds))

    def loop_lag(self, seconds: float) -> None:
        """The loop came so late to what was due."""
        self._of.loop_lag.observe(seconds)

    # ---- the fleet ----------------------------------------------------------------------------

    def readiness(self, *, ready: bool) -> None:
        """What `/readyz` says of this process."""
        self._of.ready.set(ready)

    def worker_load(self, share: float) -> None:
        """So much of this worker is taken, 0-1, as LiveKit is told."""
        self._of.load.set(share)

    def takeover(self) -> None:
        """A meeting that another had held goes on here."""
        self._of.takeovers.inc()

    def dispatched(self, outcome: DispatchOutcome) -> None:
        """A job was asked for, or could not be."""
        self._of.dispatches.labels(outcome=outcome).inc()

    def command_refused(self, via: str) -> None:
        """Somebody gave an order who may not, or does not show it."""
        self._of.refused.labels(via=via).inc()

    def api_request(self, route: str, status: int) -> None:
        """The API answered; `route`: its pattern, never a path with an id in it."""
        self._of.api_requests.labels(route=route, status=str(status)).inc()

    def meetings_waiting(self, meetings: int, longest_s: float) -> None:
        """Open meetings that nobody holds; every dispatcher sees the same."""
        self._of.waiting.set(meetings)
        self._of.waited.set(longest_s)

    # ---- transcript push ----------------------------------------------------------------------

    def push(self, outcome: Outcome, took_s: float) -> None:
        """A post to the webhook came to its end."""
        self._of.pushes.labels(outcome=outcome).inc()
        self._of.push_latency.observe(max(0.0, took_s))

    def push_backlog(self, lag_s: float, failing: int) -> None:
        """What waits for the webhook; every process that pushes sees the same."""
        self._of.push_lag.set(lag_s)
        self._of.push_failing.set(failing)

    # ---- scraping -----------------------------------------------------------------------------

    def render(self) -> bytes:
        """The exposition text: of all processes where there is a directory, else of this one."""
        _ = self._of  # figures that nobody has touched are 0, not absent
        directory = multiproc.directory()
        if directory is None:
            return generate_latest(self.registry)
        everyone = CollectorRegistry()
        MultiProcessCollector(everyone, path=str(directory))  # type: ignore[no-untyped-call] # the library has none
        return generate_latest(everyone)

    # Sums are kept, not made: of hundreds of meetings in a process each tells of itself every second.

    def _count_size(self, meeting_id: str, size: _Size | None) -> None:
        before, now = self._sizes.pop(meeting_id, None), size or _Size()
        if size is not None:
            self._sizes[meeting_id] = size
        if before is None and size is None:
            return
        self._total = self._total.changed(before or _Size(), now)
        turns = self._total.l0_turns
        self._of.jobs.set(len(self._sizes))
        self._of.l0_size.set(turns)
        self._of.l0_length.set(self._total.l0_characters / turns if turns else 0.0)
        self._of.l1_count.set(self._total.topics)


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
