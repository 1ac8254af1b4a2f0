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
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from context.language.closed_lists import STOPWORDS, closed_lists
from context.language.korean import has_hangul
from context.topics.boundary.brisk_phrases import LEAD, NAMED_KO, SENTENCE_END

_LISTS: Final = closed_lists("naming")
EMPTY_EN: Final = STOPWORDS | frozenset(_LISTS["empty_en"])
EMPTY_KO: Final = frozenset(_LISTS["empty_ko"])
"""What is said in every meeting, whatever it is about."""
_BEFORE_VERBS: Final = frozenset(_LISTS["before_verbs"])
"""What comes right behind one of these is no noun: we wrap up, they could escape."""
_BEHIND_VERBS: Final = frozenset(["the", "a", "an", "it", "them", "him", "her", "us", "this", "these", "our"])
"""And what comes between "to" and one of these: to illuminate the buttons; to marketing is none."""
_CALENDAR_EN: Final = frozenset(_LISTS["calendar_en"])
DAYS_KO: Final = frozenset({"월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일"})
"""Part of a name (토요일 당직), never a name."""
_NUMBERS_EN: Final = frozenset(_LISTS["numbers_en"])
"""Of which others are put together: twenty-six."""
_PARTICLES: Final = frozenset(_LISTS["particles"])
_VERBAL: Final = _LISTS["verbal"]
"""Endings of verbs and adverbs: what ends so is no noun, with a particle or without."""
NOUNS_ALL_THE_SAME: Final = frozenset(_LISTS["nouns_all_the_same"])
"""Nouns that end as if they carried a particle or were a verb."""

UTTERANCES: Final = 8
"""So many utterances of a stretch are looked at, from its beginning; those without a noun do not count."""
_AT_MOST: Final = 20
"""So many where the first ones repeat nothing."""
LONGEST: Final = 90
"""So many characters of each."""
TOKEN: Final = re.compile(r"[A-Za-z][A-Za-z_&'-]*[가-힣]*|[가-힣]+|[^\s\w]|\d+")
_SPELT: Final = re.compile(r"(?:[A-Z]_)+[A-Z]?")
"""L_C_D_, as transcribers spell LCD."""
_LATIN: Final = re.compile(r"([A-Za-z][A-Za-z_&'-]*)([가-힣]*)")
_PERSON: Final = re.compile(r"님$|^[가-힣]{2,4}(?:씨|군|양)$")
_ADDRESSED: Final = re.compile(
    r"\b(?:Mr|Ms|Mrs|Mx|Dr|Prof|Hon|Sir|Madam|Senator)\b\.?\s?(?:(?:d'|de |van |von )?[A-Z][\w'’-]+\s?){1,3}"
)
"""Mr. Singh."""
_FIGURE: Final = re.compile(
    r"[일이삼사오육칠팔구]?(?:[십백천만억][일이삼사오육칠팔구]?)+"
    r"|(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?|스무"
)
"""칠십, 삼백이십: what something costs is not its name."""
_COUNTED: Final = re.compile(rf"[십백천만억조]*[가-힣](?:{'|'.join(sorted(_PARTICLES))})*")
"""일로 of 20일로, 천만원 of 5천만원: a unit of one syllable, with its particles."""
_PHRASE: Final = 1.7
"""A phrase counts so much more than one word that is as frequent."""
_SECOND: Final = 0.7
"""The second phrase of a name is at least so good, against the first."""

Phrase = tuple[str, ...]


def name_of(texts: Iterable[str], speakers: Iterable[str] = ()) -> str:
    """A name from what `texts` repeat, two phrases at most; "" where nothing is said often enough.

    `speakers`: who talk is not what they talk about.
    """
    talkers = talkers_in(speakers)
    heard: list[list[Noun]] = []
    for text in texts:
        if nouns := _nouns(_beginning(text), talkers):
            heard.append(nouns)
            if len(heard) == UTTERANCES and (name := _name(heard)):
                return name
            if len(heard) == _AT_MOST:
                break
    return _name(heard)


