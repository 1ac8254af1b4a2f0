"""What the extractive engine makes of lines, each statement checked against what was said."""

from __future__ import annotations

from context.checking import checked, sources_of
from context.models import Summary
from context.plain.door import summarise
from tests.unit.context.samples import utter

Lines = list[tuple[str, str]]


def summary(lines: Lines) -> Summary:
    """Of (speaker, text), numbered from 1."""
    said = [utter(number, who, text) for number, (who, text) in enumerate(lines, 1)]
    found = summarise(Summary(), said)
    assert checked(found, sources_of(said)).dropped == (), "each says what was said"
    return found
