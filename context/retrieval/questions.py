"""What a question is about, apart from the way of asking; and how much of that stands in a text.

Only closed lists of the two languages' words for asking, so that what is left are the words of the subject.
A Korean word that only sounds alike counts for less: speech engines garble names and terms.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.korean import final
from context.retrieval.answer_kinds import question_words
from context.retrieval.terms import STOPWORDS, coarse, stem, words

_LISTS: Final = closed_lists("topic_words")
_ASKING_KO: Final = _LISTS["asking_ko"]
"""What begins so asks."""
_ASKING_SHORT: Final = _LISTS["asking_short"]
_LONGEST_SHORT: Final = 4
"""했어요, 말했나요: what begins so asks where it is no longer. 말레이시아 is a place."""
_ASKING_WHOLE: Final = frozenset(_LISTS["asking_whole"])
_ASKING_EN: Final = STOPWORDS | frozenset(_LISTS["asking_en"])
_PARTICLES: Final = tuple(sorted(_LISTS["particles"], key=len, reverse=True))
_PREDICATES: Final = _LISTS["predicates"]
"""What ends so is done to the subject, and is put otherwise in the answer: 빌리나요 is 빌립니다 there."""
_DOING: Final = "하했할한합해됐되돼된"
_SOUNDS_LIKE: Final = 0.6
_CONTRACTIONS: Final = _LISTS["contractions"]


@lru_cache(maxsize=512)  # sentences of the talk are taken apart for each question that is held against them
def topic_words(question: str) -> tuple[str, ...]:
    """The words that say what `question` is about, in order, without particles; may be empty.

    What is done is given only where no thing is named.
    """
    things = nouns(question)
    return things or tuple(_parts(question))


def nouns(question: str) -> tuple[str, ...]:
    """The things that `question` names."""
    return tuple(word for word, thing in _parts(question).items() if thing)


def searched(question: str) -> tuple[str, ...]:
    """What to look for: the things that `question` names, and what is done."""
    return tuple(_parts(question))


def coverage(topic: Sequence[str], text: str) -> float:
    """Which part of `topic` stands in `text`, 0 to 1; a word that only sounds alike counts less."""
    if not topic:
        return 0.0
    roots, hangul = _heard(text)
    return sum(_found(word, roots, hangul) for word in topic) / len(topic)


def _parts(question: str) -> dict[str, bool]:
    """The words of a question that do not ask, in order; whether each names a thing."""
    found: dict[str, bool] = {}
    asking = {part for asked, _ in question_words(question) for part in asked.split()}
    for word in words(question):
        if word in asking or word.isdigit():
            continue
        if word[0] < "가":
            bare = next((word.removesuffix(each) for each in _CONTRACTIONS if word.endswith(each)), word)
            if bare and len(bare) > 1 and word not in _ASKING_EN and bare not in _ASKING_EN:
                found[bare] = True
        elif not _asks(word):
            thing = _thing(word)
            found.setdefault(thing or word, thing is not None)
    return found


def _asks(word: str) -> bool:
    if word in _ASKING_WHOLE or word.startswith(_ASKING_KO):
        return True
    return len(word) <= _LONGEST_SHORT and word.startswith(_ASKING_SHORT)


def _thing(word: str) -> str | None:
    """The noun of a Korean word, without its particle or 하다; None for what is done."""
    for place in range(2, len(word)):
        if word[place] in _DOING and len(word) - place <= _LONGEST_SHORT:
            return word[:place]
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word.removesuffix(particle)
    past = any(final(syllable) == "ㅆ" for syllable in word[-3:])
    return None if len(word) > 1 and (past or word.endswith(_PREDICATES)) else word


@lru_cache(maxsize=512)  # questions look at the same few hundred sentences again and again
def _heard(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The roots of what is not Hangul, and the Korean words."""
    found = words(text)
    roots = frozenset(stem(word) if word[0].isalpha() else word for word in found if word[0] < "가")
    return roots, tuple(dict.fromkeys(word for word in found if word[0] >= "가"))


def _found(word: str, roots: frozenset[str], hangul: Sequence[str]) -> float:
    if word[0] < "가":
        return float((stem(word) if word[0].isalpha() else word) in roots)
    if any(other.startswith(word) or (len(word) > 1 and word in other) for other in hangul):
        return 1.0
    sounds = coarse(word)
    alike = len(word) > 1 and any(coarse(other).startswith(sounds) for other in hangul)
    return _SOUNDS_LIKE if alike else 0.0
