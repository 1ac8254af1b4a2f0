"""Whether a sentence can be held against what was said at all: words of two languages share nothing.

`checking.fault` lets a sentence in another language than its evidence pass by its numbers, dates and names
alone. Whoever knows in which language it had to be written asks here, too.
"""

from __future__ import annotations

from typing import Final

from context.evidence.words import stems

_LETTERS: Final = {"ko": ("가", "힣"), "en": ("a", "z")}


def written_in(text: str, language: str) -> bool:
    """Whether a quarter of its letters are those of `ko` or `en`; of another language everything is."""
    low, high = _LETTERS.get(language, ("", "\U0010ffff"))
    letters = [char for char in text.lower() if char.isalpha()]
    return 4 * sum(low <= char <= high for char in letters) >= len(letters)


def comparable(text: str, spoken: str, language: str) -> bool:
    """Whether `text` is in `language`, as it had to be, or else in the words that were spoken."""
    if written_in(text, language):
        return True
    told = stems(text)
    return bool(told) and 2 * len(told & stems(spoken)) >= len(told)
