"""Seed 000's RESPONSE_TEMPLATE (§5.2): analysis, quotes with name and time, suggestion."""

from __future__ import annotations

import re
from typing import Final

from context.models import Frozen
from context.prompts.answering import RESPONSE_TEMPLATE

_NAMES: Final = ("analysis", "attributed_quotes", "suggestion")
_SECTION: Final = re.compile(r"(?=^## )", re.MULTILINE)


class Response(Frozen):
    """An answer in its three parts; any may be empty."""

    analysis: str = ""
    attributed_quotes: str = ""
    """Lines `- **name** (HH:MM:SS): …`."""
    suggestion: str = ""

    def rendered(self, language: str) -> str:
        """The template, without the headings of empty parts. One part alone needs no heading."""
        filled = [part.strip() for part in self._parts if part.strip()]
        return "".join(filled) if len(filled) < 2 else self.sections(language)

    def sections(self, language: str) -> str:
        """The filled parts under their headings, even one alone."""
        template = RESPONSE_TEMPLATE["ko" if language == "ko" else "en"]
        sections = _SECTION.split(template)[1:]
        kept = [section for section, part in zip(sections, self._parts, strict=True) if part.strip()]
        values = dict(zip(_NAMES, (part.strip() for part in self._parts), strict=True))
        return "".join(kept).format(**values).strip()

    @property
    def _parts(self) -> tuple[str, str, str]:
        return self.analysis, self.attributed_quotes, self.suggestion
