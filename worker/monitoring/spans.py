"""Spans: where the time of a turn, an answer or a takeover went, as a collector of traces is told it.

A span has times, numbers, ids and words of closed lists (`ATTRIBUTES`), and nothing that anybody said or is
called. Texts, names and identities stay out, and so do the ids of turns and of questions by voice, which have
their speaker's identity in them, and the texts of errors, which may quote what was said.

The ids of a trace are made of what it is about (`Trace`) and not drawn by lot: an answer links to the turns
that it cites without anybody having kept their ids, also where another holder has shown them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, Protocol

Kind = Literal["turn", "answer", "takeover"]
Attribute = bool | int | float | str

ATTRIBUTES: Final[Mapping[str, str]] = {
    "moim.meeting": "id of the meeting",
    "moim.epoch": "number of its holder",
    "moim.utterance": "number of the turn; on a link: of a turn that the answer cites",
    "moim.speech_ms": "how long the turn is",
    "moim.durable": "whether it was on the record when it was shown",
    "moim.outcome": "what became of a question: given, superseded, cancelled, failed",
    "moim.via": "the channel that it came in by",
    "moim.call_type": "what it asks for, in four words",
    "moim.private": "whether its answer is for the asker alone",
    "moim.certainty": "answer, closest, none",
    "moim.degraded": "whether quotes stand in for a model",
    "moim.first_words_ms": "from the question to the first words of the answer",
    "moim.tokens": "tokens that were read and written for it",
    "moim.searches": "how many searches",
    "moim.cached": "whether it was given before",
    "moim.corrected": "whether a second answer was tried",
    "moim.verified": "whether all that a model said was verified",
    "moim.taken_back": "how many claims were taken back",
    "moim.let_go": "of a takeover: whether the holder before released its lease",
    "moim.unheld_ms": "of a takeover: how long nobody had held the meeting",
}
"""Every attribute that a span may have."""


@dataclass(frozen=True)
class Trace:
    """What a trace is about; its ids follow from that."""

    tenant: str
    meeting: str
    kind: Kind
    of: str
    """The turn's number, the question's id, or the epoch."""

    @cached_property
    def trace_id(self) -> int:
        """The trace's id, of 128 bits."""
        return int.from_bytes(self._digest("")[:16]) or 1

    def span_id(self, place: int = 0) -> int:
        """The id, of 64 bits, of the span at this place of the trace; 0: the one that holds all others."""
        return int.from_bytes(self._digest(str(place))[:8]) or 1

    def _digest(self, end: str) -> bytes:
        parts = [self.tenant, self.meeting, self.kind, self.of, end]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()


@dataclass(frozen=True, slots=True)
class SpanPart:
    """One stretch of a trace's time, in nanoseconds since 1970."""

    name: str
    began_ns: int
    ended_ns: int


@dataclass(frozen=True, slots=True)
class Span:
    """A turn, an answer or a takeover as a whole, with its parts in order."""

    trace: Trace
    began_ns: int
    ended_ns: int
    attributes: Mapping[str, Attribute]
    """Some of `ATTRIBUTES`, with their values."""
    parts: tuple[SpanPart, ...] = ()
    cites: tuple[int, ...] = field(default=())
    """The turns that an answer rests on."""
    failed: bool = False


class Spans(Protocol):
    """Takes spans, to pass them on to a collector."""

    def emit(self, span: Span) -> None:
        """Take a span; waits for nobody and raises nothing."""
