"""What a question is about, apart from the way of asking, and how much of that stands in a text.

Closed lists hold the two languages' words for asking, so that what is left are the words of the subject
(`topic_words`). A Korean word that only sounds alike counts for less: speech engines garble names and terms.
A `Subject` is the same as an index needs it: weighted terms, people, and the manner of asking.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.korean import final
from context.retrieval.answer_kinds import question_words
from context.retrieval.index_terms import COARSE_BASE, STOPWORDS, coarse, stem, terms, words

_LISTS: Final = closed_lists("topic_words")
_ASKING_KO: Final = _LISTS["asking_ko"]
"""Beginnings of Korean words for asking."""
_ASKING_SHORT: Final = _LISTS["asking_short"]
_LONGEST_SHORT: Final = 4
"""Most syllables of a word for asking that begins as `_ASKING_SHORT` says (했어요); 말레이시아 is a place."""
_ASKING_WHOLE: Final = frozenset(_LISTS["asking_whole"])
_ASKING_EN: Final = STOPWORDS | frozenset(_LISTS["asking_en"])
_PARTICLES: Final = tuple(sorted(_LISTS["particles"], key=len, reverse=True))
_PREDICATES: Final = _LISTS["predicates"]
"""Endings of predicates, which an answer puts otherwise than the question: 빌리나요, 빌립니다."""
_DOING: Final = "하했할한합해됐되돼된"
_SOUNDS_LIKE: Final = 0.6
_CONTRACTIONS: Final = _LISTS["contractions"]


@lru_cache(maxsize=512)  # sentences of the talk are taken apart for each question that is held against them
def topic_words(question: str) -> tuple[str, ...]:
    """The words that say what `question` is about, in order, without particles; may be empty.

    These are its nouns, or, where it has none, its predicates.
    """
    return nouns(question) or tuple(_parts(question))


def nouns(question: str) -> tuple[str, ...]:
    """The nouns of `question` that do not ask, in order, without particles."""
    return tuple(word for word, thing in _parts(question).items() if thing)


def coverage(topic: Sequence[str], text: str) -> float:
    """The share of the words `topic` that stand in `text`, 0 to 1; one that only sounds alike counts 0.6."""
    if not topic:
        return 0.0
    roots, hangul = _roots_and_words(text)
    return sum(_covered(word, roots, hangul) for word in topic) / len(topic)


def _parts(question: str) -> dict[str, bool]:
    """The words of a question that do not ask, in order, each with whether it is a noun."""
    found: dict[str, bool] = {}
    asking = {part for asked, _ in question_words(question) for part in asked.split()}
    for word in words(question):
        if word in asking or word.isdigit():
            continue
        if word[0] < "가":
            bare = next((word.removesuffix(each) for each in _CONTRACTIONS if word.endswith(each)), word)
            if len(bare) > 1 and word not in _ASKING_EN and bare not in _ASKING_EN:
                found[bare] = True
            continue
        short = len(word) <= _LONGEST_SHORT and word.startswith(_ASKING_SHORT)
        if not short and word not in _ASKING_WHOLE and not word.startswith(_ASKING_KO):
            thing = _thing(word)
            found.setdefault(thing or word, thing is not None)
    return found


def _thing(word: str) -> str | None:
    """The noun of a Korean word, without its particle or 하다; None for a predicate."""
    for place in range(2, len(word)):
        if word[place] in _DOING and len(word) - place <= _LONGEST_SHORT:
            return word[:place]
    for particle in _PARTICLES:
        if word.endswith(particle) and len(word) - len(particle) >= 2:
            return word.removesuffix(particle)
    past = any(final(syllable) == "ㅆ" for syllable in word[-3:])
    return None if len(word) > 1 and (past or word.endswith(_PREDICATES)) else word


def _root(word: str) -> str:
    return stem(word) if word[0].isalpha() else word


@lru_cache(maxsize=512)  # questions look at the same few hundred sentences again and again
def _roots_and_words(text: str) -> tuple[frozenset[str], tuple[str, ...]]:
    """The roots of the words of a text that are not Hangul, and its Korean words."""
    found = dict.fromkeys(words(text))
    return frozenset(_root(word) for word in found if word[0] < "가"), tuple(w for w in found if w[0] >= "가")


def _covered(word: str, roots: frozenset[str], hangul: Sequence[str]) -> float:
    if word[0] < "가":
        return float(_root(word) in roots)
    if any(other.startswith(word) or (len(word) > 1 and word in other) for other in hangul):
        return 1.0
    sounds = coarse(word)
    alike = len(word) > 1 and any(coarse(other).startswith(sounds) for other in hangul)
    return _SOUNDS_LIKE if alike else 0.0


COARSE_WEIGHT: Final = 0.3
_MOST_TERMS: Final = 40
_MANNERS: Final = (
    ("summar", "recap", "overview", "요약", "정리"),
    ("think", "thought", "opinion", "feel", "view", "believe", "attitude", "생각", "의견", "입장"),
    (" why ", "reason", "왜", "이유"),
    ("discuss", "talk", "논의", "토론", "이야기", "얘기"),
    ("conclu", "deci", "agree", "결정", "결론", "합의", "확정"),
    ("present", "introduc", "소개", "발표"),
    (" how ", "어떻게"),
)
"""Words of a question that asks for a summary, an opinion, a reason, a discussion, a decision, …"""
_WORD: Final = re.compile(r"[a-z]+|[가-힣]+")
_TITLES: Final = frozenset(
    "the of and for hon mr ms mrs dr am mp phd grad 님 씨 대표 팀장 부장 과장 의원 위원 위원장".split()  # noqa: SIM905  # reads better
)
_CALLED: Final = "(?:씨|님|이|가|은|는|의|도|을|를|에게|한테|께서)"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a question is about, as far as finding its passages is concerned."""

    terms: dict[str, float]
    """How much of its weight each term counts: coarse Korean twins less than 1."""
    speakers: frozenset[int]
    """The speakers whose words are asked for, as places in the names."""
    manners: tuple[bool, ...]
    """Whether it asks for a summary, opinion, reason, discussion, decision, presentation or way."""