def noun_in(word: str) -> str:
    """The noun of one word, its particles taken off; "" where it is none, or said in every meeting."""
    return (_KNOWN.get(word) or _learn(word)).shown


def _name(heard: Sequence[Sequence[Noun]]) -> str:
    words = Counter(key for nouns in heard for key in {noun.key for noun in nouns})
    best = _best(_counted(heard, words), words)
    spelling = {noun.key: noun.shown for nouns in reversed(heard) for noun in reversed(nouns)}
    return " · ".join(" ".join(spelling[key] for key in phrase) for phrase in best)


def _counted(heard: Sequence[Sequence[Noun]], words: Counter[str]) -> dict[Phrase, int]:
    """How often each phrase was said that was said often enough."""
    least = 2 if len(heard) > _FEW else 1
    counts = _phrases(heard, frozenset(key for key, count in words.most_common(_REGARDED) if count >= least))
    for key, count in words.items():
        if count > 1 and _stands_alone(key):
            counts[(key,)] = count
    return {phrase: count for phrase, count in counts.items() if count >= least}


class Noun(NamedTuple):
    """One word of an utterance."""

    key: str
    """As it is compared; "" for what is no noun."""
    shown: str
    ends: bool
    """A phrase ends with it: it carries a particle, or what follows is no noun."""


_FEW: Final = 2
"""Of so few utterances with something in them a phrase may be said once to name them."""
_REGARDED: Final = 12
"""Phrases are made of so many of the commonest words."""
_KNOWN: Final[dict[str, Noun]] = {}
"""What has been found out about words; only forgotten when it grows too large."""
_MOST_KNOWN: Final = 20_000


def _nouns(text: str, talkers: frozenset[str]) -> list[Noun]:
    """The nouns of an utterance in order; where no phrase runs on, `ends` is set."""
    found: list[Noun] = []
    tokens = TOKEN.findall(text)
    for place, token in enumerate(tokens):
        noun = noun_of(token)
        if (
            noun.key
            and noun.key not in talkers
            and not _counts_at(tokens, place)
            and not is_verb_at(tokens, place)
        ):
            found.append(noun)
        elif found and not found[-1].ends:
            found[-1] = found[-1]._replace(ends=True)
    return found


def _counts_at(tokens: Sequence[str], place: int) -> bool:
    """Whether the Korean word at `place` only says what the figure before it counts."""
    return place > 0 and tokens[place - 1][0].isdigit() and _COUNTED.fullmatch(tokens[place]) is not None


def is_verb_at(tokens: Sequence[str], place: int) -> bool:
    """Whether the English word at `place` is a verb by the words beside it."""
    before = tokens[place - 1].lower() if place else ""
    if before == "to":
        return place + 1 < len(tokens) and tokens[place + 1].lower() in _BEHIND_VERBS
    return before in _BEFORE_VERBS or before.endswith(("'ll", "'d"))


def _beginning(text: str) -> str:
    """The first words of an utterance, none cut in two, without people who are addressed."""
    text = without_people(text)
    return text if len(text) <= LONGEST else text[:LONGEST].rpartition(" ")[0]


def without_people(text: str) -> str:
    """`text` without those whom it names by a title: whose turn it is, and not what it is about."""
    return _ADDRESSED.sub(" ", text)


def talkers_in(speakers: Iterable[str]) -> frozenset[str]:
    """The words of the speakers' names: who talks is not what they talk about."""
    return _names(tuple(dict.fromkeys(speakers)))


def noun_of(token: str) -> Noun:
    """What one of the words of `TOKEN` is by itself."""
    return _KNOWN.get(token) or _learn(token)


def _learn(token: str) -> Noun:
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    noun = _KNOWN[token] = _noun(token)
    return noun


