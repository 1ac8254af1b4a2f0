"""From which cosine on two questions may mean the same: for each encoder its own, on the seed's scale.

Seed 002's .85 means nothing by itself: with multilingual-e5-small, two questions that have nothing in common
lie at .80. The flag `cache_similarity_threshold` is therefore read on the seed's scale: its .85 is each
encoder's calibrated point, 1 stays 1, 0 is what unrelated questions have, and between them it is linear.
The point is where unrelated questions end, a veto and no more: telling near-misses from paraphrases is
the work of `likeness`, for which no cosine alone is any good (both lie at .88-1.00).
"""

from __future__ import annotations

from typing import Final

from context.models import Frozen

SEED_THRESHOLD: Final = 0.85


class Calibration(Frozen):
    """What is known of one encoder's cosines between questions."""

    encoder: str
    """How its name begins."""
    unrelated: float
    """The median cosine of two questions that have nothing to do with each other."""
    threshold: float
    """What the seed's .85 is with this encoder: the 99th percentile of unrelated questions."""


CALIBRATIONS: Final = (Calibration(encoder="multilingual-e5-small", unrelated=0.81, threshold=0.90),)


def calibration_of(encoder: str) -> Calibration | None:
    """What is known of an encoder by its name; None for a stranger, whose cosines are then not used."""
    return next((known for known in CALIBRATIONS if encoder.lower().startswith(known.encoder)), None)


def threshold_for(encoder: str, on_seed_scale: float | None = None) -> float:
    """The least cosine of a hit. Raises `LookupError` for an uncalibrated encoder."""
    known = calibration_of(encoder)
    if known is None:
        raise LookupError(f"encoder {encoder!r} is not calibrated for the answer cache")
    wished = SEED_THRESHOLD if on_seed_scale is None else min(1.0, max(0.0, on_seed_scale))
    if wished >= SEED_THRESHOLD:
        return known.threshold + (wished - SEED_THRESHOLD) / (1 - SEED_THRESHOLD) * (1 - known.threshold)
    return known.unrelated + wished / SEED_THRESHOLD * (known.threshold - known.unrelated)
