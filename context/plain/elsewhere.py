"""Quotes from outside this meeting: from earlier meetings with who and when, from documents with the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, tzinfo
from typing import Final

from context.corpora.passage import Passage
from context.language.edits import edit_mark, parted
from context.language.questions import BREAK
from context.plain.answer import QuotedAnswer
from context.prompts.answering import WORDING
from context.retrieval.answer_kinds import counts, gives, gives_figure, kind_asked, unit_asked
from context.retrieval.questions import coverage, topic_words
from context.text import inert_name, inert_quote

_LEAST: Final = 0.5
"""A sentence holds at least this share of the question's words."""
_MOST: Final = 4
"""So many sentences are quoted at most."""
_CLOSE: Final = 0.2
"""Nor is one quoted whose score is lower than the best one's by more."""
_MORE: Final = 0.2
"""A sentence beside this meeting's answer holds so much more of the question than that does."""
_HERE: Final = 0.2
"""From this likelihood on what comes closest in this meeting is close, and stands in front."""
_OF_THE_KIND: Final = 0.15
"""Added to the score of a sentence that gives what is asked for, as a day where "when" is asked."""
_LONGEST_NAME: Final = 60
"""Characters; a longer text before a colon is no speaker's name."""


def answer_from(
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
    Where nothing here is close, what is found elsewhere stands alone. A passage's title and topic count for
    half of a word that its sentence lacks. Times of day are told in `zone`.
    """
    topic = topic_words(question)
    is_close = besides.certainty == "closest" and (
        besides.likely >= _HERE or coverage(topic, besides.text) >= _LEAST
    )
    stays = is_close or besides.certainty == "answer"
    least = _LEAST
    if stays and besides.call_type != "SEARCH":
        least = max(_LEAST, coverage(topic, besides.text) + _MORE)
    found = [row for row in _scored(question, passages, language, zone) if row[0] >= least]
    if not found:
        return besides
    found.sort(key=lambda row: -row[0])
    chosen = [row for row in found if row[0] >= found[0][0] - _CLOSE][:_MOST]
    lines = dict.fromkeys(f"- {line}" for _, line, _ in chosen)
    own_answer = [besides.text, ""] if stays else []
    return besides.model_copy(
        update={
            "text": "\n".join([*own_answer, WORDING[language]["elsewhere"], *lines]),
            "certainty": besides.certainty if stays else "answer",
            "evidence": besides.evidence if stays else (),
            "sources": tuple(dict.fromkeys(source for _, _, source in chosen)),
        }
    )


def _scored(
    question: str, passages: Sequence[Passage], language: str, zone: tzinfo
) -> Iterator[tuple[float, str, str]]:
    """The sentences outside the meeting that may answer: score, as a line, and how each is cited."""
    topic, kind, unit = topic_words(question), kind_asked(question), unit_asked(question)
    for passage in passages:
        for speaker, sentence in _sentences(passage) if passage.corpus != "meeting" else ():
            own = coverage(topic, sentence)
            counted = unit is None or counts(unit, sentence)
            if own > 0 and counted and gives_figure(kind, sentence):
                placed = coverage(topic, f"{passage.prefix} {sentence}")
                score = max(own, (own + placed) / 2) + (_OF_THE_KIND if gives(kind, sentence) else 0.0)
                yield score, _line(sentence, speaker, passage, zone, language), passage.citation


def earlier_lines(
    passages: Sequence[Passage], zone: tzinfo = UTC, language: str = "en"
) -> list[tuple[str, str, str]]:
    """Each sentence of the passages of earlier meetings: as an answer's line, bare, and how it is cited."""
    return [
        (_line(sentence, speaker, passage, zone, language), sentence, passage.citation)
        for passage in passages
        if passage.corpus == "earlier"
        for speaker, sentence in _sentences(passage)
    ]


def _sentences(passage: Passage) -> Iterator[tuple[str, str]]:
    """Speaker and sentence; the lines of an earlier meeting are "name: words", a document has no speaker.

    A speaker whose words were edited has the mark of that behind the name.
    """
    speaker = ""
    for line in passage.text.splitlines():
        text = line.strip()
        name, colon, words = text.partition(": ")
        bare, _ = parted(name)
        is_name = bool(colon) and 0 < len(bare) <= _LONGEST_NAME
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
