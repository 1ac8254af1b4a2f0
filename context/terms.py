"""Terms that people may say and an engine may mishear, and which of them the next stretch of speech holds.

What a meeting's participants know is collected: what was corrected, what the settings name, the title,
people's names, what stands in documents and what earlier meetings talked about. What this meeting's engine
heard is not: a word that was misheard once would be expected, and so be misheard for good.

`likely` puts those first that are worth most by where they come from, that are seldom said in meetings, and
that were spoken of just now: they were said themselves, or stand in one line with something that was.
Erased words are gone from the meeting's state, so they are in no list that is made afterwards.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nlargest
from typing import Final

from context.evidence.facts import matter_in_order
from context.fold.meeting_state import MeetingState
from context.language.korean import sound
from context.primitives.guest_identity import link_of
from context.reading.replacing import rarity
from context.topics.phrases.cues import nouns

MAX_TERMS: Final = 200
"""So many terms `likely` gives; CLOVA takes them all, others the first few."""
CORRECTED_WEIGHT: Final = 4.0
SET_WEIGHT: Final = 2.5
TITLE_WEIGHT: Final = 2.5
NAME_WEIGHT: Final = 2.0
WRITTEN_WEIGHT: Final = 2.0
EARLIER_WEIGHT: Final = 1.5
NAME_PART_WEIGHT: Final = 0.0
"""What a term is worth by where it comes from."""
_AWAY_PENALTY: Final = 1.0
"""The name of who is not there is worth so much less."""
_SAID_WEIGHT: Final = 2.0
"""What a term gains that was said in the last utterance; less, the longer ago that was."""
_BESIDE_SAID_WEIGHT: Final = 1.0
"""The same of one that stands in one line with a word that was said."""
_REWORDED_COUNT: Final = 50
"""So many lines whose words were corrected are read, the newest."""
_MATTER_RARITY: Final = 2.0
"""Rarity from which on a word says what a line is about: fewer than one meeting in seven has it."""
_RECENT_TEXTS: Final = 8
"""So many of the last utterances tell what is spoken of."""
_MAX_RARITY: Final = 7.0
"""The rarity, about, of a word that is said in none of the meetings known to us."""
_LONG_LETTERS: Final = 8
"""Letters; each one more costs `_LETTER_PENALTY`, as it takes the place of others."""
_LETTER_PENALTY: Final = 0.1
_LONGEST_CHARS: Final = 40
_MOST_WORDS: Final = 4
_SHORTEST_SOUND_LETTERS: Final = 4
"""Letters (jamo) by which a term is found in what was said."""
_UNFIT_CHARACTERS: Final = re.compile(r"[^\w\s.'&+#/-]+")
_PART_BREAK: Final = re.compile(r"\n\s*|[.;!?](?:\s+|$)")
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-.][A-Za-z0-9]+)*")


@dataclass(frozen=True, slots=True)
class Term:
    """A word, a few words or a name that may be said."""

    text: str
    worth: float
    """How likely it is by where it comes from."""
    beside: frozenset[str] = frozenset()
    """The sounds (`korean.sound`) of the words that say what its line is about."""


def known_terms(
    meeting: MeetingState, *, wake_words: Iterable[str] = (), configured: Iterable[str] = ()
) -> list[Term]:
    """Collect what the meeting itself and the settings know."""
    terms = [Term(text, CORRECTED_WEIGHT) for text in (*meeting.corrections.terms, *_reworded(meeting))]
    terms += [Term(text, SET_WEIGHT) for text in (*wake_words, *configured)]
    title = meeting.opened.title if meeting.opened is not None else None
    terms += written_terms([title or ""], TITLE_WEIGHT)
    for person in meeting.attendance.people.values():
        less = 0.0 if person.present else _AWAY_PENALTY
        whole, *parts = _called(person.name)
        terms.append(Term(whole, NAME_WEIGHT - less))
        terms += [Term(part, NAME_PART_WEIGHT - less) for part in parts]
    return terms


def written_terms(texts: Iterable[str], worth: float, *, least_lines: int = 1) -> list[Term]:
    """Collect the nouns and names of texts, each with those of its line.

    Only what stands in `least_lines` different lines counts: of words that an engine has heard, those that it
    has heard again are more likely right.
    """
    terms: dict[str, Term] = {}
    lines: Counter[str] = Counter()
    seen_lines: set[str] = set()
    for text in texts:
        for line in filter(None, _PART_BREAK.split(text)):
            if line in seen_lines:
                continue
            seen_lines.add(line)
            named = list(dict.fromkeys(_named_in(line)))
            beside = frozenset(sound(word) for word in named if _seldomness(word) >= _MATTER_RARITY)
            for word in named:
                lines[word.lower()] += 1
                terms.setdefault(word.lower(), Term(word, worth, beside))
    return [term for word, term in terms.items() if lines[word] >= least_lines]


def likely(terms: Iterable[Term], recent: Sequence[str], most: int = MAX_TERMS) -> tuple[str, ...]:
    """Choose at most `most` terms for speech that follows on `recent` utterances, the likeliest first.

    Each is cleaned of signs and comes once; what is too long to be a term is left out.
    """
    sounds = [_sound(text) for text in recent[-_RECENT_TEXTS:]]
    scored: dict[str, tuple[float, str]] = {}
    for term in terms:
        text = " ".join(_UNFIT_CHARACTERS.sub(" ", term.text).split())
        key = "".join(filter(str.isalnum, text.lower()))
        if len(key) < 2 or len(text) > _LONGEST_CHARS or len(text.split()) > _MOST_WORDS:
            continue
        beside = max((_recency(scored_term, sounds) for scored_term in term.beside), default=0.0)
        score = (
            term.worth
            + max(_SAID_WEIGHT * _recency(_sound(text), sounds), _BESIDE_SAID_WEIGHT * beside)
            + min(1.0, _seldomness(text) / _MAX_RARITY)
            - _LETTER_PENALTY * max(0, len(key) - _LONG_LETTERS)
        )
        if key not in scored or scored[key][0] < score:
            scored[key] = (score, text)
    best = sorted(scored.values(), key=lambda scored_term: -scored_term[0])
    return tuple(text for _, text in best[:most])


def open_to_all(meeting: MeetingState) -> bool:
    """Whether all who are in the room may read documents and earlier meetings: guests by a link may not."""
    return not any(
        person.present and link_of(who) is not None for who, person in meeting.attendance.people.items()
    )


def spoken_last(meeting: MeetingState) -> list[str]:
    """Give the last utterances, oldest first; erased ones are empty."""
    return [utterance.text for utterance in meeting.utterances[-_RECENT_TEXTS:]]


def _reworded(meeting: MeetingState) -> Iterator[str]:
    """Yield the nouns that people have put into lines in the place of what was heard, newest lines first."""
    for number in nlargest(_REWORDED_COUNT, meeting.corrections.words):
        if number <= len(meeting.utterances):
            utterance = meeting.utterances[number - 1]
            heard = (utterance.heard or "").lower()
            yield from (word for word in _nouns(utterance.text) if word.lower() not in heard)


@lru_cache(maxsize=256)
def _nouns(text: str) -> tuple[str, ...]:
    return tuple(_named_in(text))


def _called(name: str) -> Iterator[str]:
    """Yield what somebody may be called: their whole name, then parts of it."""
    whole = name.strip()
    yield whole
    if " " in whole:
        yield from whole.split()
    elif len(whole) == 3 and all("가" <= letter <= "힣" for letter in whole):
        yield whole[1:]  # 김민수 is spoken to as 민수


def _named_in(line: str) -> Iterator[str]:
    latin = _LATIN.findall(line)
    yield from filter(_is_marked, latin)
    written = {word.lower(): word for word in latin}
    for noun in nouns(line):
        yield written.get(noun, noun)


def _is_marked(word: str) -> bool:
    """Whether a word is written as a name is: SLA, PostgreSQL, GPT-4."""
    return sum(map(str.isupper, word)) > 1 or any(map(str.isdigit, word))


@lru_cache(maxsize=4_096)
def _seldomness(text: str) -> float:
    """How seldom the words of a term are said in meetings: that of the most seldom."""
    return max(map(rarity, matter_in_order(text)), default=0.0)


@lru_cache(maxsize=4_096)
def _sound(text: str) -> str:
    return sound(text)


def _recency(term: str, sounds: Sequence[str]) -> float:
    """How lately a term was said, both as sounds: 1 in the last utterance, less before, 0 not at all."""
    if len(term) < _SHORTEST_SOUND_LETTERS:
        return 0.0
    ago = next((ago for ago, text in enumerate(reversed(sounds)) if term in text), None)
    return 0.0 if ago is None else 1.0 - ago / _RECENT_TEXTS
