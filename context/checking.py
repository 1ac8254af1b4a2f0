"""Does a statement follow from the utterances that it cites? A check that errs towards "yes".

It can't tell truth; it catches what language models get wrong in practice: citations of nothing,
numbers that nobody said, a "not" added or lost, and sentences about something else altogether.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from rapidfuzz import fuzz

from context.language.dates import lone_days, month_days, weekdays
from context.language.korean import has_hangul, sound
from context.language.numbers import heard, spelled, stated
from context.models import Statement, Summary, Utterance
from context.text import LONGEST_NAME

Fault = Literal["no_evidence", "unknown_utterance", "number", "date", "name", "negation", "unrelated"]

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
_FILLER: Final = re.compile(r"\b(?:uh|um|uhm|er|erm)\b,?\s*", re.IGNORECASE)
_NOTHING: Final = Summary()
_LIKE: Final = 80
"""Likeness in percent from which on a name or a day that speech recognition garbled is taken for itself."""
_ROLE_WORDS: Final = """
project user interface industrial marketing manager designer expert grad phd professor postdoc the chair
speaker participant member product head team chief data design sales dr mr mrs ms hon
"""
_ROLES: Final = frozenset(_ROLE_WORDS.split())
"""Words of a name that mean other things as well."""
_CAPITALISED_WORDS: Final = """
january february march april may june july august september october november december english
korean the this that they
"""
_CAPITALISED: Final = frozenset(_CAPITALISED_WORDS.split())
_LONGEST: Final = 8000
"""Characters of one utterance that a statement is held against."""
_LEAST_SHARE: Final = 0.2
"""Least share of a statement's stems that its evidence must carry: summaries do paraphrase."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A summary without the statements that failed, and why those failed."""

    summary: Summary
    dropped: tuple[tuple[str, Fault], ...]


def fault(
    text: str, evidence: Sequence[int], sources: Mapping[int, str], names: Sequence[str] = ()
) -> Fault | None:
    """What is wrong with `text` resting on `evidence`, or None.

    `sources`: what may be cited, by id. `names`: of the participants, none of whom a claim may bring in.
    """
    if not evidence:
        return "no_evidence"
    if any(id_ not in sources for id_ in evidence):
        return "unknown_utterance"
    text = unicodedata.normalize("NFKC", text)
    cited = [unicodedata.normalize("NFKC", sources[id_]) for id_ in evidence]
    spoken = "\n".join(cited)
    names_said, said = apart(cited)
    if is_quote(text, spoken) and not is_quote(text, names_said):
        return None
    # Three decisions [#1][#4][#9]: the count of the citations is a number of its own.
    if (stated(text) | spelled(text)) - _heard(spoken) - {float(len(cited))}:
        return "number"
    if not dates_stand(text, spoken):
        return "date"
    if not names_stand(text, spoken, names):
        return "name"
    claim = stems(text)
    if claim and (claim <= stems(names_said) or (is_quote(text, names_said) and not is_quote(text, said))):
        return "unrelated"  # a name says nothing
    if not claim or not _same_script(text, spoken):
        # Another language than the speech: words can't be compared; numbers, dates and names were.
        return None
    if len(claim & stems(spoken)) < max(1.0, _LEAST_SHARE * len(claim)):
        return "unrelated"
    if not (claim - stems(names_said)) & stems(said):
        return "unrelated"  # "Kim resigned" does not follow from anything that Kim said
    return None if _polarity_stands(text, claim, cited) else "negation"


def apart(cited: Sequence[str]) -> tuple[str, str]:
    """Who spoke, and what they said."""
    names, said = [], []
    for source in cited:
        name, colon, text = source.partition(": ")
        named = bool(colon) and len(name) <= LONGEST_NAME
        names.append(name if named else "")
        said.append(text if named else source)
    return "\n".join(names), "\n".join(said)


def is_quote(text: str, spoken: str) -> bool:
    """Whether each sentence of `text` stands in what was said, letter for letter."""
    said = _letters(spoken)
    parts = [_letters(part) for part in _SENTENCE.split(text)]
    return any(parts) and all(part in said for part in parts)


@lru_cache(maxsize=512)
def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


@lru_cache(maxsize=512)
def _heard(spoken: str) -> frozenset[float]:
    return frozenset(heard(spoken))


def dates_stand(text: str, spoken: str) -> bool:
    """Whether each day that a claim names was named: a Friday as a Friday, 12월 22일 as 십이월 이십이일."""
    missing = weekdays(text) - weekdays(spoken)
    if missing:
        sounds = sound(spoken)
        if any(fuzz.partial_ratio(sound(f"{'월화수목금토일'[day]}요일"), sounds) < _LIKE for day in missing):
            return False
    claimed = month_days(text)
    if not claimed:
        return True
    said = month_days(spoken)
    months, days = {month for month, _ in said}, lone_days(spoken)
    return all(date in said or not said or (date[0] in months and date[1] in days) for date in claimed)


