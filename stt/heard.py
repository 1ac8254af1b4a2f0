"""What a track tells its meeting: words, words so far, and sound that became none."""

from __future__ import annotations

from dataclasses import dataclass

from context.models import GapReason


@dataclass(frozen=True, slots=True)
class Moments:
    """When a stretch was where, in seconds on the event loop's clock; frames are stamped on the same one."""

    voice_s: float | None
    """The frame with the last of its voice had come. None: too long ago to tell."""
    frame_s: float | None
    """The frame had come that made the silence after it long enough. None: it was ended from outside."""
    ended_s: float
    """Its sound was complete and the engine knew."""
    text_s: float
    """The engine's text was here."""


@dataclass(frozen=True, slots=True)
class Heard:
    """One finished turn. Per track in the order in which it was spoken; times in meeting ms."""

    key: str
    """`participant@start_ms` of its stretch: known from the start, shared with its interims."""
    participant: str
    text: str
    start_ms: int
    end_ms: int
    confidence: float | None
    language: str | None
    track_id: str
    track_end_ms: int
    """How far this track has been transcribed: nothing up to here is outstanding."""
    delay_s: float = 0.0
    """From the end of its sound (the closing silence included) to its text."""
    moments: Moments | None = None
    """Its way so far."""
    speech_ms: int = 0
    """The whole stretch's voice; the text's own times may be narrower."""


@dataclass(frozen=True, slots=True)
class Interim:
    """What the engine thinks so far; replaced by the next one with this key, then by the `Heard`."""

    key: str
    participant: str
    text: str


@dataclass(frozen=True, slots=True)
class Missed:
    """Sound that will never become text, and why."""

    participant: str
    start_ms: int
    end_ms: int
    reason: GapReason
    track_id: str
    track_end_ms: int
    key: str | None = None
    """The stretch it was, where it was one: an interim with this key has no final."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """A stretch without words (a cough, a door, an engine's invention); take back its interim."""

    key: str
    participant: str
    track_id: str
    track_end_ms: int
    start_ms: int = 0
    end_ms: int = 0
    """Where the voice was, as it seemed."""


TrackEvent = Heard | Interim | Missed | Nothing
