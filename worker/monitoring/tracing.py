"""An observer that also tells where the time of turns, answers and takeovers went, as spans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import structlog

from context.events import effects, events
from context.fold.meeting import Meeting
from context.models import Reply, Utterance
from worker.clock import Clock
from worker.monitoring.metrics import Metrics
from worker.monitoring.observer import MeetingObserver
from worker.monitoring.spans import Attribute, Kind, Span, SpanPart, Spans, Trace
from worker.monitoring.turn_latency import TurnLatency
from worker.ports import MeetingRow

log = structlog.get_logger(__name__)

_MOST_LINKS: Final = 32


@dataclass(slots=True)
class _UnderWay:
    """An answer under way: when it was asked for, in ns since 1970, and its steps, on the monotonic clock."""

    asked_ns: int
    read_s: float | None = None
    """When the question was read and on its way to the record; None: another holder has seen that."""
    steps: list[tuple[str, float]] = field(default_factory=list)
    """Each step's name and its beginning."""


class TracingObserver(MeetingObserver):
    """Observes one meeting for one holder of it, and counts as any `MeetingObserver` does.

    All moments are those that the session tells or this clock has, so that nothing is measured twice. They
    become wall time only when a span is told.
    """

    def __init__(
        self, metrics: Metrics, spans: Spans, meeting: Meeting, *, tenant: str, epoch: int, clock: Clock
    ) -> None:
        super().__init__(metrics)
        self._spans, self._meeting, self._clock = spans, meeting, clock
        self._tenant, self._epoch = tenant, epoch
        self._answers: dict[str, _UnderWay] = {}

    def entered(self, row: MeetingRow, won_s: float, restored_s: float) -> None:
        """Tell a takeover, from the lease to the moment in which the new holder works."""
        super().entered(row, won_s, restored_s)
        if self._epoch <= 1:
            return
        now_s, at = self._clock.monotonic_s(), self._wall()
        parts = (("restore", won_s, restored_s), ("enter", restored_s, now_s))
        attributes: dict[str, Attribute] = {"moim.let_go": row.let_go}
        if row.lease_over_s is not None:
            attributes["moim.unheld_ms"] = max(0, round(row.lease_over_s * 1000))
        self._tell(
            "takeover", str(self._epoch), at(won_s), at(now_s), attributes=attributes, parts=_parts(parts, at)
        )

    def published(self, utterance: Utterance, now_ms: int, latency: TurnLatency | None = None) -> None:
        """Tell a turn, from the end of its voice to its publication; of text, from the fold on."""
        super().published(utterance, now_ms, latency)
        if latency is None:
            return
        hops, at = latency.hops(), self._wall()
        attributes: dict[str, Attribute] = {
            "moim.utterance": utterance.id,
            "moim.speech_ms": max(0, utterance.end_ms - utterance.start_ms),
            "moim.durable": latency.durable,
        }
        began_s = min(began_s for _, began_s, _ in hops)
        self._tell(
            "turn",
            str(utterance.id),
            at(began_s),
            at(latency.shown_s),
            attributes=attributes,
            parts=_parts(hops, at),
        )

    def folded(self, event: events.Event, wanted: Sequence[effects.Effect]) -> None:
        """Note a question that is to be answered; tell one that is not answered any more."""
        super().folded(event, wanted)
        match event:
            case events.QuestionAsked(question=question):
                if any(isinstance(effect, effects.Answer) for effect in wanted):
                    asked_ns, read_s = self._in_meeting(question.at_ms), self._clock.monotonic_s()
                    self._answers[question.id] = _UnderWay(asked_ns, read_s)
            case events.AnswerGiven(reply=reply):
                if not any(isinstance(effect, effects.PublishReply) for effect in wanted):
                    self._answers.pop(reply.invocation_id, None)
            case events.AnswerDropped(invocation_id=id_, why=why):
                if (answer := self._answers.pop(id_, None)) is not None:
                    now_s, at = self._clock.monotonic_s(), self._wall()
                    attributes: dict[str, Attribute] = {"moim.outcome": why}
                    parts = _parts(_steps(answer, now_s), at)
                    self._tell(
                        "answer",
                        id_,
                        answer.asked_ns,
                        at(now_s),
                        attributes=attributes,
                        parts=parts,
                        failed=why == "failed",
                    )
            case _:
                pass

    def answering(self, question_id: str, step: str) -> None:
        """Note the beginning of a step."""
        super().answering(question_id, step)
        now_s = self._clock.monotonic_s()
        answer = self._answers.get(question_id)
        if answer is None:  # asked of a holder before us
            answer = self._answers[question_id] = _UnderWay(self._wall()(now_s))
        answer.steps.append((step, now_s))

    def replied(self, reply: Reply, latency: TurnLatency) -> None:
        """Tell an answer, from its question to its publication, with links to the turns that it cites."""
        super().replied(reply, latency)
        answer = self._answers.pop(reply.invocation_id, None)
        at, asked_ns = self._wall(), self._in_meeting(reply.asked_at_ms)
        steps = [] if answer is None else _steps(answer, latency.folded_s)
        parts = _parts([*steps, *latency.hops()], at)
        if answer is not None and answer.read_s is not None:
            asked_ns = min(asked_ns, at(answer.read_s))  # the record has it to the millisecond, rounded
            parts = (_part("read", asked_ns, at(answer.read_s)), *parts)
        self._tell(
            "answer",
            reply.invocation_id,
            asked_ns,
            at(latency.shown_s),
            attributes={"moim.outcome": "given", "moim.durable": latency.durable, **_of(reply)},
            parts=parts,
            cites=reply.evidence[:_MOST_LINKS],
        )

    def _tell(
        self,
        kind: Kind,
        of: str,
        began_ns: int,
        ended_ns: int,
        *,
        attributes: dict[str, Attribute],
        parts: tuple[SpanPart, ...],
        cites: tuple[int, ...] = (),
        failed: bool = False,
    ) -> None:
        meeting_id = self._meeting.meeting_id
        trace = Trace(self._tenant, meeting_id, kind, of)
        whose: dict[str, Attribute] = {"moim.meeting": meeting_id, "moim.epoch": self._epoch}
        self._spans.emit(
            Span(
                trace,
                began_ns,
                max(began_ns, ended_ns),
                {**whose, **attributes},
                parts=parts,
                cites=cites,
                failed=failed,
            )
        )
        if kind != "turn":  # from the log to the trace: a span does not name a question by its id
            log.info("traced", what=kind, of=of, trace=f"{trace.trace_id:032x}")

    def _wall(self) -> Callable[[float], int]:
        """What gives moments of the monotonic clock in nanoseconds since 1970, as it stands now."""
        ahead_s = self._clock.now_utc().timestamp() - self._clock.monotonic_s()
        return lambda at_s: round((ahead_s + at_s) * 1e9)

    def _in_meeting(self, at_ms: int) -> int:
        """A moment of the meeting in nanoseconds since 1970."""
        started_at = self._meeting.started_at or self._clock.now_utc()
        return round(started_at.timestamp() * 1e9) + at_ms * 1_000_000


