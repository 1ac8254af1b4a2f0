"""From a track's sound to the turns of its speaker. `STTSegment` is seed 000's name for a `Segment`."""

from stt.segment import Segment as STTSegment

__all__ = ["STTSegment"]
