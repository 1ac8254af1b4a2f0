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
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from context.language.closed_lists import closed_lists
from context.language.hours import without_hours
from context.language.korean import has_hangul
from context.language.questions import bare_sentences
from context.retrieval.index_terms import STOPWORDS
from context.topics.phrases import cue_phrases as phrases
from context.topics.phrases.nouns import ADJECTIVE, NOUN, english_kind, korean_noun, whole
from context.topics.phrases.topic_phrases import EMPTY_EN, EMPTY_KO, TOKEN, is_number_at

Strength = Literal["strong", "weak", "opening"]

MAX_CHARACTERS: Final = 600
"""Only so many characters of an utterance are looked at, from its beginning and its end."""


@dataclass(frozen=True, slots=True)
class Cue:
    """An announcement of a topic: how surely it is one, and the name that it gives."""

    strength: Strength
    name: str | None = None
    """The name as it was said, without article and particle; None where no name is given."""


@lru_cache(maxsize=16)  # the fold asks, and soon after it whoever scores topics beside it
def cue_in(text: str) -> Cue | None:
    """The cue in an utterance: the last strong one, else the first opening, else the first weak one; or None.

    A strong cue without a name takes it from the next sentence.
    """
    if len(text) > MAX_CHARACTERS:
        text = f"{text[: MAX_CHARACTERS // 2]}. {text[-MAX_CHARACTERS // 2 :]}"
    best: Cue | None = None
    for sentence, following in pairwise([*bare_sentences(text), ""]):
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
    if phrases.KO_HINT.search(sentence) and len(sentence) <= phrases.MAX_SENTENCE_CHARS:
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
    if phrases.EN_HINT.search(sentence) and len(sentence) <= 2 * phrases.MAX_SENTENCE_CHARS:
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
        if hint.search(sentence) is None or (match := pattern.search(sentence)) is None:
            continue
        name = _stripped(phrases.KO_LEAD, phrases.KO_SENTENCES.split(match.group("n"))[-1])
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
        if (match := pattern.search(lowered)) is None:
            continue
        name = phrases.EN_STOP.sub("", sentence[match.start("n") :]).strip(" .,:;\"'")
        name = _stripped(phrases.EN_DETERMINER, name)
        lowered_name = name.lower()
        if phrases.SAID_TO_ONE.search(lowered_name) or phrases.EN_EMPTY.match(lowered_name):
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


