"""Makes one turn of the segments of a stretch: joins their texts and drops what the engine made up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from context.evidence.doubtful_figures import carried
from context.primitives.text import one_line
from stt.hallucinations import bare, is_stock, said_once, without_loops
from stt.segment import Segment

_TRUST_SLACK_MS: Final = 500
"""Engines' times are coarser than the VAD's: they narrow a turn only by more than this."""
_UNSURE_CONFIDENCE: Final = 0.6
"""A stock phrase below this confidence counts as invented."""
_SHORT_MS: Final = 1_000
_QUIET_DBFS: Final = -45.0
_CHARS_PER_S: Final = 18.0
"""Faster than anybody speaks, in letters (Korean syllables run to 9 per second, English letters to 16)."""
_SYLLABLES_PER_S: Final = 7.5
"""The same for Hangul where a text repeats itself; the fastest of the 34 test lines has 6.7."""
_MIN_ECHO_LETTERS: Final = 4
"""A repeated end of fewer letters stays."""


@dataclass(frozen=True, slots=True)
class TurnSpan:
    """Where the stretch lies in ms of the meeting, and how loud it was."""

    sound_ms: int
    """Where its sound begins, pre-roll included: the zero of the segments' times."""
    start_ms: int
    """Where the voice begins."""
    end_ms: int
    """Where the voice ends."""
    level_dbfs: float = 0.0
    """Its mean power in dB; 0 is full scale."""


@dataclass(frozen=True, slots=True)
class TurnText:
    """The text of one turn and when it was spoken, in ms of the meeting."""

    text: str
    start_ms: int
    end_ms: int
    confidence: float | None
    """The segments' mean, weighted by their length, 0-1; None where the engine gave none."""
    language: str | None
    """That of most of the text; None where the engine did not say."""
    doubtful: tuple[tuple[int, int], ...] = ()
    """The segments' doubtful figures, where they stand in the text."""


def assemble(segments: Sequence[Segment], span: TurnSpan) -> TurnText | None:
    """Join the finals of one stretch to a turn; None where no words are left.

    Raises nothing: whatever an engine sends becomes text or is dropped.
    """
    spoken = [
        (segment, text)
        for segment in segments
        if segment.final
        and bare(text := without_loops(one_line(segment.text)))
        and not _invented(segment, text, span)
    ]
    if not spoken:
        return None
    start_ms, end_ms = span.start_ms, max(span.start_ms, span.end_ms)
    first_ms = span.sound_ms + spoken[0][0].start_ms
    last_ms = span.sound_ms + max(segment.end_ms for segment, _ in spoken)
    if start_ms + _TRUST_SLACK_MS < first_ms < end_ms:
        start_ms = first_ms
    if start_ms < last_ms < end_ms - _TRUST_SLACK_MS:
        end_ms = last_ms
    text = " ".join(text for _, text in spoken)
    letters = bare(text)
    limit = _SYLLABLES_PER_S if any("가" <= char <= "힣" for char in letters) else _CHARS_PER_S
    if len(letters) * 1000 > limit * max(1, end_ms - start_ms):
        text = said_once(text, _MIN_ECHO_LETTERS)  # faster than anybody speaks
    return TurnText(
        text=text,
        start_ms=start_ms,
        end_ms=end_ms,
        confidence=_confidence(spoken),
        language=_language(spoken),
        doubtful=tuple(span for span in _doubtful(spoken) if span[1] <= len(text)),
    )


def _doubtful(spoken: Sequence[tuple[Segment, str]]) -> Iterator[tuple[int, int]]:
    """The doubtful figures of the segments, where they stand in the joined texts."""
    before = 0
    for segment, text in spoken:
        for start, end in carried(segment.doubtful, segment.text, text):
            yield before + start, before + end
        before += len(text) + 1


def _confidence(spoken: Sequence[tuple[Segment, str]]) -> float | None:
    sure = [(segment.confidence, len(text)) for segment, text in spoken if segment.confidence is not None]
    if not sure:
        return None
    mean = sum(value * length for value, length in sure) / sum(length for _, length in sure)
    return round(min(1.0, max(0.0, mean)), 4)


def _language(spoken: Sequence[tuple[Segment, str]]) -> str | None:
    lengths = Counter[str]()
    for segment, text in spoken:
        if segment.language:
            lengths[segment.language] += len(text)
    return lengths.most_common(1)[0][0] if lengths else None


def _invented(segment: Segment, text: str, span: TurnSpan) -> bool:
    """Whether a text is a stock phrase, or was a loop, and a second sign says that nobody said it."""
    voiced_ms = max(1, span.end_ms - span.start_ms)
    letters, all_letters = len(bare(text)), len(bare(segment.text))
    if is_stock(text):
        unsure = segment.confidence is not None and segment.confidence < _UNSURE_CONFIDENCE
        too_fast = letters * 1000 / voiced_ms > _CHARS_PER_S
        return unsure or too_fast or voiced_ms < _SHORT_MS or span.level_dbfs < _QUIET_DBFS
    return all_letters > 2 * letters and all_letters * 1000 / voiced_ms > _CHARS_PER_S
