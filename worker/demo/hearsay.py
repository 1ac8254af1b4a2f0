"""What a client of a room gets to read: transcripts and chat, with when they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Transcript:
    """One text stream on `lk.transcription`."""

    speaker: str
    """The identity in whose name it came."""
    text: str
    attributes: Mapping[str, str]
    received_s: float
    """Monotonic moment at which it was complete."""

    @property
    def segment_id(self) -> str:
        """Later streams with this id replace earlier ones."""
        return self.attributes.get("lk.segment_id", "")

    @property
    def track_id(self) -> str:
        """The track that was transcribed."""
        return self.attributes.get("lk.transcribed_track_id", "")

    @property
    def final(self) -> bool:
        """No more will come for this segment."""
        return self.attributes.get("lk.transcription_final") == "true"

    @property
    def utterance(self) -> int | None:
        """Its number in the meeting; finals have one."""
        return self._number("moim.utterance")

    @property
    def start_ms(self) -> int | None:
        """Its beginning in meeting time."""
        return self._number("moim.start_ms")

    @property
    def end_ms(self) -> int | None:
        """Its end in meeting time."""
        return self._number("moim.end_ms")

    def _number(self, name: str) -> int | None:
        return int(self.attributes[name]) if name in self.attributes else None

    @property
    def durable(self) -> bool:
        """Was it on the record when it was sent?"""
        return self.attributes.get("moim.durable") != "false"


@dataclass(slots=True)
class ChatMessage:
    """One text stream on `lk.chat`, growing until it is `done`."""

    id: str
    """The stream's id: for a question, what the answer's `moim.invocation` says."""
    sender: str
    opened_s: float
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    first_text_s: float | None = None
    """Monotonic moment of the first piece of text."""
    done_s: float | None = None
    """Monotonic moment of its end."""
    broken: bool = False
    """It ended by an error: the sender went, or was cut off."""

    @property
    def done(self) -> bool:
        """Is it complete?"""
        return self.done_s is not None

    @property
    def invocation(self) -> str | None:
        """The question that this answers, if it is an answer."""
        return self.attributes.get("moim.invocation")

    @property
    def evidence(self) -> tuple[int, ...]:
        """The utterances that an answer rests on."""
        return tuple(int(i) for i in self.attributes.get("moim.evidence", "").split(",") if i.strip())
