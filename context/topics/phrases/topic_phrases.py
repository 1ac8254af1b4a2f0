"""The noun phrases of a stretch of talk, each with the places at which it stands: what may be its name.

A phrase is nouns that stand together, and every part of it that stands together. Which words are nouns is
learnt (`nouns`); what an English verb's company shows, what is counted, who talks and who is spoken to is
left out. What is said in every meeting (`lists/naming.toml`) is part of phrases (운영 시간) and none alone.
Which of them names a topic: `context.topics.phrases.topic_names`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from context.language.closed_lists import STOPWORDS, closed_lists
from context.language.dates import moments_in
from context.language.numbers import NATIVE_TO_TWELVE
from context.language.questions import BREAK
from context.topics.phrases.brisk_phrases import behind_lead
from context.topics.phrases.nouns import ADJECTIVE, NOUN, OTHER_TAG, english_kind, korean_noun, whole

_LISTS: Final = closed_lists("naming")
EMPTY_EN: Final = STOPWORDS | frozenset(_LISTS["empty_en"])
"""English words that are said in every meeting, whatever it is about: they name no topic."""
EMPTY_KO: Final = frozenset(_LISTS["empty_ko"])
"""The same in Korean."""
_BEFORE_VERBS: Final = frozenset(_LISTS["before_verbs"])
"""What comes right behind one of these is no noun: we wrap up, they could escape."""
_BEHIND_VERBS: Final = frozenset(["the", "a", "an", "it", "them", "him", "her", "us", "this", "these", "our"])
"""What stands between "to" and one of these is no noun: to illuminate the buttons; but to marketing."""
CALENDAR_EN: Final = frozenset(_LISTS["calendar_en"])
"""Days of the week may be part of a name (토요일 당직), and are no name alone."""
_NUMBERS_EN: Final = frozenset(_LISTS["numbers_en"])
"""Numbers of which others are put together: twenty-six."""
_PARTICLES: Final = frozenset(_LISTS["particles"])
_SIZES: Final = range(max(map(len, _PARTICLES)), 0, -1)
_VERBAL: Final = _LISTS["verbal"]
"""Endings of verbs and adverbs: what ends so is no noun, with a particle or without."""
NOUNS_ALL_THE_SAME: Final = frozenset(_LISTS["nouns_all_the_same"])
"""Nouns that end as if they carried a particle or were a verb."""

MAX_CHARACTERS: Final = 200
"""So many characters of an utterance are read."""
TOKEN: Final = re.compile(r"[A-Za-z][A-Za-z_&'-]*[가-힣]*|[가-힣]+|[^\s\w]|\d+")
"""A word (an English one with its Korean particle), a number or a mark."""
_SPELT: Final = re.compile(r"(?:[A-Z]_)+[A-Z]?")
"""L_C_D_, as transcribers spell LCD."""
_LATIN: Final = re.compile(r"([A-Za-z][A-Za-z_&'-]*)([가-힣]*)")
_PERSON: Final = re.compile(r"님$|^[가-힣]{2,4}(?:씨|군|양)$")
_ADDRESSED: Final = re.compile(
    r"\b(?:Mr|Ms|Mrs|Mx|Dr|Prof|Hon|Sir|Madam|Senator)\b\.?\s?(?:(?:d'|de |van |von )?[A-Z][\w'’-]+\s?){1,3}"
)
"""Whom somebody speaks to or of with a title: Mr. Singh."""
_FIGURE: Final = re.compile(
    r"[일이삼사오육칠팔구]?(?:[십백천만억][일이삼사오육칠팔구]?)+"
    r"|(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?|스무"
)
"""Number words, which are no name: 칠십, 삼백이십."""
_UNIT: Final = re.compile(rf"[십백천만억조]*[가-힣](?:{'|'.join(sorted(_PARTICLES))})*요?")
"""What a number counts, with its particles: 대가 of 한 대가, 일로 of 20일로, 천만원 of 5천만원."""
_NATIVE: Final = frozenset((*NATIVE_TO_TWELVE, "스무", "몇"))
"""Numbers before a unit: 한 대, 두 군데."""
_PARTICIPLE: Final = re.compile(r"..[^e]ed$")
"""Behind a noun it mostly is a verb, and ends no name: the boss fight shipped. A bird feed is a noun."""
_MAX_PHRASE_WORDS: Final = 4
"""Words."""

Phrase = tuple[str, ...]
"""The keys of nouns that stand together."""


class Noun(NamedTuple):
    """One word of an utterance, read as a noun."""

    key: str
    """The word as it is compared: small letters, singular, without particle."""
    shown: str
    """The word as it is written in a name."""
    tail: str
    """The Korean particle that it carries; "" where it carries none."""
    empty: bool
    """Whether it is said in every meeting, or is a day, a month or a number."""
    adjective: bool
    """Whether it only stands before a noun."""


class Sentence(NamedTuple):
    """One sentence of an utterance, in its words."""

    utterance: int
    """The utterance's number, from 0 on."""
    place: int
    """The sentence's number within its utterance, from 0 on."""
    tokens: Sequence[str]
    lead: int
    """So many of the first tokens only close what was said before: "Good. Right, the …"."""
    words_before: int
    """The words in the sentence before, within the utterance; 0 where there is none."""


