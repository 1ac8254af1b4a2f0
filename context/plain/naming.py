"""What a sentence names by its own words, and what in it stands for something that was named before.

A pronoun and a heading ("So the clinic move, shall we?") name what was said before, and say nothing of it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from context.evidence.facts import matter
from context.language.closed_lists import closed_lists
from context.language.dates import moments_in
from context.language.hours import without_hours
from context.language.korean import has_hangul
from context.people.exchanges import is_nod
from context.reading.acts import log_odds
from context.reading.replacing import rarity
from context.retrieval.index_terms import STOPWORDS

_LISTS: Final = closed_lists("leaning")
_DAYS: Final = closed_lists("moments")
_PRONOUNS: Final = frozenset(_LISTS["pronouns_en"])
_DETERMINERS: Final = frozenset(_LISTS["determiners_en"])
_PRONOUNS_ALONE: Final = frozenset(_LISTS["alone_ko"])
_DESCRIBES: Final = frozenset(_LISTS["describes_en"])
_BROKEN_OFF: Final = frozenset(_LISTS["broken_off_en"])
_AGREES: Final = frozenset(_LISTS["agrees"])
_MARKS: Final = ".,:;!?()[]\"'“”‘’…~-/*"
_TELLS_AN_ACT: Final = 2.0
"""A word without which the log odds of what a sentence does fall by so much tells that, and no thing."""
NAMES: Final = 2.0
"""Rarity of a word that may name a thing: it is said in fewer than one meeting in seven."""
_LEAST: Final = 2
"""A word of fewer letters names nothing."""
_HEADS: Final = frozenset(_LISTS["heads_en"])
_BEFORE_HEADS: Final = frozenset(_LISTS["before_heads_en"])
_FORMS: Final = frozenset((*closed_lists("clauses")["verbs"], "let's"))
_VERBS: Final = frozenset(word for word in _FORMS if f"{word}s" not in _FORMS)
"""Forms that behind "the …" are no noun, as "move" may be."""
_LONGEST_HEADING: Final = 5
"""Words of a heading at most, and of a tag behind it: "shall we?"."""
_TAG: Final = 3
_IN_NO_TAG: Final = frozenset(_LISTS["broken_off_en"])
"""Behind these, a thing is named: "The vinyl, for the sign"."""
_CLAUSE: Final = re.compile(r"[,;.?!]\s+|\s[—–-]\s")


@lru_cache(maxsize=2048)
def things(text: str) -> tuple[str, ...]:
    """The words of a sentence that name a thing, in order: no days, hours, pronouns, verbs and common words.

    A word without which the sentence would much less likely do what it does (확정할게요) names none.
    """
    for moment in reversed(moments_in(text)):
        text = f"{text[: moment.start]} {text[moment.end :]}"
    text = without_hours(text)
    parts, korean = text.split(), has_hangul(text)
    odds = log_odds(text)
    does = int(odds.argmax())
    found: list[str] = []
    for place, part in enumerate(parts):
        word = part.strip(_MARKS).lower()
        is_verb = korean and (place == len(parts) - 1 or word.endswith(_LISTS["verbs_ko"]))
        if is_verb or stands_in(word) or not may_name(word):
            continue
        rest = " ".join(parts[:place] + parts[place + 1 :])
        if float(odds[does] - log_odds(rest)[does]) < _TELLS_AN_ACT:
            found.append(word)
    return tuple(found)


def has_pronoun(text: str) -> bool:
    """Whether a word of the text stands in for something that was named before."""
    said = [_bare(part) for part in text.split()]
    for word, behind in pairwise([*said, ""]):
        means_the_next = word in _DETERMINERS and behind and behind not in STOPWORDS
        if (stands_in(word) or word in _PRONOUNS_ALONE) and not means_the_next:
            return True
    return False


def points_back(text: str) -> bool:
    """Whether a text takes up, by a pronoun, what was named: "let's take that", not "It's plastic"."""
    said = [word for word in text.split() if _bare(word) not in _DESCRIBES]
    return has_pronoun(" ".join(said))


def points_first(text: str) -> bool:
    """Whether a text takes up what was named before it names anything: not "The logo stays as it is"."""
    named = things(text)
    before: list[str] = []
    for word in text.split():
        if word.strip(_MARKS).lower() in named:
            break
        before.append(word)
    return points_back(" ".join(before))


def agrees(text: str) -> bool:
    """Whether a text, behind any nod, only agrees to do what was put: "Yes, let's", "네, 그러죠"."""
    said = [word for each in text.split() if (word := _bare(each))]
    while said and is_nod(said[0]):
        said = said[1:]
    return " ".join(said) in _AGREES


def stands_in(word: str) -> bool:
    """Whether a word, in small letters, is a pronoun in the place of what was named before."""
    return word in _PRONOUNS or word.startswith(_LISTS["pronouns_ko"])


def may_name(word: str) -> bool:
    """Whether a word is rare enough to name a thing, whatever it does in its sentence."""
    if len(word) < _LEAST or word.startswith(_DAYS["days_ko"]):
        return False
    return any(rarity(each) >= NAMES for each in matter(word))


def breaks_off(text: str) -> bool:
    """Whether a sentence ends before it has said anything: "So the boiler for the", "그럼 병원 이전은"."""
    last = text.rsplit(maxsplit=1)[-1].strip(_MARKS).lower()
    return last in _BROKEN_OFF or (has_hangul(last) and last.endswith(_LISTS["broken_off_ko"]))


def is_heading(text: str) -> bool:
    """Whether a sentence calls a matter up by its name, and says nothing of it: "The kiosk, then."

    What a choice is made of ("Grey windows, then") is none: a heading says "the", or ends as a topic does.
    """
    first, *rest = [
        [word for each in clause.split() if (word := _bare(each))] for clause in _CLAUSE.split(text)
    ]
    while first and first[0] in _BEFORE_HEADS:
        first = first[1:]
    if not first or len(first) > _LONGEST_HEADING or not any(map(may_name, first)):
        return False
    if any(map(stands_in, first)) or not all(
        len(each) <= _TAG and _IN_NO_TAG.isdisjoint(each) for each in rest
    ):
        return False
    if has_hangul(text):
        return first[-1].endswith(_LISTS["heads_ko"])
    is_verb = any(word in _VERBS or word.endswith(("n't", "'s", "'re", "'ll")) for word in first)
    return first[0] in _HEADS and not is_verb


def is_bare_heading(text: str) -> bool:
    """Whether it is a heading that asks for nothing, not even "shall we?": a yes to it tells nobody what."""
    return is_heading(text) and not ("?" in text and _CLAUSE.search(text))


def _bare(word: str) -> str:
    return word.strip(_MARKS).lower().replace("’", "'")