def names_stand(text: str, spoken: str, names: Sequence[str]) -> bool:
    """Whether everybody that a claim names was named, or spoke, in its evidence."""
    for name in names:
        called = _called(name)
        if any(_names(part, text) for part in called) and not any(
            _names(part, spoken, loosely=True) for part in called
        ):
            return False
    if has_hangul(text) or has_hangul(spoken):
        return True
    words = set(re.findall(r"[a-z]{2,}", spoken.lower()))
    return all(
        any(known.startswith(word[:4]) or fuzz.ratio(word, known) >= _LIKE for known in words)
        for word in _proper_nouns(text)
    )


@lru_cache(maxsize=1024)
def _called(name: str) -> tuple[str, ...]:
    """What a person is called by: the whole name, its words, a Korean given name."""
    parts = [name, *(part for part in name.split() if len(part) > 2 and part.lower() not in _ROLES)]
    if has_hangul(name) and len(name) == 3:
        parts.append(name[1:])
    return tuple(part for part in dict.fromkeys(parts) if part.strip() and part.lower() not in _ROLES)


def _names(part: str, text: str, *, loosely: bool = False) -> bool:
    if has_hangul(part):
        return re.search(rf"(?<![가-힣]){re.escape(part)}", text) is not None or (loosely and part in text)
    flags = re.IGNORECASE if loosely else 0
    return re.search(rf"\b{re.escape(part)}\b", text, flags) is not None


def _proper_nouns(text: str) -> list[str]:
    """Capitalised words within a sentence, days and months apart."""
    found = []
    for sentence in _SENTENCE.split(text):
        for match in re.finditer(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b", sentence):
            word = match.group().lower()
            if word not in _CAPITALISED and not word.endswith("day"):
                found.append(word)
    return found


def sources_of(utterances: Iterable[Utterance], previous: Summary = _NOTHING) -> dict[int, str]:
    """What a summary may cite: the utterances themselves, and what `previous` says of older ones."""
    carried: dict[int, list[str]] = {}
    for statement in statements_of(previous):
        for id_ in statement.evidence:
            carried.setdefault(id_, []).append(statement.text)
    sources = {id_: "\n".join(dict.fromkeys(texts)) for id_, texts in carried.items()}
    sources.update({said.id: f"{_plain(said.speaker_name)}: {said.text[:_LONGEST]}" for said in utterances})
    return sources


def _plain(name: str) -> str:
    """A name that ends at the colon behind it."""
    return name.replace(":", " ") if ":" in name else name


def checked(
    summary: Summary, sources: Mapping[int, str], names: Sequence[str] = (), before: Summary = _NOTHING
) -> Checked:
    """Drop what doesn't stand; an owner or a moment that nobody named is taken off its statement.

    What stands as it stood in `before` has been checked.
    """
    dropped: list[tuple[str, Fault]] = []
    known = {id(statement) for statement in statements_of(before)}

    def standing(statements: Sequence[Statement]) -> tuple[Statement, ...]:
        kept = []
        for statement in statements:
            if id(statement) in known:
                kept.append(statement)
                continue
            wrong = fault(statement.text, statement.evidence, sources, names)
            if wrong is None:
                kept.append(_bare(statement, sources, dropped))
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


def _bare(statement: Statement, sources: Mapping[int, str], dropped: list[tuple[str, Fault]]) -> Statement:
    """The statement without an owner or a due moment that its evidence doesn't bear out."""
    spoken = "\n".join(sources[id_] for id_ in statement.evidence)
    taken_off: dict[str, None] = {}
    if statement.owner and not owner_stands(statement.owner, spoken):
        dropped.append((statement.owner, "name"))
        taken_off["owner"] = None
    if statement.due and not due_stands(statement.due, spoken):
        dropped.append((statement.due, "date"))
        taken_off["due"] = None
    return statement.model_copy(update=taken_off) if taken_off else statement


def owner_stands(owner: str, spoken: str) -> bool:
    """Whether the evidence names the owner, or is theirs. `spoken` holds the speakers' names."""
    called = _called(owner) or (owner,)
    spoken = _FILLER.sub("", spoken)  # the Industrial uh Designer
    if any(_names(part, spoken, loosely=True) for part in called):
        return True
    if any(f"{part}님" in spoken for part in owner.split()):
        return True  # 간사님께서는 …: called by their office
    return not _same_script(owner, spoken)  # 준호 or Junho: a name in other letters can't be compared


def due_stands(due: str, spoken: str) -> bool:
    """Whether the evidence names the moment: its numbers, days, and some word of it."""
    if (stated(due) | spelled(due)) - _heard(spoken) or not dates_stand(due, spoken):
        return False
    if not _same_script(due, spoken):
        return True
    words = stems(due)
    return not words or bool(words & stems(spoken))


def statements_of(summary: Summary) -> tuple[Statement, ...]:
    """Every statement of a summary, its sentences first."""
    return (*summary.sentences, *summary.key_points, *summary.decisions, *summary.pending)


@lru_cache(maxsize=2048)
def stems(text: str) -> frozenset[str]:
    """What can be compared across inflections: Hangul bigrams, English word starts, no numbers."""
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
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
