"""Answers that were given before: for the same words, and for others that ask the same of the same things."""

from context.answer_cache.cache import CAPACITY, LIFETIME, ResponseCache
from context.answer_cache.calibration import CALIBRATIONS, calibration_of, threshold_for
from context.answer_cache.entry import CacheEntry
from context.answer_cache.evidence import EvidenceMark, MeetingWitness, Witness
from context.answer_cache.likeness import Guard, objections
from context.answer_cache.occasion import Occasion
from context.answer_cache.reading import Reading, read
from context.answer_cache.statistics import CacheStatistics, LookUp
from context.answer_cache.style import ResponseStyleVariator

__all__ = [
    "CALIBRATIONS",
    "CAPACITY",
    "LIFETIME",
    "CacheEntry",
    "CacheStatistics",
    "EvidenceMark",
    "Guard",
    "LookUp",
    "MeetingWitness",
    "Occasion",
    "Reading",
    "ResponseCache",
    "ResponseStyleVariator",
    "Witness",
    "calibration_of",
    "objections",
    "read",
    "threshold_for",
]
