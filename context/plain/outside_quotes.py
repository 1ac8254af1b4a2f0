"""Quotes from outside this meeting: from earlier meetings with who and when, from documents with the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Final

from context.corpora.passage import Passage
from context.language.edits import edit_mark, parted
from context.language.questions import BREAK
from context.plain.answer import Certainty, QuotedAnswer
from context.primitives.text import inert_name, inert_quote
from context.prompts.answer_prompts import WORDING
from context.retrieval.answer_kinds import gives, gives_figure, kind_asked
from context.retrieval.measures import tells, tells_another
from context.retrieval.question_subject import coverage, topic_words

_MIN_COVERAGE: Final = 0.5
"""A sentence holds at least this share of the question's words."""
_MAX_ROWS: Final = 4
"""So many sentences are quoted at most."""
_MAX_SCORE_GAP: Final = 0.2
"""Nor is one quoted whose score is lower than the best one's by more."""
_MORE_COVERAGE: Final = 0.2
"""A sentence from elsewhere is quoted beside an answer from here if it holds so much more of the question."""
_CLOSE_CHANCE: Final = 0.2
"""From this likelihood on what comes closest in this meeting is close, and stands in front."""
_KIND_BONUS: Final = 0.15
"""Added to the score of a sentence that gives what is asked for, as a day where "when" is asked."""
_FULL_COVERAGE: Final = 0.99
_MIN_SUBJECT_WORDS: Final = 2
"""A sentence is sure that holds all words of the question, so many at least, and gives what is asked for.
A reason is never sure: 1 of 7.

Of the trials' questions, asked in another meeting than their own, 47 of 57 such sentences are right; of all
that come first, .33. Where their own meeting is not stored, 4 of the 327 that come first are such.
"""
_MAX_NAME_CHARS: Final = 60
"""Characters; a longer text before a colon is no speaker's name."""


def with_outside_quotes(
    question: str,
    passages: Sequence[Passage],
    *,
    language: str,
    zone: tzinfo = UTC,
    besides: QuotedAnswer,
) -> QuotedAnswer:
    """The answer with what `passages` of other meetings and of documents say to a question.

    `besides`: this meeting's own answer. It stays in front, answer or only close, and, unless a search was
    asked for, only what holds more of the question than it does is added; it is given back where nothing is.
    Where nothing here is close, what surely answers elsewhere stands alone; where this meeting says nothing,
    also what only comes closest, told as that. A passage's title and topic count for half of a word that
    its sentence lacks. Times of day are told in `zone`.
    """
    rows = sorted(
        _scored_quotes(question, passages, language, zone), key=lambda row: (-row.score, not row.sure)
    )
    found = [row for row in rows if row.score >= _MIN_COVERAGE]
    if not found:
        return besides
    is_search = besides.call_type == "SEARCH"
    if not _stays_in_front(besides, question, found[0]):
        return _joined_answer(
            besides, found, language, alone="answer" if found[0].sure or is_search else "closest"
        )
    least = 0.0 if is_search else coverage(topic_words(question), besides.text) + _MORE_COVERAGE
    more = [row for row in found if row.score >= least]
    return _joined_answer(besides, more, language) if more else besides


def _stays_in_front(besides: QuotedAnswer, question: str, best: _OutsideQuote) -> bool:
    """Whether this meeting's own answer stands in front; what is not close gives way to a sure one."""
    if besides.certainty != "closest":
        return besides.certainty == "answer"
    return (
        not best.sure
        or besides.likely >= _CLOSE_CHANCE
        or coverage(topic_words(question), besides.text) >= _MIN_COVERAGE
    )


