"""The metrics that Prometheus scrapes: their names, what they mean, their buckets.

No metric has a meeting's id as a label: there would be a new series for every meeting that ever was. The
seven of seed 000 §8.1 have its names behind `moim_context_`. A label is declared with the values that it is
known to have: those series exist from the start, so that no panel is empty and no first increase is missed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final, Literal, TypeVar, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from context.answer_cache.likeness import Guard
from context.events.topic_events import UpdateReason
from context.features import CompressionStrategy
from context.models import AgentCallType, GapReason
from context.statements.checks import Fault
from stt.rereading import ReadingOutcome
from worker.monitoring.metric_labels import CHECKS, MISSED_REASONS, PURPOSES, STEPS
from worker.monitoring.turn_latency import HOPS
from worker.ports import DispatchOutcome
from worker.pressure import YIELDING
from worker.push.queue import PostOutcome

_LAG_S: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_LOOP_S: Final = (0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 5)
_SLOW_S: Final = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)
_TOKENS: Final = (250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 16_000, 32_000)

MonitoredPart = Literal["postgres", "spool", "redis", "llm", "stt", "embeddings"]
PARTS: Final[tuple[MonitoredPart, ...]] = get_args(MonitoredPart)
ERASURE_STATES: Final = ("due", "waiting", "held", "erased")
LOST_REASONS: Final = ("overload", "stt_error", "stt_timeout")
"""Reasons for which a stretch of speech became no text."""
QueueName = Literal["audio_seconds", "inbox", "outbox", "record", "answers"]
QUEUES: Final[tuple[QueueName, ...]] = get_args(QueueName)

_GaugeMode = Literal["livesum", "livemax"]
_Labelled = TypeVar("_Labelled", Counter, Gauge, Histogram)
_VALUES_UNKNOWN: Final = ()
"""It stands for a label's values where these are not known beforehand."""


