"""The completeness ledger: per participant, how much speech was heard and what became of it.

Speech is what the voice detector called speech, stretch by stretch. Each stretch has one end, which comes
as one event: it became text, it held no words, or it was lost, and why. So for everybody, at any time,
heard = transcribed + wordless + lost, over what has come to its end; what still waits is not on the
record yet (the holder's `moim_speech_seconds` and `moim_queue_depth` show it). Time in which nobody
listened (a takeover, off the record, a broken track) may have held speech or not: it stands apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from context.events import GapNoted, SpeechWordless, TrackEnded, UtteranceSpoken

HEARD_LOST: Final = frozenset({"overload", "stt_error", "stt_timeout"})
"""Gaps of stretches that were heard; all others are of time in which nobody listened."""
NOTICED_SPEECH_MS: Final = 3_000
"""Less speech than this without text is a cough or two."""
NOTICED_SOUND_MS: Final = 60_000
"""Microphones that were on for so long, all together, without anybody being heard, are worth a look."""

Emptiness = Literal["nothing_transcribed", "nothing_heard"]


class SpeechCount(BaseModel):
    """One participant's speech, in ms."""

    transcribed_ms: int = 0
    wordless_ms: int = 0
    """Taken for speech and held no words: a cough, a door, an engine's invention."""
    lost_ms: dict[str, int] = Field(default_factory=dict)
    """Heard and never to become text, by reason."""
    unheard_ms: dict[str, int] = Field(default_factory=dict)
    """Not listened to, by reason: an upper bound of the speech in it."""
    sound_ms: int = 0
    """Sound that came from the participant's tracks which have ended, digital silence apart."""

    @property
    def heard_ms(self) -> int:
        """All speech that has come to its end."""
        return self.transcribed_ms + self.wordless_ms + sum(self.lost_ms.values())


class SpeechLedger:
    """Everybody's counts, folded from events."""

    def __init__(self) -> None:
        self.people: dict[str, SpeechCount] = {}

    def together(self, participant_ids: Sequence[str]) -> SpeechCount:
        """The counts of several who are one person."""
        counts = [self.of(who) for who in participant_ids]
        return SpeechCount(
            transcribed_ms=sum(each.transcribed_ms for each in counts),
            wordless_ms=sum(each.wordless_ms for each in counts),
            lost_ms=_summed(each.lost_ms for each in counts),
            unheard_ms=_summed(each.unheard_ms for each in counts),
            sound_ms=sum(each.sound_ms for each in counts),
        )

    def of(self, participant_id: str) -> SpeechCount:
        """A participant's count; zeros for who was never heard."""
        return self.people.get(participant_id) or SpeechCount()

    @property
    def heard_ms(self) -> int:
        """Add up everybody's speech, in ms."""
        return sum(count.heard_ms for count in self.people.values())

    @property
    def sound_ms(self) -> int:
        """Add up the sound of everybody's tracks, in ms."""
        return sum(count.sound_ms for count in self.people.values())

    def transcribed(self, event: UtteranceSpoken) -> None:
        """A stretch became text; text that was never sound counts nothing."""
        if (speech_ms := _speech_ms(event)) is not None:
            self._count(event.speaker_id).transcribed_ms += speech_ms

    def discarded(self, event: UtteranceSpoken) -> None:
        """Its text came, and fell into a pause of the record."""
        if (speech_ms := _speech_ms(event)) is not None:
            _add(self._count(event.speaker_id).lost_ms, "off_record", speech_ms)

    def wordless(self, event: SpeechWordless) -> None:
        """A stretch held no words."""
        self._count(event.participant_id).wordless_ms += max(0, event.end_ms - event.start_ms)

    def missed(self, event: GapNoted) -> None:
        """A stretch was lost, or nobody listened."""
        count = self._count(event.participant_id)
        where = count.lost_ms if event.reason in HEARD_LOST else count.unheard_ms
        _add(where, event.reason, event.end_ms - event.start_ms)

    def sounded(self, event: TrackEnded) -> None:
        """A track has brought all its sound."""
        self._count(event.participant_id).sound_ms += max(0, event.sound_ms)

    def emptiness(self, utterances: Collection[object]) -> Emptiness | None:
        """How a meeting that ends with these utterances is empty though it should not be; None: it is not."""
        if utterances:
            return None
        if self.heard_ms >= NOTICED_SPEECH_MS:
            return "nothing_transcribed"
        return "nothing_heard" if self.sound_ms >= NOTICED_SOUND_MS else None

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {who: count.model_dump(exclude_defaults=True) for who, count in self.people.items()}

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.people = {who: SpeechCount.model_validate(count) for who, count in dumped.items()}

    def _count(self, participant_id: str) -> SpeechCount:
        return self.people.setdefault(participant_id, SpeechCount())


def _summed(counts: Iterable[dict[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(total)


def _speech_ms(event: UtteranceSpoken) -> int | None:
    """The length of the stretch; where an older record does not tell it, of the utterance."""
    if event.speech_ms is not None:
        return max(0, event.speech_ms)
    return max(0, event.end_ms - event.start_ms) if event.track_id is not None else None


def _add(counts: dict[str, int], reason: str, ms: int) -> None:
    if ms > 0:
        counts[reason] = counts.get(reason, 0) + ms
