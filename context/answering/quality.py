"""How good an answer, or what was found for one, is: seed 002's quality JSON (§3.7.2).

A language model may fill it in; without one words are compared. That check reads what can be read off:
whether each sentence stands on its evidence (citations, numbers, dates, names, negation), and whether the
question's own terms, and the kind of thing it asks for, are in it.

When searching again is given up (seed 002 §3.7.4–6).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, Literal

from pydantic import Field

from context.checking import fault
from context.language.questions import BREAK
from context.models import Frozen
from context.retrieval.answer_kinds import gives, kind_asked
from context.retrieval.questions import coverage, topic_words

_FRAME: Final = re.compile(
    r"^\s*(?:[-*•]\s+)?(?:\[[^\]]{1,20}\]\s*)?\*\*[^*]{1,80}\*\*\s*\(\d{2}:\d{2}:\d{2}\):\s*"
)
_ATTRIBUTION: Final = re.compile(
    r"\s*—\s*\*\*[^*]+\*\*\s*\(\d{2}:\d{2}:\d{2}\)(?:,\s*\*\*[^*]+\*\*\s*\(\d{2}:\d{2}:\d{2}\))*"
)
_WRONG_KIND: Final = 0.6
"""An answer to "when?" that holds no day is at most this complete."""


class Quality(Frozen):
    """How good an answer is, in the fields of seed 002's quality JSON (§3.7.2)."""

    grounding_score: float = Field(ge=0, le=10)
    """Does what is said stand on what was said?"""
    completeness_score: float = Field(ge=0, le=10)
    """Does it answer all of the question?"""
    overall_quality: float = Field(ge=0, le=1)
    missing_info: tuple[str, ...] = ()
    needs_retrieval: bool = False
    suggested_query: str = ""


def unframed(line: str) -> str:
    """A line of an answer without the name and the time that frame a quote."""
    return _ATTRIBUTION.sub("", _FRAME.sub("", line))


def retry_query(question: str, quality: Quality) -> str:
    """What is searched for next (§3.7.3)."""
    missing = (item.strip() for item in quality.missing_info)
    return quality.suggested_query.strip() or " ".join([question, *filter(None, missing)])


def found_quality(question: str, texts: Sequence[str]) -> Quality:
    """Of what a search found, before anything is said: do its passages hold what is asked about?"""
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
    """Of an answer that rests on `evidence`; `sources`: what those utterances (and others) say.

    Lines that say nothing of the meeting (a lead-in that ends in a colon) are not held against it.
    """
    known = [id_ for id_ in evidence if id_ in sources]
    claims = _claims(answer)
    standing = [claim for claim in claims if fault(claim, known, sources, names) is None] if known else []
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
    """The sentences of an answer without who said them and when, and without headings and lead-ins."""
    lines = (line.strip() for line in answer.splitlines())
    said = [unframed(line) for line in lines if line and not line.startswith("#") and line[-1] not in ":："]
    parts = (part for line in said for part in BREAK.split(line))
    return [part for part in parts if any(char.isalnum() for char in part)]


def _completeness(question: str, texts: Sequence[str]) -> tuple[float, tuple[str, ...]]:
    """0–10, and the words of the question that none of the texts holds."""
    topic, kind = topic_words(question), kind_asked(question)
    whole = "\n".join(texts)
    if not whole.strip():
        return 0.0, topic
    share = coverage(topic, whole) if topic else 1.0
    if kind in {"when", "how_much"} and not gives(kind, whole):
        share = min(share, _WRONG_KIND)
    missing = tuple(word for word in topic if coverage([word], whole) < 0.5)
    return round(10 * share, 2), missing


Stop = Literal["good", "off", "most_rewrites", "same_documents", "no_gain", "deadline"]

MOST_REWRITES: Final = 2
SAME_DOCUMENTS: Final = 0.8
LEAST_GAIN: Final = 0.05
GOOD: Final = 0.6
"""From this overall quality on nothing more is looked for."""


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard: what two searches found in common over what they found at all; 1 where both found nothing."""
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
    """Why no further search is made, or None where one is. `documents`: hashes found, search by search."""
    if quality >= GOOD:
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
