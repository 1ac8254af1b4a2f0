# ruff: noqa: E501  # patterns and texts read better unbroken
"""The main of what was said on one matter, or by one person: "Summarize the discussion about parking", 예산 얘기 정리해 줘.

Talk of one matter stands together. So the turns that the ranker of evidence expects to tell most are looked at,
each the more, the more is expected of the talk around it; what carries them is quoted, with what was decided there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from context.extractive.cues import kind_of
from context.extractive.importance import importance, likeness
from context.extractive.sentences import split
from context.language.korean import has_hangul
from context.models import Utterance
from context.prompts.answering import WORDING
from context.quoting.quotes import ExtractiveAnswer, Found
from context.quoting.record import Record
from context.retrieval.evidence import Ranked, rank
from context.retrieval.questions import Asked, coverage, take_apart
from context.retrieval.subject import asking_stems, named_speakers
from context.retrieval.terms import exact_terms, plain, stem
from context.topics.cues import find as cue_in

_AROUND_WORDS: Final = 200
_LOOKED_AT: Final = 24
_QUOTED: Final = 6
_DECIDED: Final = 3
_LONG: Final = 100
_LEAST_TERMS: Final = 4
"""A sentence of fewer says little by itself, in long talk."""
_LEAST_TERMS_OF_SHORT: Final = 2
_MOST_TERMS: Final = 12
_LONGEST_CHARS: Final = 400
_ALIKE: Final = 0.6
_OF_THE_SUBJECT: Final = 2.0
_OF_TERMS: Final = 0.05
_STANDING: Final = 0.5
_GENERAL: Final = re.compile(
    r"^(?:전체\S*|전부|모두|이야기\S*|얘기\S*|논의\S*|대화\S*|발언\S*|의견\S*|나왔\S*|나온|나눈|오간|오갔\S*|핵심\S*|중요\S*|주요\S*|요점\S*|간단\S*|짧게|자세\S*|포인트\S*"
    r"|흐름|상황\S*|쟁점|한\S?줄|두\S?줄|세\S?줄|\d+|줄\S*|번째|전반\S*|후반\S*|처음|마지막|아까|방금"
    r"|give|given|main|key|point|points|brief|briefly|short|shortly|quick|quickly|detail|details|detailed|whole|entire|all"
    r"|sentence|sentences|line|lines|bullet|bullets|word|words|important|call|session|conversation|minutes?|hours?|half|first|last|next"
    r"|far|today|korean|english|한국어\S*|영어\S*|써\S*|적어\S*)$"
)
"""Words of a request for the whole."""


def names_matter(question: str, record: Record) -> bool:
    """Whether a summary is asked of one matter, rather than of the whole meeting or of one person's words."""
    return bool(_matter(question, named_speakers(question, record.index.names)))


def on_matter(question: str, record: Record) -> ExtractiveAnswer | None:
    """At most six quotes and what was decided, in order of time.

    None where neither matter nor person is named, or nothing was heard of it.
    """
    people = named_speakers(question, record.index.names)
    matter = _matter(question, people)
    if not people and not matter:
        return None
    judged = rank(question, record.index, len(record.utterances))
    if matter and not judged.own.any():
        return None
    places = [int(judged.places[row]) for row in np.argsort(-_within_talk(judged, record), kind="stable")]
    ranked = [record.utterances[place] for place in places if place < len(record.utterances)]
    asked = take_apart(question)
    heard = [each for each in ranked if not people or each.speaker_name in people]
    if matter:  # named there, or in the few turns before
        heard = [each for each in heard if coverage(asked, record.leading_to(each, each.text)) > 0]
    heard = heard[:_LOOKED_AT]
    chosen = _carrying(heard, asked, record)
    decided = _decided(heard, record)
    told = {each.utterance.id for each in decided}
    chosen = decided + [each for each in chosen if each.utterance.id not in told][: _QUOTED - len(decided)]
    if not chosen:
        return None
    wording = WORDING[record.language]
    lines = [wording["matter"]]
    for each in sorted(chosen, key=lambda each: each.utterance.id):
        label = f"[{wording['decision']}] " if each.decision else ""
        lines.append(f"- {label}{record.quote(each.text, each.utterance)}")
    evidence = tuple(sorted({each.utterance.id for each in chosen}))
    return ExtractiveAnswer(text="\n".join(lines), evidence=evidence, declined=False, call_type="SUMMARY")


def _matter(question: str, people: set[str]) -> list[str]:
    """The words of the question that say what is to be summed up."""
    names = {part for name in people for part in name.lower().split() if len(part) > 1}
    return [
        word
        for word in take_apart(question).topic
        if len(word) > 1
        and not _GENERAL.match(word)
        and (has_hangul(word) or stem(word) not in asking_stems())
        and not any(name in word or (has_hangul(word) and word in name) for name in names)
    ]


def _within_talk(judged: Ranked, record: Record) -> NDArray[np.float64]:
    """The scores, each with the log of what is expected of some 200 words to each side."""
    words = np.array([max(1, len(record.utterances[place].text.split())) for place in judged.places.tolist()])
    expected = np.exp(judged.scores.astype(np.float64) - judged.scores.max()) * words
    middle = np.cumsum(words) - words / 2
    mass = np.append(0.0, np.cumsum(expected))
    first = np.searchsorted(middle, middle - _AROUND_WORDS)
    last = np.searchsorted(middle, middle + _AROUND_WORDS, side="right")
    around: NDArray[np.float64] = judged.scores + np.log(mass[last] - mass[first])
    return around


def _carrying(heard: Sequence[Utterance], asked: Asked, record: Record) -> list[Found]:
    """The sentence of each turn that says most of the matter, best first; none that says the same again."""
    told = [
        (place, utterance, part.text)
        for place, utterance in enumerate(heard)
        for part in split(utterance)
        if _is_telling(part.text, record)
    ]
    carried = importance([text for _, _, text in told])
    best: dict[int, Found] = {}
    for (place, utterance, text), weight in zip(told, carried, strict=True):
        score = weight + _OF_THE_SUBJECT * coverage(asked, text) - _STANDING * place / _LOOKED_AT
        score += _OF_TERMS * min(len(set(exact_terms(text))), _MOST_TERMS)
        if place not in best or best[place].score < score:
            best[place] = Found(text, utterance, score)
    chosen: list[Found] = []
    for found in sorted(best.values(), key=lambda each: -each.score):
        if all(likeness(found.text, other.text) < _ALIKE for other in chosen):
            chosen.append(found)
    return chosen


def _is_telling(text: str, record: Record) -> bool:
    bare = plain(text)
    least = _LEAST_TERMS if len(record.utterances) >= _LONG else _LEAST_TERMS_OF_SHORT
    if len(set(exact_terms(bare))) < least or len(bare) > _LONGEST_CHARS or cue_in(bare) is not None:
        return False
    return kind_of(bare, record.names) not in {"question", "courtesy"}


def _decided(heard: Sequence[Utterance], record: Record) -> list[Found]:
    """What was decided in these turns and still stands, the newest."""
    ids = {utterance.id for utterance in heard}
    return [
        Found(text, said, 1.0, decision=True)
        for decision in record.statements().decisions
        if not decision.superseded_by and ids.issuperset(decision.evidence)
        for text, said in record.said_by(decision)
    ][-_DECIDED:]
