"""A sentence that is a noun phrase and no more, as people name a matter before they talk about it.

"Anyway, the spring plant sale." "So, parking." 그리고 아르바이트요. Which words are nouns is learnt
(`context.topics.phrases.nouns`); the few words that may stand around them are listed (`lists/subjects.toml`).
An answer or an item of a list looks alike: what it is, only the turns around it tell
(`context.topics.boundary.brisk`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from context.language.closed_lists import word_sets
from context.language.questions import BREAK
from context.topics.phrases.brisk_phrases import behind_lead
from context.topics.phrases.topic_phrases import TOKEN, is_number_at, noun_at

_LISTS: Final = word_sets("subjects")
_DETERMINERS: Final = word_sets("keywords")["determiners"]
_WORDS_BETWEEN_NOUNS: Final = _DETERMINERS | _LISTS["joins_a_matter"]
_NOUN_TAILS: Final = _LISTS["hangs_on_a_matter"] | {""}
_MAX_WORDS: Final = 5
"""A noun phrase of more words is mostly a clause whose verb was not recognised."""


class NounSentence(NamedTuple):
    """The first sentence of an utterance, where it is a noun phrase and no more."""

    led: bool
    """Whether a word that leads on to it stands before it: "so", 그리고."""


def noun_sentence(text: str) -> NounSentence | None:
    """Read the first sentence of `text`, behind what closes the last matter; None: it is no noun phrase."""
    body = behind_lead(text)
    tokens = TOKEN.findall(next(filter(str.strip, BREAK.split(body)), ""))
    words = [place for place, token in enumerate(tokens) if token[0].isalnum()]
    while len(words) > 1 and tokens[words[-1]].lower() in _LISTS["behind_a_matter"]:
        words.pop()
    phrase = _without(_LISTS["before_a_matter"], tokens, words)
    led = len(phrase) < len(words) or len(body) < len(text)
    return NounSentence(led) if _is_phrase(tokens, _without(_DETERMINERS, tokens, phrase)) else None


def _without(unwanted: frozenset[str], tokens: Sequence[str], words: Sequence[int]) -> Sequence[int]:
    """The places `words` but for the first ones, at which `unwanted` words stand."""
    kept = (number for number, place in enumerate(words) if tokens[place].lower() not in unwanted)
    return words[next(kept, len(words)) :]


def _is_phrase(tokens: Sequence[str], words: Sequence[int]) -> bool:
    """Whether the tokens at the places `words` are nouns, and what may stand between nouns."""
    if not 0 < len(words) <= _MAX_WORDS or any(is_number_at(tokens, place) for place in words):
        return False
    nouns = [noun_at(tokens, place) for place in words]
    last = nouns[-1]
    if last is None or last.adjective or last.tail not in _NOUN_TAILS:
        return False
    read = zip(nouns, words, strict=True)
    only = all(noun is not None or tokens[place].lower() in _WORDS_BETWEEN_NOUNS for noun, place in read)
    return only and any(noun is not None and not noun.empty for noun in nouns)
