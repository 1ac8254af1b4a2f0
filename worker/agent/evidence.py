"""Does a statement follow from the utterances that it cites? A check that errs towards "yes".

It can't tell truth; it catches what language models get wrong in practice: citations of nothing,
numbers that nobody said, a "not" added or lost, and sentences about something else altogether.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from context.models import Statement, Summary, Utterance
from worker.agent.numbers import heard, stated

Fault = Literal["no_evidence", "unknown_utterance", "number", "negation", "unrelated"]

_WORD: Final = re.compile(r"[가-힣]+|[a-z]+(?:'[a-z]+)?|\d+")
_SENTENCE: Final = re.compile(r"(?<=[.!?。？！])\s+|\n+")
_STOP_WORDS: Final = (
    "the a an and or but of to in on at for with by from as is are was were be been it its this that these"
    " those we you they he she i our your their will would can could should has have had do does did not no"
    " so if then there here about into over than also just very more most"
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_NEGATED: Final = re.compile(
    r"않|안\s|못\s?[하해한할합했]|못\s|없|아니|말기로|말자|마세요|말아|불가"
    r"|\b(?:not|no|never|none|nobody|nothing|without|cannot|neither|nor)\b|n't\b"
)
_NOT_A_NEGATION: Final = re.compile(
    # 않을까요 suggests; "not only" and "no problem" deny nothing; 보안 is security, not "not".
    r"않을까|않나요|않습니까|지\s?않아요\?|[가-힣]안\s|뿐(?:만)?\s?아니라"
    r"|문제\s?없|상관\s?없|틀림\s?없|not only|no problem|no doubt"
)
_NOTHING: Final = Summary()
_LONGEST: Final = 8000
"""Characters of one utterance that a statement is held against."""
_LEAST_SHARE: Final = 0.2
"""Least share of a statement's stems that its evidence must carry: summaries do paraphrase."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary without the statements that failed, and why those failed."""

    summary: Summary
    dropped: tuple[tuple[str, Fault], ...]


def fault(text: str, evidence: Sequence[int], sources: Mapping[int, str]) -> Fault | None:
    """What is wrong with `text` resting on `evidence`, or None. `sources`: what may be cited, by id."""
    if not evidence:
        return "no_evidence"
    if any(id_ not in sources for id_ in evidence):
        return "unknown_utterance"
    cited = [sources[id_] for id_ in evidence]
    spoken = " ".join(cited)
    # Three decisions [#1][#4][#9]: the count of the citations is a number of its own.
    if stated(text) - heard(spoken) - {float(len(cited))}:
        return "number"
    claim = stems(text)
    if not claim or not _same_script(text, spoken):
        # Another language than the speech: words can't be compared, the numbers were.
        return None
    if len(claim & stems(spoken)) < max(1.0, _LEAST_SHARE * len(claim)):
        return "unrelated"
    return None if _polarity_stands(text, claim, cited) else "negation"


def sources_of(utterances: Iterable[Utterance], previous: Summary = _NOTHING) -> dict[int, str]:
    """What a summary may cite: the utterances themselves, and what `previous` says of older ones."""
    carried: dict[int, list[str]] = {}
    for statement in statements_of(previous):
        for id_ in statement.evidence:
            carried.setdefault(id_, []).append(statement.text)
    sources = {id_: "\n".join(dict.fromkeys(texts)) for id_, texts in carried.items()}
    sources.update({said.id: f"{said.speaker_name}: {said.text[:_LONGEST]}" for said in utterances})
    return sources


def checked(summary: Summary, sources: Mapping[int, str]) -> Checked:
    """Drop what doesn't stand."""
    dropped: list[tuple[str, Fault]] = []

    def standing(statements: Sequence[Statement]) -> tuple[Statement, ...]:
        kept = []
        for statement in statements:
            wrong = fault(statement.text, statement.evidence, sources)
            if wrong is None:
                kept.append(statement)
            else:
                dropped.append((statement.text, wrong))
        return tuple(kept)

    sentences = standing(summary.sentences)
    content = summary.model_copy(
        update={
            "text": " ".join(sentence.text for sentence in sentences),
            "sentences": sentences,
            "key_points": standing(summary.key_points),
            "decisions": standing(summary.decisions),
            "pending": standing(summary.pending),
        }
    )
    return Checked(content, tuple(dropped))


def statements_of(summary: Summary) -> tuple[Statement, ...]:
    """Every statement of a summary, its sentences first."""
    return (*summary.sentences, *summary.key_points, *summary.decisions, *summary.pending)


@lru_cache(maxsize=2048)
def stems(text: str) -> frozenset[str]:
    """What can be compared across inflections: Hangul bigrams, English word starts, no numbers."""
    found: set[str] = set()
    for word in _WORD.findall(text.lower()):
        if "가" <= word[0] <= "힣":
            found.update(word[index : index + 2] for index in range(len(word) - 1))
        elif word not in _STOP and not word.isdigit() and len(word) > 2:
            found.add(word[:5])
    return frozenset(found)


def is_negated(text: str) -> bool:
    """Whether a sentence denies something."""
    return _NEGATED.search(_NOT_A_NEGATION.sub(" ", f"{text.lower()} ")) is not None


def _polarity_stands(text: str, claim: frozenset[str], cited: Sequence[str]) -> bool:
    """One sentence of the evidence that is about the same must say yes or no as the claim does."""
    negated = is_negated(text)
    about_it = [
        (len(claim & stems(sentence)), is_negated(sentence))
        for source in cited
        for sentence in _SENTENCE.split(source)
        if sentence
    ]
    nearest = max((shared for shared, _ in about_it), default=0)
    if nearest < 2:
        return True
    return any(said is negated for shared, said in about_it if shared * 2 >= nearest)


def _same_script(text: str, other: str) -> bool:
    def hangul(content: str) -> bool:
        letters = [char for char in content if char.isalpha()]
        return sum("가" <= char <= "힣" for char in letters) * 4 > len(letters)

    return hangul(text) == hangul(other)