_LISTS: Final = closed_lists("keywords")
_PARTICLES: Final = frozenset(closed_lists("naming")["particles"])
_DETERMINERS: Final = frozenset(_LISTS["determiners"])
_BOUND: Final = frozenset(_LISTS["bound_ko"])
_FIGURES: Final = re.compile(r"^[일이삼사오육칠팔구십백천만억월년시원]+(?:짜리|[월년분개명]밖)?$|^.밖$|요일$")
_LIKE_PARTICLES: Final = "도의과로가"
"""A noun that ends so looks as if it carried a particle, until it carries another one behind."""
_UNITS: Final = frozenset(
    word for unit, words in closed_lists("units").items() if unit not in {"piece", "person"} for word in words
)
"""Pieces and persons are counted as well, and are things all the same."""
_BEFORE_UNITS: Final = frozenset(_LISTS["before_units"])
_STOP_KO: Final = EMPTY_KO | frozenset(_LISTS["empty_ko"])
_PERSON: Final = re.compile(r"^[가-힣]{2,}님$|^[가-힣]{2,4}씨$")
"""Who is spoken to or of is no keyword: 기사님, 민수씨; 손님 and 날씨 are."""
_STOP_EN: Final = STOPWORDS | EMPTY_EN | frozenset((*_LISTS["empty_en"], *_LISTS["months"]))
_WEEKDAYS: Final = re.compile(r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?$")
_SURE_SCORE: Final = 2
"""A Korean word with a lower score was said once, without a particle: it may be anything."""
_MIN_KEYWORDS: Final = 3
"""With fewer sure keywords the others are given, too."""
_MIN_LETTERS_KO: Final = 2
_MIN_LETTERS_EN: Final = 4


def keywords(
    texts: Iterable[str], known: Sequence[str] = (), limit: int = 10, *, names: Iterable[str] = ()
) -> tuple[str, ...]:
    """The nouns that `texts` are about, in lower case, the weightiest first, at most `limit`.

    `known` are the keywords of the talk before, the weightiest first: they count as said before. Figures with
    their units, hours, days and months are no keywords, nor are the `names` of those who talk.
    """
    called = {part for name in names for word in name.lower().split() for part in (word, word[1:])}
    scores: Counter[str] = Counter()
    first: dict[str, int] = {}
    sure = set(known)
    for place, word in enumerate(known):
        scores[word] += max(2, 6 - place // 2)
        first[word] = place - len(known)
    for number, text in enumerate(texts):
        for word, score in _nouns(without_hours(text)):
            if word not in called:
                scores[word] += score
                first.setdefault(word, number)
                if score >= _SURE_SCORE:
                    sure.add(word)
    _count_as_one(scores, sure)
    ranked = sorted(scores, key=lambda word: (-scores[word], first[word]))
    likely = [word for word in ranked if word[0].isascii() or scores[word] >= _SURE_SCORE]
    return tuple((likely if len(likely) >= _MIN_KEYWORDS else ranked)[:limit])


def _count_as_one(scores: Counter[str], sure: Collection[str]) -> None:
    """Count a noun that was read in two ways as one: singular and plural, with a last letter and without it.

    A Korean letter that may be a particle belongs to the noun where another particle was met behind it:
    정정보도를 says so, and 정부의 without 정부의가 does not.
    """
    for word in list(scores):
        for tail in "s" if word[0].isascii() else _LIKE_PARTICLES:
            whole = word + tail
            if word in scores and whole in scores:
                longer = scores[whole] > scores[word] if word[0].isascii() else whole in sure
                one, other = (whole, word) if longer else (word, whole)
                scores[one] += scores.pop(other)


def nouns(text: str) -> Iterable[str]:
    """The nouns of a text as somebody wrote it, English ones in lower case: none needs a particle there.

    What may stand before a noun counts, too: "rental contract".
    """
    return (word for word, _ in _nouns(text, kinds=(NOUN, ADJECTIVE)))


def _nouns(text: str, kinds: Sequence[str] = (NOUN,)) -> Iterator[tuple[str, int]]:
    """The nouns of a text, each with how surely it is one: a Korean one is where it carries a particle."""
    matches = list(TOKEN.finditer(text))
    tokens = [match.group() for match in matches]
    for place, token in enumerate(tokens):
        if token[0] >= "가":
            counted = place > 0 and matches[place - 1].end() == matches[place].start()  # 14에서만
            noun = "" if counted else whole(korean_noun(tokens, place), token)
            tail, after = token[len(noun) :], tokens[place + 1 : place + 2]
            is_verb = tail == "는" and bool(after) and _is_bound(after[0])  # 부르는 데가
            if noun and not is_verb and (word := _keyword_ko(noun, token)):
                yield word, 2 if _is_particle(tail) else 1
        elif word := _keyword_en(tokens, place, kinds):
            yield word, 2 if not word.endswith(("ing", "ed")) else 1


def _is_bound(token: str) -> bool:
    """Whether this is a noun that only stands behind a verb or an adjective: 데가, 것은, 게."""
    return token[:1] in _BOUND and (len(token) == 1 or _is_particle(token[1:]))


def _is_particle(tail: str) -> bool:
    """Whether this is what hangs on a noun: one particle or two, perhaps politely (만두는요)."""
    tail = tail.removesuffix("요") or tail
    return any(tail[:end] in _PARTICLES and (not tail[end:] or tail[end:] in _PARTICLES)
               for end in range(1, len(tail) + 1))  # fmt: skip


def _keyword_ko(noun: str, token: str) -> str:
    word = noun.removesuffix("들") if len(noun) > _MIN_LETTERS_KO else noun
    empty = word in _STOP_KO or token in _STOP_KO or _PERSON.search(word) or _FIGURES.search(word)
    return "" if len(word) < _MIN_LETTERS_KO or empty else word


def _keyword_en(tokens: Sequence[str], place: int, kinds: Sequence[str]) -> str:
    word = tokens[place].lower().removesuffix("'s")
    is_telling = len(word) >= _MIN_LETTERS_EN and word.isascii() and word.isalpha()
    if not is_telling or word in _STOP_EN or _WEEKDAYS.match(word) or _is_unit(tokens, place, word):
        return ""
    determined = place > 0 and tokens[place - 1].lower() in _DETERMINERS
    alone = determined and not "".join(tokens[place + 1 : place + 2]).isalpha()  # on a scale, and …
    return word if alone or english_kind(tokens, place) in kinds else ""


def _is_unit(tokens: Sequence[str], place: int, word: str) -> bool:
    """Whether the English word is what a figure counts in: forty pounds, an hour; but opening hours."""
    counted = is_number_at(tokens, place - 1) or (place > 0 and tokens[place - 1].lower() in _BEFORE_UNITS)
    return counted and word in _UNITS