class Place(NamedTuple):
    """Where a phrase stands."""

    sentence: Sentence
    first: int
    last: int
    """The places of its first and its last token in the sentence."""
    nouns: Sequence[Noun]
    nouns_before: int
    """The nouns of its sentence before it, but for what is said in every meeting."""
    begins: bool
    ends: bool
    """Whether no noun stands together with it, before or behind it."""


def phrases_in(texts: Sequence[str], speakers: Iterable[str] = ()) -> dict[Phrase, list[Place]]:
    """Every noun phrase of utterances with its places, in the order in which they are first said.

    `speakers`: the names of those who talk, which are no topic.
    """
    talkers = _talkers(frozenset(speakers))
    places_of: dict[Phrase, list[Place]] = {}
    for number, text in enumerate(texts):
        for sentence in _sentences(number, text):
            for place in _places(sentence, talkers):
                places_of.setdefault(tuple(noun.key for noun in place.nouns), []).append(place)
    return {phrase: places for phrase, places in places_of.items() if _may_name(places[0].nouns)}


def is_verb_at(tokens: Sequence[str], place: int) -> bool:
    """Whether the English word at `place` is a verb by the words beside it."""
    before = tokens[place - 1].lower() if place else ""
    if before == "to":
        return place + 1 < len(tokens) and tokens[place + 1].lower() in _BEHIND_VERBS
    return before in _BEFORE_VERBS or before.endswith(("'ll", "'d"))


def is_number_at(tokens: Sequence[str], place: int) -> bool:
    """Whether the word at `place` is a number: 20, twenty, 두, 백이십; none before the first word is."""
    token = tokens[place].lower() if place >= 0 else ""
    return token[:1].isdigit() or token in _NATIVE or token in _NUMBERS_EN or bool(_FIGURE.fullmatch(token))


def _may_name(nouns: Sequence[Noun]) -> bool:
    """Whether a phrase may be a name: no stammer, no day, no single word of every meeting, no verb."""
    *before, last = nouns
    if len({noun.key for noun in nouns}) < len(nouns):
        return False
    if last.adjective or last.key in CALENDAR_EN or moments_in(last.shown):
        return False
    if not before:
        return not last.empty and len(last.key) > 1
    return not (last.empty and len(last.key) == 1) and _PARTICIPLE.search(last.key) is None


def _sentences(number: int, text: str) -> Iterator[Sentence]:
    start = text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS].rpartition(" ")[0]
    before = 0
    for place, sentence in enumerate(filter(str.strip, BREAK.split(_ADDRESSED.sub(" ", start)))):
        tokens = TOKEN.findall(sentence)
        lead = len(TOKEN.findall(sentence[: len(sentence) - len(behind_lead(sentence))]))
        yield Sentence(number, place, tokens, lead, before)
        before = len(tokens)