def _phrases(heard: Sequence[Sequence[Noun]], common: frozenset[str]) -> dict[Phrase, int]:
    """How many utterances say each phrase of two or three words in which a common one stands."""
    counts: dict[Phrase, int] = {}
    for nouns in heard:
        said: set[Phrase] = set()
        for place, first in enumerate(nouns[:-1]):
            if first.ends or not _joins(first, second := nouns[place + 1]):
                continue
            if first.key in common or second.key in common:
                said.add((first.key, second.key))
            if second.ends or place + 2 >= len(nouns) or not _joins(second, third := nouns[place + 2]):
                continue
            if common & {first.key, second.key, third.key} and third.key != first.key:
                said.add((first.key, second.key, third.key))
        for phrase in said:
            counts[phrase] = counts.get(phrase, 0) + 1
    return counts


def _joins(first: Noun, second: Noun) -> bool:
    """AI 센터 is one phrase, 센터 AI is two."""
    return first.key != second.key and not second.key[0] < "가" <= first.key[0]


def _best(counts: Mapping[Phrase, int], words: Mapping[str, int]) -> list[Phrase]:
    """The best phrase, and another one about something else that is nearly as good."""
    scored = sorted((-_worth(phrase, count, words), phrase) for phrase, count in counts.items())
    if not scored:
        return []
    chosen = [scored[0][1]]
    for worth, phrase in scored[1:]:
        if worth > _SECOND * scored[0][0] or worth > -2:
            break
        if not set(phrase) & set(chosen[0]):
            return [*chosen, phrase]
    return chosen


def _worth(phrase: Phrase, count: int, words: Mapping[str, int]) -> float:
    if len(phrase) == 1:
        return count + 0.02 * min(len(phrase[0]), 8)
    return _PHRASE * count + 0.15 * sum(min(words[word], 4) for word in phrase)


def _stands_alone(key: str) -> bool:
    """Whether one word may name something: a day, English -ing and -ed only within a phrase."""
    return key not in DAYS_KO if key[0] >= "가" else not key.endswith(("ing", "ed"))


_NONE: Final = Noun("", "", True)


def _noun(token: str) -> Noun:
    """What a word is, by itself."""
    latin = _LATIN.fullmatch(token)
    if latin is not None:
        return _noun_en(latin.group(1), latin.group(2))
    return _noun_ko(token) if "가" <= token[0] <= "힣" else _NONE


def _names_nothing_en(key: str, one: str) -> bool:
    """A word for anything, an adverb, a contraction, a day, a month or a number. `one`: its singular."""
    if key in EMPTY_EN or key.endswith("ly") or "'" in key or one in _CALENDAR_EN:
        return True
    return "-" in key and _NUMBERS_EN.issuperset(key.split("-"))


def _noun_en(word: str, tail: str) -> Noun:
    spelt = _SPELT.fullmatch(word)
    shown = word.replace("_", "") if spelt else word.strip("-'_&").removesuffix("'s")
    key = shown.lower()
    if len(key) < 3 and not (shown.isupper() and len(shown) == 2):
        return _NONE
    plural = len(key) > 4 and key.endswith("s") and not key.endswith(("ss", "us", "is"))
    one = key[:-1] if plural else key
    if _names_nothing_en(key, one) or (tail and tail not in _PARTICLES):
        return _NONE
    return Noun(one, shown if spelt or shown.isupper() else key, bool(tail))


def _noun_ko(token: str) -> Noun:
    if token in NOUNS_ALL_THE_SAME:
        return Noun(token, token, ends=False)
    if (
        len(token) < 2
        or token in EMPTY_KO
        or _PERSON.search(token)
        or (len(token) == 2 and token[1] in _CASE)
    ):
        return _NONE
    bare = _without_particle(token)
    if (
        bare in EMPTY_KO
        or _FIGURE.fullmatch(bare)
        or _PERSON.search(bare)
        or _is_verbal(bare)
        or len(bare) > _LONGEST_WORD
    ):
        return _NONE
    return Noun(bare, bare, ends=bare != token)


