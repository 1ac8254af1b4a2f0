# ruff: noqa: E501  # patterns read better unbroken
"""What a show of hands came to: "Shall we vote?" … "That's four for the lock.", 손 들어 볼까요? … 그럼 밤이네요. 두 표."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.english_forms import plain_form
from context.extractive.sentences import Said
from context.language.korean import has_hangul
from context.models import Statement

_BACK: Final = 16
"""Sentences within which the vote was called."""
_CALLED: Final = re.compile(
    r"\b(?:vote|show of hands|hands up|all in favou?r|those in favou?r|raise your hands?)\b|손\s?(?:을\s)?들|거수|투표|표결|다수결",
    re.IGNORECASE,
)
_N: Final = (
    r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|everyone|everybody|all of us)"
)
_COUNTED_EN: Final = re.compile(
    rf"^(?:(?:so|okay|right|and|then|well) )*(?:that's|that makes(?: it)?|it's|we have|i make (?:it|that)) {_N}(?: votes?| hands?| people)? (?:for|in favou?r of|to {_N}(?: for)?) (?!one\b|now\b|me\b|us\b|each\b|against\b)(?!{_N}$)"
)
_COUNTED_KO: Final = re.compile(
    r"^(?:[0-9]+|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\s?(?:표|분|명)(?:이?네요|입니다|이요|이에요)?$"
)
_WON_KO: Final = re.compile(r"^(?:그럼|그러면|자)[\s,]+[^?]{1,16}?(?:이네요|네요|이에요|예요|입니다|이요)$")


def counted(said: Sequence[Said], place: int) -> Statement | None:
    """The decision that the sentence at `place` tells as the result of a vote just called; None where it is none."""
    sentence = said[place]
    bare = sentence.text.strip(" .!…")
    if "?" in sentence.text or not any(
        _CALLED.search(each.text) for each in said[max(0, place - _BACK) : place]
    ):
        return None
    if not has_hangul(bare):
        return _of(sentence) if _COUNTED_EN.match(plain_form(bare)) else None
    behind = said[place + 1] if place + 1 < len(said) else None
    same = behind is not None and behind.utterance.id == sentence.utterance.id
    if same and _WON_KO.match(bare) and behind is not None and _COUNTED_KO.match(behind.text.strip(" .!…")):
        return _of(sentence, behind)
    return None


def _of(*parts: Said) -> Statement:
    return Statement(
        text=" ".join(each.text for each in parts),
        evidence=tuple(dict.fromkeys(each.utterance.id for each in parts)),
        status="decided",
    )
