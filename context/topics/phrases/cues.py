"""Cues: phrases by which people announce that they change the subject, in Korean and English.

A *strong* cue decides alone, at its utterance, and often names the new topic. A *weak* cue (이제, 다음,
so, next …) says nothing by itself: 다음 주에 하죠 and "next week" are about dates. An *opening* names the
topic that has just begun (첫 번째 안건은 …, "let us begin with …").

A false change is worse than a late one, so a strong cue needs the verb form of somebody who is doing
it now (넘어가겠습니다, "let's move on"), not of somebody who talks about it (넘어가는 길에, "before we
move on").

`keywords` finds the nouns that a stretch of talk is about.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from context.language.closed_lists import closed_lists
from context.language.korean import has_hangul
from context.retrieval.lexical import STOPWORDS, words
from context.topics.phrases import cue_phrases as phrases
from context.topics.phrases.naming import EMPTY_EN, is_verb_at, noun_in

Strength = Literal["strong", "weak", "opening"]

LONGEST: Final = 600
"""Only so many characters of an utterance are looked at, from its beginning and its end."""


@dataclass(frozen=True, slots=True)
class Cue:
    """An announcement of a topic: how surely it is one, and the name that it gives."""

    strength: Strength
    name: str | None = None
    """As it was said, without article and particle; None where no name is given."""


@lru_cache(maxsize=16)  # the fold asks, and soon after it whoever scores topics beside it
def cue_in(text: str) -> Cue | None:
    """The cue in an utterance: the last strong one, else the first opening, else the first weak one; or None.

    A strong cue without a name takes it from the next sentence.
    """
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}. {text[-LONGEST // 2 :]}"
    best: Cue | None = None
    stripped = (" ".join(raw.split()).strip(" ,~…\"'“”") for raw in phrases.SENTENCE.findall(text))
    sentences = [sentence for sentence in stripped if sentence]
    for sentence, following in pairwise([*sentences, ""]):
        cue = _korean(sentence) if has_hangul(sentence) else _english(sentence)
        if cue is None:
            continue
        if cue.strength == "strong" and cue.name is None and following:
            cue = Cue("strong", (korean_name if has_hangul(following) else english_name)(following))
        stronger = best is None or (best.strength == "weak" and cue.strength != "weak")
        if stronger or cue.strength == "strong":
            best = cue
    return best


def _korean(sentence: str) -> Cue | None:
    if phrases.KO_HINT.search(sentence) and len(sentence) <= phrases.LONGEST_SENTENCE:
        item = phrases.KO_ITEM.search(sentence)
        announces = any(pattern.search(sentence) for pattern in phrases.KO_STRONG) or (
            item is not None and not phrases.KO_ITEM_NOT.search(item.group("n"))
        )
        opens = phrases.KO_OPENING.search(sentence)
        if (announces or opens) and not phrases.KO_NOT.search(sentence):
            return Cue("opening" if opens else "strong", korean_name(sentence))
    weak = phrases.KO_WEAK.search(sentence) and not phrases.KO_WEAK_NOT.search(sentence)
    return Cue("weak") if weak else None


def _english(original: str) -> Cue | None:
    sentence = original.lower().replace("’", "'")
    if phrases.EN_HINT.search(sentence) and len(sentence) <= 2 * phrases.LONGEST_SENTENCE:
        announces = any(pattern.search(sentence) for pattern in phrases.EN_STRONG)
        opens = phrases.EN_OPENING.search(sentence)
        if (announces or opens) and not phrases.EN_NOT.search(sentence):
            return Cue("opening" if opens else "strong", english_name(original))
    weak = phrases.EN_WEAK.search(sentence) and not phrases.EN_WEAK_NOT.search(sentence)
    return Cue("weak") if weak else None


@lru_cache(maxsize=16)  # a sentence is asked for its own announcement and for the one before it
def korean_name(sentence: str) -> str | None:
    """The noun phrase that a Korean announcement names, if any: 이제 채용 이야기로 넘어가죠 → 채용."""
    for hint, pattern in phrases.KO_NAMES:
        if hint.search(sentence) is None or (found := pattern.search(sentence)) is None:
            continue
        name = _stripped(phrases.KO_LEAD, phrases.KO_SENTENCES.split(found.group("n"))[-1])
        name = phrases.KO_TAIL.sub("", name) if len(name) > 2 else name
        if (
            1 <= len(name) <= 40
            and len(name.split()) <= 6
            and not phrases.SAID_TO_ONE.search(name)
            and not phrases.KO_EMPTY.fullmatch(name)
        ):
            return name
    return None


def english_name(sentence: str) -> str | None:
    """The noun phrase that an English announcement names, if any: "let us move on to the move" → move."""
    lowered = sentence.lower().replace("’", "'")
    for pattern in phrases.EN_NAMES:
        if (found := pattern.search(lowered)) is None:
            continue
        name = phrases.EN_STOP.sub("", sentence[found.start("n") :]).strip(" .,:;\"'")
        name = _stripped(phrases.EN_DETERMINER, name)
        said = name.lower()
        if phrases.SAID_TO_ONE.search(said) or phrases.EN_EMPTY.match(said):
            continue
        if name and len(name.split()) <= 7 and len(name) <= 60:
            return phrases.EN_TAIL.sub("", name) or name
    return None


def _stripped(lead: re.Pattern[str], name: str) -> str:
    """`name` without what `lead` matches at its beginning, again and again."""
    previous = ""
    while previous != name:
        previous, name = name, lead.sub("", name).strip(" ,")
    return name


_HANGUL_RUN: Final = re.compile(r"(?<![0-9A-Za-z가-힣])[가-힣]{2,}")
"""Not what stands behind a figure: 14에서만."""
_PARTICLE: Final = re.compile(
    r"(?:에서는|에서도|으로는|에게는|까지는|부터는|이라는|이라고|에서|에는|에도|에게|으로|까지"
    r"|부터|보다|처럼|마다|이나|이란|라는|은|는|이|가|을|를|의|도|로|와|과|만|에)$"
)
_LISTS: Final = closed_lists("keywords")
_VERBAL: Final = _LISTS["verb_endings"]
_FIGURES: Final = re.compile(r"^[일이삼사오육칠팔구십백천만억월년시원]+(?:짜리|[월년분개명]밖)?$|^.밖$|요일$")
_NO_ADVERBS: Final = frozenset({"family", "supply", "reply", "assembly", "italy", "anomaly", "monopoly"})
_LIKE_PARTICLES: Final = "도의과로가"
"""A noun that ends so looks as if it carried a particle, until it carries another one behind."""
_STOP_KO: Final = frozenset(_LISTS["empty_ko"])
_STOP_EN: Final = STOPWORDS | EMPTY_EN | frozenset((*_LISTS["empty_en"], *_LISTS["months"]))
_WEEKDAYS: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?$")
_BORNE_OUT: Final = 2
"""A Korean word with a lower score (said once, without a particle) may be any form of a verb."""
_FEWEST: Final = 3
"""With fewer sure keywords the others are given, too."""


def keywords(
    texts: Iterable[str], known: Sequence[str] = (), limit: int = 10, *, names: Iterable[str] = ()
) -> tuple[str, ...]:
    """The nouns that `texts` are about, in lower case, the weightiest first, at most `limit`.

    `known` are the keywords of the talk before, the weightiest first: they count as said before. Figures,
    days and months are no keywords, nor are the `names` of those who talk.
    """
    called = {part for name in names for word in name.lower().split() for part in (word, word[1:])}
    scores: Counter[str] = Counter()
    first: dict[str, int] = {}
    for place, word in enumerate(known):
        scores[word] += max(2, 6 - place // 2)
        first[word] = place - len(known)
    for number, text in enumerate(texts):
        for word, score in _nouns(text):
            if word not in called:
                scores[word] += score
                first.setdefault(word, number)
    for word in [word for word in scores if not word[0].isascii()]:
        whole = next((word + tail for tail in _LIKE_PARTICLES if word + tail in scores), None)
        if whole is not None:  # 정정보도 was taken for 정정보 with a particle
            scores[whole] += scores.pop(word)
    ranked = sorted(scores, key=lambda word: (-scores[word], first[word]))
    sure = [word for word in ranked if word[0].isascii() or scores[word] >= _BORNE_OUT]
    return tuple((sure if len(sure) >= _FEWEST else ranked)[:limit])


def nouns(text: str) -> Iterable[str]:
    """The nouns of a text as somebody wrote it, English ones in lower case: none needs a particle there."""
    return (word for word, _ in _nouns(text))


def _nouns(text: str) -> Iterable[tuple[str, int]]:
    """The nouns of a text, each with how surely it is one."""
    yield from _nouns_ko(text)
    yield from _nouns_en(text)


def _nouns_ko(text: str) -> Iterable[tuple[str, int]]:
    for found in _HANGUL_RUN.findall(text):
        bare = "" if found.endswith(_VERBAL) else noun_in(found)
        if not bare or len(_PARTICLE.sub("", found)) < 2 or _FIGURES.search(bare):
            continue
        if bare not in _STOP_KO and found not in _STOP_KO:
            yield bare, 2 if bare != found else 1


def _nouns_en(text: str) -> Iterable[tuple[str, int]]:
    said = words(text)
    for place, word in enumerate(said):
        adverb = word.endswith("ly") and word not in _NO_ADVERBS
        if (
            len(word) > 3
            and word[0].isascii()
            and word.isalpha()
            and not adverb
            and word not in _STOP_EN
            and not _WEEKDAYS.match(word)
            and not is_verb_at(said, place)
        ):
            yield word, 2 if not word.endswith(("ing", "ed", "ly")) else 1
