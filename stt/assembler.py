"""From segments to a turn: joins what an engine made of one stretch, and drops what it made up."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stt.segment import Segment

_TRUST_SLACK_MS: Final = 500
"""Engines' times are coarser than the VAD's: they narrow a turn only by more than this."""
_UNSURE: Final = 0.6
_SHORT_MS: Final = 1_000
_QUIET_DBFS: Final = -45.0
_CHARS_PER_S: Final = 18.0
"""Faster than anybody speaks, in letters (Korean syllables run to 9 per second, English letters to 16)."""

_SYLLABLES_PER_S: Final = 7.5
"""The same for Hangul where a text repeats itself; the fastest of the 34 test lines has 6.7."""
_SENTENCE_END: Final = re.compile(r"[.!?。]\s")
_SHORTEST_ECHO: Final = 4

_CREDITS: Final = re.compile(
    r"""^(?:
      (?:끝까지)?시청해?(?:주셔서|해주셔서|주신여러분)?(?:대단히|정말)?(?:감사합니다|고맙습니다)
    | (?:구독|좋아요|알림설정)(?:과|와|,|및)?.{0,12}(?:부탁드립니다|부탁드려요|눌러주세요|해주세요)?
    | 오늘도시청해?주셔서감사합니다
    | 다음(?:영상|시간)에(?:서)?(?:만나요|뵙겠습니다|봐요|또만나요)
    | (?:mbc|kbs|sbs|ytn|jtbc)뉴스.{0,12}(?:입니다|이었습니다|였습니다)?
    | .{0,12}(?:한글|한국어)?자막(?:제공|제작|by).{0,10}
    | 이영상은.{0,12}(?:제공|광고).{0,16}
    | thank(?:s|you)(?:somuch|verymuch)?forwatching.{0,24}
    | (?:please)?(?:like(?:and|,)?)?subscribe(?:to(?:my|our|the)channel)?.{0,24}
    | subtitles?by.{0,32}
    | .{0,24}amara\.?org.{0,16}
    | seeyou(?:in|on)?(?:the|my)?nextvideo.{0,8}
    )$""",
    re.VERBOSE,
)
"""What speech models learned from subtitles and write over noise. Real people say such things too,
so a match alone proves nothing: see `_invented`."""


@dataclass(frozen=True, slots=True)
class Span:
    """The stretch that the segments came from, in meeting ms."""

    sound_ms: int
    """Its first sample, pre-roll included: the zero of the segments' times."""
    start_ms: int
    """Where the voice begins."""
    end_ms: int
    """Where the voice ends."""
    level_dbfs: float = 0.0
    """How loud it was; 0 = full scale."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn's words, before they belong to a meeting."""

    text: str
    start_ms: int
    end_ms: int
    confidence: float | None
    language: str | None


def assemble(segments: Sequence[Segment], span: Span) -> Said | None:
    """One turn out of the finals of one stretch; None where nothing was said.

    Raises nothing: whatever an engine sends becomes text or is dropped.
    """
    finals = [
        (segment, text)
        for segment in segments
        if segment.final and (text := _unloop(" ".join(segment.text.split())))
    ]
    said = [(segment, text) for segment, text in finals if not _invented(segment, text, span)]
    if not said:
        return None
    start_ms, end_ms = _times([segment for segment, _ in said], span)
    return Said(
        text=_undouble(" ".join(text for _, text in said), end_ms - start_ms),
        start_ms=start_ms,
        end_ms=end_ms,
        confidence=_confidence(said),
        language=_language(said),
    )


def _times(segments: Sequence[Segment], span: Span) -> tuple[int, int]:
    start_ms, end_ms = span.start_ms, max(span.start_ms, span.end_ms)
    first_ms = span.sound_ms + segments[0].start_ms
    last_ms = span.sound_ms + max(segment.end_ms for segment in segments)
    if start_ms + _TRUST_SLACK_MS < first_ms < end_ms:
        start_ms = first_ms
    if start_ms < last_ms < end_ms - _TRUST_SLACK_MS:
        end_ms = last_ms
    return start_ms, end_ms


def _confidence(said: Sequence[tuple[Segment, str]]) -> float | None:
    """The mean, each text counting by its length; None where the engine gives none at all."""
    weighted = [(segment.confidence, len(text)) for segment, text in said if segment.confidence is not None]
    if not weighted:
        return None
    mean = sum(value * weight for value, weight in weighted) / sum(weight for _, weight in weighted)
    return round(min(1.0, max(0.0, mean)), 4)


def _language(said: Sequence[tuple[Segment, str]]) -> str | None:
    letters: Counter[str] = Counter()
    for segment, text in said:
        if segment.language:
            letters[segment.language] += len(text)
    return letters.most_common(1)[0][0] if letters else None


def _invented(segment: Segment, text: str, span: Span) -> bool:
    """Not a word in it; or a known invention, or a loop, with a second sign that nobody said it."""
    bare = _bare(text)
    if not bare:
        return True
    voiced_ms = max(1, span.end_ms - span.start_ms)
    unsure = segment.confidence is not None and segment.confidence < _UNSURE
    if _CREDITS.match(bare):
        too_fast = len(bare) * 1000 / voiced_ms > _CHARS_PER_S
        return unsure or too_fast or voiced_ms < _SHORT_MS or span.level_dbfs < _QUIET_DBFS
    loop = len(_bare(segment.text)) > 2 * len(bare)
    return loop and len(_bare(segment.text)) * 1000 / voiced_ms > _CHARS_PER_S


def _undouble(text: str, voiced_ms: int) -> str:
    """A sentence that begins again from its start, faster than anybody speaks, was said once."""
    bare = _bare(text)
    limit = _SYLLABLES_PER_S if any("가" <= char <= "힣" for char in bare) else _CHARS_PER_S
    if len(bare) * 1000 <= limit * max(1, voiced_ms):
        return text
    for end in _SENTENCE_END.finditer(text):
        once, again = text[: end.end()].strip(), _bare(text[end.end() :])
        if len(again) >= _SHORTEST_ECHO and _bare(once).startswith(again):
            return once
    return text


def _bare(text: str) -> str:
    """Letters and digits only, lower case."""
    return "".join(char for char in text.lower() if char.isalnum())


_LOOP: Final = re.compile(r"(?P<unit>.{2,60}?)(?:[\s,.!?…]*(?P=unit)){4,}")
_STUTTER: Final = re.compile(r"(?P<unit>\w)(?:[\s,.!?…]*(?P=unit)){11,}")


def _unloop(text: str) -> str:
    """A decoder that got stuck says one thing five times or more: once is enough. Digits may repeat."""
    return _STUTTER.sub(_once, _LOOP.sub(_once, text)).strip()


def _once(loop: re.Match[str]) -> str:
    unit: str = loop["unit"]
    return unit if any(char.isalpha() for char in unit) else loop[0]
