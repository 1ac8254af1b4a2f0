"""What a stretch of talk is called: the noun phrase of it that people would write on an agenda.

Whoever raises a matter mostly names it ("The fridge alarm went off again."), and it is seldom what is said
most: five turns later everybody talks about prices. So each noun phrase of the first utterances
(`topic_phrases`) is described by where it stands, what stands beside it, how often it comes and what its
words are like; what these are worth is learnt from names that were given by hand to 500 topics
(`tests/training/topic_names.py`), for both languages together and for each. The phrase that is worth most is
the name.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import Final

from context.language.closed_lists import STOPWORDS, closed_lists, wording
from context.language.dates import moments_in
from context.language.korean import has_hangul
from context.language.meeting_again import names_it
from context.language.questions import BREAK
from context.topics.phrases.topic_phrases import Phrase, Place, is_number_at, phrases_in

UTTERANCES: Final = 8
"""So many utterances of a topic are read, from its beginning."""
_SENTENCES: Final = 3
"""The next meeting is named in one of so many first sentences."""
_DETERMINERS: Final = frozenset(closed_lists("keywords")["determiners"])
_NEXT_MEETING: Final = {language: texts["next_meeting"] for language, texts in wording("answers").items()}
_WORDS_BEFORE: Final = 3
"""Before a phrase so many words are looked at for one that is no determiner."""
_BEHIND_CONSONANTS: Final = {
    "는": "은",
    "가": "이",
    "를": "을",
    "와": "과",
    "로": "으로",
    "랑": "이랑",
    "는요": "은요",
    "예요": "이에요",
    "요": "이요",
}
"""What hangs on vowels, and the same particle behind consonants."""
_LETTERS_A_PHRASE: Final = {"ko": 5, "en": 10}
_MAX_COUNTED_PLACE: Final = 4
"""What stands farther from the beginning counts as so far."""

Features = Mapping[str, float]


def name_of(texts: Iterable[str], speakers: Iterable[str] = (), *, opening: bool = False) -> str:
    """The name of a topic by its utterances; "" where they hold no noun phrase.

    `speakers`: the names of those who talk, which are no topic. `opening`: the utterances open the meeting.
    """
    return _name_of(tuple(texts)[:UTTERANCES], frozenset(speakers), opening)


@lru_cache(maxsize=64)  # the title of a meeting's first topic is asked for again and again
def _name_of(texts: Sequence[str], speakers: frozenset[str], opening: bool) -> str:
    for sentence in BREAK.split(texts[0])[:_SENTENCES] if texts else ():
        if names_it(sentence) and moments_in(sentence):
            return _NEXT_MEETING["ko" if has_hangul(sentence) else "en"]
    found = phrases_in(texts, speakers)
    if not found:
        return ""
    weights = _weights()[language_of(texts)]
    described = described_phrases(found, texts, opening=opening)
    best = max(described, key=lambda each: sum(weights.get(k, 0.0) * v for k, v in described[each].items()))
    return shown(found[best])


def shown(places: Sequence[Place]) -> str:
    """A phrase as it is written in a name: as it was said first."""
    return " ".join(noun.shown for noun in places[0].nouns)


def language_of(texts: Sequence[str]) -> str:
    """The language in which most of the utterances are: `ko` or `en`."""
    return "ko" if 2 * sum(map(has_hangul, texts)) > len(texts) else "en"


def described_phrases(
    found: Mapping[Phrase, Sequence[Place]], texts: Sequence[str], *, opening: bool
) -> dict[Phrase, Features]:
    """What tells of each phrase whether it is the name, as named numbers."""
    said_in: dict[str, set[int]] = {}
    for phrase, places in found.items():
        for key in phrase:
            said_in.setdefault(key, set()).update(place.sentence.utterance for place in places)
    counts = Counter({key: len(numbers) for key, numbers in said_in.items()})
    language = language_of(texts)
    return {
        phrase: dict(
            (
                *_where(places[0], opening=opening),
                *_how_often(phrase, places, counts),
                *_like(places, language),
                *_beside(places[0], language),
            )
        )
        for phrase, places in found.items()
    }


def _where(place: Place, *, opening: bool) -> Iterator[tuple[str, float]]:
    """Where a phrase is said first."""
    sentence = place.sentence
    utterance = min(sentence.utterance, _MAX_COUNTED_PLACE)
    yield f"utterance {utterance}", 1
    if opening:
        yield f"utterance {utterance} of the meeting", 1
        yield "opens the meeting", utterance == 0 == sentence.place
    yield (
        f"sentence {min(sentence.place, _MAX_COUNTED_PLACE - 1)}{' of the first' if not utterance else ''}",
        1,
    )
    before = [token.lower() for token in sentence.tokens[sentence.lead : place.first]]
    begins = all(token in _DETERMINERS for token in before)
    yield "begins", begins
    yield "first phrase", place.nouns_before == 0
    if not utterance:
        yield "begins the first", begins
        yield "begins the first as a whole", begins and place.begins and place.ends
        yield "first phrase of the first", place.nouns_before == 0
    bare = begins and not any(map(str.isalnum, "".join(sentence.tokens[place.last + 1 :])))
    yield "is the sentence", bare
    yield "behind few words", 0 < sentence.words_before <= 2
    yield "words in the sentence before", min(sentence.words_before, 10) / 10
    yield "in a question", sentence.tokens[-1] == "?"


def _how_often(
    phrase: Phrase, places: Sequence[Place], counts: Mapping[str, int]
) -> Iterator[tuple[str, float]]:
    """The number of utterances in which a phrase and its words are said."""
    often = [math.log(counts[key]) for key in phrase]
    times = len({place.sentence.utterance for place in places})
    yield "times", math.log(times)
    yield "times of the commonest word", max(often)
    yield "times of a word", sum(often) / len(often)
    yield "times of the first word", often[0]
    yield "times of the last word", often[-1]
    yield "several words again", len(phrase) > 1 < times


def _like(places: Sequence[Place], language: str) -> Iterator[tuple[str, float]]:
    """What the words of a phrase are like."""
    nouns = places[0].nouns
    yield f"{len(nouns)} words", 1
    yield "letters", sum(len(noun.shown) for noun in nouns) / _LETTERS_A_PHRASE[language]
    yield "ends with one letter", len(nouns[-1].key) == 1
    yield "ends empty", nouns[-1].empty
    yield "begins empty", nouns[0].empty
    yield "ends with -ing", nouns[-1].key.endswith("ing")
    yield "ends with -ed", nouns[-1].key.endswith("ed")
    yield "has capitals", any(noun.shown != noun.shown.lower() for noun in nouns)
    yield "whole", places[0].begins and places[0].ends
    yield "begins whole", places[0].begins
    yield "ends whole", places[0].ends
    yield "whole somewhere", any(place.begins and place.ends for place in places)


def _beside(place: Place, language: str) -> Iterator[tuple[str, float]]:
    """What stands before a phrase and behind it, and what hangs on it."""
    tokens = [token.lower() for token in place.sentence.tokens]
    before = tokens[max(0, place.first - _WORDS_BEFORE) : place.first]
    behind = tokens[place.last + 1] if place.last + 1 < len(tokens) else "the end"
    yield "behind a number", is_number_at(tokens, place.first - 1)
    if language == "ko":
        tail = place.nouns[-1].tail
        tail = _BEHIND_CONSONANTS.get(tail, tail)
        yield f"carries {tail}", 1
        if not place.sentence.utterance:
            yield f"carries {tail} in the first", 1
        yield f"before {behind if behind == 'the end' else behind[:2]}", 1
        yield f"behind {before[-1] if before else 'nothing'}", 1
        return
    other = [token for token in before if token not in _DETERMINERS]
    yield f"under {_function_word(other[-1]) if other else 'nothing'}", 1
    yield f"behind {_function_word(before[-1]) if before else 'nothing'}", 1
    yield f"before {_function_word(behind)}", 1


def _function_word(word: str) -> str:
    known = word in STOPWORDS or not word[0].isalpha() or word == "the end"
    return word if known else "a word"


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    """What each feature is worth, by language."""
    told = files("context.topics.phrases").joinpath("topic_names.json").read_text("utf-8")
    weights: Mapping[str, Mapping[str, float]] = json.loads(told)
    return weights
