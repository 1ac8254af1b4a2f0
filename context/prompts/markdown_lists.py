"""Lists that a model wrote as Markdown where JSON was asked for: headings, and what stands beneath each."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_HEADING: Final = re.compile(r"\s{0,3}#{1,6}\s+(?P<name>[^\n]{1,60})")
_BOLD: Final = re.compile(
    r"(?:[-*•]\s+)?(?P<mark>\*\*|__)(?P<name>[^*_\n]{1,60})(?P=mark)\s?[:：]?(?P<rest>.*)"
)
_PLAIN_NAME: Final = re.compile(r"(?P<name>[^:：\[\n]{1,60})[:：](?P<rest>.*)")
_NUMBERING: Final = re.compile(r"^[\W\d_]+")
_BULLET: Final = re.compile(r"\s*[-*•+]\s+")
_MAX_CHARACTERS: Final = 200_000


def lists_in(text: str, known: Callable[[str], str | None], first: str = "") -> dict[str, list[str]]:
    """The lines beneath each heading that `known` has a name for, by that name, without bullets.

    `known` gives "" for a heading whose lines are not wanted. `first`: the name for what stands before any
    heading; "" where that is not wanted.
    """
    found: dict[str, list[str]] = {}
    name = first
    for line in text[:_MAX_CHARACTERS].splitlines():
        heading, rest = _heading(line, known)
        said = _BULLET.sub("", line if heading is None else rest, count=1).strip()
        name = name if heading is None else heading
        if name and said:
            found.setdefault(name, []).append(said)
    return found


def _heading(line: str, known: Callable[[str], str | None]) -> tuple[str | None, str]:
    """The name of a heading and what stands behind it; "" for a name nobody knows, None for no heading."""
    if (found := _HEADING.match(line)) is not None:
        return known(_NUMBERING.sub("", found["name"])) or "", ""
    found = _BOLD.match(line) or _PLAIN_NAME.match(line)
    name = known(_NUMBERING.sub("", found["name"])) if found is not None else None
    return name, found["rest"] if found is not None and name is not None else ""
