"""Templates of what is told of a block at each level: the summary templates of seed 004, and those of topics.

A template is text with named places (`{decision}`). In a summary template a line is left out if none of its
places is known, and so is a heading with nothing under it; an unknown place beside known ones is a dash.

A line of a topic's template is repeated for each statement of its place, with the ids of the utterances
behind it; a place without statements has no line. `key` is the newest decision, else the newest open item,
else the first sentence.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Final, Literal

from pydantic import Field, field_validator

from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel, NextAgent
from context.models import Frozen

TemplateName = Literal["level_1_detailed", "level_2_brief", "level_3_key"]

_PLACES: Final = (
    "id decision t_score confidence reason_1 reason_2 reason_3 alternative_1 t1 alternative_2 t2 strength"
    " weakness improvement next_agent reason key_reasons alternatives next_agents"
)

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
_BRIEF_TEMPLATE: Final = """\
## Agent {id} 요약

**결정**: {decision} (T={t_score}, 신뢰도={confidence})
**근거**: {key_reasons}
**대안**: {alternatives}
**후속**: {next_agents}"""
_KEY: Final = "[{id}] {decision} | T={t_score} | {confidence}/100"


def _places(text: str) -> list[str]:
    return [name for _, name, _, _ in string.Formatter().parse(text) if name is not None]


def _known_places(text: str, known: frozenset[str]) -> set[str]:
    """The places of a template. Raises `ValueError` where a brace is open, or a place is not in `known`."""
    try:
        places = set(_places(text))
    except ValueError as error:  # a brace that is not closed
        raise ValueError(f"is no template: {error}") from error
    if unknown := sorted(places - known):
        raise ValueError(f"unknown places {', '.join(unknown)}: there are {', '.join(sorted(known))}")
    return places


class Template(Frozen, extra="forbid"):
    """Text with named places, and the most tokens that it may give when it is filled in."""

    format: str
    target_tokens: int = Field(gt=0)


class SummaryTemplate(Template):
    """A template of seed 004, for a block of any producer; its places are the keys of `_values`."""

    @field_validator("format")
    @classmethod
    def _checked(cls, value: str) -> str:
        _known_places(value, frozenset(_PLACES.split()))
        return value


TEMPLATE_OF: Final[Mapping[CompressionLevel, TemplateName]] = {
    CompressionLevel.DETAILED: "level_1_detailed",
    CompressionLevel.BRIEF: "level_2_brief",
    CompressionLevel.KEY: "level_3_key",
}
SUMMARY_TEMPLATES: Final[Mapping[TemplateName, SummaryTemplate]] = {
    name: SummaryTemplate(format=text, target_tokens=TARGET_TOKENS[level])
    for (level, name), text in zip(TEMPLATE_OF.items(), (_DETAILED, _BRIEF_TEMPLATE, _KEY), strict=True)
}


def filled(template: SummaryTemplate, output: AgentOutput) -> str:
    """The text of a template, filled in with what is known of a block."""
    values = _values(output)
    lines: list[str] = []
    for line in template.format.split("\n"):
        known = {place: values.get(place, "") for place in _places(line)}
        if not known or any(known.values()):
            lines.append(line.format(**{place: value or "-" for place, value in known.items()}))
    kept: list[str] = []
    for place, line in enumerate(lines):
        following = next((other for other in lines[place + 1 :] if other.strip()), "### ")
        if line.startswith("### ") and following.startswith("### "):
            continue  # nothing stands under this heading
        if line.strip() or (kept and kept[-1].strip()):
            kept.append(line)
    return "\n".join(kept).strip()


def _values(output: AgentOutput) -> dict[str, str]:
    """What is known of a block, by the names of the places, each value in one line."""
    scores = ["" if each.t_score is None else f"{each.t_score:g}" for each in output.alternatives]
    scored = list(zip((each.text for each in output.alternatives), scores, strict=True))
    first = output.next_agents[0] if output.next_agents else NextAgent(agent="")
    values = {
        "id": output.agent_id,
        "decision": output.decision,
        "t_score": "" if output.t_score is None else f"{output.t_score:g}",
        "confidence": f"{100 * output.confidence:.0f}",
        "strength": output.strength,
        "weakness": output.weakness,
        "improvement": output.improvement,
        "key_reasons": "; ".join(output.reasons[:3]),
        "alternatives": "; ".join(text + (f" (T={t})" if t else "") for text, t in scored[:3]),
        "next_agents": ", ".join(each.agent for each in output.next_agents),
        "next_agent": first.agent,
        "reason": first.reason,
    }
    values |= {f"reason_{number}": reason for number, reason in enumerate(output.reasons[:3], 1)}
    for number, (text, t) in enumerate(scored[:2], 1):
        values |= {f"alternative_{number}": text, f"t{number}": t}
    return {place: " ".join(value.split()) for place, value in values.items()}


TopicTemplateName = Literal["level_0_full", "level_1_detailed", "level_2_brief", "level_3_key"]
TopicPlace = Literal["name", "summary", "key_points", "decisions", "open", "key"]

_STATED_PLACES: Final[tuple[TopicPlace, ...]] = ("summary", "key_points", "decisions", "open", "key")
_TOPIC_PLACES: Final = frozenset(("name", *_STATED_PLACES))


class TopicTemplate(Template):
    """A template for a topic of the meeting: the line of its name, then one place a line."""

    @field_validator("format")
    @classmethod
    def _a_place_a_line(cls, value: str) -> str:
        lines = value.split("\n")
        told: set[str] = set()
        for number, line in enumerate(lines):
            places = _known_places(line, _TOPIC_PLACES) - {"name"}
            is_heading = number == 0 and len(lines) > 1
            if len(places) != (0 if is_heading else 1):
                raise ValueError(f"the line {line!r}: the name first, then one place a line")
            told |= places
        if not {"decisions", "open"} <= told and "key" not in told:
            raise ValueError("decisions and open items stand at every level, or the key")
        return value

    def lines(self) -> dict[TopicPlace, str]:
        """The lines by the place that each holds, in order; that of the heading is `name`."""
        told: dict[TopicPlace, str] = {}
        for line in self.format.split("\n"):
            told[next((place for place in _STATED_PLACES if f"{{{place}}}" in line), "name")] = line
        return told


_FORMATS: Final = (
    "{name}:\n- {summary}\n- point: {key_points}\n- decided: {decisions}\n- open: {open}",
    "{name}:\n- {summary}\n- decided: {decisions}\n- open: {open}",
    "{name}:\n- decided: {decisions}\n- open: {open}",
    "- {name}: {key}",
)
TOPIC_TEMPLATE_OF: Final[Mapping[CompressionLevel, TopicTemplateName]] = {
    CompressionLevel.FULL: "level_0_full",
    **TEMPLATE_OF,
}
TOPIC_TEMPLATES: Final[Mapping[TopicTemplateName, TopicTemplate]] = {
    name: TopicTemplate(format=_FORMATS[level], target_tokens=TARGET_TOKENS[level])
    for level, name in TOPIC_TEMPLATE_OF.items()
}
