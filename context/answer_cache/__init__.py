"""Answers that were given before: for the same words, and for others that ask the same of the same things."""

from context.answer_cache.cache import LIFETIME, ResponseCache
from context.answer_cache.calibration import CALIBRATIONS, calibration_of, threshold_for
from context.answer_cache.entry import CacheEntry
from context.answer_cache.evidence import EvidenceMark, MeetingWitness
from context.answer_cache.likeness import objections
from context.answer_cache.occasion import Occasion
from context.answer_cache.reading import read
from context.answer_cache.statistics import LookUp
from context.answer_cache.style import ResponseStyleVariator

__all__ = [
    "CALIBRATIONS", "LIFETIME", "CacheEntry", "EvidenceMark", "LookUp", "MeetingWitness", "Occasion",
    "ResponseCache", "ResponseStyleVariator", "calibration_of", "objections", "read", "threshold_for",
]  # fmt: skip