class Instruments:
    """All metrics of one process; the attributes are the instruments, each with its help beside its name."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register all metrics in `registry`, which must not have them yet."""
        self._registry = registry
        self._of_the_context()
        self._of_a_word()
        self._of_completeness()
        self._of_answers()
        self._of_the_model()
        self._of_the_push()
        self._of_the_process()
        self._of_the_fleet()

    def _counter(self, name: str, meaning: str, **labels: Sequence[str]) -> Counter:
        return _from_zero(Counter(f"moim_{name}", meaning, list(labels), registry=self._registry), labels)

    def _gauge(self, name: str, meaning: str, mode: _GaugeMode, **labels: Sequence[str]) -> Gauge:
        made = Gauge(f"moim_{name}", meaning, list(labels), multiprocess_mode=mode, registry=self._registry)
        return _from_zero(made, labels)

    def _histogram(
        self, name: str, meaning: str, buckets: Sequence[float], **labels: Sequence[str]
    ) -> Histogram:
        made = Histogram(f"moim_{name}", meaning, list(labels), buckets=buckets, registry=self._registry)
        return _from_zero(made, labels)

    def _of_the_context(self) -> None:
        """The metrics of seed 000 §8.1 (`CONTEXT_METRICS`), and statements that were dropped."""
        self.l0_size = self._gauge("context_l0_buffer_size", "utterances in the raw windows", "livesum")
        self.l0_length = self._gauge(
            "context_l0_avg_utterance_length", "characters per utterance in the raw windows", "livemax"
        )
        self.l1_count = self._gauge("context_l1_topic_count", "topics of the meetings under way", "livesum")
        self.l1_updates = self._counter(
            "context_l1_update_count", "finished summaries", reason=get_args(UpdateReason)
        )
        self.dropped = self._counter(
            "context_statements_dropped",
            "statements of summaries that their evidence did not bear out",
            fault=get_args(Fault),
        )
        self.call_types = self._counter(
            "context_agent_call_type_count", "questions by call type", call_type=get_args(AgentCallType)
        )
        self.summary_latency = self._histogram("context_l1_summary_latency", "seconds per summary", _SLOW_S)
        self.call_tokens = self._histogram(
            "context_agent_call_context_tokens", "tokens of an answer's prompt", _TOKENS
        )

    def _of_a_word(self) -> None:
        """How long words take from the voice to their publication, and what was not heard."""
        self.utterances = self._counter("utterances", "utterances on the record")
        self.ingest_lag = self._histogram(
            "ingest_lag_seconds", "end of speech to the utterance's publication", _LAG_S
        )
        self.turn_hops = self._histogram(
            "turn_hop_seconds",
            "a turn's way from hop to hop: silence, cut, engine, fold, commit, publish",
            _LAG_S,
            hop=HOPS,
        )
        self.stt_latency = self._histogram(
            "stt_latency_seconds", "end of speech to the engine's final text", _SLOW_S
        )
        self.first_text = self._histogram(
            "stt_first_text_seconds", "first voice of a stretch to its first text, mostly tentative", _SLOW_S
        )
        self.readings = self._counter(
            "stt_readings",
            "readings of growing stretches: made, given way to finals, outrun by the stretch's end, failed",
            outcome=get_args(ReadingOutcome),
        )
        self.stt_errors = self._counter(
            "stt_errors", "stretches that the engine gave nothing for", reason=LOST_REASONS
        )
        self.gap_seconds = self._counter(
            "gap_seconds", "seconds of a participant that nobody heard", reason=get_args(GapReason)
        )

    def _of_completeness(self) -> None:
        """What is lost and why, what is erased, and which parts work less well than they should."""
        self.speech = self._counter(
            "speech_seconds",
            "seconds of speech by their end; heard less the others waits, or died with its job",
            state=_VALUES_UNKNOWN,
            reason=_VALUES_UNKNOWN,
        )
        _from_zero(self.speech, {"state": ("heard", "transcribed", "wordless"), "reason": ("",)})
        _from_zero(self.speech, {"state": ("lost",), "reason": LOST_REASONS})
        self.empty_meetings = self._counter(
            "meetings_empty",
            "meetings that ended complete but empty: speech and no text, or sound and no speech",
        )
        self.late_words = self._counter(
            "late_words",
            "turns found in a dead job's spool: offered to the holder, folded by it, kept on the disk",
            outcome=("offered", "folded", "kept"),
        )
        self.kept_long_enough = self._counter(
            "meetings_kept_long_enough", "meetings whose words were erased after their time"
        )
        self.erasures = self._gauge(
            "erasures",
            "meetings by how it stands with their erasing: due by age, waiting, on hold, erased at some time",
            "livemax",
            state=ERASURE_STATES,
        )
        self.erasure_waited = self._gauge(
            "erasures_waiting_seconds",
            "how long the oldest erasure request has been waiting",
            "livemax",
        )
        self.degraded = self._gauge(
            "degraded",
            "meetings under way with this part working less well than it should",
            "livesum",
            part=PARTS,
        )

    def _of_answers(self) -> None:
        """The steps of answers, what the cache and compression spare them, budgets that are used up."""
        self.answer_steps = self._histogram(
            "answer_step_seconds", "one step of an answer's graph", _LAG_S, step=STEPS
        )
        self.cache_look_ups = self._counter(
            "answer_cache_look_ups",
            "questions looked up: exact (the same words), similar, miss",
            outcome=("exact", "similar", "miss"),
        )
        self.cache_guarded = self._counter(
            "answer_cache_guarded",
            "misses where a kept question was near, by the guard that spoke first",
            guard=get_args(Guard),
        )
        self.cache_tokens = self._counter("answer_cache_tokens_saved", "tokens that hits did not cost")
        self.compressions = self._counter(
            "compressions",
            "passages made shorter, by how it was done",
            strategy=get_args(CompressionStrategy),
        )
        self.compression_tokens = self._counter("compression_tokens_saved", "tokens less by compression")
        self.budgets_spent = self._counter(
            "budgets_spent",
            "times that a meeting had used up its tokens of an hour (MOIM_TOKENS_PER_HOUR)",
        )

    def _of_the_model(self) -> None:
        """Requests to language models: how many, how long, how many tokens, what came of them."""
        self.llm_latency = self._histogram(
            "llm_latency_seconds", "request to the last piece", _SLOW_S, purpose=PURPOSES
        )
        self.llm_calls = self._counter(
            "llm_calls", "requests that were sent, retries and repairs included", purpose=PURPOSES
        )
        self.llm_tokens = self._counter(
            "llm_tokens",
            "tokens in and out, as the server counts them",
            kind=("prompt", "completion"),
            purpose=PURPOSES,
        )
        self.llm_cached = self._counter(
            "llm_cached_tokens",
            "tokens in that the server had read before, where it says so; among the tokens in",
            purpose=PURPOSES,
        )
        self.llm_errors = self._counter(
            "llm_errors", "requests that gave nothing", reason=("unavailable", "refused")
        )
        self.llm_useless = self._counter(
            "llm_useless_replies",
            "replies of no use: no valid JSON, nothing that is borne out, no verdict",
            purpose=PURPOSES,
            fault=CHECKS,
        )
        self.llm_repairs = self._counter(
            "llm_repairs", "wrong JSON that was sent back", purpose=PURPOSES, outcome=("repaired", "failed")
        )
        self.llm_missed = self._counter(
            "llm_missed",
            "work that was asked of the model and done without it",
            purpose=PURPOSES,
            reason=MISSED_REASONS,
        )

    def _of_the_push(self) -> None:
        """Posts to the webhook, and how far it is behind the record."""
        self.pushes = self._counter("pushes", "posts to the webhook", outcome=get_args(PostOutcome))
        self.push_latency = self._histogram("push_latency_seconds", "one post to its answer", _SLOW_S)
        self.push_lag = self._gauge(
            "push_lag_seconds", "age of the oldest event that the webhook has not got", "livemax"
        )
        self.push_failing = self._gauge("push_failing_meetings", "meetings whose last post failed", "livemax")

    def _of_the_process(self) -> None:
        """What waits in this process, what gives way in it, and how many meetings it has."""
        self.queue_depth = self._gauge("queue_depth", "entries waiting", "livesum", queue=QUEUES)
        self.durable_lag = self._gauge(
            "durable_lag_seconds", "age of the oldest event that is not on the record", "livemax"
        )
        self.loop_lag = self._histogram(
            "loop_lag_seconds", "how late a process with many meetings comes to what is due", _LOOP_S
        )
        self.giving_way = self._gauge(
            "giving_way",
            "meetings in which this waits for a machine at its limit; meetings: workers that take no more",
            "livesum",
            what=YIELDING,
        )
        self.jobs = self._gauge("jobs", "meetings under way", "livesum")

    def _of_the_fleet(self) -> None:
        """Whether this process can work, how full it is, and which meetings wait for a worker."""
        self.ready = self._gauge("ready", "1 where /readyz says so, else 0", "livemax")
        self.load = self._gauge(
            "load", "share of this worker that is taken, as LiveKit is told; 1: no new meeting", "livemax"
        )
        self.takeovers = self._counter(
            "takeovers",
            "meetings taken over from an earlier holder: handed over, after a death, or to be closed",
        )
        self.dispatches = self._counter(
            "dispatches",
            "jobs asked for: first, again (nobody had come), crashed (the last one died at its start), "
            "failed (LiveKit could not be asked)",
            outcome=get_args(DispatchOutcome),
        )
        self.refused = self._counter(
            "commands_refused",
            "commands without the right to give them, by their way in: http, webhook, ask, in, dispatch",
            via=("http", "webhook", "ask", "in", "dispatch"),
        )
        self.api_requests = self._counter(
            "api_requests", "requests to the HTTP API", route=_VALUES_UNKNOWN, status=_VALUES_UNKNOWN
        )
        self.waiting = self._gauge("meetings_waiting", "open meetings that nobody holds", "livemax")
        self.waited = self._gauge(
            "meetings_waiting_seconds", "how long the longest of them has been without a holder", "livemax"
        )


def _from_zero(made: _Labelled, labels: Mapping[str, Sequence[str]]) -> _Labelled:
    """Make a series for each combination of the labels' values, so that they exist at zero."""
    for values in product(*labels.values()) if labels else ():
        made.labels(**dict(zip(labels, values, strict=True)))
    return made
