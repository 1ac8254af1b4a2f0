# ruff: noqa: E501  # patterns read better unbroken
"""Whom a Korean sentence names, the speaker too: 수진 선생님이, 준호 씨는, 총무님."""

from __future__ import annotations

import re
from typing import Final

SELF: Final = re.compile(r"(?:^|\s)(?:제가|저는|저희가|저희는|저희\s?팀[이은]|내가|저도)(?:\s|$)")
_TITLES: Final = r"(?:부위원장|부회장|부사장|본부장|센터장|사무장|간호사|감사|소장|국장|점장|사장|상무|전무|서기|팀장|실장|부장|차장|과장|대리|주임|책임|선임|수석|매니저|반장|위원장|위원|간사|총무|회장|이사|대표|원장|교장|교감|교수|박사|선생|코치|감독)"
NAMED: Final = re.compile(
    r"(?:^|[\s,])(?!(?:그럼|그러면|그건|그거|이건|이거|이번|다음|우리|저희|혹시|일단|그리고|오늘|내일|다른|모든|여러)\s)([가-힣]{2,4}?)\s?"
    rf"(?:{_TITLES}님?|님|씨|쌤)(?:은|는|이|가|께서|께서는|도)?(?=[\s,])"
)
"""수진 선생님이, 준호 씨는; 팀장님 where nobody is named."""


def is_title(name: str) -> bool:
    """소장: an office, and nobody's name."""
    return re.fullmatch(_TITLES, name) is not None
