"""What of two texts can be compared across inflections, and whether they are about the same."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"[가-힣]+|[a-z]+(?:'[a-z]+)?|\d+")
_STOP_WORDS: Final = (
    "the a an and or but of to in on at for with by from as is are was were be been it its this that these"
    " those we you they he she i our your their will would can could should has have had do does did not no"
    " so if then there here about into over than also just very more most"
)
_STOP: Final = frozenset(_STOP_WORDS.split())
_INFLECTED: Final = re.compile(r"(?<=[a-z]{3})(?:ing|ed|es|(?<!s)s)$")
_DOUBLED: Final = re.compile(r"([bdgklmnprtvz])\1$")


@lru_cache(maxsize=2048)
def stems(text: str) -> frozenset[str]:
    """What can be compared across inflections: Hangul bigrams, English word starts, no numbers."""
    found: set[str] = set()
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).lower()):
        if "가" <= word[0] <= "힣":
            found.update(word[index : index + 2] for index in range(len(word) - 1))
        elif word not in _STOP and not word.isdigit() and len(word) > 2:
            found.add(_root(word)[:5])
    return frozenset(found)


@lru_cache(maxsize=4096)
def _root(word: str) -> str:
    """Drop for dropped, mov for move and moving."""
    bare = _DOUBLED.sub(r"\1", _INFLECTED.sub("", word.partition("'")[0]))
    return bare.removesuffix("e") if len(bare) > 3 else bare


FRAME: Final = stems(
    "하기로 했습니다 하였습니다 합니다 됩니다 되었습니다 됐습니다 있습니다 입니다 습니다 결정했습니다"
    " 결정되었습니다 예정입니다 이라고 말했습니다 라고 했다 한다 된다 이야기하겠습니다"
    " 해요 하세요 둡니다 아직 않았습니다 정해지지 되지"
)
"""Of Korean sentences: what all of them have in common, whatever they are about."""


def same_script(text: str, other: str) -> bool:
    """Whether both are mostly Korean, or both are not: else their words share nothing."""
    return _in_hangul(text) == _in_hangul(other)


def _in_hangul(content: str) -> bool:
    letters = [char for char in content if char.isalpha()]
    return sum("가" <= char <= "힣" for char in letters) * 4 > len(letters)