def _places(sentence: Sentence, talkers: frozenset[str]) -> Iterator[Place]:
    """The phrases of a sentence: the nouns that stand together, and every part of them that does."""
    run: list[tuple[int, Noun]] = []
    before = 0
    for at in range(len(sentence.tokens) + 1):
        noun = noun_at(sentence.tokens, at) if at < len(sentence.tokens) else None
        if noun is not None and not talkers & {noun.key, noun.shown.lower()}:
            run.append((at, noun))
            if not noun.tail:
                continue
        for first in range(len(run)):
            for last in range(first, min(len(run), first + _MAX_PHRASE_WORDS)):
                nouns = [each for _, each in run[first : last + 1]]
                ends = first == 0, last == len(run) - 1
                nouns_before = before + sum(not each.empty for _, each in run[:first])
                yield Place(sentence, run[first][0], run[last][0], nouns, nouns_before, *ends)
        before += sum(not each.empty for _, each in run)
        run = []


def noun_at(tokens: Sequence[str], place: int) -> Noun | None:
    """The word at `place` as a noun; None for what is none."""
    if latin := _LATIN.fullmatch(tokens[place]):
        return _noun_en(tokens, place, latin.group(1), latin.group(2))
    return _noun_ko(tokens, place) if "가" <= tokens[place][0] <= "힣" else None


@lru_cache(maxsize=256)
def _talkers(speakers: frozenset[str]) -> frozenset[str]:
    """The words of the speakers' names, and Korean given names alone: not what they talk about."""
    words = {word for name in speakers for word in name.lower().split() if len(word) > 1}
    return frozenset(words | {word[1:] for word in words if "가" <= word[0] <= "힣" and len(word) == 3})


def _noun_en(tokens: Sequence[str], place: int, word: str, tail: str) -> Noun | None:
    spelt = _SPELT.fullmatch(word)
    shown = word.replace("_", "") if spelt else word.strip("-'_&").removesuffix("'s")
    key = shown.lower()
    is_telling = len(key) > 2 or (len(key) == 2 and shown.isupper())
    if not is_telling or "'" in key or key in STOPWORDS or (tail and tail not in _PARTICLES):
        return None
    kind = NOUN if spelt or tail else english_kind(tokens, place)
    if kind == OTHER_TAG or key.endswith("ly") or is_verb_at(tokens, place):
        return None
    one = _singular(key)
    numbers = _NUMBERS_EN.issuperset(key.split("-"))
    empty = key in EMPTY_EN or one in CALENDAR_EN or numbers
    return Noun(one, shown if spelt or shown.isupper() else key, tail, empty, kind == ADJECTIVE)


def _singular(key: str) -> str:
    plural = len(key) > 4 and key.endswith("s") and not key.endswith(("ss", "us", "is"))
    return key[:-1] if plural else key


def _noun_ko(tokens: Sequence[str], place: int) -> Noun | None:
    token = tokens[place]
    if is_number_at(tokens, place - 1) and _UNIT.fullmatch(token):
        return None
    noun = _without_particles(tokens, place)
    if not noun or _PERSON.search(token) or _PERSON.search(noun) or _FIGURE.fullmatch(noun):
        return None
    empty = noun in EMPTY_KO or token in EMPTY_KO
    return None if noun in _NATIVE else Noun(noun, noun, token[len(noun) :], empty, adjective=False)


def _without_particles(tokens: Sequence[str], place: int) -> str:
    """The noun that a Korean word begins with; "" where it is none.

    A known noun is whole though it ends like a particle (문의); where the tagger sees no noun and yet a
    particle fits, it is one (미수금은).
    """
    token = tokens[place]
    if token in NOUNS_ALL_THE_SAME:
        return token
    noun = whole(korean_noun(tokens, place), token)
    longer = token[: len(noun) + 1]
    if longer in NOUNS_ALL_THE_SAME:
        return longer
    if noun:
        return noun
    bare = next(
        (token[:-size] for size in _SIZES if token[-size:] in _PARTICLES and len(token) > size + 1), ""
    )
    sure = bare and whole(bare, token) == bare and bare not in EMPTY_KO and not bare.endswith(_VERBAL)
    return bare if sure else ""
