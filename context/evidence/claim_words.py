"""The words, names and written forms of a claim, held against those of its evidence.

Words are compared by their stems, across inflections; texts in two scripts share none. What acts where it is
shown or read by a machine (mentions, markup, links, calls), and letters of neither language, stand only where
they were said. Whom a claim names must be named in its evidence, too.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from rapidfuzz import fuzz

from context.language.closed_lists import word_sets
from context.language.korean import has_hangul
from context.language.questions import BREAK

_WORD: Final = re.compile(r"[가-힣]+|[a-z]+(?:'[a-z]+)?|\d+")
_SETS: Final = word_sets("evidence")
_DOUBLED_LETTERS: Final = frozenset("bdgklmnprtvz")


@lru_cache(maxsize=2048)
def stems(text: str) -> frozenset[str]:
    """The parts of words that stay under inflection: pairs of Hangul syllables, starts of English roots.

    Numbers, English stop words and words of up to two letters give none.
    """
    parts: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        if "가" <= word[0] <= "힣":
            parts.update(word[index : index + 2] for index in range(len(word) - 1))
        elif word not in _SETS["stop_en"] and not word.isdigit() and len(word) > 2:
            parts.add(_root(word)[:5])
    return frozenset(parts)


@lru_cache(maxsize=4096)
def _root(word: str) -> str:
    """An English word without its endings: drop of dropped, mov of move and of moving."""
    bare = word.partition("'")[0]
    endings = ("ing", "ed", "es", *(() if bare.endswith("ss") else ("s",)))
    bare = bare.removesuffix(next((e for e in endings if bare.endswith(e) and len(bare) > len(e) + 2), ""))
    if bare[-1:] in _DOUBLED_LETTERS and bare[-1:] == bare[-2:-1]:
        bare = bare[:-1]
    return bare.removesuffix("e") if len(bare) > 3 else bare


FRAME: Final = stems(
    "하기로 했습니다 하였습니다 합니다 됩니다 되었습니다 됐습니다 있습니다 입니다 습니다 결정했습니다"
    " 결정되었습니다 예정입니다 이라고 말했습니다 라고 했다 한다 된다 이야기하겠습니다"
    " 해요 하세요 둡니다 아직 않았습니다 정해지지 되지"
)
"""Stems that Korean sentences share whatever they are about: those of their endings."""


def same_script(text: str, other: str) -> bool:
    """Whether both texts are mostly Korean, or neither is; else their words cannot be compared."""
    return (_share(text, "가", "힣") > 0.25) == (_share(other, "가", "힣") > 0.25)


def _share(text: str, low: str, high: str) -> float:
    """The share (0 to 1) of the letters of a text that lie between `low` and `high`."""
    letters = [char for char in text.lower() if char.isalpha()]
    return sum(low <= char <= high for char in letters) / max(1, len(letters))


_ACTS: Final = re.compile(r"(?<![\w.])@\w|(?<!\S)/[A-Za-z]|<[@!/?A-Za-z]|\]\s?[(\[]|!\[|```")
"""Mentions, slash commands, tags, Markdown's links and pictures, fences: nobody says such a thing aloud."""
_ADDRESS: Final = re.compile(
    r"\b\w+://\S+|\bwww\.\S+|\S+@[\w-]+\.\w+|\b(?:[a-z0-9-]{2,}\.)+[a-z]{2,}\b(?!\()\S*"
)
_CODE: Final = re.compile(
    r"\{\s*[\"']\w+[\"']\s*:|\b\w*[A-Za-z]_[A-Za-z]\w*|\b[A-Za-z]\w*(?:\.\w+)*\(\s*(?:\)|[\w\"']+\s*[=,)])"
)
"""JSON, names and calls of functions. These and addresses fit where they were said letter for letter."""
_OTHER_LETTERS: Final = re.compile(r"[^\W\d_A-Za-zªºµ\u00c0-\u024f가-힣ㄱ-ㅣ]+")


def forms_stand(text: str, spoken: str) -> bool:
    """Whether a claim holds nothing that acts, and no address, call or foreign letters that nobody said."""
    plain = unicodedata.normalize("NFKC", text)
    if _ACTS.search(plain) is not None:
        return False
    spoken_letters = letters(spoken)
    matches = (match for pattern in (_ADDRESS, _CODE, _OTHER_LETTERS) for match in pattern.finditer(plain))
    return all(letters(match.group()) in spoken_letters for match in matches)


@lru_cache(maxsize=512)
def letters(text: str) -> str:
    """The letters and digits of a text, in lower case, with nothing between them."""
    return "".join(filter(str.isalnum, text.lower()))


_QUOTATION: Final = re.compile(
    r"[“”„\"＂]([^“”„\"＂\n]{2,})[“”\"＂]|[「『]([^」』\n]{2,})[」』]|[«‹《〈❝]([^»›》〉❞\n]{2,})[»›》〉❞]"
    r"|(?<!\w)['‘`](?!\d)((?:[^'‘’`\n]|(?<=\w)['’](?=\w)){6,})['’`](?!\w)"
)
"""Any kind of quotation marks; what stands in single ones may be a word used as such if it is short."""