_LONGEST_PARTICLE: Final = max(map(len, _PARTICLES))
_LONGEST_WORD: Final = 8
_CASE: Final = frozenset("을를은는에만")
"""With a noun of one syllable before them they are no word of their own: 돈을, 주에."""
_MORE: Final = ("들", "에서", "까지", "부터", "만")
"""What may stand between a noun and its last particle."""


def _without_particle(token: str) -> str:
    """A noun with its particles taken off, longest first; a noun of one syllable carries none here."""
    for size in range(min(_LONGEST_PARTICLE, len(token) - 2), 0, -1):
        if token[-size:] in _PARTICLES:
            bare = token[:-size]
            more = len(bare) > 2 and bare not in NOUNS_ALL_THE_SAME and bare.endswith(_MORE)
            return _without_particle(bare) if more else bare
    return token


def _is_verbal(word: str) -> bool:
    return word not in NOUNS_ALL_THE_SAME and word.endswith(_VERBAL)


@lru_cache(maxsize=256)
def _names(speakers: Sequence[str]) -> frozenset[str]:
    """The words of the speakers' names, and Korean given names alone."""
    words = {word for name in speakers for word in name.lower().split() if len(word) > 1}
    return frozenset(words | {word[1:] for word in words if "가" <= word[0] <= "힣" and len(word) == 3})


_MOST_WORDS: Final = 2
_MOST_WORDS_KO: Final = 3
_LONGEST: Final = 200
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
    """The noun phrase that a turn raises; "" where it names nothing."""
    text = without_people(text[:_LONGEST])
    lead = LEAD.match(text)
    body = (text[lead.end() :] if lead else "") or text
    talkers = talkers_in(speakers)
    for sentence in SENTENCE_END.split(body)[:_SENTENCES]:
        korean = has_hangul(sentence)
        bare = _COPULA.sub("", sentence)
        if korean and NAMED_KO.search(bare):
            bare = _POLITE.sub("", bare, count=1)
        runs = _runs(bare, talkers)
        found = _korean(runs) if korean else _english(runs)
        if found:
            return found
    return ""


def _runs(sentence: str, talkers: frozenset[str]) -> list[tuple[bool, list[Noun]]]:
    """Nouns that stand together, and whether what is before them makes them a subject."""
    runs: list[tuple[bool, list[Noun]]] = []
    subject, going_on = True, False
    for place, token in enumerate(TOKEN.findall(sentence)):
        noun = noun_of(token)
        if not noun.key or noun.key in _NO_NAME or talkers & {noun.key, noun.shown.lower()}:
            subject = token.lower() in _BEFORE_A_NOUN
            going_on = False
            continue
        if going_on:
            runs[-1][1].append(noun)
        else:
            runs.append((subject or place == 0, [noun]))
        going_on = not noun.ends
        subject = False
    return runs


def _english(runs: list[tuple[bool, list[Noun]]]) -> str:
    named = [
        nouns if subject else [noun for noun in nouns if not noun.key.endswith(("ing", "ed"))]
        for subject, nouns in sorted(runs, key=lambda run: not run[0])
    ]
    first = next((nouns for nouns in named if nouns), [])
    words = [noun.shown for noun in first[:_MOST_WORDS]]
    if len(words) > 1 and words[1].endswith(("ed", "ing")):
        del words[1]
    return " ".join(words)


def _korean(runs: list[tuple[bool, list[Noun]]]) -> str:
    phrases = [[noun for noun in nouns if _may_be_one(noun.shown)] for _, nouns in runs]
    phrases = [nouns for nouns in phrases if any(noun.shown not in DAYS_KO for noun in nouns)]
    first = next((nouns for nouns in phrases if len(nouns) > 1), phrases[0] if phrases else [])
    return " ".join(noun.shown for noun in first[:_MOST_WORDS_KO])


def _may_be_one(word: str) -> bool:
    """Whether a Korean word is a subject: 창고 and 광고 end like verbs and are; 보고 mostly is one."""
    return (word in NOUNS_ALL_THE_SAME and word != "보고") or _NO_SUBJECT.search(word) is None