def _joined_answer(
    besides: QuotedAnswer, found: Sequence[_OutsideQuote], language: str, *, alone: Certainty | None = None
) -> QuotedAnswer:
    """This meeting's own answer with the best quotes behind it, or these `alone` with that certainty."""
    chosen = [row for row in found if row.score >= found[0].score - _MAX_SCORE_GAP][:_MAX_ROWS]
    lines = dict.fromkeys(f"- {row.line}" for row in chosen)
    lead = WORDING[language]["closest_elsewhere" if alone == "closest" else "elsewhere"]
    return besides.model_copy(
        update={
            "text": "\n".join([*(() if alone else (besides.text, "")), lead, *lines]),
            "certainty": alone or besides.certainty,
            "evidence": () if alone else besides.evidence,
            "sources": tuple(dict.fromkeys(row.source for row in chosen)),
        }
    )


@dataclass(frozen=True, slots=True)
class _OutsideQuote:
    """A sentence outside the meeting that may answer the question."""

    score: float
    line: str
    """The line as it stands in the answer."""
    source: str
    """The citation of the passage."""
    sure: bool


def _scored_quotes(
    question: str, passages: Sequence[Passage], language: str, zone: tzinfo
) -> Iterator[_OutsideQuote]:
    """The sentences of the passages that may answer the question, with their scores."""
    topic, kind = topic_words(question), kind_asked(question)
    for passage in passages:
        for speaker, sentence in _sentences(passage) if passage.corpus != "meeting" else ():
            own = coverage(topic, sentence)
            if own > 0 and gives_figure(kind, sentence) and not tells_another(question, sentence):
                placed = coverage(topic, f"{passage.prefix} {sentence}")
                given = tells(question, sentence)
                score = max(own, (own + placed) / 2) + (_KIND_BONUS if given else 0.0)
                amount = kind == "how_much" and not gives("when", sentence)  # 삼 퍼센트: a figure, and no day
                told = (given and kind != "why") or amount
                sure = told and own >= _FULL_COVERAGE and len(topic) >= _MIN_SUBJECT_WORDS
                line = _line(sentence, speaker, passage, zone, language)
                yield _OutsideQuote(score, line, passage.citation, sure)


def earlier_lines(
    passages: Sequence[Passage], zone: tzinfo = UTC, language: str = "en"
) -> list[tuple[str, str, str]]:
    """Each sentence of the passages of earlier meetings as an answer's line, bare, and its citation."""
    return [
        (_line(sentence, speaker, passage, zone, language), sentence, passage.citation)
        for passage in passages
        if passage.corpus == "earlier"
        for speaker, sentence in _sentences(passage)
    ]


def _sentences(passage: Passage) -> Iterator[tuple[str, str]]:
    """Speaker and sentence; the lines of an earlier meeting are "name: words", a document has no speaker.

    A speaker whose words were edited has the mark of that behind the name. Notes of a topic are nobody's
    words: they have none.
    """
    if passage.is_note:
        return
    speaker = ""
    for line in passage.text.splitlines():
        text = line.strip()
        name, colon, words = text.partition(": ")
        bare, _ = parted(name)
        is_name = bool(colon) and 0 < len(bare) <= _MAX_NAME_CHARS
        if passage.corpus == "earlier" and is_name and (not passage.speakers or bare in passage.speakers):
            speaker, text = name, words
        yield from ((speaker, part.strip()) for part in BREAK.split(text) if len(part.split()) > 1)


def _line(sentence: str, speaker: str, passage: Passage, zone: tzinfo, language: str) -> str:
    """A sentence as it is quoted: `**김민지** (주간 회의, 2026-03-02 14:32): …` or `**가격표 p. 3**: …`."""
    title = passage.title or passage.source_id
    if passage.corpus == "document":
        return f"**{inert_name(passage.citation)}**: {inert_quote(sentence)}"
    at = f", {passage.said_at.astimezone(zone):%Y-%m-%d %H:%M}" if passage.said_at is not None else ""
    name, by = parted(speaker or title)
    mark = edit_mark(by, language)
    return f"**{inert_name(name)}** ({inert_name(title)}{at}){mark}: {inert_quote(sentence)}"
