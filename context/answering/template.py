"""Seed 000's RESPONSE_TEMPLATE (§5.2): analysis, quotes with name and time, suggestion."""

from __future__ import annotations

import re
from typing import Final

from context.models import Frozen
from context.prompts.answering import RESPONSE_TEMPLATE

_SECTION: Final = re.compile(r"(?=^## )", re.MULTILINE)


class Response(Frozen):
    """An answer in its three parts; any may be empty."""

    analysis: str = ""
    attributed_quotes: str = ""
    """Lines `- **name** (HH:MM:SS): …`."""
    suggestion: str = ""

    def rendered(self, language: str) -> str:
        """The template, without the headings of empty parts. One part alone needs no heading."""
        parts = [self.analysis, self.attributed_quotes, self.suggestion]
        filled = [part.strip() for part in parts if part.strip()]
        if len(filled) < 2:
            return "".join(filled)
        template = RESPONSE_TEMPLATE["ko" if language == "ko" else "en"]
        sections = _SECTION.split(template)[1:]
        kept = [section for section, part in zip(sections, parts, strict=True) if part.strip()]
        values = dict(
            zip(("analysis", "attributed_quotes", "suggestion"), (p.strip() for p in parts), strict=True)
        )
        return "".join(kept).format(**values).strip()


def quotes_heading(language: str) -> str:
    """The heading over the quotes."""
    template = RESPONSE_TEMPLATE["ko" if language == "ko" else "en"]
    return _SECTION.split(template)[2].splitlines()[0]
