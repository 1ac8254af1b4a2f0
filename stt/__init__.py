"""The way from a track's sound to its speaker's turns. `STTSegment` is seed 000's name for a `Segment`."""

from stt.segment import Segment as STTSegment

__all__ = ["STTSegment"]
