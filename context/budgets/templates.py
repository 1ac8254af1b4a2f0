"""What is left of a block at each level: the summary templates of seed 004, and those of a meeting's topics.

A template is text with named places. Of a summary template a line none of whose places is known is left out,
and so is a heading with nothing under it; a place that is unknown beside known ones is a dash.

A line of a topic's template stands once for each statement that its place names, with the ids of the
utterances behind it; a place that nothing is known of has no line. `key` is the newest decision, else the
newest open item, else the first sentence.
"""

from __future__ import annotations

import string
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from pydantic import ConfigDict, Field, field_validator

from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel
from context.models import Frozen

TemplateName = Literal["level_1_detailed", "level_2_brief", "level_3_key"]

_PLACES: Final = (
    "id decision t_score confidence reason_1 reason_2 reason_3 alternative_1 t1 alternative_2 t2 strength"
    " weakness improvement next_agent reason key_reasons alternatives next_agents"
)
PLACES: Final = frozenset(_PLACES.split())
"""What a template may name."""

_DETAILED: Final = """\
## Agent {id} 요약 (상세)

**최종 결정**: {decision}
**T-Score**: {t_score}
**신뢰도**: {confidence}/100

### 핵심 근거
1. {reason_1}
2. {reason_2}
3. {reason_3}

### 주요 대안
- {alternative_1} (T={t1})
- {alternative_2} (T={t2})

### Self-Critique 요점
- 강점: {strength}
- 약점: {weakness}
- 개선: {improvement}

### 후속 에이전트 권고
- {next_agent}: {reason}"""
_BRIEF: Final = """\
## Agent {id} 요약

**결정**: {decision} (T={t_score}, 신뢰도={confidence})
**근거**: {key_reasons}
**대안**: {alternatives}
**후속**: {next_agents}"""
_KEY: Final = "[{id}] {decision} | T={t_score} | {confidence}/100"


def _places(text: str) -> Iterator[str]:
    return (name for _, name, _, _ in string.Formatter().parse(text) if name is not None)


def _known_places(text: str, known: frozenset[str]) -> set[str]:
    """The places of a template. Raises `ValueError` where it is none, or names others than `known` ones."""
    try:
        places = set(_places(text))
    except ValueError as error:  # a brace that is not closed
        raise ValueError(f"is no template: {error}") from error
    if unknown := sorted(places - known):
        raise ValueError(f"unknown places {', '.join(unknown)}: there are {', '.join(sorted(known))}")
    return places


class Template(Frozen):
    """Text with named places, and the tokens that it should give."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    format: str
    target_tokens: int = Field(gt=0)


class SummaryTemplate(Template):
    """A template of seed 004, for a block of any producer."""

    @field_validator("format")
    @classmethod
    def _checked(cls, value: str) -> str:
        _known_places(value, PLACES)
        return value


SUMMARY_TEMPLATES: Final[Mapping[TemplateName, SummaryTemplate]] = {
    "level_1_detailed": SummaryTemplate(format=_DETAILED, target_tokens=3_000),
    "level_2_brief": SummaryTemplate(format=_BRIEF, target_tokens=1_000),
    "level_3_key": SummaryTemplate(format=_KEY, target_tokens=300),
}
TEMPLATE_OF: Final[Mapping[CompressionLevel, TemplateName]] = {
    CompressionLevel.DETAILED: "level_1_detailed",
    CompressionLevel.BRIEF: "level_2_brief",
    CompressionLevel.KEY: "level_3_key",
}


def filled(template: SummaryTemplate, output: AgentOutput) -> str:
    """The template with what is known of `output`."""
    values = _values(output)
    lines: list[str] = []
    for line in template.format.split("\n"):
        places = list(_places(line))
        known = {place: values.get(place, "") for place in places}
        # An id alone says nothing of a block, except in a heading.
        if places and not any(known.values()):
            continue
        lines.append(line.format(**{place: value or "-" for place, value in known.items()}))
    return "\n".join(_without_empty_headings(lines)).strip()


def _without_empty_headings(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for place, line in enumerate(lines):
        if line.startswith("### "):
            following = next((other for other in lines[place + 1 :] if other.strip()), "### ")
            if following.startswith("### "):
                continue
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return kept


def _values(output: AgentOutput) -> dict[str, str]:
    scored = [(_line(a.text), _number(a.t_score)) for a in output.alternatives]
    following = [(_line(n.agent), _line(n.reason)) for n in output.next_agents]
    values = {
        "id": _line(output.agent_id),
        "decision": _line(output.decision),
        "t_score": _number(output.t_score),
        "confidence": f"{100 * output.confidence:.0f}",
        "strength": _line(output.strength),
        "weakness": _line(output.weakness),
        "improvement": _line(output.improvement),
        "key_reasons": "; ".join(_line(reason) for reason in output.reasons[:3]),
        "alternatives": "; ".join(text + (f" (T={t})" if t else "") for text, t in scored[:3]),
        "next_agents": ", ".join(agent for agent, _ in following),
        "next_agent": following[0][0] if following else "",
        "reason": following[0][1] if following else "",
    }
    for number, reason in enumerate(output.reasons[:3], 1):
        values[f"reason_{number}"] = _line(reason)
    for number, (text, t) in enumerate(scored[:2], 1):
        values[f"alternative_{number}"], values[f"t{number}"] = text, t
    return values


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:g}"


def _line(text: str) -> str:
    return " ".join(text.split())


TopicTemplateName = Literal["level_0_full", "level_1_detailed", "level_2_brief", "level_3_key"]
TopicPlace = Literal["name", "summary", "key_points", "decisions", "open", "key"]

STATED: Final[tuple[TopicPlace, ...]] = ("summary", "key_points", "decisions", "open")
TOPIC_PLACES: Final = frozenset(("name", "key", *STATED))


class TopicTemplate(Template):
    """A template for a topic of the meeting; its tokens are the most that a topic has at its level."""

    @field_validator("format")
    @classmethod
    def _a_place_a_line(cls, value: str) -> str:
        lines = value.split("\n")
        for line in lines:
            places = _known_places(line, TOPIC_PLACES)
            if len(places - {"name"}) != (line != lines[0] or len(lines) == 1):
                raise ValueError(f"the line {line!r}: the name first, then one place a line")
        told = {place for place in TOPIC_PLACES if f"{{{place}}}" in value}
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
