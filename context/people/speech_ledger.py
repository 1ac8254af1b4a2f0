"""The completeness ledger: per participant, how much speech was heard and what became of it.

Speech is what the voice detector called speech, stretch by stretch. Each stretch ends in one way, which
comes as one event: it became text, it held no words, or it was lost for a reason. One that has no text when
its holder stops waits, and ends so later. So for each participant, at any time, heard = transcribed +
wordless + lost + waiting, over the stretches that have ended; what waits with a holder at work is not on the
record yet (its `moim_speech_seconds` and `moim_queue_depth` show it). Time in which
nobody listened (a takeover, off the record, a broken track) may have held speech or not, and is counted
apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from context.events.events import GapNoted, SpeechWaits, SpeechWordless, TrackEnded, UtteranceSpoken

HEARD_LOST: Final = frozenset({"overload", "stt_error", "stt_timeout"})
"""Reasons of gaps whose speech was heard and lost; all other gaps are time in which nobody listened."""
NOTICED_SPEECH_MS: Final = 3_000
"""A meeting without text is noticed from so much speech on; less is a cough or two."""
NOTICED_SOUND_MS: Final = 60_000
"""A meeting without speech is noticed from so much sound on, of all microphones together."""

Emptiness = Literal["nothing_transcribed", "nothing_heard"]
"""How a meeting came to be empty: speech without text, or sound without speech."""


class SpeechCount(BaseModel):
    """One participant's speech, in ms."""

    transcribed_ms: int = 0
    wordless_ms: int = 0
    """What was taken for speech and held no words: a cough, a door, an engine's invention."""
    lost_ms: Counter[str] = Field(default_factory=Counter)
    """Speech that was heard and will never become text, by `GapReason`."""
    unheard_ms: Counter[str] = Field(default_factory=Counter)
    """Time in which nobody listened, by `GapReason`: an upper bound of the speech in it."""
    sound_ms: int = 0
    """Sound that came from the participant's tracks which have ended, digital silence apart."""
    waits_ms: dict[str, int] = Field(default_factory=dict)
    """Speech whose sound is kept and whose text is to come, by the key of its stretch."""

    @property
    def waiting_ms(self) -> int:
        """All speech whose text is to come."""
        return sum(self.waits_ms.values())

    @property
    def heard_ms(self) -> int:
        """All speech that was transcribed, wordless or lost, or waits."""
        return self.transcribed_ms + self.wordless_ms + self.lost_ms.total() + self.waiting_ms


class SpeechLedger:
    """The speech of each participant, counted from events."""

    def __init__(self) -> None:
        self.people: dict[str, SpeechCount] = {}
        """Participant id → their count."""

    def of(self, *participant_ids: str) -> SpeechCount:
        """The sum of the counts of these ids, such as all of one participant; zeros for unknown ids."""
        whole = SpeechCount()
        for count in (self.people[who] for who in participant_ids if who in self.people):
            whole.transcribed_ms += count.transcribed_ms
            whole.wordless_ms += count.wordless_ms
            whole.lost_ms += count.lost_ms
            whole.unheard_ms += count.unheard_ms
            whole.sound_ms += count.sound_ms
            whole.waits_ms |= count.waits_ms
        return whole

    @property
    def everybody(self) -> SpeechCount:
        """The sum of all participants' counts."""
        return self.of(*self.people)

    def transcribed(self, event: UtteranceSpoken, *, refused: bool = False) -> None:
        """Count a stretch that became text; `refused`: it fell into a pause, and its text is not kept.

        Text that was never sound counts nothing.
        """
        if (whole := event.speech_ms) is None:
            return
        count = self._count(event.speaker_id)
        if not refused:
            count.transcribed_ms += max(0, whole)
        elif whole > 0:
            count.lost_ms["off_record"] += whole

    def waits(self, event: SpeechWaits) -> None:
        """Count a stretch whose text is to come."""
        self._count(event.participant_id).waits_ms[event.key] = max(0, event.end_ms - event.start_ms)

    def waits_for(self, key: str | None) -> bool:
        """Whether the text of this stretch is to come."""
        return key is not None and any(key in count.waits_ms for count in self.people.values())

    def came(self, key: str) -> None:
        """Count a stretch no more as waiting: what became of it is known, and is counted as that."""
        for count in self.people.values():
            count.waits_ms.pop(key, None)

    def wordless(self, event: SpeechWordless) -> None:
        """Count a stretch that held no words."""
        self._count(event.participant_id).wordless_ms += max(0, event.end_ms - event.start_ms)

    def missed(self, event: GapNoted) -> None:
        """Count a gap: speech that was lost, or time in which nobody listened."""
        count = self._count(event.participant_id)
        if event.end_ms > event.start_ms:
            where = count.lost_ms if event.reason in HEARD_LOST else count.unheard_ms
            where[event.reason] += event.end_ms - event.start_ms

    def sounded(self, event: TrackEnded) -> None:
        """Count the sound of a track that has ended."""
        self._count(event.participant_id).sound_ms += max(0, event.sound_ms)

    def emptiness(self, utterances: Collection[object]) -> Emptiness | None:
        """How a meeting that ends with these utterances is empty though somebody spoke; None: it is not."""
        if utterances or self.everybody.waits_ms:
            return None
        if self.everybody.heard_ms >= NOTICED_SPEECH_MS:
            return "nothing_transcribed"
        return "nothing_heard" if self.everybody.sound_ms >= NOTICED_SOUND_MS else None

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {who: count.model_dump(exclude_defaults=True) for who, count in self.people.items()}

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.people = {who: SpeechCount.model_validate(count) for who, count in dumped.items()}

    def _count(self, participant_id: str) -> SpeechCount:
        return self.people.setdefault(participant_id, SpeechCount())
