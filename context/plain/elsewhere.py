"""Quotes from outside this meeting: of earlier meetings with who and when, of documents with the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, tzinfo
from typing import Final

from context.corpora.passage import Passage
from context.language.questions import BREAK
from context.plain.answer import QuotedAnswer
from context.prompts.answering import WORDING
from context.retrieval.answer_kinds import AnswerKind, gives, kind_asked
from context.retrieval.questions import coverage, topic_words
from context.text import inert_name, inert_quote

_LEAST: Final = 0.5
_MOST: Final = 4
_CLOSE: Final = 0.2
_MORE: Final = 0.2
_SPOKEN: Final = re.compile(r"^([^:\n]{1,60}):\s+(.+)$")


def answer_from(
    question: str,
    passages: Sequence[Passage],
    *,
    language: str,
    zone: tzinfo = UTC,
    besides: QuotedAnswer,
) -> QuotedAnswer:
    """What `passages` of other meetings and of documents say to a question; `besides` where they say nothing.

    `besides`: this meeting's own answer. It stays in front, and, unless a search was asked for, only what
    holds more of the question than it does is added.
    """
    topic, kind = topic_words(question), kind_asked(question)
    least = _LEAST
    if besides.certainty == "answer" and besides.call_type != "SEARCH":
        least = max(_LEAST, coverage(topic, besides.text) + _MORE)
    scored: list[tuple[float, int, str]] = []
    foreign = [passage for passage in passages if passage.corpus != "meeting"]
    for place, passage in enumerate(foreign):
        for speaker, sentence in _sentences(passage):
            score = _score(topic, kind, sentence, passage)
            if score >= least:
                scored.append((score, place, _line(sentence, speaker, passage, zone)))
    if not scored:
        return besides
    scored.sort(key=lambda row: (-row[0], row[1]))
    chosen = [row for row in scored if row[0] >= scored[0][0] - _CLOSE][:_MOST]
    lines = dict.fromkeys(line for _, _, line in chosen)
    own = [besides.text, ""] if besides.certainty == "answer" else []
    return besides.model_copy(
        update={
            "text": "\n".join([*own, WORDING[language]["elsewhere"], *lines]),
            "certainty": "answer",
            "sources": tuple(dict.fromkeys(foreign[place].citation for _, place, _ in chosen)),
        }
    )


def earlier_lines(passages: Sequence[Passage], zone: tzinfo = UTC) -> list[tuple[str, str, str]]:
    """Of earlier meetings' passages: each sentence as it is quoted, bare, and what it is cited as."""
    return [
        (_line(sentence, speaker, passage, zone).removeprefix("- "), sentence, passage.citation)
        for passage in passages
        if passage.corpus == "earlier"
        for speaker, sentence in _sentences(passage)
    ]


def _score(topic: Sequence[str], kind: AnswerKind | None, sentence: str, passage: Passage) -> float:
    """How much of the subject a sentence holds; its place (title, topic) may name the rest."""
    own = coverage(topic, sentence)
    if own <= 0:
        return 0.0
    placed = coverage(topic, f"{passage.prefix} {sentence}")
    return max(own, (own + placed) / 2) + (0.15 if gives(kind, sentence) else 0.0)


def _sentences(passage: Passage) -> list[tuple[str, str]]:
    """Speaker (of a meeting) and sentence."""
    found: list[tuple[str, str]] = []
    speaker = ""
    for line in passage.text.splitlines():
        text = line.strip()
        spoken = _SPOKEN.match(text) if passage.corpus == "earlier" else None
        if spoken is not None and (not passage.speakers or spoken.group(1) in passage.speakers):
            speaker, text = spoken.group(1), spoken.group(2)
        found += [(speaker, part.strip()) for part in BREAK.split(text) if len(part.split()) > 1]
    return found


def _line(sentence: str, speaker: str, passage: Passage, zone: tzinfo) -> str:
    """`- **김민지** (주간 회의, 2026-03-02 14:32): …` or `- **가격표 p. 3**: …`."""
    title = passage.title or passage.source_id
    if passage.corpus == "document":
        return f"- **{inert_name(passage.citation)}**: {inert_quote(sentence)}"
    at = f", {passage.said_at.astimezone(zone):%Y-%m-%d %H:%M}" if passage.said_at is not None else ""
    return f"- **{inert_name(speaker or title)}** ({inert_name(title)}{at}): {inert_quote(sentence)}"
