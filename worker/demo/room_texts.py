"""What a client in a room reads: transcripts and chat messages, with the moments at which they came."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class TranscriptStream:
    """One complete text stream on `lk.transcription`, with the attributes that Moim gave it."""

    speaker: str
    """The identity of the participant in whose name it was published."""
    text: str
    attributes: Mapping[str, str]
    received_s: float
    """The monotonic moment at which it was complete."""

    @property
    def segment_id(self) -> str:
        """The segment's id, or ""; a later stream with the same id replaces this one."""
        return self.attributes.get("lk.segment_id", "")

    @property
    def track_id(self) -> str:
        """The id of the track that was transcribed, or ""."""
        return self.attributes.get("lk.transcribed_track_id", "")

    @property
    def final(self) -> bool:
        """Whether this is the segment's last text; otherwise it is interim text."""
        return self.attributes.get("lk.transcription_final") == "true"

    @property
    def utterance(self) -> int | None:
        """The utterance's id in the meeting; None for interim text."""
        return self._number("moim.utterance")

    @property
    def start_ms(self) -> int | None:
        """When it begins, in ms from the meeting's start; None for interim text."""
        return self._number("moim.start_ms")

    @property
    def end_ms(self) -> int | None:
        """When it ends, in ms from the meeting's start; None for interim text."""
        return self._number("moim.end_ms")

    def _number(self, name: str) -> int | None:
        return int(self.attributes[name]) if name in self.attributes else None

    @property
    def durable(self) -> bool:
        """Whether it was on the record when it was sent (no `moim.durable=false`)."""
        return self.attributes.get("moim.durable") != "false"


@dataclass(slots=True)
class ChatStream:
    """One text stream on `lk.chat`, growing until it is `done`."""

    id: str
    """The stream's id; the answer to a question carries the question's in `moim.invocation`."""
    sender: str
    """The identity of the participant who wrote it."""
    opened_s: float
    """The monotonic moment at which the stream was opened."""
    text: str = ""
    """What has come of the text so far."""
    attributes: dict[str, str] = field(default_factory=dict)
    first_text_s: float | None = None
    """The monotonic moment of the first piece of text; None before it."""
    done_s: float | None = None
    """The monotonic moment of the stream's end; None before it."""
    broken: bool = False
    """Whether the stream ended by an error, because its sender left or was cut off."""

    @property
    def done(self) -> bool:
        """Whether the stream has ended, well or broken."""
        return self.done_s is not None

    @property
    def invocation(self) -> str | None:
        """The id of the question that this message answers; None if it is no answer."""
        return self.attributes.get("moim.invocation")

    @property
    def evidence(self) -> tuple[int, ...]:
        """The ids of the utterances that the answer rests on; empty for other messages."""
        return tuple(int(i) for i in self.attributes.get("moim.evidence", "").split(",") if i.strip())
