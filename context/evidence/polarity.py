"""Yes and no, asked and said: whether a claim says of a thing what its evidence says of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from context.evidence.words import FRAME, stems
from context.language.korean import jamo
from context.language.questions import BREAK, is_question

_PART: Final = re.compile(r"(?<=[.!?。？！,])\s+|\n+")
_NEGATED: Final = re.compile(
    r"않|안\s|못\s?[하해한할합했]|못\s|없|아니|말기로|말자|마세요|말아|불가"
    r"|\b(?:not|no|never|none|nobody|nothing|without|cannot|neither|nor)\b|n't\b"
)
_NOT_A_NEGATION: Final = re.compile(
    # 않을까요 suggests; "not only" and "no problem" deny nothing; 보안 is security, not "not".
    r"않을까|않나요|않습니까|지\s?않아요\?|[가-힣]안\s|뿐(?:만)?\s?아니라"
    r"|문제\s?없|상관\s?없|틀림\s?없|not only|no problem|no doubt"
)
_ANSWERS: Final = re.compile(r"^\W*(?:no|not yet|yes|아니요|아뇨|아니오|네|예)[,.;:]\s*")
"""It answers the question, and denies nothing of what follows."""
_CONTRASTS: Final = re.compile(
    r"지\s?(?:않고|말고)|아니라|아니고|아닌|말고|밖에\s(?:\S+\s)?\S*(?:없|안|않|못)\S*"
    r"|[,(]\s?(?:and |but )?not\b|\bno later than\b"
    r"|[없않안못](?:으시|으|다|된다)?면|\bif (?:not|no|nobody|none)\b|\bif (?:\w+ ){1,2}(?:\w+n't|not)\b|여부|\bwhether\b"  # noqa: E501 - a pattern reads better unbroken
)
"""Tuesday, not Thursday: one thing is said, and the other put beside it; 구백밖에 안 남았다: nine hundred are left; a condition
(다른 의견 없으면) denies nothing."""  # noqa: E501 - a pattern reads better unbroken
_DENIED: Final = re.compile(r"([가-힣]{2,}?)하?지\s?(?:않고|말고)")
_DENIAL: Final = re.compile(r"[가-힣]+지\s?(?:않|말|못)\S*")
_RESTRICTS: Final = re.compile(r"\bonly\b|\bunless\b|\botherwise\b|밖에|뿐|[가-힣\d]만(?=\s)|아니면|그대로")
"""Says and denies at once: by post only, 한 명만."""
_DENIES_BY_ITS_WORD: Final = re.compile(
    r"\b(?:fail|refus|declin|reject|cancel|dropp?|lost|lose|unable|impossible|instead|rather|invalid|stop|too )"  # noqa: E501 - a pattern reads better unbroken
    r"|거절|반대|취소|중단|제외|대신|그대로|모자라|부족|어렵|힘들|곤란|그만"
)
_UNDECIDED: Final = re.compile(
    r"(?:정해지|결정되|확정되|정하|결정하|확정하)지\s?(?:는\s?)?(?:않|못)\S*"
    r"|(?:\bnot|n't|\bno)\b[^.;]{0,25}\b(?:decid\w*|decision\w*|settled|final\w*)"
)
_PUTS_OFF: Final = re.compile(
    r"다음|나중|다시|이따|아직|생각해|여쭤|물어|논의|검토|미루|미뤄|보류|고\s정(?:하|해|합)"
    r"|\b(?:later|next|again|think|ask|until|wait|leave|check|yet|see|know|look|open|want to)\b|n't\b"
)
_REPORTS: Final = re.compile(
    r"\b(?:ask|wonder|suggest|propos|question|request|rais|idea|whether|discuss|consider|want|sound|point|invit|offer|urg|press|argu|critici)"
    r"|물었|물어|묻|질문|질의|제안|요청|의견|문의|논의|여쭤|여쭈|요구|언급|제기|지적|촉구|주장|비판|확인|우려|추궁|따졌"
)
"""The claim is that something was asked, and by whom."""
_DECIDED: Final = re.compile(
    r"결정|확정|합의|승인|기로\s?(?:했|하였|함)|\b(?:decided|agreed|approved|confirmed|settled)\b"
)
_PROPOSES: Final = re.compile(
    r"의견(?:이|도)\s?(?:있|나)|다고\s(?:봅니다|봐요|생각)|것\s같(?:습|아)|생각(?:입니다|이에요|해요)|싶(?:습|어)|[해어아]\s?볼게요|제안"
    r"|\b(?:i think|i'd (?:say|rather|like)|maybe|perhaps|might|suggest|propose|i was thinking|what if)\b"
)
"""Of a decision that is no evidence, unless somebody went along."""


def is_negated(text: str) -> bool:
    """Whether a sentence denies something."""
    return _NEGATED.search(_NOT_A_NEGATION.sub(" ", f"{text.lower()} ")) is not None


def polarity_stands(text: str, cited: Sequence[str]) -> bool:
    """One sentence of the evidence that is about the same must say yes or no as the claim does."""
    claim = stems(text) - FRAME
    lowered = _ANSWERS.sub("", text.lower())
    said = "\n".join(cited).lower()
    if _UNDECIDED.search(lowered) and _PUTS_OFF.search(said):
        lowered = _UNDECIDED.sub(" ", lowered)
    if any(_affirmed(root, said) for root in _DENIED.findall(text)):
        return False
    about_it = [
        (len(claim & stems(sentence)), sentence.lower())
        for source in cited
        for sentence in BREAK.split(source)
        if sentence
    ]
    nearest = max((shared for shared, _ in about_it), default=0)
    # One clause of several may deny: "moved, and no customer noticed" rests on two sentences.
    least = 1 if _denies(lowered) or _RESTRICTS.search(lowered) else nearest / 2
    if nearest == 0:
        return _agree(lowered, said)  # 받지 않기로 했습니다: all that it says is yes or no
    return any(shared >= least and _agree(lowered, one) for shared, one in about_it)


def is_vouched(text: str, cited: Sequence[str]) -> bool:
    """Whether somebody said it: who only asks "What if we merge them?" bears out nothing but that it was asked."""  # noqa: E501 - a pattern reads better unbroken
    if _REPORTS.search(text.lower()):
        return True
    claim = stems(text) - FRAME
    decided = _DECIDED.search(text.lower()) is not None
    return not all(_only_asks_it(source, claim, decided) for source in cited)


def only_asks(said: str) -> bool:
    """Whether each part of an utterance is a question: "I need it on Monday, could you take Tuesday?" says something."""  # noqa: E501 - a pattern reads better unbroken
    return all(is_question(part) for part in _PART.split(said) if part.strip())


def reports(text: str) -> bool:
    """Whether a claim is that something was asked or proposed."""
    return _REPORTS.search(text.lower()) is not None


def _affirmed(root: str, said: str) -> bool:
    """Whether what a claim puts aside (빌리지 않고) is what was said (빌립시다)."""
    return jamo(root) in jamo(_DENIAL.sub(" ", said))


def _only_asks_it(source: str, claim: frozenset[str], decided: bool) -> bool:
    shares = [(len(claim & stems(sentence)), sentence) for sentence in BREAK.split(source) if sentence]
    most = max((shared for shared, _ in shares), default=0)
    return most > 0 and all(
        is_question(sentence) or (decided and _PROPOSES.search(sentence.lower()))
        for shared, sentence in shares
        if shared == most
    )


def _agree(claim: str, said: str) -> bool:
    """Whether both deny or both do not; what denies by a word of its own, or says both, agrees with either."""  # noqa: E501 - a pattern reads better unbroken
    if bool(_DENIES_BY_ITS_WORD.search(claim)) != bool(_DENIES_BY_ITS_WORD.search(said)):
        return True
    return _denies(claim) is _denies(said) or any(_CONTRASTS.search(one) for one in (claim, said))


@lru_cache(maxsize=2048)
def _denies(lowered: str) -> bool:
    return is_negated(_CONTRASTS.sub(" ", lowered))
