"""Whether somebody is named."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_FULL_NAME: Final = 3
"""Syllables of a Korean name with its family name, most often."""


def called(name: str, text: str) -> bool:
    """Whether a participant is named: in full, by the given name, by the first name."""
    return bool(name) and _calling(name).search(text) is not None


@lru_cache(maxsize=512)
def _calling(name: str) -> re.Pattern[str]:
    """A question for a person holds every name against every decision of the meeting."""
    if name[0] >= "가":
        given = name[1:] if len(name) == _FULL_NAME else name
        alone = rf"|(?<![가-힣]){re.escape(given)}" if len(given) > 1 else ""
        return re.compile(f"{re.escape(name)}{alone}")
    return re.compile(rf"\b{re.escape(name.split(maxsplit=1)[0])}\b", re.IGNORECASE)
