# ruff: noqa: E501  # patterns read better unbroken
"""Does a question doubt or check something? "우리 다르게 결정하지 않았나요?", "didn't we decide on the 15th?"

Two kinds: it asks whether something was decided (otherwise), or whether something said is so.
"""

from __future__ import annotations

import re
from typing import Final, Literal

from context.answering.told import told
from context.extractive.subjects import Facts
from context.models import Frozen
from context.retrieval.questions import take_apart

ClaimKind = Literal["decided", "said"]

_OTHERWISE: Final = re.compile(
    r"다르게|달리|다른\s?(?:걸로|것으로|날|날짜|결정)|바뀌|바꾸|바뀐|바꿨|변경|번복"
    r"|\b(?:otherwise|differently|something else|(?:an)?other (?:\w+ )?(?:date|day|decision|time|one)|change[ds]?|changed our mind|revers(?:e|ed))\b",
    re.IGNORECASE,
)
_DECIDED_KO: Final = re.compile(
    r"(?:결정|확정|합의|하기로|정)(?:을|를)?\s?(?:하|했|한|됐|되|된)?\S{0,4}\s?(?:지\s?않|거\s?아니|것\s?아니|게\s?아니|줄\s?알|던\s?거\s?아|잖|맞)"
    r"|(?:하기로|정하기로|로)\s?(?:한|했던|하기로\s?한|결정한|정한)\s?(?:거|것|게)\s?(?:아니|맞)"
    r"|기로\s?(?:하지\s?않|했지|했죠|했잖|한\s?(?:거|것)\s?(?:아니|맞))"
    r"|(?:결정|합의|확정)(?:이|을|은)?\s?(?:바뀌|바뀐|바꾸|바꿨|변경|번복|달라)"
    r"|(?:다르게|달리)\s?(?:결정|정|합의|이야기|얘기|말)\S{0,6}"
)
_DECIDED_EN: Final = re.compile(
    r"\b(?:didn['’]?t|did)\s+we\s+(?:not\s+)?(?:already\s+|originally\s+|actually\s+)?(?:decide|agree|settle|conclude|choose|go\s+with|say\b(?!\s+(?:anything|something|about|why|who|what|how))|change\s+(?:our|the|that|this))"
    r"|\b(?:hadn['’]?t|haven['’]?t|had|have)\s+we\s+(?:not\s+)?(?:already\s+)?(?:decided|agreed|settled|changed)"
    r"|\bweren['’]?t\s+we\s+(?:going|supposed)\s+to\b"
    r"|\b(?:has|have|was|were)\s+(?:the|that|this|our)\s+(?:decision|decisions|plan)\s+(?:been\s+)?(?:changed|reversed)"
    r"|\bwe\s+(?:had\s+)?(?:decided|agreed)\b.*(?:\bright\b|\bdidn['’]?t we\b|\bhadn['’]?t we\b|\bno\b)\s*\?",
    re.IGNORECASE,
)
_NUMBER_KO: Final = r"(?:\d[\d,.]*\s?(?:만|천|억|퍼센트|%)?|(?:열|스무|스물|서른|마흔|쉰|예순|일흔|여든|아흔)?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉)|열|스무|서른|마흔|쉰|예순|일흔|여든|아흔|[일이삼사오육칠팔구십백천만억]+|절반|반)"
_COUNTER_KO: Final = (
    r"(?:대|명|분|개|건|달|주|번|장|시간|시|원|월|일|퍼센트|프로|층|권|병|살|년|차|잔|군데|곳)"
)
_COUNTED: Final = re.compile(
    rf"(?<![가-힣\d]){_NUMBER_KO}\s?{_COUNTER_KO}(?:이|은|는|으로|로|에|까지|부터|씩)?(?![가-힣])"
    r"|\b(?:(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|\w+teenth|twentieth|thirtieth)(?: of)?|of (?=january|february|march|april|may|june)|hours?|minutes?|seconds?|days?|weeks?|months?|years?|percent|dollars?|euros?|pounds?|january|february|march|april|may|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)
"""다섯 대, 19 hours: a figure, and what it is counted by."""
_SAID_KO: Final = re.compile(
    rf"{_NUMBER_KO}\s?{_COUNTER_KO}(?:이|인\s?거|인\s?줄)?\s?아니(?:야|예요|에요|었어|었어요|었나|었나요?|었죠|었지|죠|지|던가요?|었던가|ㄴ가요?|ㅁ\?)\s*\?+$|"
    r"(?:이|가|게|거|것)\s?맞(?:나요|아요?|죠|지요?|습니까|는지)|맞(?:나요|습니까)\s*\?*$|맞(?:아요?|죠|지)\s*\?+$|사실\s?(?:인가|이야|이에요|입니까|이죠|확인|인지)"
    r"|(?:거|것|게|로|부터|까지|에|[가-힣]일|요일|날)\s?아니(?:야|예요|에요|었어|었어요|었나요?|었죠|었지|죠|지|던가요?)\s*\?+$"
    r"|(?:라고|다고|자고)\s?(?:했|말했|하|하셨|말씀하셨)\S{0,4}\s*\?*$|팩트\s?체크"
)
_SAID_EN: Final = re.compile(
    r"\bfact[- ]?check\b|\bis\s+(?:it|that|this)\s+(?:true|right|correct|so)\b|\b(?:true|right|correct)\s+that\b"
    r"|^(?:(?:but|so|and|hey|sorry|wait)[\s,]+)*(?:wasn|weren|isn|aren)['’]?t\s+(?!there\b|i\b|you\b|he\b|she\b)\w+.*\?+$"
    r"|\bdid\s+\w+(?:\s\w+)?\s+(?:really\s+|actually\s+)?say\b(?!\s+about)|,\s*(?:right|correct|is that right|is that correct)\s*\?+$",
    re.IGNORECASE,
)
_ASKS_OPENLY: Final = re.compile(
    r"언제|누가|누구|얼마|어디|무엇|뭐|뭘|왜|어떻게|몇\s?(?!몇)[가-힣]|\b(?:what|when|who|whom|whose|where|why|how|which)\b",
    re.IGNORECASE,
)
_FRAME_KO: Final = re.compile(
    r"(?:우리|저희|원래|아까|전에|지난번에|처음에|사실|확인|혹시|근데|그런데|다르게|달리|결정\S*|확정\S*|합의\S*|하기로|기로|정하\S*|정했\S*|않\S*|아니\S*|아닌\S*|맞\S*|했\S*|하지|한|거|것|게|바뀌\S*|바뀐|변경\S*|잖\S*|팩트\s?체크|말했\S*|라고|다고|이거|그거|사실\S*)"
)
_ASIDE_WORDS: Final = """
we did do not otherwise differently something else change changed true right correct fact check really actually
originally already going go supposed plan date day anything weren't wasn't isn't aren't didn't hadn't haven't said say
"""
_ASIDE: Final = frozenset(_ASIDE_WORDS.split())
_FIGURES: Final = re.compile(
    r"\d[\d,.]*\s?(?:st|nd|rd|th)?(?:월|일|시|명|원|개|건|퍼센트|%)?[가-힣]{0,2}(?![가-힣])"
)
"""A figure with its unit and its particle: 15일로, the 15th."""


_INNER_NOT: Final = re.compile(
    r"않기로|않는\s?(?:걸|것|다)|않는다|안\s?[가-힣]{1,6}기로|말기로|못\s?[가-힣]{1,4}(?:기로|다고)|없다고|아니라고"
    r"|\bnot\s+to\b|\bagainst\b|\b(?:that|we)\s+(?:\w+\s+){1,3}(?:not|never)\b|\bsay\b.*(?:\bnot\b|n['’]t\b)",
    re.IGNORECASE,
)
"""The claim itself denies; 하지 않았나요 and "didn't we" only ask."""


class Claim(Frozen):
    """What a question wants checked."""

    kind: ClaimKind
    text: str
    """The question itself."""
    subject: tuple[str, ...] = ()
    """Words that name what it is about, days and figures apart; may be empty."""
    otherwise: bool = False
    """It suspects a change, and says no more."""
    denies: bool = False
    """It claims that something is not so."""

    @property
    def facts(self) -> Facts:
        """The days and figures that it names. Its "not" belongs to the asking, not to the claim."""
        return told(self.text)


def claim_in(question: str) -> Claim | None:
    """The claim to be checked; None where a question asks something openly, or nothing of the kind."""
    text = " ".join(question.split())
    if _DECIDED_KO.search(text) or _DECIDED_EN.search(text):
        kind: ClaimKind = "decided"
    elif (_SAID_KO.search(text) or _SAID_EN.search(text)) and not _ASKS_OPENLY.search(text):
        kind = "said"
    else:
        return None
    if kind == "decided" and _ASKS_OPENLY.search(text) and not _OTHERWISE.search(text):
        return None
    return Claim(
        kind=kind,
        text=text,
        subject=_subject(text),
        otherwise=_OTHERWISE.search(text) is not None,
        denies=_INNER_NOT.search(text) is not None,
    )


def _subject(text: str) -> tuple[str, ...]:
    named = told(text)
    words = []
    bare = _COUNTED.sub(" ", text) if named else text
    for word in take_apart(_FIGURES.sub(" ", bare)).topic:
        if word in _ASIDE or _FRAME_KO.fullmatch(word) or any(char.isdigit() for char in word):
            continue
        lone = told(f"{word} ")
        if named and lone and not lone.negated:
            continue  # 십오일, fifteenth: a day or a figure
        words.append(word)
    return tuple(words)
