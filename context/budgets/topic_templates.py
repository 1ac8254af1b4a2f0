"""What is told of a meeting's topic at each level: templates whose lines carry citations.

A line of a template stands once for each statement that its place names, with the ids of the utterances
behind it; a place that nothing is known of has no line. `key` is the newest decision, else the newest open
item, else the first sentence.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import ConfigDict, Field, field_validator

from context.budgets.output import TARGET_TOKENS, CompressionLevel
from context.models import Frozen

TopicTemplateName = Literal["level_0_full", "level_1_detailed", "level_2_brief", "level_3_key"]
TopicPlace = Literal["name", "summary", "key_points", "decisions", "open", "key"]

STATED: Final[tuple[TopicPlace, ...]] = ("summary", "key_points", "decisions", "open")
_PLACES: Final = frozenset(("name", "key", *STATED))


class TopicTemplate(Frozen):
    """One template, and the most tokens that a topic has at its level."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    target_tokens: int = Field(gt=0)

    @field_validator("format")
    @classmethod
    def _a_place_a_line(cls, value: str) -> str:
        lines = value.split("\n")
        for line in lines:
            try:
                places = {name for _, name, _, _ in string.Formatter().parse(line) if name is not None}
            except ValueError as error:
                raise ValueError(f"is no template: {error}") from error
            if unknown := sorted(places - _PLACES):
                raise ValueError(
                    f"unknown places {', '.join(unknown)}: there are {', '.join(sorted(_PLACES))}"
                )
            if len(places - {"name"}) != (line != lines[0] or len(lines) == 1):
                raise ValueError(f"the line {line!r}: the name first, then one place a line")
        told = {place for place in _PLACES if f"{{{place}}}" in value}
        if not {"decisions", "open"} <= told and "key" not in told:
            raise ValueError("decisions and open items stand at every level, or the key")
        return value

    def lines(self) -> dict[TopicPlace, str]:
        """The lines by what they tell, in order; the first is the name's where there are several."""
        return {place: line for line in self.format.split("\n") for place in _told_by(line)}


def _told_by(line: str) -> tuple[TopicPlace, ...]:
    stated: tuple[TopicPlace, ...] = (*STATED, "key")
    return next(((place,) for place in stated if f"{{{place}}}" in line), ("name",))


_STANDING: Final = "- decided: {decisions}\n- open: {open}"
TOPIC_TEMPLATES: Final[Mapping[TopicTemplateName, TopicTemplate]] = {
    "level_0_full": TopicTemplate(
        format="{name}:\n- {summary}\n- point: {key_points}\n" + _STANDING,
        target_tokens=TARGET_TOKENS[CompressionLevel.FULL],
    ),
    "level_1_detailed": TopicTemplate(
        format="{name}:\n- {summary}\n" + _STANDING, target_tokens=TARGET_TOKENS[CompressionLevel.DETAILED]
    ),
    "level_2_brief": TopicTemplate(
        format="{name}:\n" + _STANDING, target_tokens=TARGET_TOKENS[CompressionLevel.BRIEF]
    ),
    "level_3_key": TopicTemplate(format="- {name}: {key}", target_tokens=TARGET_TOKENS[CompressionLevel.KEY]),
}
TOPIC_TEMPLATE_OF: Final[Mapping[CompressionLevel, TopicTemplateName]] = {
    CompressionLevel.FULL: "level_0_full",
    CompressionLevel.DETAILED: "level_1_detailed",
    CompressionLevel.BRIEF: "level_2_brief",
    CompressionLevel.KEY: "level_3_key",
}
