"""From sound to utterance. `STTSegment` is seed 000's name for a segment."""

from stt.segment import Segment as STTSegment

__all__ = ["STTSegment"]
