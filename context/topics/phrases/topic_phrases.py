"""What a stretch of talk is called: the noun phrase that it keeps saying, or that a turn brings up.

Korean: a word that carries a particle is a noun, and the bare nouns right before it belong to it (출시 일정을
→ 출시 일정). English: content words that stand next to each other. What is said in every meeting names none
(`lists/naming.toml`). Phrases are preferred to words, and what is repeated to what is said once.

Where a topic has just begun, nothing has been repeated yet; but whoever raises it mostly names it at once
(`subject_of`): "The fridge alarm went off again." → fridge alarm; 그늘막은요? → 그늘막. English: the first
nouns behind an article, or those that the turn begins with. Korean: the first phrase of two nouns, else the
first noun.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from context.language.closed_lists import STOPWORDS, closed_lists, wording
from context.language.dates import moments_in
from context.language.korean import has_hangul
from context.language.meeting_again import names_it
from context.language.numbers import NATIVE_TO_TWELVE
from context.language.questions import BREAK
from context.topics.phrases.brisk_phrases import NAMED_KO, behind_lead
from context.topics.phrases.nouns import OTHER_TAG, english_kind, korean_noun

_LISTS: Final = closed_lists("naming")
EMPTY_EN: Final = STOPWORDS | frozenset(_LISTS["empty_en"])
"""English words that are said in every meeting, whatever it is about: they name no topic."""
EMPTY_KO: Final = frozenset(_LISTS["empty_ko"])
"""The same in Korean."""
_BEFORE_VERBS: Final = frozenset(_LISTS["before_verbs"])
"""What comes right behind one of these is no noun: we wrap up, they could escape."""
_BEHIND_VERBS: Final = frozenset(["the", "a", "an", "it", "them", "him", "her", "us", "this", "these", "our"])
"""What stands between "to" and one of these is no noun: to illuminate the buttons; but to marketing."""
_CALENDAR_EN: Final = frozenset(_LISTS["calendar_en"])
DAYS_KO: Final = frozenset({"월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"})
"""Days of the week may be part of a name (토요일 당직), and are no name alone."""
_NUMBERS_EN: Final = frozenset(_LISTS["numbers_en"])
"""Numbers of which others are put together: twenty-six."""
_PARTICLES: Final = frozenset(_LISTS["particles"])
_VERBAL: Final = _LISTS["verbal"]
"""Endings of verbs and adverbs: what ends so is no noun, with a particle or without."""
NOUNS_ALL_THE_SAME: Final = frozenset(_LISTS["nouns_all_the_same"])
"""Nouns that end as if they carried a particle or were a verb."""

UTTERANCES: Final = 8
"""So many utterances of a stretch are looked at, from its beginning; those without a noun do not count."""
_AT_MOST: Final = 20
"""So many where the first ones repeat nothing."""
MAX_CHARACTERS: Final = 90
"""So many characters of each."""
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
_COUNTER_WORD: Final = re.compile(rf"[십백천만억조]*[가-힣](?:{'|'.join(sorted(_PARTICLES))})*")
"""일로 of 20일로, 천만원 of 5천만원: a unit of one syllable, with its particles."""
_NATIVE: Final = frozenset((*NATIVE_TO_TWELVE, "스무", "몇"))
"""Numbers before a unit: 한 대."""
_PARTICIPLE: Final = re.compile(r"..[^e]ed$")
"""Behind a noun it mostly is a verb, and ends no name: the boss fight shipped. A bird feed is a noun."""
_NEXT_MEETING: Final = {language: texts["next_meeting"] for language, texts in wording("answers").items()}
_PHRASE: Final = 1.7
"""A phrase counts so much more than one word that is as frequent."""
_SECOND: Final = 0.7
"""The second phrase of a name is at least so good, against the first."""
_FEW_LINES: Final = 2
"""Of so few utterances with something in them a phrase may be said once to name them."""
_REGARDED_WORDS: Final = 12
"""Phrases are made of so many of the commonest words."""
_LONGEST_PARTICLE: Final = max(map(len, _PARTICLES))
_LONGEST_WORD: Final = 8
_CASE: Final = frozenset("을를은는에만")
"""With a noun of one syllable before them they are no word of their own: 돈을, 주에."""
_FURTHER_PARTICLES: Final = ("들", "에서", "까지", "부터", "만")
"""What may stand between a noun and its last particle."""

Phrase = tuple[str, ...]
"""The keys of nouns that stand together."""


class Noun(NamedTuple):
    """One word of an utterance, read as a noun."""

    key: str
    """As it is compared (small letters, singular, without particle); "" for what is no noun."""
    shown: str
    """As it is written in a name; "" for what is no noun."""
    ends: bool
    """A phrase ends with it: it carries a particle, or what follows is no noun."""


_NO_NOUN: Final = Noun("", "", ends=True)


def name_of(texts: Iterable[str], speakers: Iterable[str] = ()) -> str:
    """A name from what the utterances `texts` repeat, two phrases at most; "" where they repeat nothing.

    `speakers`: the names of those who talk, which are no topic.
    """
    talkers = _talkers(frozenset(speakers))
    heard: list[list[Noun]] = []
    for text in texts:
        if nouns := _nouns(text, talkers):
            heard.append(nouns)
            if len(heard) == UTTERANCES and (name := _name(heard)):
                return name
            if len(heard) == _AT_MOST:
                break
    return _name(heard)


def is_verb_at(tokens: Sequence[str], place: int) -> bool:
    """Whether the English word at `place` is a verb by the words beside it."""
    before = tokens[place - 1].lower() if place else ""
    if before == "to":
        return place + 1 < len(tokens) and tokens[place + 1].lower() in _BEHIND_VERBS
    return before in _BEFORE_VERBS or before.endswith(("'ll", "'d"))


def _reads_as_noun(tokens: Sequence[str], place: int) -> bool:
    """Whether the tagger takes the word at `place` for part of a noun phrase, where no particle says so.

    "고마워" and the "arrive" of "the cats arrive" are on no list of words that name nothing.
    """
    token = tokens[place]
    if token[0] < "가":
        return not token.isalpha() or english_kind(tokens, place) != OTHER_TAG
    sure = token in NOUNS_ALL_THE_SAME or _without_particle(token) != token
    return sure or korean_noun(tokens, place) != ""


def _counts_at(tokens: Sequence[str], place: int) -> bool:
    """Whether the Korean word at `place` is the unit of a number, which reads as a noun: 한 대가, 20일로."""
    before = tokens[place - 1] if place else ""
    return (before[:1].isdigit() or before in _NATIVE) and _COUNTER_WORD.fullmatch(tokens[place]) is not None


def _name(heard: Sequence[Sequence[Noun]]) -> str:
    """The best phrase, and another one about something else that is nearly as good."""
    scored = _scored(heard)
    if not scored:
        return ""
    best, *others = scored
    chosen = [best[1]]
    for worth, phrase in others:
        if worth > _SECOND * best[0] or worth > -2:
            break
        if not set(phrase) & set(best[1]):
            chosen.append(phrase)
            break
    spelling = {noun.key: noun.shown for nouns in reversed(heard) for noun in reversed(nouns)}
    return " · ".join(" ".join(spelling[key] for key in phrase) for phrase in chosen)


def _scored(heard: Sequence[Sequence[Noun]]) -> list[tuple[float, Phrase]]:
    """The phrases and words that may be a name, best first, each behind its worth times -1."""
    words = Counter(key for nouns in heard for key in dict.fromkeys(noun.key for noun in nouns))
    least = 2 if len(heard) > _FEW_LINES else 1
    common = {key for key, count in words.most_common(_REGARDED_WORDS) if count >= least}
    counts = Counter(phrase for nouns in heard for phrase in _phrases(nouns) if common.intersection(phrase))
    counts |= Counter({(key,): count for key, count in words.items() if count > 1 and _stands_alone(key)})
    return sorted(
        (-_worth(phrase, count, words), phrase) for phrase, count in counts.items() if count >= least
    )


def _phrases(nouns: Sequence[Noun]) -> set[Phrase]:
    """The phrases of two and of three words in an utterance."""
    found: set[Phrase] = set()
    for place, first in enumerate(nouns[:-1]):
        second, *more = nouns[place + 1 : place + 3]
        if not _joins(first, second):
            continue
        found.add((first.key, second.key))
        if more and _joins(second, more[0]) and more[0].key != first.key:
            found.add((first.key, second.key, more[0].key))
    return found


def _joins(first: Noun, second: Noun) -> bool:
    """Whether two nouns are one phrase. AI 센터 is one, 센터 AI is two."""
    english_behind_korean = second.key[0] < "가" <= first.key[0]
    apart = first.ends or english_behind_korean or _PARTICIPLE.search(second.key) is not None
    return not apart and first.key != second.key


def _worth(phrase: Phrase, count: int, words: Counter[str]) -> float:
    if len(phrase) == 1:
        return count + 0.02 * min(len(phrase[0]), 8)
    return _PHRASE * count + 0.15 * sum(min(words[word], 4) for word in phrase)


def _stands_alone(key: str) -> bool:
    """Whether one word may name something: a day, English -ing and -ed only within a phrase."""
    return key not in DAYS_KO if key[0] >= "가" else not key.endswith(("ing", "ed"))


def _nouns(text: str, talkers: frozenset[str]) -> list[Noun]:
    """The nouns at an utterance's beginning, in order; `ends` is set where no noun stands behind one."""
    text = _ADDRESSED.sub(" ", text)
    text = text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS].rpartition(" ")[0]
    found: list[Noun] = []
    tokens = TOKEN.findall(text)
    for place, token in enumerate(tokens):
        noun = _noun(token)
        verb_or_unit = is_verb_at(tokens, place) or _counts_at(tokens, place)
        if noun.key and noun.key not in talkers and not verb_or_unit:
            found.append(noun)
        elif found and not found[-1].ends:
            found[-1] = found[-1]._replace(ends=True)
    return found


