"""Answers that were given before: for the same words, and for others that ask the same of the same things."""

from context.answer_cache.cache import LIFETIME, LookUp, ResponseCache
from context.answer_cache.entry import CacheEntry, EvidenceMark, MeetingWitness, Occasion
from context.answer_cache.likeness import CALIBRATIONS, calibration_of, objections, threshold_for
from context.answer_cache.reading import ResponseStyleVariator, read

__all__ = [
    "CALIBRATIONS", "LIFETIME", "CacheEntry", "EvidenceMark", "LookUp", "MeetingWitness", "Occasion",
    "ResponseCache", "ResponseStyleVariator", "calibration_of", "objections", "read", "threshold_for",
]  # fmt: skip
