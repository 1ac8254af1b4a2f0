"""The events of a track (`TrackEvent`): what became of each stretch of its speech, and interim texts."""

from __future__ import annotations

from dataclasses import dataclass, field

from context.models import GapReason
from stt.spoken_language import FIRST_SHARES, Shares


@dataclass(frozen=True, slots=True)
class Moments:
    """When one stretch reached each step, in seconds on the event loop's clock (that of `arrived_s`, too)."""

    voice_s: float | None
    """When the frame with the last of its voice arrived. None: too long ago to tell."""
    frame_s: float | None
    """When the frame with the end of its sound (the closing silence included) arrived. None: as above."""
    ended_s: float
    """When its sound was complete and the engine was told so."""
    text_s: float
    """When the engine's text was here."""


@dataclass(frozen=True, slots=True)
class Heard:
    """A stretch has become text: one turn. Times are in ms of the meeting."""

    key: str
    """`participant:track@start_ms` of its stretch; its interims have the same key."""
    participant: str
    text: str
    start_ms: int
    end_ms: int
    confidence: float | None
    language: str | None
    track_id: str
    track_end_ms: int
    """The ms of the meeting up to which nothing of this track waits for its text any more."""
    delay_s: float = 0.0
    """Seconds from the end of its sound (the closing silence included) to its text."""
    moments: Moments | None = None
    """When it reached each step; None where that was not measured."""
    speech_ms: int = 0
    """How long the stretch's voice was; `start_ms`, `end_ms` may be narrower."""
    doubtful: tuple[tuple[int, int], ...] = ()
    """Where in the text figures and days stand that the engine did not hear clearly."""


@dataclass(frozen=True, slots=True)
class Interim:
    """The text so far of a stretch that still grows; the next event with this key replaces it."""

    key: str
    participant: str
    text: str
    firm: int = 0
    """So many characters of the text, from its beginning, are to stay; those behind them may change."""
    after_s: float | None = None
    """Seconds from a stretch's first voice to its first text. None: it is a later one, or not known."""
    start_ms: int = 0
    """Where its voice begins, in ms of the meeting."""


@dataclass(frozen=True, slots=True)
class Missed:
    """Sound that will never become text, and why. Times are in ms of the meeting."""

    participant: str
    start_ms: int
    end_ms: int
    reason: GapReason
    track_id: str
    track_end_ms: int
    """See `Heard.track_end_ms`."""
    key: str | None = None
    """The key of the stretch that it was, whose interims have no final then; None for a hole or a pause."""


@dataclass(frozen=True, slots=True)
class Wordless:
    """A stretch without words (a cough, a door, an engine's invention); its interim is to be taken back."""

    key: str
    participant: str
    track_id: str
    track_end_ms: int
    """See `Heard.track_end_ms`."""
    start_ms: int = 0
    """Where the voice detector heard a voice begin, in ms of the meeting."""
    end_ms: int = 0
    """Where it heard the voice end."""


@dataclass(frozen=True, slots=True)
class Waits:
    """A stretch has no text when its holder stops; its sound is kept. Times are in ms of the meeting."""

    key: str
    participant: str
    track_id: str
    start_ms: int
    end_ms: int
    track_end_ms: int
    """See `Heard.track_end_ms`."""


@dataclass(frozen=True, slots=True)
class LeftStretch:
    """What has to be kept of a stretch that waits, so that somebody else can have it recognised."""

    stretch: Waits
    sound_ms: int
    """Where its sound begins, pre-roll included."""
    language: str
    """`ko`, `en` or `auto`."""
    pcm: bytes
    expected: Shares = field(default_factory=lambda: FIRST_SHARES)
    """Which languages were expected of its speaker."""


TrackEvent = Heard | Interim | Missed | Waits | Wordless
"""All but `Interim` are outcomes: one for each stretch or hole, per track in the order of the sound."""