def quotations(text: str) -> list[str]:
    """The texts in quotation marks."""
    return ["".join(groups) for groups in _QUOTATION.findall(text)]


def without_quotations(text: str) -> str:
    """A text without its quotations."""
    return _QUOTATION.sub(" ", text)


def quotes_stand(text: str, spoken: str) -> bool:
    """Whether all that stands in quotation marks was said so, letter for letter."""
    quoted = quotations(text)
    spoken_letters = letters(spoken) if quoted else ""
    return all(letters(quote) in spoken_letters for quote in quoted)


_NAME_LIKENESS: Final = 80
"""Likeness in percent from which on a name that speech recognition garbled is taken for itself."""
_PROPER_NAME: Final = re.compile(r"(?<=[a-z,;] )[A-Z][a-z]{2,}\b")


def names_stand(text: str, spoken: str, names: Sequence[str]) -> bool:
    """Whether everybody whom a claim names was named, or spoke, in its evidence.

    `names`: of the participants. Other names are known in English by their capital, in Korean by 님 or 씨.
    """
    if any(is_called(name, text) and not is_named(name, spoken) for name in names):
        return False
    called = {one for one in _HONOURED_NAME.findall(text) if not one.endswith(_NO_NAMES)} - _SETS["titles_ko"]
    if called:
        spoken_letters = letters(spoken)
        if not all(one in spoken_letters or one[-2:] in spoken_letters for one in called):
            return False
    if has_hangul(text) or has_hangul(spoken):
        return True
    words = set(_WORD.findall(spoken.lower()))
    return all(
        any(known.startswith(word[:4]) or fuzz.ratio(word, known) >= _NAME_LIKENESS for known in words)
        for word in _proper_nouns(text)
    )


_HONOURED_NAME: Final = re.compile(
    r"(?<![가-힣])([가-힣]{2,4})\s?(?:(?<![손따스금느])님|(?<![날솜말불])씨)(?![가-힣]{3})"
)
"""단골손님, 겨울날씨 call nobody."""
_NO_NAMES: Final = ("은", "는", "이", "가", "의", "에", "을", "를", "도")
"""Endings of what is no name though it stands before one: 오늘은 씨."""


def is_named(name: str, spoken: str) -> bool:
    """Whether the person `name` stands in `spoken`, as its speaker or in its words, by any of their names."""
    lowered = spoken.lower()
    parts = (part.lower() for part in called_by(name) or (name,))
    return any(_calling(part).search(lowered) or (has_hangul(part) and part in lowered) for part in parts)


def is_called(name: str, text: str) -> bool:
    """Whether a text names the person `name`, by any of their names (`called_by`)."""
    return any(_calling(part).search(text) for part in called_by(name))


@lru_cache(maxsize=1024)
def called_by(name: str) -> tuple[str, ...]:
    """The names of a person: the whole name, its longer words, a Korean given name; no roles."""
    parts = [name, *(part for part in name.split() if len(part) > 2 and part.lower() not in _SETS["roles"])]
    if has_hangul(name) and len(name) == 3:
        parts.append(name[1:])
    return tuple(part for part in dict.fromkeys(parts) if part.strip() and part.lower() not in _SETS["roles"])


@lru_cache(maxsize=1024)
def _calling(part: str) -> re.Pattern[str]:
    """A pattern for a name as a word, with its particle."""
    bounds = (r"(?<![가-힣])", "") if has_hangul(part) else (r"(?<![A-Za-z0-9])", r"(?![A-Za-z0-9])")
    return re.compile(rf"{bounds[0]}{re.escape(part)}{bounds[1]}[가-힣]*")


def _proper_nouns(text: str) -> list[str]:
    """The capitalised words within sentences, lowered, without days and months."""
    words = (word.lower() for sentence in BREAK.split(text) for word in _PROPER_NAME.findall(sentence))
    return [word for word in words if word not in _SETS["capitalised"] and not word.endswith("day")]


_LETTERS: Final = {"ko": ("가", "힣"), "en": ("a", "z")}


def written_in(text: str, language: str) -> bool:
    """Whether a quarter of a text's letters are those of `ko` or `en`; in another language any text is."""
    low, high = _LETTERS.get(language, ("", "\U0010ffff"))
    return _share(text, low, high) >= 0.25 or not any(map(str.isalpha, text))


def comparable(text: str, spoken: str, language: str) -> bool:
    """Whether `text` is written in `language`, as it had to be, or shares half its stems with `spoken`."""
    if written_in(text, language):
        return True
    claimed = stems(text)
    return bool(claimed) and 2 * len(claimed & stems(spoken)) >= len(claimed)
