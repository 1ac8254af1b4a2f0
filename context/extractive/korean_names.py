# ruff: noqa: E501  # patterns read better unbroken
"""Whom a Korean sentence names, the speaker too: 수진 선생님이, 준호 씨는, 총무님."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.topics.boundary.table import word_table

SELF: Final = re.compile(r"(?:^|\s)(?:제가|저는|저희가|저희는|저희\s?팀[이은]|내가|저도)(?:\s|$)")
_TITLES: Final = r"(?:부위원장|부회장|부사장|본부장|센터장|사무장|간호사|감사|소장|국장|점장|사장|상무|전무|서기|팀장|실장|부장|차장|과장|대리|주임|책임|선임|수석|매니저|반장|위원장|위원|간사|총무|회장|이사|대표|원장|교장|교감|교수|박사|선생|코치|감독)"
NAMED: Final = re.compile(
    r"(?:^|[\s,])(?!(?:그럼|그러면|그건|그거|이건|이거|이번|다음|우리|저희|혹시|일단|그리고|오늘|내일|다른|모든|여러)\s)([가-힣]{2,4}?)\s?"
    rf"(?:({_TITLES})님?|님|씨|쌤)(?:은|는|이|가|께서|께서는|도)?(?=[\s,])"
)
"""수진 선생님이, 준호 씨는; 팀장님 where nobody is named."""

_SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유홍전고문손양배백허남심노하곽성차주우구민나진지엄채원천방현"
)


def named_in(bare: str, names: Sequence[str] = ()) -> str | None:
    """Whom a sentence names by a title: a participant, what can be a name, else the office itself.

    그래서 위원장님께서는 is the 위원장's, 방통위원장이 the 방통위원장's.
    """
    for found in NAMED.finditer(bare):
        word, title = found.group(1), found.group(2)
        if _is_told_of(bare, found):
            continue
        apart = bare[found.end(1)] == " " or title is None
        if is_title(word) or any(word in known for known in names) or _may_be_name(word, apart=apart):
            return word
        if title is not None:
            return title if apart else word + title
    return None


_CALLED: Final = re.compile(r"(?:님|씨|쌤|은|는|이|가|께서|께서는|도)$")
_IN_A_CLAUSE: Final = re.compile(
    r"\s.{4,40}[가-힣](?<![이그저]런)\s(?:것|점|일|데|부분|발언)에\s(?:대해|대한|관해|관한)"
)


def _is_told_of(bare: str, found: re.Match[str]) -> bool:
    """이사 선임 계획표, 김현 위원이 그런 표현을 쓴 것에 대해서는: an office, or somebody, that is no more than talked of."""
    called, behind = found.group().strip(" ,"), bare[found.end() :]
    if behind.lstrip().startswith(("여러분", "모두", "들")):
        return True
    if called.endswith(("이", "가")) and not called.endswith(("님이", "씨가", "쌤이")):
        return _IN_A_CLAUSE.match(behind) is not None
    opens = len(bare[: found.start(1)].split()) <= 1 and not is_title(found.group(1))
    return _CALLED.search(called) is None and not behind.startswith(",") and not opens


def _may_be_name(word: str, *, apart: bool) -> bool:
    """A surname and two syllables, or apart from the title a given name; no word of talk."""
    known = word_table().rows
    if len(word) == 3:
        return word[0] in _SURNAMES and word[:2] not in known
    return apart and len(word) == 2 and word not in known


def is_title(name: str) -> bool:
    """소장: an office, and nobody's name."""
    return re.fullmatch(_TITLES, name) is not None
