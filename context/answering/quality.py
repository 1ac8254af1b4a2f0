"""Seed 002's quality of an answer or of what was found for it (§3.7.2); when to stop searching (§3.7.4–6).

A language model may grade an answer; without one it is looked here what is certainly wrong with its sentences
(`context.statements.checks`), and whether the question's own terms, and the kind of thing it asks for, are in
it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import Field

from context.language.edits import EDIT_MARK
from context.language.questions import BREAK
from context.models import Frozen
from context.retrieval.answer_kinds import gives, kind_asked
from context.retrieval.question_subject import coverage, topic_words
from context.statements.checks import certain_fault

_TIME: Final = rf"\(\d{{2}}:\d{{2}}:\d{{2}}\)(?:\s*{EDIT_MARK})?"
_FRAME: Final = re.compile(rf"^\s*(?:[-*•]\s+)?(?:\[[^\]]{{1,160}}\]\s*)?\*\*[^*]{{1,80}}\*\*\s*{_TIME}:\s*")
_ATTRIBUTION: Final = re.compile(rf"\s*—\s*\*\*[^*]+\*\*\s*{_TIME}(?:,\s*\*\*[^*]+\*\*\s*{_TIME})*")
_WRONG_KIND_COMPLETENESS: Final = 0.6
"""Most completeness, 0–1, of an answer to "when?" without a time, or to "how much?" without a figure."""


class Quality(Frozen):
    """How good an answer is, in the fields of seed 002's quality JSON (§3.7.2)."""

    grounding_score: float | None = Field(default=None, ge=0, le=10)
    """How far the answer stands on what was said in the meeting; None where that was not checked."""
    completeness_score: float = Field(ge=0, le=10)
    """How far it answers all of the question."""
    overall_quality: float = Field(ge=0, le=1)
    missing_info: tuple[str, ...] = ()
    """What of the question has no answer yet, in words."""
    needs_retrieval: bool = False
    """Whether another search is likely to help."""
    suggested_query: str = ""
    """What to search for next; "" for no suggestion."""


def unframed(line: str) -> str:
    """A line of an answer without the name and time of a quote, before or behind its words."""
    return _ATTRIBUTION.sub("", _FRAME.sub("", line))


def retry_query(question: str, quality: Quality) -> str:
    """What to search for next (seed 002 §3.7.3): the suggestion, else the question and what is missing."""
    missing = (item.strip() for item in quality.missing_info)
    return quality.suggested_query.strip() or " ".join([question, *filter(None, missing)])


def found_quality(question: str, texts: Sequence[str]) -> Quality:
    """The quality of what a search found, before there is an answer: do `texts` hold what is asked about."""
    completeness, missing = _completeness(question, texts)
    return Quality(
        grounding_score=10.0 if texts else 0.0,
        completeness_score=completeness,
        overall_quality=completeness / 10 if texts else 0.0,
        missing_info=missing,
        needs_retrieval=completeness < 5,
    )


def answer_quality(
    question: str,
    answer: str,
    evidence: Sequence[int],
    sources: Mapping[int, str],
    *,
    names: Sequence[str] = (),
) -> Quality:
    """The quality of an answer that rests on `evidence`, by words.

    `sources`: what those utterances (and others) say, by id. `names`: of the participants. Lines that say
    nothing of the meeting (headings, a lead-in that ends in a colon) do not count.
    """
    known = [id_ for id_ in evidence if id_ in sources]
    claims = _claims(answer)
    standing = [each for each in claims if known and not certain_fault(each, known, sources, names)]
    grounding = 10 * len(standing) / len(claims) if claims else 0.0
    completeness, missing = _completeness(question, [answer, *(sources[id_] for id_ in known)])
    return Quality(
        grounding_score=round(grounding, 2),
        completeness_score=completeness,
        overall_quality=round((grounding + completeness) / 20, 4),
        missing_info=missing,
        needs_retrieval=completeness < 5,
    )


def _claims(answer: str) -> list[str]:
    """The sentences of an answer, without names and times of quotes, headings and lead-ins."""
    lines = (line.strip() for line in answer.splitlines())
    said = [unframed(line) for line in lines if line and not line.startswith("#") and line[-1] not in ":："]
    parts = (part for line in said for part in BREAK.split(line))
    return [part for part in parts if any(char.isalnum() for char in part)]


def _completeness(question: str, texts: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    """The completeness, 0–10, and the words of the question that the texts do not hold."""
    topic, kind = topic_words(question), kind_asked(question)
    whole = "\n".join(texts)
    if not whole.strip():
        return 0.0, topic
    share = coverage(topic, whole) if topic else 1.0
    if kind in {"when", "how_much"} and not gives(kind, whole):
        share = min(share, _WRONG_KIND_COMPLETENESS)
    missing = tuple(word for word in topic if coverage([word], whole) < 0.5)
    return round(10 * share, 2), missing


Stop = Literal["good", "off", "most_rewrites", "same_documents", "no_gain", "deadline"]
"""Why no further search is made; `off`: the feature flags allow none."""

MOST_REWRITES: Final = 2
SAME_DOCUMENTS: Final = 0.8
"""Two searches whose overlap is higher found the same."""
LEAST_GAIN: Final = 0.05
"""A search that raised the best quality by less brought nothing."""
GOOD_QUALITY: Final = 0.6
"""From this overall quality on no further search is made."""


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """The Jaccard index of what two searches found, 0–1; 1 where both found nothing."""
    return len(one & other) / len(one | other) if one or other else 1.0


def stop(
    quality: float,
    *,
    rewrites: int,
    most_rewrites: int,
    documents: Sequence[frozenset[str]],
    scores: Sequence[float],
    remaining_s: float,
    needed_s: float,
) -> Stop | None:
    """Why no further search is made (seed 002 §3.7.4–6); None where one is.

    `quality`: the last overall quality. `rewrites`: further searches so far. `documents`, `scores`: hashes of
    what was found, and the quality, search by search. `needed_s`: what a further search and answer take.
    """
    if quality >= GOOD_QUALITY:
        return "good"
    if rewrites >= min(most_rewrites, MOST_REWRITES):
        return "most_rewrites"
    if remaining_s < needed_s:
        return "deadline"
    if len(documents) >= 2 and overlap(documents[-1], documents[-2]) > SAME_DOCUMENTS:
        return "same_documents"
    if len(scores) >= 2 and scores[-1] - max(scores[:-1]) < LEAST_GAIN:
        return "no_gain"
    return None
