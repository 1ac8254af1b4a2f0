"""Mentions in a sentence: the things that it names, and what refers to something that was named before.

A pronoun and a heading ("So the clinic move, shall we?") name what was said before, and say nothing of it.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import Final

from context.evidence.facts import matter
from context.language.closed_lists import closed_lists
from context.language.dates import moments_in
from context.language.hours import without_hours
from context.language.korean import has_hangul
from context.language.questions import clauses
from context.people.exchanges import is_nod
from context.reading.acts import log_odds
from context.reading.replacing import rarity
from context.retrieval.index_terms import STOPWORDS

_LISTS: Final = closed_lists("leaning")
_DAY_LISTS: Final = closed_lists("moments")
_PRONOUNS: Final = frozenset(_LISTS["pronouns_en"])
_DETERMINERS: Final = frozenset(_LISTS["determiners_en"])
_PRONOUNS_ALONE: Final = frozenset(_LISTS["alone_ko"])
_DESCRIBING_WORDS: Final = frozenset(_LISTS["describes_en"])
_BROKEN_OFF: Final = frozenset(_LISTS["broken_off_en"])
_AGREEMENTS: Final = frozenset(_LISTS["agrees"])
_MARKS: Final = ".,:;!?()[]\"'“”‘’…~-/*"
_ACT_LOG_ODDS_LOST: Final = 2.0
"""A word without which the log odds of a sentence's act fall by so much tells the act, and names no thing."""
NAMING_RARITY: Final = 2.0
"""The rarity of a word that may name a thing: it is said in fewer than one meeting in seven."""
_MIN_LETTERS: Final = 2
"""A word of fewer letters names nothing."""
_HEADING_STARTS: Final = frozenset(_LISTS["heads_en"])
_WORDS_BEFORE_HEADINGS: Final = frozenset(_LISTS["before_heads_en"])
_VERB_FORMS: Final = frozenset((*closed_lists("clauses")["verbs"], "let's"))
_VERBS: Final = frozenset(word for word in _VERB_FORMS if f"{word}s" not in _VERB_FORMS)
"""Forms that behind "the …" are no noun, as "move" may be."""
_MAX_HEADING_WORDS: Final = 5
"""Words of a heading at most, and of a tag behind it: "shall we?"."""
_MAX_TAG_WORDS: Final = 3
_NO_TAG_WORDS: Final = frozenset(_LISTS["broken_off_en"])
"""Behind these, a thing is named: "The vinyl, for the sign"."""


@lru_cache(maxsize=2048)
def named_things(text: str) -> tuple[str, ...]:
    """The words of a sentence that name a thing, in order: no days, hours, pronouns, verbs and common words.

    A word without which the sentence would much less likely do what it does (확정할게요) names none.
    """
    for moment in reversed(moments_in(text)):
        text = f"{text[: moment.start]} {text[moment.end :]}"
    text = without_hours(text)
    parts, korean = text.split(), has_hangul(text)
    odds = log_odds(text)
    act = int(odds.argmax())
    named: list[str] = []
    for place, part in enumerate(parts):
        word = part.strip(_MARKS).lower()
        is_verb = korean and (place == len(parts) - 1 or word.endswith(_LISTS["verbs_ko"]))
        if is_verb or is_pronoun(word) or not may_name(word):
            continue
        rest = " ".join(parts[:place] + parts[place + 1 :])
        if float(odds[act] - log_odds(rest)[act]) < _ACT_LOG_ODDS_LOST:
            named.append(word)
    return tuple(named)


def has_pronoun(text: str) -> bool:
    """Whether a word of the text stands for something that was named before."""
    words = [_bare(part) for part in text.split()]
    for word, following in pairwise([*words, ""]):
        means_the_next = word in _DETERMINERS and following and following not in STOPWORDS
        if (is_pronoun(word) or word in _PRONOUNS_ALONE) and not means_the_next:
            return True
    return False


def refers_back(text: str) -> bool:
    """Whether a text takes up, by a pronoun, what was named: "let's take that", not "It's plastic"."""
    words = [word for word in text.split() if _bare(word) not in _DESCRIBING_WORDS]
    return has_pronoun(" ".join(words))


def opens_by_referring_back(text: str) -> bool:
    """Whether a text takes up what was named before it names anything: not "The logo stays as it is"."""
    named = named_things(text)
    before: list[str] = []
    for word in text.split():
        if word.strip(_MARKS).lower() in named:
            break
        before.append(word)
    return refers_back(" ".join(before))


def only_agrees(text: str) -> bool:
    """Whether a text, behind any nod, only agrees to do what was put: "Yes, let's", "네, 그러죠"."""
    words = [word for each in text.split() if (word := _bare(each))]
    while words and is_nod(words[0]):
        words = words[1:]
    return " ".join(words) in _AGREEMENTS


def is_pronoun(word: str) -> bool:
    """Whether a word, in small letters, is a pronoun that refers to what was named before."""
    return word in _PRONOUNS or word.startswith(_LISTS["pronouns_ko"])


def may_name(word: str) -> bool:
    """Whether a word is rare enough to name a thing, whatever it does in its sentence."""
    if len(word) < _MIN_LETTERS or word.startswith(_DAY_LISTS["days_ko"]):
        return False
    return any(rarity(each) >= NAMING_RARITY for each in matter(word))


def is_broken_off(text: str) -> bool:
    """Whether a sentence ends before it has said anything: "So the boiler for the", "그럼 병원 이전은"."""
    last = text.rsplit(maxsplit=1)[-1].strip(_MARKS).lower()
    return last in _BROKEN_OFF or (has_hangul(last) and last.endswith(_LISTS["broken_off_ko"]))


def is_heading(text: str) -> bool:
    """Whether a sentence calls a matter up by its name, and says nothing of it: "The kiosk, then."

    What a choice is made of ("Grey windows, then") is none: a heading says "the", or ends as a topic does.
    """
    first, *rest = [[word for part in clause.split() if (word := _bare(part))] for clause in clauses(text)]
    while first and first[0] in _WORDS_BEFORE_HEADINGS:
        first = first[1:]
    if not first or len(first) > _MAX_HEADING_WORDS or not any(map(may_name, first)):
        return False
    if any(map(is_pronoun, first)) or not all(
        len(part) <= _MAX_TAG_WORDS and _NO_TAG_WORDS.isdisjoint(part) for part in rest
    ):
        return False
    if has_hangul(text):
        return first[-1].endswith(_LISTS["heads_ko"])
    is_verb = any(word in _VERBS or word.endswith(("n't", "'s", "'re", "'ll")) for word in first)
    return first[0] in _HEADING_STARTS and not is_verb


def is_bare_heading(text: str) -> bool:
    """Whether a text is a heading that asks for nothing, not even "shall we?": there is nothing to accept."""
    return is_heading(text) and not ("?" in text and len(clauses(text)) > 1)


def _bare(word: str) -> str:
    return word.strip(_MARKS).lower().replace("’", "'")