def subject_of(question: str, names: Sequence[str]) -> Subject:
    """What `question` is about, in a meeting where `names` spoke."""
    asked, spoken = speakers_asked(question, names)
    topic = " ".join(_parts(question)) or question
    dropped = asking_stems() | {_root(word) for word in spoken}
    found = [term for term in terms(topic) if term not in dropped]
    if not any(ord(term[0]) < COARSE_BASE for term in found):
        found = [term for term in terms(question) if term not in dropped] or terms(question)
    weighted = {term: COARSE_WEIGHT if ord(term[0]) >= COARSE_BASE else 1.0 for term in found[:_MOST_TERMS]}
    lowered = f" {' '.join(words(question))} "
    return Subject(weighted, asked, tuple(any(sign in lowered for sign in signs) for signs in _MANNERS))


def named_speakers(question: str, names: Sequence[str]) -> set[str]:
    """The speakers among `names` whose words a question asks for."""
    asked, _ = speakers_asked(question, names)
    return {names[place] for place in asked}


def speakers_asked(question: str, names: Sequence[str]) -> tuple[frozenset[int], set[str]]:
    """The speakers whose words are asked for, as places in `names`, and the words that name them."""
    heard = [word.removesuffix("'s") for word in words(question)]
    flat, known = f" {' '.join(heard)} ", set(heard)
    parts = [_WORD.findall(name.lower()) for name in names]
    counts = Counter(word for part in parts for word in set(part))
    asked: set[int] = set()
    spoken: set[str] = set()
    for place, part in enumerate(parts):
        own = part
        if not part or f" {' '.join(part)} " not in flat:  # some words of a name, one of them nobody else's
            own = [word for word in part if word in known and word not in _TITLES]
            telling = any(counts[word] == 1 and len(word) > 2 for word in own)
            own = own if telling and len(own) >= min(2, len(part)) else []
        if own or _by_letter(part, question) or any(_by_korean_name(word, question) for word in part):
            asked.add(place)
            spoken.update(own)
    return frozenset(asked), spoken


def _by_letter(part: Sequence[str], question: str) -> bool:
    """Whether a question names a speaker by a letter alone: "What did C think" of PhD C."""
    if len(part) != 2 or len(part[1]) != 1 or part[1] == "i":
        return False
    return re.search(rf"(?<=\w )\b{re.escape(part[1].upper())}\b", question) is not None


def _by_korean_name(word: str, question: str) -> bool:
    """Whether a question names a Korean speaker: 김민지가, 민지 씨는 of 김민지."""
    if not "가" <= word[0] <= "힣" or not 2 <= len(word) <= 4 or word in _TITLES:
        return False
    given = word[1:] if len(word) == 3 else word
    return word in question or re.search(rf"(?<![가-힣]){re.escape(given)}\s?{_CALLED}", question) is not None


@cache
def asking_stems() -> frozenset[str]:
    """The stems of the words that only ask, and of function words."""
    return frozenset(stem(word) for word in closed_lists("stopwords")["asking"]) | STOPWORDS
