# ruff: noqa: E501  # patterns read better unbroken
"""A figure that was proposed and is taken: "I'd say sixteen." … "Okay, sixteen, starting in December.", 백 장만 찍어요. – 좋아요, 백 장.

Who repeats a figure with a yes either takes it or has heard it. It is taken where somebody else proposed it,
or the one who takes it asked for it, a few turns before; what was only reported ("Sixteen came.") is heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.sentences import Said
from context.language.korean import has_hangul
from context.language.numbers import heard

_BACK: Final = 8
"""Sentences in which the figure was proposed."""
_LONGEST: Final = 14
_LONGEST_KO: Final = 6
_TOLD_KO: Final = re.compile(r"(?:었|았|했|됐|였|렸|졌)[가-힣]|니까$")
"""그러면 2008년이면 꽤 됐습니다: counted, not taken."""
_TAKES_EN: Final = re.compile(
    r"^(?:ok(?:ay)?|right|fine|good|great|deal|sold|all right|alright|done|agreed|then)[,.\s]+(?:then[,\s]+)?(?:it's |make it |let's say |so )?(?:the |a )?(?P<n>(?:\d[\d,.]*|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|a hundred)\b)[^,.?]*)(?:[,.]|$)",
    re.IGNORECASE,
)
_TAKES_KO: Final = re.compile(
    r"^(?:(?:네|예|음|자)[,\s]+)?(?:좋아요|좋습니다|오케이|그래요|그럽시다|그럼|그러면|알겠습니다)[,.\s]+(?:그럼\s)?(?P<n>[^,.?]{0,8}?(?:\d|[일이삼사오육칠팔구십백천만]{2,}|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열\S?|스무|서른|마흔|쉰|예순|백|천|만)\s)[^,.?]{0,12}?)(?:이?요|으로요?|로요?|으로 하죠|입니다|이네요)?[.!]*$"
)
_PROPOSED_EN: Final = re.compile(
    r"\?$|\b(?:i'd (?:say|go for|take|suggest)|how about|what about|let's|make it|we(?:'d)? (?:need|should|could|want)|should be|would be enough|is enough|at least|no more than)\b",
    re.IGNORECASE,
)
_PROPOSED_KO: Final = re.compile(
    r"\?$|까지만(?:요|이요)?[.!]?$|(?:만|씩|이면|으로|로)\s\S+(?:요|죠|시다)[.!]?$|어때|면 (?:돼|되|충분|좋)|하죠|합시다|까요|싶어"
)
_COUNTED: Final = re.compile(
    r"\b(?:you (?:want|wanted|said|asked)|how (?:many|much)|who|when|what|was|were|did)\b|몇|얼마|언제|누구|[었았였](?:나요|죠|지요|어요)"
)
"""Asked for what is so, not whether it is to be."""
_BLANKS: Final = re.compile(r"\s+")
_DIGITS_KO: Final = "0123456789일이삼사오육칠팔구십백천만"
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")


def figure_taken(said: Sequence[Said], place: int) -> int | None:
    """Where the figure was proposed that the sentence at `place` says yes to; None where it says that to none."""
    here = said[place]
    text = _with_its_yes(here).strip(" .!~…\"'”")
    korean = has_hangul(text)
    if "?" in here.text or len(text.split()) > (_LONGEST_KO if korean else _LONGEST) or _TOLD_KO.search(text):
        return None
    found = (_TAKES_KO if korean else _TAKES_EN).match(text)
    if found is None:
        return None
    proposal = _PROPOSED_KO if korean else _PROPOSED_EN
    for at in range(place - 1, max(-1, place - 1 - _BACK), -1):
        before = said[at]
        if before.utterance.id == here.utterance.id or not _names(before.text, found.group("n"), korean):
            continue
        if proposal.search(before.text.strip()) and _COUNTED.search(before.text.lower()) is None:
            return at
    return None


def _names(text: str, figure: str, korean: bool) -> bool:
    """Whether `text` has the same figure; in Korean with what it counts, as 이 and 만 are seldom numbers."""
    if not korean:
        return bool((heard(figure) & heard(text)) - {1})  # "a" and "an" are heard as one
    packed, counted = _BLANKS.sub("", text), _BLANKS.sub("", figure)
    at = packed.find(counted)
    return at == 0 or (at > 0 and packed[at - 1] not in _DIGITS_KO)


def _with_its_yes(sentence: Said) -> str:
    """The sentence with the opening that `clean` took off ("Okay, …")."""
    whole = sentence.utterance.text
    start = whole.find(sentence.text[:20])
    opening = _SENTENCE_END.split(whole[: max(0, start)])[-1] if start > 0 else ""
    return f"{opening}{sentence.text}"
