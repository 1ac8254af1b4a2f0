"""What the value that is asked for measures (money, people, a span of time, an hour), and what a text tells.

`kind_asked` says that a figure or a time is asked for; the noun behind "how many", the counter behind 몇,
and words such as "cost" and 동안 say of what sort. A figure of a text has the measure of its unit. One that
stands bare ("Three hundred.") may be of any; one with another unit says nothing to whoever asks for people.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists
from context.language.counted_figures import counted_figures, unit_named, without_counted
from context.language.hours import hours_in, without_hours
from context.language.korean import has_hangul
from context.retrieval.answer_kinds import (
    FIGURES,
    counters_in,
    counts,
    gives,
    kind_asked,
    kinds_given,
    unit_asked,
)
from context.retrieval.index_terms import STOPWORDS, words


def _by_measure(prefix: str) -> dict[str, frozenset[str]]:
    """The measures of each word of the lists whose names begin so: of asks_span and asks_length."""
    found: dict[str, frozenset[str]] = {}
    for name, listed in closed_lists("measures").items():
        of, _, measure = name.partition("_")
        for word in listed if of == prefix else ():
            found[word] = found.get(word, frozenset()) | {measure}
    return found


_OF_UNIT: Final = _by_measure("units")
_ASKS: Final = _by_measure("asks")
_TELLS: Final = _by_measure("tells")
_COUNTS: Final = frozenset(("people", "things", "times"))
"""What "how many" may ask for, where no unit stands behind it."""
_NO_UNIT: Final = "bare"
_THINGS: Final = frozenset(("things",))
_MAX_WORD_SYLLABLES_KO: Final = 4
"""Most syllables of a Korean word of the lists."""
_ONE_EN: Final = "one "
"""A number with a unit behind it, and else a pronoun."""
_ANY_THING: Final = closed_lists("measures")["any_thing"]
_WORDS_BEHIND_NUMBER: Final = closed_lists("measures")["behind_bare"]
_COUNTERS: Final = _by_measure("counters")
_UNCOUNTED_MEASURES: Final = frozenset[str]().union(*_OF_UNIT.values()) - _COUNTS - {"span"}
"""What "how much" may ask for, where no word says what."""
_PARTS_OF_DAY: Final = closed_lists("measures")["parts_of_day"]
_WORDS_BEHIND_HOW_MANY: Final = 2
"""Words behind "how many" among which its unit stands: how many more hours."""


def tells(question: str, text: str, names: Sequence[str] = ()) -> bool:
    """Whether `text` tells a value of the sort that `question` asks for; False where it asks for no kind.

    `names`: of the participants, each of whom answers "who".
    """
    kind = kind_asked(question)
    if kind == "how_much":
        return _tells_figure(question, text)
    if not gives(kind, text, names):
        return False
    asked = _time_asked(question) if kind == "when" else ""
    return not asked or asked in _times_told(text)


def _tells_figure(question: str, text: str) -> bool:
    """Whether a text tells a figure of the measure that is asked for, or a bare one."""
    unit, measures, told = unit_asked(question), _asked(question), _told(text)
    if unit is not None:
        some_things = _THINGS if unit.startswith(_ANY_THING) else frozenset[str]()
        return counts(unit, text) or not told.isdisjoint(measures - _THINGS | some_things)
    bare = frozenset((_NO_UNIT,)) if measures != {"share"} else frozenset[str]()
    return not told.isdisjoint(measures | bare) if measures else bool(told)


def tells_another(question: str, text: str) -> bool:
    """Whether a figure or a time is asked for and `text` names some, but none that may be meant."""
    if kind_asked(question) not in FIGURES or tells(question, text):
        return False
    told = _told(text) | _times_told(text)
    return bool(told) and _NO_UNIT not in told


@lru_cache(maxsize=512)  # held against a few hundred lines
def _asked(question: str) -> frozenset[str]:
    """The measures that the figure may have that a question asks for; none where any may be."""
    said = words(question)
    if (counter := unit_asked(question)) is not None:
        return _of_unit(counter)
    if "how many" in " ".join(said):
        place = said.index("many") + 1
        of_units = map(_of_unit, said[place : place + _WORDS_BEHIND_HOW_MANY])
        measures = next(filter(None, of_units), _COUNTS)
        return measures if measures - _COUNTS else _COUNTS  # fifty seats are for fifty people
    phrases = [*(f"{each} {behind}" for each, behind in pairwise(said)), *said]
    named = frozenset[str]().union(*(_listed(each, _ASKS) for each in phrases))
    money = any(each.startswith("얼마") and not each.startswith("얼마나") for each in said)
    if named or not money:
        return named or (_UNCOUNTED_MEASURES if "how much" in phrases else named)
    return frozenset(("money",))


def _of_unit(word: str) -> frozenset[str]:
    unit = unit_named(word)
    return _OF_UNIT[unit] if unit is not None else frozenset()


def _listed(phrase: str, lists: dict[str, frozenset[str]]) -> frozenset[str]:
    """The measures of a word or phrase in a list where a Korean word stands for all that begin so."""
    if phrase[0] < "가":
        return lists.get(phrase, frozenset())
    beginnings = (phrase[:length] for length in range(1, _MAX_WORD_SYLLABLES_KO + 1))
    return frozenset[str]().union(*(lists[begins] for begins in beginnings if begins in lists))


@lru_cache(maxsize=4096)  # a question looks at the same few hundred lines as the one before it
def _told(text: str) -> frozenset[str]:
    """The measures of the figures of a text, and `_NO_UNIT` where one has no unit."""
    lowered = text.lower()
    if "how_much" not in kinds_given(text) and _ONE_EN not in lowered:
        return _told_in_words(without_hours(lowered) if "half" in lowered else lowered)
    found = frozenset[str]().union(*(_OF_UNIT[unit] for _, unit in counted_figures(lowered)))
    rest = without_counted(without_hours(lowered))
    if "how_much" in kinds_given(rest):
        found |= _without_unit(rest)
    return found | _told_in_words(rest)


def _told_in_words(text: str) -> frozenset[str]:
    return frozenset[str]().union(*(_listed(word, _TELLS) for word in words(text)))


def _without_unit(text: str) -> frozenset[str]:
    """The measure of a text's figures that have no unit: things where each counts some, else `_NO_UNIT`."""
    if has_hangul(text):
        counters = list(counters_in(text))
        measures = frozenset[str]().union(*(_listed(each, _COUNTERS) for each in counters if each))
        counted = all(each and not each.startswith(_WORDS_BEHIND_NUMBER) for each in counters)
        return measures or (_THINGS if counted else frozenset((_NO_UNIT,)))
    said = [*words(text), "", ""]
    numbers = {place for place, word in enumerate(said) if word and "how_much" in kinds_given(word)}
    last = [place for place in numbers if place + 1 not in numbers]
    counted = all(any(map(_is_plural, said[place + 1 : place + 3])) for place in last)
    return _THINGS if counted else frozenset((_NO_UNIT,))


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith("ss") and word not in STOPWORDS


def _time_asked(question: str) -> str:
    """Whether the "hour" or the "day" is asked for; "" where either may be."""
    said = words(question)
    for word, behind in pairwise([*said, ""]):
        if word.startswith("몇"):
            return "hour" if (word[1:] or behind).startswith("시") else "day"
        if word in ("what", "which") and behind in ("time", "hour", "day", "date", "weekday"):
            return "hour" if behind in ("time", "hour") else "day"
        if word.startswith(("며칠", "무슨요일")) or (word == "무슨" and behind.startswith(("요일", "날"))):
            return "day"
    return ""


@lru_cache(maxsize=4096)
def _times_told(text: str) -> frozenset[str]:
    """Whether a text tells an "hour" (the evening is one), a "day", both or none."""
    said = words(without_hours(text))
    without_parts = [word for word in said if not word.startswith(_PARTS_OF_DAY)]
    hour = {"hour"} if hours_in(text) or len(without_parts) < len(said) else set[str]()
    day = {"day"} if "when" in kinds_given(" ".join(without_parts)) else set[str]()
    return frozenset(hour | day)