@lru_cache(maxsize=256)
def _talkers(speakers: frozenset[str]) -> frozenset[str]:
    """The words of the speakers' names, and Korean given names alone: not what they talk about."""
    words = {word for name in speakers for word in name.lower().split() if len(word) > 1}
    return frozenset(words | {word[1:] for word in words if "가" <= word[0] <= "힣" and len(word) == 3})


@lru_cache(maxsize=20_000)
def _noun(token: str) -> Noun:
    """What one of the words of `TOKEN` is by itself."""
    if latin := _LATIN.fullmatch(token):
        return _noun_en(latin.group(1), latin.group(2))
    return _noun_ko(token) if "가" <= token[0] <= "힣" else _NO_NOUN


def _noun_en(word: str, tail: str) -> Noun:
    spelt = _SPELT.fullmatch(word)
    shown = word.replace("_", "") if spelt else word.strip("-'_&").removesuffix("'s")
    key = shown.lower()
    plural = len(key) > 4 and key.endswith("s") and not key.endswith(("ss", "us", "is"))
    one = key[:-1] if plural else key
    abbreviation = shown.isupper() and len(shown) == 2
    if (
        (len(key) < 3 and not abbreviation)
        or key in EMPTY_EN
        or key.endswith("ly")
        or "'" in key
        or one in _CALENDAR_EN
        or ("-" in key and _NUMBERS_EN.issuperset(key.split("-")))
        or (tail and tail not in _PARTICLES)
    ):
        return _NO_NOUN
    return Noun(one, shown if spelt or shown.isupper() else key, ends=bool(tail))


