"""What a meeting leaves to later ones beside its words: the notes of each topic, as passages.

A topic gives one passage for each tier of the context cache (seed 004) that outlives the meeting: `project`
tells it in detail, `persistent` its decisions. They stand in the table behind the passages of the meeting's
words (`FIRST_NOTE`), and are cut, erased and made anew with these. A search finds both; `in_view` leaves of
each topic the one whose tier holds at that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from context.budgets.cache_tiers import CACHE_LEVELS, CacheTier, TierRule
from context.budgets.configuration import BudgetConfig
from context.budgets.output import AgentOutput, NextAgent
from context.budgets.templates import SUMMARY_TEMPLATES, SummaryTemplate, TemplateName, filled
from context.corpora.passage import FIRST_NOTE, Passage, prefix_of
from context.language.korean import language_of
from context.models import Statement, TopicSegment, Utterance
from context.primitives.text import one_line
from context.primitives.undated import dated

_KEPT: Final[tuple[CacheTier, ...]] = ("project", "persistent")
"""The tiers that outlive a meeting; their passages of one topic stand side by side in this order."""
_OVER: Final = ("superseded", "done")
_LABELS: Final = {"ko": ("결정", "남은 일"), "en": ("Decided", "Open")}


def notes_of(
    topics: Iterable[TopicSegment],
    said: Sequence[Utterance],
    *,
    source_id: str,
    title: str,
    budgets: BudgetConfig,
) -> list[Passage]:
    """The passages of what stands of a meeting's topics; none of a topic without statements.

    `said`: all utterances of the meeting. `source_id`, `title`: its id and how it is cited.
    """
    found: list[Passage] = []
    for place, topic in enumerate(topics):
        evidence = [id_ for each in _standing(topic) for id_ in each.evidence]
        if not evidence:
            continue
        said_at = said[topic.start_utterance_id - 1].absolute_timestamp
        block = _block(topic, budgets.templates)
        for number, tier in enumerate(_KEPT):
            text = budgets.cache_levels[tier].told(block).content
            if not text:
                continue
            found.append(
                Passage(
                    source_id=source_id,
                    position=FIRST_NOTE + place * len(_KEPT) + number,
                    text=text,
                    prefix=prefix_of(title, topic.name, at=dated(said_at)),
                    title=title,
                    first=min(evidence),
                    last=max(evidence),
                    said_at=dated(said_at),
                    topic=topic.name,
                )
            )
    return found


def in_view(
    passages: Iterable[Passage], at: datetime, rules: Mapping[CacheTier, TierRule] = CACHE_LEVELS
) -> list[Passage]:
    """The passages without the notes that another tier tells at that moment, or none any more."""
    return [each for each in passages if not each.is_note or _tier_at(each, at, rules) == _tier_of(each)]


def _tier_of(note: Passage) -> CacheTier:
    return _KEPT[(note.position - FIRST_NOTE) % len(_KEPT)]


def _tier_at(note: Passage, at: datetime, rules: Mapping[CacheTier, TierRule]) -> CacheTier | None:
    said_at = note.said_at or at
    return next((tier for tier in _KEPT if rules[tier].holds(said_at, at)), None)


def _standing(topic: TopicSegment) -> list[Statement]:
    """The statements of a topic that count: sentences, decisions, open items."""
    notes = topic.notes
    return [*notes.sentences, *(each for each in (*notes.decisions, *notes.pending) if _stands(each))]


def _stands(statement: Statement) -> bool:
    return statement.status not in _OVER


def _block(topic: TopicSegment, templates: Mapping[TemplateName, SummaryTemplate]) -> AgentOutput:
    """A topic as a block with its text at every level.

    A level for which a user has set a template is told by that template, another by lines. (The seed's speak
    of agents, scores and a confidence, which a meeting's topic has not.)
    """
    notes = topic.notes
    decided = list(filter(_stands, notes.decisions))
    pending = list(filter(_stands, notes.pending))
    decided_label, open_label = _LABELS[language_of(" ".join(each.text for each in _standing(topic)))]
    sentences = [one_line(each.text) for each in notes.sentences]
    decisions = [_line_of(each) for each in decided]
    decision_lines = [f"{decided_label}: {text}" for text in decisions]
    open_lines = [f"{open_label}: {_line_of(each)}" for each in pending]
    whole = _lines(topic.name, (*sentences, *decision_lines, *open_lines))
    shorter: dict[TemplateName, str] = {
        "level_1_detailed": whole,
        "level_2_brief": _lines(topic.name, (*decision_lines, *open_lines)),
        "level_3_key": _lines(topic.name, decision_lines),
    }
    block = AgentOutput(
        agent_id=topic.name,
        content=whole,
        decision="; ".join(decisions),
        reasons=tuple(each.text for each in (*notes.key_points, *notes.sentences)),
        next_agents=tuple(NextAgent(agent=each.owner or "?", reason=each.text) for each in pending),
    )
    for name, template in templates.items():
        if template != SUMMARY_TEMPLATES[name]:
            shorter[name] = filled(template, block)
    return block.model_copy(update={"shorter": tuple(shorter.values())})


def _line_of(statement: Statement) -> str:
    """A statement in one line, with who has it and until when."""
    named = ", ".join(filter(None, (statement.owner, statement.due)))
    text = one_line(statement.text)
    return f"{text} ({named})" if named else text


def _lines(name: str, rows: Iterable[str]) -> str:
    told = list(rows)
    return "\n".join([f"{name}:", *told]) if told else ""
