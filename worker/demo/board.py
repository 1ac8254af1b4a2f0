"""What a spectator of the demo knows of the meeting, kept up to date by the meeting's live events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from worker.demo.hearsay import ChatMessage


@dataclass(frozen=True, slots=True)
class Said:
    """One utterance."""

    at_ms: int
    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class Exchange:
    """One line of the chat; an answer grows while it is streamed."""

    who: str
    text: str
    done: bool
    agent: bool


@dataclass(slots=True)
class Board:
    """Filled by `heard` (events of `moim:{tenant}:out:…`) and by the chat that a player reads."""

    title: str
    names: dict[str, str]
    length_s: float
    now_s: float = 0.0
    stage: str = ""
    """What is going on, in a word or two."""
    speaking: frozenset[str] = frozenset()
    said: list[Said] = field(default_factory=list)
    talk_ms: dict[str, int] = field(default_factory=dict)
    topics: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    chat: list[Exchange] = field(default_factory=list)
    gaps: int = 0
    _known: set[int] = field(default_factory=set)

    def heard(self, event: Mapping[str, Any]) -> None:
        """Fold one live event; the same utterance twice counts once, unknown kinds are ignored."""
        match event.get("kind"):
            case "utterance" if event["id"] not in self._known:
                self._known.add(event["id"])
                speaker = str(event["speaker"])
                self.said.append(Said(int(event["start_ms"]), speaker, str(event["text"])))
                spoken_ms = int(event["end_ms"]) - int(event["start_ms"])
                self.talk_ms[speaker] = self.talk_ms.get(speaker, 0) + spoken_ms
            case "topic":
                self.topics[str(event["id"])] = event
            case "gap":
                self.gaps += 1
            case _:
                pass

    def read(self, messages: Sequence[ChatMessage]) -> None:
        """Show the chat as a participant has it now."""
        self.chat = [
            Exchange(
                self.name(message.sender),
                message.text,
                message.done,
                agent=message.sender not in self.names,
            )
            for message in messages
        ]

    def name(self, identity: str) -> str:
        """Who that is, for people."""
        return self.names.get(identity, "Moim")
