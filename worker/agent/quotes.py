"""An answer in the meeting's own words: who said what, and when."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from context.call_types import call_type
from context.meeting import Meeting
from context.models import AgentCallType, Statement, Utterance
from context.questions import is_question, sentences
from context.retrieval import LexicalIndex
from worker.agent.citations import attribution
from worker.agent.notices import notice

_MOST: Final = 3
_LOOKED_AT: Final = 12
_WORTH: Final = 0.4
"""A hit below this share of the best one's score is left out."""


@dataclass(frozen=True, slots=True)
class Quotes:
    """An extractive answer."""

    text: str
    evidence: tuple[int, ...]
    declined: bool


def quotes_for(question: str, meeting: Meeting, index: LexicalIndex, *, language: str) -> Quotes:
    """What was said that the question's words point to; for a summary, what the topics' summaries say."""
    rows = _from_topics(call_type(question), meeting) or _from_words(question, meeting, index)
    if not rows:
        return Quotes(notice("not_found", language), (), declined=True)
    evidence = tuple(dict.fromkeys(id_ for _, ids in rows for id_ in ids))
    return Quotes("\n".join(line for line, _ in rows), evidence, declined=False)


def _from_topics(kind: AgentCallType, meeting: Meeting) -> list[tuple[str, tuple[int, ...]]]:
    notes = [segment.notes for segment in meeting.segments]
    if kind == "SUMMARY":
        statements = [statement for note in notes for statement in note.sentences]
    elif kind == "ACTION_EXTRACTION":
        statements = [statement for note in notes for statement in note.pending]
    else:
        statements = []
    return [(f"- {_witnessed(statement, meeting)}", statement.evidence) for statement in statements]


def _from_words(question: str, meeting: Meeting, index: LexicalIndex) -> list[tuple[str, tuple[int, ...]]]:
    hits = [
        (meeting.utterances[id_ - 1], score)
        for id_, score in index.search(question, _LOOKED_AT)
        if not only_asks(meeting.utterances[id_ - 1].text)
    ][:_MOST]
    best = hits[0][1] if hits else 0.0
    return [(_quote(said), (said.id,)) for said, score in hits if score >= best * _WORTH]


def only_asks(text: str) -> bool:
    """Whether an utterance is a question and nothing else: no question is answered with another one."""
    return all(is_question(sentence) for sentence in sentences(text))


def _witnessed(statement: Statement, meeting: Meeting) -> str:
    who = ", ".join(attribution(meeting.utterances[id_ - 1]) for id_ in statement.evidence[:2])
    return f"{statement.text} — {who}" if who else statement.text


def _quote(said: Utterance) -> str:
    return f"{attribution(said)}: {said.text}"
