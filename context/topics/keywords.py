"""The nouns that a stretch of talk is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from context.language.korean import has_hangul
from context.retrieval.terms import STOPWORDS, words
from context.topics.naming import is_verb_at, noun_in
from context.topics.naming_words import EMPTY_EN

_HANGUL_RUN: Final = re.compile(r"(?<![0-9A-Za-z가-힣])[가-힣]{2,}")
"""Not what stands behind a figure: 14에서만."""
_PARTICLE: Final = re.compile(
    r"(?:에서는|에서도|으로는|에게는|까지는|부터는|이라는|이라고|에서|에는|에도|에게|으로|까지"
    r"|부터|보다|처럼|마다|이나|이란|라는|은|는|이|가|을|를|의|도|로|와|과|만|에)$"
)
_VERB_ENDINGS: Final = """
니다 니까 까요 나요 세요 어요 아요 해요 네요 지요 데요 예요 에요 하고 하면 하는 하게 하지 해서 해도 해야
되는 되면 된다 한다 있는 없는 있고 없고 했던 했고 려면 려고 면서 이면 지만 는데 은데 인데 거든 다고 라고
습니 입니 으면 던 죠 줄여도 하기 하기로
"""
_VERBAL: Final = tuple(_VERB_ENDINGS.split())
_FIGURES: Final = re.compile(r"^[일이삼사오육칠팔구십백천만억월년시원]+(?:짜리|[월년분개명]밖)?$|^.밖$|요일$")
_MONTHS: Final = "january february march april june july august september october november december"
_EMPTY_KO: Final = """
오늘 지금 현재 그것 이것 저것 정도 저희 우리 그래서 그리고 그러면 그런데 하지만 다음 안건
회의 부분 경우 생각 말씀 이야기 얘기 대해 대한 관련 때문 다시 이제 정말 아주 조금
많이 먼저 마지막 번째 여기 거기 모두 제가 저는 저도 그중 대부분 동안 여러 이런 그런
저런 어떤 모든 가장 매우 더욱 그냥 약간 바로 사실 네네 그거 이거 저거 하나 것은
것이 위원 위원님 좋습니다 그럼 해야 좋겠 어떻게 무엇 누가 언제 어디 얼마 얼마나 남은 매달
"""
_EMPTY_EN: Final = """
think know going want need really thing things something okay yeah right mean good make take
much many more most other only even still again people time maybe actually sure look come
back kind sort little before after first last next every each said says tell two three
four five six seven eight nine ten hundred talk meeting today please everyone topic thank about
because there already
"""
_NO_ADVERBS: Final = frozenset({"family", "supply", "reply", "assembly", "italy", "anomaly", "monopoly"})
_LIKE_PARTICLES: Final = "도의과로가"
"""A noun that ends so looks as if it carried a particle, until it carries another one behind."""
_STOP_KO: Final = frozenset(_EMPTY_KO.split())
_STOP_EN: Final = STOPWORDS | EMPTY_EN | frozenset(_EMPTY_EN.split()) | frozenset(_MONTHS.split())
_WEEKDAYS: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?$")
_BORNE_OUT: Final = 2
"""A Korean word that is said once, without a particle, may be any form of a verb."""
_FEWEST: Final = 3


def keywords(
    texts: Iterable[str], known: Sequence[str] = (), limit: int = 10, *, names: Iterable[str] = ()
) -> tuple[str, ...]:
    """The nouns that a stretch of talk is about, weightiest first; `known` ones count as said before.

    Figures, days and months are none, nor are the `names` of those who talk.
    """
    called = {part for name in names for word in name.lower().split() for part in (word, word[1:])}
    scores: Counter[str] = Counter()
    first: dict[str, int] = {}
    for place, word in enumerate(known):
        scores[word] += max(2, 6 - place // 2)
        first[word] = place - len(known)
    for number, text in enumerate(texts):
        for word, score in _nouns(text):
            if word in called:
                continue
            scores[word] += score
            first.setdefault(word, number)
    _join_cut_words(scores)
    ranked = sorted(scores, key=lambda word: (-scores[word], first[word]))
    sure = [word for word in ranked if word[0].isascii() or scores[word] >= _BORNE_OUT]
    return tuple((sure if len(sure) >= _FEWEST else ranked)[:limit])


def _join_cut_words(scores: Counter[str]) -> None:
    """정정보도 was taken for 정정보 with a particle."""
    for word in [word for word in scores if not word[0].isascii()]:
        whole = next((word + tail for tail in _LIKE_PARTICLES if word + tail in scores), None)
        if whole is not None:
            scores[whole] += scores.pop(word)


def _nouns(text: str) -> Iterable[tuple[str, int]]:
    if has_hangul(text):
        yield from _nouns_ko(text)
    said = words(text)
    for place, word in enumerate(said):
        if _may_be_noun_en(word) and not is_verb_at(said, place):
            yield word, 2 if not word.endswith(("ing", "ed", "ly")) else 1


def _nouns_ko(text: str) -> Iterable[tuple[str, int]]:
    for found in _HANGUL_RUN.findall(text):
        if found.endswith(_VERBAL):
            continue
        bare = noun_in(found)
        if not bare or len(_PARTICLE.sub("", found)) < 2 or _FIGURES.search(bare):
            continue
        if bare not in _STOP_KO and found not in _STOP_KO:
            yield bare, 2 if bare != found else 1


def _may_be_noun_en(word: str) -> bool:
    if not word[0].isascii() or not word.isalpha() or len(word) <= 3 or word in _STOP_EN:
        return False
    return (word in _NO_ADVERBS or not word.endswith("ly")) and not _WEEKDAYS.match(word)
