"""Metrics that have counted one of everything, and samples as a scraper reads them."""

from __future__ import annotations

from datetime import UTC, datetime

from prometheus_client.parser import text_string_to_metric_families

from context.events.events import AnswerGiven, GapNoted
from context.events.topic_events import SummaryReady, UpdateReason
from context.models import Summary, Utterance
from tests.contracts.events import answered
from worker.monitoring.metrics import Metrics
from worker.monitoring.observer import MeetingObserver


def said(number: int, text: str) -> Utterance:
    return Utterance(
        id=number,
        speaker_id="a",
        speaker_name="민지",
        text=text,
        start_ms=0,
        end_ms=1000,
        absolute_timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    )


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def summarised(reason: UpdateReason, latency_ms: int) -> SummaryReady:
    return SummaryReady(
        topic_id="t1", version=1, reason=reason, covered_until=9, content=Summary(text="x"),
        engine="extractive", latency_ms=latency_ms,
    )  # fmt: skip


def exercise(metrics: Metrics) -> None:
    metrics.meeting_size("m1", l0=[said(1, "네"), said(2, "알겠습니다")], topics=2)
    metrics.meeting_size("m2", l0=[said(1, "Hello")], topics=1)
    observer = MeetingObserver(metrics)
    observer.published(said(1, "네"), now_ms=1020)
    observer.folded(GapNoted(participant_id="a", start_ms=0, end_ms=2500, reason="overload"), [])
    observer.folded(summarised("topic_change", 1200), [])
    observer.folded(AnswerGiven(reply=answered(1)[1].reply), [])
    observer.transcribed(0.8)
    observer.first_text(1.2)
    metrics.stretch_read("yielded")
    observer.missed("stt_timeout")
    observer.spoke(2000)
    observer.settled("transcribed", 1500)
    observer.settled("lost", 500, "stt_error")
    metrics.context_tokens(1750)
    metrics.llm_called("answer")
    metrics.llm_done("answer", 2.0)
    metrics.llm_usage("answer", prompt_tokens=900, completion_tokens=120, cached_tokens=512)
    metrics.llm_useless("summary", "json")
    metrics.llm_repaired("summary", well=False)
    metrics.llm_missed("verification", "late")
    metrics.llm_error("unavailable")
    metrics.meeting_queues("m1", {"inbox": 1})
    metrics.meeting_queues("m2", {"inbox": 2})
    metrics.instruments.durable_lag.set(0.4)
    metrics.budget_spent()
    metrics.meeting_degraded("m1", ["stt", "llm"])
    metrics.meeting_degraded("m2", ["stt"])
    metrics.meeting_gives_way("m1", ["interims", "embeddings"])
    metrics.meeting_gives_way("m2", ["interims"])