def _steps(answer: _UnderWay, ended_s: float) -> list[tuple[str, float, float]]:
    """The steps with their beginnings and ends: one ends where the next begins."""
    ends = [*answer.steps, ("", ended_s)]
    return [(name, began_s, next_s) for (name, began_s), (_, next_s) in pairwise(ends)]


def _parts(stretches: Iterable[tuple[str, float, float]], at: Callable[[float], int]) -> tuple[SpanPart, ...]:
    return tuple(_part(name, at(began_s), at(ended_s)) for name, began_s, ended_s in stretches)


def _part(name: str, began_ns: int, ended_ns: int) -> SpanPart:
    return SpanPart(name, began_ns, max(began_ns, ended_ns))


def _of(reply: Reply) -> dict[str, Attribute]:
    """What a span tells of an answer; what is not known is left out."""
    run = reply.run
    known: dict[str, Attribute | None] = {
        "moim.via": reply.via,
        "moim.call_type": reply.call_type,
        "moim.private": reply.private,
        "moim.certainty": reply.certainty,
        "moim.degraded": reply.degraded,
    }
    if run is not None:
        known |= {
            "moim.first_words_ms": run.first_words_ms,
            "moim.tokens": run.tokens_used,
            "moim.searches": run.retrieval_count,
            "moim.cached": run.cache_hit,
            "moim.corrected": run.corrected,
            "moim.verified": run.verified,
            "moim.taken_back": run.taken_back,
        }
    return {name: value for name, value in known.items() if value is not None}