def _noun_ko(token: str) -> Noun:
    if token in NOUNS_ALL_THE_SAME:
        return Noun(token, token, ends=False)
    bare = _without_particle(token)
    if (
        len(token) < 2
        or (len(token) == 2 and token[1] in _CASE)
        or len(bare) > _LONGEST_WORD
        or not EMPTY_KO.isdisjoint((token, bare))
        or _PERSON.search(token)
        or _PERSON.search(bare)
        or _FIGURE.fullmatch(bare)
        or (bare.endswith(_VERBAL) and bare not in NOUNS_ALL_THE_SAME)
    ):
        return _NO_NOUN
    return Noun(bare, bare, ends=bare != token)


def _without_particle(token: str) -> str:
    """A noun with its particles taken off, longest first; a noun of one syllable carries none here."""
    for size in range(min(_LONGEST_PARTICLE, len(token) - 2), 0, -1):
        if token[-size:] in _PARTICLES:
            bare = token[:-size]
            more = len(bare) > 2 and bare not in NOUNS_ALL_THE_SAME and bare.endswith(_FURTHER_PARTICLES)
            return _without_particle(bare) if more else bare
    return token


_MOST_WORDS: Final = 2
_MOST_WORDS_KO: Final = 3
_MAX_CHARACTERS_READ: Final = 200
_SENTENCES: Final = 3
_BEFORE_A_NOUN: Final = frozenset(
    "the a an our my your his her their this about on with for new any of hire want wants and".split()  # noqa: SIM905  # reads better
)
_NO_NAME: Final = frozenset({"item", "items", "thing", "things", "bit", "asks", "note"})
_COPULA: Final = re.compile(r"(?:이에요|예요|입니다|인데요?)(?=[?.,!])")
_POLITE: Final = re.compile(r"(?:은|는|이|도)?요(?=[?.,!])")
_NO_SUBJECT: Final = re.compile(
    r"(?:서|게|면|고|지|러|려|던|혀|달라|됐나|볼까|까지|부터|에서)$|^(?:시로|분에|월에|일에|호실|학년)$"
)
"""Korean endings of verbs that look like nouns."""


