"""An outlet that remembers what it was given, in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from context.events import effects
from context.models import AgentCallType, Utterance
from context.ports import Unavailable
from worker.outlets import Stage


@dataclass
class FakeReply:
    invocation_id: str
    call_type: AgentCallType
    to: str | None
    text: str = ""
    evidence: tuple[int, ...] = ()
    closed: bool = False
    instead: str = ""

    async def write(self, text: str) -> None:
        self.text += text

    async def close(self, *, evidence: Sequence[int] = ()) -> None:
        self.evidence = tuple(evidence) or self.evidence
        self.closed = True


@dataclass
class FakeOutlet:
    """`reachable = False` makes everything `Unavailable`, as a room that was left."""

    finals: list[tuple[Utterance, str, bool]] = field(default_factory=list)
    interims: list[tuple[str, str, str]] = field(default_factory=list)
    firm: list[int] = field(default_factory=list)
    """How many characters of each of these are firm."""
    doings: list[str] = field(default_factory=list)
    replies: list[FakeReply] = field(default_factory=list)
    said: list[tuple[str, str | None]] = field(default_factory=list)
    others: list[tuple[str, Any]] = field(default_factory=list)
    reachable: bool = True

    def _reach(self) -> None:
        if not self.reachable:
            raise Unavailable("nobody is there")

    async def show(self, what: effects.Published, *, segment_id: str, durable: bool) -> None:
        match what:
            case effects.PublishUtterance(utterance=said):
                self._reach()
                self.finals.append((said, segment_id, durable))
            case effects.PublishCorrected(utterance=said):
                self.others.append(("corrected", said))
            case effects.PublishTopic(segment=segment):
                self.others.append(("topic", segment))
            case effects.PublishGap(gap=gap):
                self.others.append(("gap", gap))
            case effects.PublishReply(reply=reply):
                self.others.append(("reply", reply))
            case effects.PublishStatus(status=status, detail=detail):
                self.others.append(("status", (status, detail)))

    async def interim(self, speaker_id: str, segment_id: str, text: str, firm: int = 0) -> None:
        self._reach()
        self.interims.append((speaker_id, segment_id, text))
        self.firm.append(firm)

    async def doing(self, stage: Stage) -> None:
        self._reach()
        self.doings.append(stage)

    async def open_reply(
        self,
        invocation_id: str,
        call_type: AgentCallType,
        *,
        evidence: Sequence[int],
        to: str | None,
        instead: str = "",
    ) -> FakeReply:
        self._reach()
        reply = FakeReply(invocation_id, call_type, to, evidence=tuple(evidence), instead=instead)
        self.replies.append(reply)
        return reply

    async def say(self, text: str, *, to: str | None = None) -> None:
        self._reach()
        self.said.append((text, to))

    @property
    def texts(self) -> list[str]:
        return [utterance.text for utterance, _, _ in self.finals]

    def statuses(self) -> list[str]:
        return [what[0] for kind, what in self.others if kind == "status"]
