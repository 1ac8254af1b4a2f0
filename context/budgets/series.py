"""What a meeting leaves to the next one in its room: each topic as a block, at every level.

A block holds what stands of a topic: its sentences, its decisions, what is open. It carries the numbers of
the utterances that it rests on and a digest of what they said (`witness`), so a later reader can see whether
the record still says so: what was corrected or erased since is not shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Final

from context.budgets.output import AgentOutput, NextAgent
from context.budgets.templates import SUMMARY_TEMPLATES, SummaryTemplate, TemplateName, filled
from context.corpora.passage import Passage
from context.language.korean import language_of
from context.models import TopicSegment
from context.retrieval.questions import coverage, topic_words
from context.text import one_line

_FIRST_POSITION: Final = 1_000_000
"""The position of the first block as a passage: above that of any passage of a meeting."""
_LEAST_HELD: Final = 0.2
"""The share of a question's topic words that a block holds at least: one of five, as it sums up a topic."""
_OVER: Final = ("superseded", "done")
_LABELS: Final = {"ko": ("결정", "남은 일"), "en": ("Decided", "Open")}


def block_of(
    topic: TopicSegment,
    *,
    source: str,
    title: str,
    said_at: datetime,
    passages: Sequence[Passage],
    templates: Mapping[TemplateName, SummaryTemplate] = SUMMARY_TEMPLATES,
) -> AgentOutput | None:
    """The block of a topic; None where it has no statements, or `passages` lack an utterance behind them.

    `source`, `title`, `said_at`: the meeting's id, title and time. `passages`: those of that meeting.
    `templates`: a level whose template is not the seed's is told by it instead of by our own lines. (The
    seed's speak of agents, scores and a confidence, which a meeting's topic has not.)
    """
    notes = topic.notes
    decided = [each for each in notes.decisions if each.status not in _OVER]
    pending = [each for each in notes.pending if each.status not in _OVER]
    told = [*notes.sentences, *decided, *pending]
    evidence = tuple(dict.fromkeys(id_ for each in told for id_ in each.evidence))
    witness = witness_of(passages, evidence)
    if not told or not witness:
        return None

    def said(text: str, *named: str | None) -> str:
        names = ", ".join(filter(None, named))
        return f"{one_line(text)} ({names})" if names else one_line(text)

    def lines(*parts: Iterable[str]) -> str:
        rows = [line for part in parts for line in part]
        return "\n".join([f"{topic.name}:", *rows]) if rows else ""

    decided_label, open_label = _LABELS[language_of(" ".join(each.text for each in told))]
    decisions = [said(each.text, each.owner, each.due) for each in decided]
    decision_lines = [f"{decided_label}: {text}" for text in decisions]
    open_lines = [f"{open_label}: {said(each.text, each.owner, each.due)}" for each in pending]
    whole = lines((one_line(each.text) for each in notes.sentences), decision_lines, open_lines)
    shorter: dict[TemplateName, str] = {
        "level_1_detailed": whole,
        "level_2_brief": lines(decision_lines, open_lines),
        "level_3_key": lines(decision_lines),
    }
    block = AgentOutput(
        agent_id=topic.name,
        content=whole,
        has_dependents=bool(decided),
        decision="; ".join(decisions),
        reasons=tuple(each.text for each in (*notes.key_points, *notes.sentences)),
        next_agents=tuple(NextAgent(agent=each.owner or "?", reason=each.text) for each in pending),
        source=source,
        title=title,
        said_at=said_at,
        evidence=evidence,
        witness=witness,
    )
    for name, template in templates.items():
        if template != SUMMARY_TEMPLATES[name]:
            shorter[name] = filled(template, block)
    return block.model_copy(update={"agent_id": f"{source}/{topic.id}", "shorter": tuple(shorter.values())})


def witness_of(passages: Iterable[Passage], evidence: Sequence[int]) -> str:
    """A digest of the passages that hold these utterances; "" where one is in none, or there are none."""
    wanted = set(evidence)
    there = [each for each in passages if wanted & set(each.utterances)]
    if not wanted or wanted - {id_ for each in there for id_ in each.utterances}:
        return ""
    text = "\n".join(each.text for each in sorted(there, key=lambda each: each.position))
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def still_stand(blocks: Iterable[AgentOutput], passages: Sequence[Passage]) -> list[AgentOutput]:
    """The blocks whose utterances are among `passages` and read as they did when the blocks were kept."""
    by_source: dict[str, list[Passage]] = {}
    for passage in passages:
        by_source.setdefault(passage.source_id, []).append(passage)
    return [
        block
        for block in blocks
        if block.witness and block.witness == witness_of(by_source.get(block.source, ()), block.evidence)
    ]


def bearing_on(question: str, blocks: Sequence[AgentOutput]) -> list[AgentOutput]:
    """The blocks that hold enough topic words of the question (`_LEAST_HELD`), those with most of them first.

    `blocks`: the newest first. Relevance and recency are set by the question and by that order.
    """
    words = topic_words(question)
    weighed = [
        block.model_copy(
            update={"relevance_score": coverage(words, block.content), "recency_score": 1 / place}
        )
        for place, block in enumerate(blocks, 1)
    ]
    return sorted(
        (block for block in weighed if block.relevance_score >= _LEAST_HELD),
        key=lambda block: -block.relevance_score,
    )


def as_passages(blocks: Iterable[AgentOutput]) -> tuple[Passage, ...]:
    """The blocks as passages of an earlier meeting, so that they are shown and cited like any other."""
    return tuple(
        Passage(
            corpus="earlier",
            source_id=block.source,
            position=_FIRST_POSITION + place,
            text=block.content,
            title=block.title,
            said_at=block.said_at,
        )
        for place, block in enumerate(blocks)
    )
