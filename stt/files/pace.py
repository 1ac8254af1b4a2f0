"""How long it takes to say something: the times of a transcript that has none."""

from __future__ import annotations

from typing import Final

PAUSE_MS: Final = 300
"""The pause before a line whose start is derived."""
_MS_PER_SYLLABLE: Final = 180
_MS_PER_LETTER: Final = 65
_LEAST_MS: Final = 300


def speaking_ms(text: str) -> int:
    """Estimate how long it takes to say a text: some 5.5 Korean syllables or 15 letters a second."""
    wide = sum("\u1100" <= char <= "\uffdc" for char in text)
    return max(_LEAST_MS, wide * _MS_PER_SYLLABLE + (len(text) - wide) * _MS_PER_LETTER)
