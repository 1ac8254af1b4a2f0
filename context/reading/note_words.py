"""Whether what is said is worth a note, or small talk and jokes, by its words alone: a logistic regression.

"She has strong opinions" may be said of the architect as well as of the cat, so it is never sure.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from context.reading.linear import head

WORDS_HEAD: Final = Path(__file__).with_name("note_words.npz")
"""The file with the weights, which `tests.training noteworthy` writes."""


def noting_log_odds(text: str) -> float:
    """The log odds that what is said is worth a note, and no small talk, by its words alone."""
    chance = head(WORDS_HEAD).probabilities(text)["note"]
    return math.log(chance / (1 - chance))
