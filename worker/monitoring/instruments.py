"""The figures that Prometheus is told: their names, what they mean, their buckets.

No figure carries a meeting's id: there would be a new series for every meeting that ever was. The
seven of seed 000 carry its names behind `moim_context_`.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from context.answer_cache.likeness import Guard
from context.checking import Fault
from context.events import UpdateReason
from context.features import CompressionStrategy
from context.models import AgentCallType, GapReason
from worker.monitoring.labels import CHECKS, MISSED, PURPOSES, STEPS
from worker.monitoring.trail import HOPS
from worker.ports import DispatchOutcome
from worker.push.queue import Outcome

_LAG_S: Final = (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_LOOP_S: Final = (0.002, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.2, 0.5, 1, 5)
_SLOW_S: Final = (0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60)
_TOKENS: Final = (250, 500, 1000, 1500, 2000, 3000, 4000, 6000, 8000, 16_000, 32_000)

Part = Literal["postgres", "spool", "redis", "llm", "stt", "embeddings"]
PARTS: Final[tuple[Part, ...]] = get_args(Part)
ERASURE_STATES: Final = ("due", "waiting", "held", "erased")
_LOST_FOR: Final = ("overload", "stt_error", "stt_timeout")
QueueName = Literal["audio_seconds", "inbox", "outbox", "record", "answers"]
QUEUES: Final[tuple[QueueName, ...]] = get_args(QueueName)


class Instruments:
    """The figures themselves, by what they are about."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._of_the_context(registry)
        self._of_a_word(registry)
        self._of_completeness(registry)
        self._of_answers(registry)
        self._of_the_model(registry)
        self._of_the_push(registry)
        self._of_the_process(registry)
        self._of_the_fleet(registry)
        self._from_zero()

    def _from_zero(self) -> None:
        """Series whose labels are known exist from the start: no panel is empty, no first increase missed."""
        for metric, label, values in (
            (self.l1_updates, "reason", get_args(UpdateReason)),
            (self.dropped, "fault", get_args(Fault)),
            (self.call_types, "call_type", get_args(AgentCallType)),
            (self.turn_hops, "hop", HOPS),
            (self.stt_errors, "reason", _LOST_FOR),
            (self.gap_seconds, "reason", get_args(GapReason)),
            (self.answer_steps, "step", STEPS),
            (self.cache_look_ups, "outcome", ("exact", "similar", "miss")),
            (self.cache_guarded, "guard", get_args(Guard)),
            (self.compressions, "strategy", get_args(CompressionStrategy)),
            (self.llm_latency, "purpose", PURPOSES),
            (self.llm_errors, "reason", ("unavailable", "refused")),
            (self.pushes, "outcome", get_args(Outcome)),
            (self.queue_depth, "queue", QUEUES),
            (self.dispatches, "outcome", get_args(DispatchOutcome)),
            (self.refused, "via", ("http", "webhook", "ask", "in", "dispatch")),
        ):
            for value in values:
                metric.labels(**{label: value})

    def _of_the_context(self, r: CollectorRegistry) -> None:
        """Seed 000 §8.1."""
        self.l0_size = _live("l0_buffer_size", "utterances in the raw windows", "livesum", r)
        self.l0_length = _live(
            "l0_avg_utterance_length", "characters per utterance in the raw windows", "livemax", r
        )
        self.l1_count = _live("l1_topic_count", "topics of the meetings under way", "livesum", r)
        self.l1_updates = Counter(
            "moim_context_l1_update_count", "finished summaries", ["reason"], registry=r
        )
        self.dropped = Counter(
            "moim_context_statements_dropped",
            "statements of summaries that their evidence did not bear out",
            ["fault"],
            registry=r,
        )
        self.call_types = Counter(
            "moim_context_agent_call_type_count", "questions by call type", ["call_type"], registry=r
        )
        self.summary_latency = Histogram(
            "moim_context_l1_summary_latency", "seconds per summary", buckets=_SLOW_S, registry=r
        )
        self.call_tokens = Histogram(
            "moim_context_agent_call_context_tokens", "tokens of a briefing", buckets=_TOKENS, registry=r
        )

    def _of_a_word(self, r: CollectorRegistry) -> None:
        """Its way from the voice to the record."""
        self.utterances = Counter("moim_utterances", "utterances on the record", registry=r)
        self.ingest_lag = Histogram(
            "moim_ingest_lag_seconds",
            "end of speech to the utterance's publication",
            buckets=_LAG_S,
            registry=r,
        )
        self.turn_hops = Histogram(
            "moim_turn_hop_seconds",
            "a turn's way from hop to hop: silence, cut, engine, fold, commit, publish",
            ["hop"],
            buckets=_LAG_S,
            registry=r,
        )
        self.stt_latency = Histogram(
            "moim_stt_latency_seconds",
            "end of speech to the engine's final text",
            buckets=_SLOW_S,
            registry=r,
        )
        self.stt_errors = Counter(
            "moim_stt_errors", "stretches that the engine gave nothing for", ["reason"], registry=r
        )
        self.gap_seconds = Counter(
            "moim_gap_seconds", "seconds of a participant that nobody heard", ["reason"], registry=r
        )

    def _of_completeness(self, r: CollectorRegistry) -> None:
        """Is anything lost, and why; what works less well than it should."""
        self.speech = Counter(
            "moim_speech_seconds",
            "seconds of speech by their end; heard less the others waits, or died with its job",
            ["state", "reason"],
            registry=r,
        )
        for state in ("heard", "transcribed", "wordless"):
            self.speech.labels(state=state, reason="")  # from 0, so that its first increase shows
        for reason in _LOST_FOR:
            self.speech.labels(state="lost", reason=reason)
        self.empty_meetings = Counter(
            "moim_meetings_empty",
            "meetings that ended complete but empty: speech and no text, or sound and no speech",
            registry=r,
        )
        self.late_words = Counter(
            "moim_late_words",
            "turns found in a dead job's spool: offered to the holder, folded by it, kept on the disk",
            ["outcome"],
            registry=r,
        )
        for outcome in ("offered", "folded", "kept"):
            self.late_words.labels(outcome=outcome)
        self.kept_long_enough = Counter(
            "moim_meetings_kept_long_enough", "meetings whose words were erased after their time", registry=r
        )
        self.erasures = Gauge(
            "moim_erasures",
            "meetings by how it stands with their erasing: due by age, waiting, on hold, erased at some time",
            ["state"],
            multiprocess_mode="livemax",
            registry=r,
        )
        for state in ERASURE_STATES:
            self.erasures.labels(state=state)
        self.erasure_waited = Gauge(
            "moim_erasures_waiting_seconds",
            "how long the oldest wish to erase something has been waiting",
            multiprocess_mode="livemax",
            registry=r,
        )
        self.degraded = Gauge(
            "moim_degraded",
            "meetings under way with this part working less well than it should",
            ["part"],
            multiprocess_mode="livesum",
            registry=r,
        )
        for part in PARTS:
            self.degraded.labels(part=part)

    def _of_answers(self, r: CollectorRegistry) -> None:
        self.answer_steps = Histogram(
            "moim_answer_step_seconds",
            "one step of an answer's graph",
            ["step"],
            buckets=_LAG_S,
            registry=r,
        )
        self.cache_look_ups = Counter(
            "moim_answer_cache_look_ups",
            "questions looked up: exact (the same words), similar, miss",
            ["outcome"],
            registry=r,
        )
        self.cache_guarded = Counter(
            "moim_answer_cache_guarded",
            "misses where a kept question was near, by the guard that spoke first",
            ["guard"],
            registry=r,
        )
        self.cache_tokens = Counter(
            "moim_answer_cache_tokens_saved", "tokens that hits did not cost", registry=r
        )
        self.compressions = Counter(
            "moim_compressions", "passages made shorter, by how it was done", ["strategy"], registry=r
        )
        self.compression_tokens = Counter(
            "moim_compression_tokens_saved", "tokens less by compression", registry=r
        )
        self.budgets_spent = Counter(
            "moim_budgets_spent",
            "meetings whose prompts have used up so much of their budget that answers get less",
            registry=r,
        )

    def _of_the_model(self, r: CollectorRegistry) -> None:
        self.llm_latency = Histogram(
            "moim_llm_latency_seconds", "request to the last piece", ["purpose"], buckets=_SLOW_S, registry=r
        )
        self.llm_calls = Counter(
            "moim_llm_calls", "requests that were sent, retries and repairs included", ["purpose"], registry=r
        )
        self.llm_tokens = Counter(
            "moim_llm_tokens", "tokens in and out, as the server counts them", ["kind", "purpose"], registry=r
        )
        self.llm_cached = Counter(
            "moim_llm_cached_tokens",
            "tokens in that the server had read before, where it says so; among the tokens in",
            ["purpose"],
            registry=r,
        )
        self.llm_errors = Counter("moim_llm_errors", "requests that gave nothing", ["reason"], registry=r)
        self.llm_useless = Counter(
            "moim_llm_useless_replies",
            "replies of no use: no valid JSON, nothing that is borne out, no verdict",
            ["purpose", "fault"],
            registry=r,
        )
        self.llm_repairs = Counter(
            "moim_llm_repairs", "wrong JSON that was sent back", ["purpose", "outcome"], registry=r
        )
        self.llm_missed = Counter(
            "moim_llm_missed",
            "work that was asked of the model and done without it",
            ["purpose", "reason"],
            registry=r,
        )
        self._model_from_zero()

    def _model_from_zero(self) -> None:
        for purpose in PURPOSES:
            self.llm_calls.labels(purpose=purpose)
            self.llm_cached.labels(purpose=purpose)
            for kind in ("prompt", "completion"):
                self.llm_tokens.labels(kind=kind, purpose=purpose)
            for fault in CHECKS:
                self.llm_useless.labels(purpose=purpose, fault=fault)
            for outcome in ("repaired", "failed"):
                self.llm_repairs.labels(purpose=purpose, outcome=outcome)
            for reason in MISSED:
                self.llm_missed.labels(purpose=purpose, reason=reason)

    def _of_the_push(self, r: CollectorRegistry) -> None:
        self.pushes = Counter("moim_pushes", "posts to the webhook", ["outcome"], registry=r)
        self.push_latency = Histogram(
            "moim_push_latency_seconds", "one post to its answer", buckets=_SLOW_S, registry=r
        )
        self.push_lag = Gauge(
            "moim_push_lag_seconds",
            "age of the oldest event that the webhook has not got",
            multiprocess_mode="livemax",
            registry=r,
        )
        self.push_failing = Gauge(
            "moim_push_failing_meetings",
            "meetings whose last post failed",
            multiprocess_mode="livemax",
            registry=r,
        )

    def _of_the_process(self, r: CollectorRegistry) -> None:
        self.queue_depth = Gauge(
            "moim_queue_depth", "entries waiting", ["queue"], multiprocess_mode="livesum", registry=r
        )
        self.durable_lag = Gauge(
            "moim_durable_lag_seconds",
            "age of the oldest event that is not on the record",
            multiprocess_mode="livemax",
            registry=r,
        )
        self.loop_lag = Histogram(
            "moim_loop_lag_seconds",
            "how late a process with many meetings comes to what is due",
            buckets=_LOOP_S,
            registry=r,
        )
        self.jobs = Gauge("moim_jobs", "meetings under way", multiprocess_mode="livesum", registry=r)

    def _of_the_fleet(self, r: CollectorRegistry) -> None:
        """Can this process work, how full is it, and who still waits for a worker."""
        self.ready = Gauge(
            "moim_ready", "1 where /readyz says so, else 0", multiprocess_mode="livemax", registry=r
        )
        self.load = Gauge(
            "moim_load",
            "share of this worker that is taken, as LiveKit is told; 1: no new meeting",
            multiprocess_mode="livemax",
            registry=r,
        )
        self.takeovers = Counter(
            "moim_takeovers",
            "meetings taken over from an earlier holder: handed over, after a death, or to be closed",
            registry=r,
        )
        self.dispatches = Counter(
            "moim_dispatches",
            "jobs asked for: first, again (nobody had come), crashed (the last one died at its start), "
            "failed (LiveKit could not be asked)",
            ["outcome"],
            registry=r,
        )
        self.refused = Counter(
            "moim_commands_refused",
            "commands without the right to give them, by their way in: http, webhook, ask, in, dispatch",
            ["via"],
            registry=r,
        )
        self.api_requests = Counter(
            "moim_api_requests", "requests to the HTTP API", ["route", "status"], registry=r
        )
        self.waiting = Gauge(
            "moim_meetings_waiting",
            "open meetings that nobody holds",
            multiprocess_mode="livemax",
            registry=r,
        )
        self.waited = Gauge(
            "moim_meetings_waiting_seconds",
            "how long the longest of them has been without a holder",
            multiprocess_mode="livemax",
            registry=r,
        )


_GaugeMode = Literal["livesum", "livemax"]


def _live(name: str, meaning: str, mode: _GaugeMode, registry: CollectorRegistry) -> Gauge:
    return Gauge(f"moim_context_{name}", meaning, multiprocess_mode=mode, registry=registry)
