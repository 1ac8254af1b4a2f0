"""Spans that are kept, to look at."""

from __future__ import annotations

from dataclasses import dataclass, field

from worker.monitoring.spans import Span


@dataclass
class KeptSpans:
    """See `Spans`."""

    kept: list[Span] = field(default_factory=list)

    def emit(self, span: Span) -> None:
        self.kept.append(span)

    def of(self, kind: str) -> list[Span]:
        return [span for span in self.kept if span.trace.kind == kind]