def subject_of(text: str, speakers: Iterable[str] = ()) -> str:
    """The noun phrase that a turn brings up in its first sentences; "" where it names nothing.

    `speakers`: the names of those who talk, which are no topic.
    """
    body = behind_lead(_ADDRESSED.sub(" ", text[:_MAX_CHARACTERS_READ]))
    talkers = _talkers(frozenset(speakers))
    for sentence in BREAK.split(body)[:_SENTENCES]:
        korean = has_hangul(sentence)
        if names_it(sentence) and moments_in(sentence):
            return _NEXT_MEETING["ko" if korean else "en"]
        bare = _COPULA.sub("", sentence)
        if korean and NAMED_KO.search(bare):
            bare = _POLITE.sub("", bare, count=1)
        runs = _runs(bare, talkers)
        if found := _korean(runs) if korean else _english(runs):
            return found
    return ""


def _runs(sentence: str, talkers: frozenset[str]) -> list[tuple[bool, list[Noun]]]:
    """Nouns that stand together, and whether what is before them makes them a subject."""
    runs: list[tuple[bool, list[Noun]]] = []
    subject, going_on = True, False
    tokens = TOKEN.findall(sentence)
    for place, token in enumerate(tokens):
        noun = _noun(token)
        no_name = not noun.key or noun.key in _NO_NAME or talkers & {noun.key, noun.shown.lower()}
        verb_or_unit = is_verb_at(tokens, place) or _counts_at(tokens, place)
        if no_name or verb_or_unit or not _reads_as_noun(tokens, place):
            subject, going_on = token.lower() in _BEFORE_A_NOUN, False
            continue
        if going_on:
            runs[-1][1].append(noun)
        else:
            runs.append((subject, [noun]))
        subject, going_on = False, not noun.ends
    return runs


def _english(runs: list[tuple[bool, list[Noun]]]) -> str:
    """The first nouns that are a subject, else the first that are no -ing or -ed."""
    for subject, nouns in sorted(runs, key=lambda run: not run[0]):
        named = [noun.shown for noun in nouns if subject or not noun.key.endswith(("ing", "ed"))]
        if named:
            verb = len(named) > 1 and named[1].endswith(("ed", "ing"))
            return " ".join(named[: 1 if verb else _MOST_WORDS])
    return ""


def _korean(runs: list[tuple[bool, list[Noun]]]) -> str:
    """The first phrase of two nouns, else the first noun. 창고 ends like a verb; 보고 mostly is one."""
    phrases = [
        [
            noun.shown
            for noun in nouns
            if (noun.shown in NOUNS_ALL_THE_SAME and noun.shown != "보고")
            or not _NO_SUBJECT.search(noun.shown)
        ]
        for _, nouns in runs
    ]
    phrases = [words for words in phrases if not DAYS_KO.issuperset(words)]
    first = next((words for words in phrases if len(words) > 1), phrases[0] if phrases else [])
    return " ".join(first[:_MOST_WORDS_KO])
