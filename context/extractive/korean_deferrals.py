"""Korean sentences that leave something open, or put it off."""

from __future__ import annotations

import re
from typing import Final

from context.extractive.korean_decisions import at_the_end

_OPEN: Final = re.compile(
    r"(?:그거\s?보고|(?:보고|듣고|받고|알아보고|물어보고|확인하고)\s?나서|들어\s?보고|받아\s?보고)\s?(?:다시\s?)?(?:결정|정)(?:합시다|하죠|하시죠|해요|하자|하겠습니다)|다시\s?(?:논의|이야기|얘기|검토|정하|살펴|보기로|다루)|추후|나중에\s?결정|보류|미정|미해결|숙제로|나중에\s?(?:다시|논의|정하|이야기|얘기)"
    r"|다음\s?(?:회의|번|미팅|주|달|시간)[^.]{0,12}(?:논의|의결|정하|정해|정할|다룰|이야기|얘기|다루|다뤄|결정하|결정해|검토하|미루|넘기)"
    r"|아직\s?(?:결정|정해|확정|미정|답|합의|못\s?정)|(?:확인|검토|논의|조율|협의)[이가]?\s?(?:더\s?)?필요"
    r"|결론(?:을|이)?\s?(?:못|안|나지)|정해지지\s?않"
)
_MOVED_TO: Final = re.compile(r"(?:요일|[0-9]\s?일)(?:으)?로\s?(?:미루|미뤄|넘기|넘겨)[가-힣]{1,4}$")
"""다음 주 월요일로 미루죠: moved to a day, not put off."""


def is_open(bare: str) -> bool:
    """Whether a sentence leaves something open."""
    return at_the_end(_OPEN, bare, 14) and _MOVED_TO.search(bare) is None


_DEFERS: Final = re.compile(
    r"(?<!제가\s)(?:다음\s?(?:회의|번|미팅|시간|차례|주|달)|나중|추후)(?!\s?까지)[가-힣\s]{0,12}(?:다루|논의|결정|의결|정하|이야기|얘기|상의)[가-힣\s]{0,8}(?:겠(?:습니다|어요)|게요)$"
)


def defers(bare: str) -> bool:
    """그건 다음 회의에 다루겠습니다: put off, though it is said like a promise."""
    return _DEFERS.search(bare) is not None
