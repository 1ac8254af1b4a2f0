# ruff: noqa: E501  # patterns read better unbroken
"""Korean sentences that settle something by themselves.

The end of a sentence decides what it is; what stands before is what it is about. Committees vote in set
phrases (가결되었음을 선포합니다).
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from context.extractive.korean_mood import LET_US
from context.extractive.korean_names import SELF
from context.extractive.korean_requests import SPOKEN
from context.language.korean import jamo

MOST_WORDS: Final = 25
"""Longer sentences tell of something rather than settle it."""
_DECIDES: Final = re.compile(
    r"(?:으로|로)\s?(?:확정|결정|낙점|최종\s?확정|통일|고정)(?:이요|이에요|입니다|됐어요|됐습니다|할게요|하죠)?$|(?:(?:로|대로|기로|게)\s(?:최종\s)?결정|확정|채택|승인)\s?(?:을\s?)?(?:하겠|합니다|했습|했어|했죠|하죠|하시죠|합시다|됐|되었|됩니다|할게|하도록\s?하겠|났|지었|짓겠)"
    r"|기로\s?(?:했|하였|하겠|하죠|합니다|하시죠|해요|합시다|결정|합의|정했|정하)"
    r"|(?:[0-9]|(?<![가-힣])(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|[일이삼사오육칠팔구십백천만억]{1,6}))\s?(?:일|월|시|시\s반|주|주일|원|명|개|회|번|층|호|단위|도|퍼센트|프로|%)(?:으로|로)\s?(?:하겠습니다|할게요|하자|할게|잡겠습니다|잡을게요?|잡죠|잡읍시다)|[월화수목금토일]요일(?:으로|로)\s?(?:하겠습니다|할게요|하자|할게|잡겠습니다|잡을게요?|잡죠|잡읍시다)"
    r"|합의(?:했|됐|하겠|합니다|되었|(?:를)?\s?봤)"
    r"|(?<!넘어)(?<!바)(?<!서)(?<!따)(?:으로|로)\s?(?:가시죠|갑시다|가겠습|정하겠|정했|정합|하시죠|합시다)"
    r"|결론은\s.+(?:입니다|니다)$"
    r"|(?:선출|선임|위촉|추대|호선|인준)(?:되었|됐|하였|했)음을\s?선포(?:합니다|하겠습니다)|(?:으로|로)\s?(?:선출|선임|위촉|추대|호선|인준)(?:되셨|되었|됐)습니다$"
    r"|(?:위원회|소위|심사위|본회의|위원장|부서|팀)(?:으로|로|에)\s?회부(?:합니다|(?:하도록\s?)?하겠습니다|하였습니다|했습니다)"
    r"|(?:걸로|것으로|거로)\s?(?:그렇게\s?)?(?:하죠|하시죠|합시다|가죠|가시죠|갑시다|하겠습니다|할게요|정리하겠습니다|정리하죠|정리하시죠|정리합시다|정리할게요|정하죠|정하시죠|정합시다)|(?<!넘어)(?<!바)(?<!따)(?<!서)(?<!새)(?<!적으)(?<!별도)(?<!스스)(?<!실제)(?:으로|로)\s?(?:하죠|가죠|할게요|갈게요)"
    r"|(?:으로|로)\s?(?:변경|수정|조정|연기|상향|하향|증액|감액|단축|연장|교체|대체)\s?(?:하겠습니다|합니다|하죠|하시죠|합시다|했습니다|됐습니다|되었습니다)"
    r"|(?:으로|로)\s?(?:바꾸|미루|옮기|늘리|줄이|올리|낮추|당기)(?:겠습니다|죠|시죠|기로)"
    r"|(?:으로|로)\s?(?:바꿉|미룹|옮깁|늘립|줄입|올립|낮춥|당깁)(?:시다|니다)"
    r"|(?:으로|로)\s?(?:바꿀|미룰|옮길|늘릴|줄일|올릴|낮출|당길)게요?"
)
_AS_SET: Final = re.compile(
    r"[가-힣](?:는|은|한|할)\s?(?:것으로|걸로|거로)\s?(?:그렇게\s?)?(?:하겠습니다|합니다|하시죠|하죠|합시다|정리하겠습니다|정리하죠|가시죠|가죠|결정하겠습니다)$"
)
"""공개하지 않는 것으로 하겠습니다: settled, whatever is denied in it."""
_NOT_TO: Final = re.compile(
    r"[가-힣]지(?:는|도)?\s?(?:않|말)기로\s?(?:했(?:습니다|어요|죠|지요)|하였습니다|하겠습니다|하죠|하시죠|합시다|해요|결정(?:했|하)[가-힣]{2,4}|합의(?:했|하)[가-힣]{2,4}|정했(?:습니다|어요|죠)|정하겠습니다)$"
)
"""올해는 채용을 하지 않기로 했습니다: what is denied is what was settled."""
_SETTLING: Final = "채용|고용|갱신|연장|구매|구입|도입|추가|인상|인하|변경|교체|이전|개최|시행|실시|추진|출시|배포|인쇄|발행|판매|지원|지급|환불|할인|운영|모집|계약|임대|취소|중단|폐지|증설|증원|확대|축소"
_NOT_DONE: Final = re.compile(
    rf"(?:(?:{_SETTLING})(?:을|를|은|는|도)?\s?하|뽑|(?<!의견을 )올리|낮추|늘리|줄이|바꾸|옮기|열|팔|사|빌리|없애)지(?:는|도)?\s?않겠습니다$"
    rf"|(?:{_SETTLING})(?:을|를|은|는|도)?\s?안\s?하겠습니다$"
)
"""계약은 갱신하지 않겠습니다: settled by the verb; what is only not said or not felt is none."""
_DROPS: Final = re.compile(rf"(?:{_SETTLING})(?:을|를|은|는|도)?\s?하지(?:는|도)?\s?않(?:습니다|아요)$")
_CHOSEN: Final = re.compile(
    r"[가-힣](?:은|는)\s(?:[^.]{0,24}\s)?\S*[가-힣0-9](?:으로|(?<!바)(?<!새)(?<!따)(?<!도)(?<!서)(?<!대)(?<!스)로)\s?하겠습니다$"
)
"""출시일은 11월 20일로 하겠습니다; not 질의는 바로 하겠습니다."""
_VOTED: Final = re.compile(
    r"(?:가결|의결|통과|부결)(?:되었|됐)음을\s?선포(?:합니다|하겠습니다)|(?:가결|의결|통과|부결)(?:되었|됐)습니다"
)
_ELECTED: Final = re.compile(r"(?:선출|선임|위촉|추대|호선|인준)(?:되셨|되었|됐)습니다$")
_THAT_YEAR: Final = re.compile(r"[0-9]{4}년|작년|재작년|지난|당시|예전")
_MATTER: Final = re.compile(
    r"의\s?건(?=[을은의이에\s]|$)|(?<=[가-힣]{2})안(?:이|을)\s(?:올라|상정|제출|나왔)|법률안|결의안|동의안|계획서|안건"
)
_TOLD: Final = re.compile(
    r"(?:아까|지난번|저번|전에|이전|어제|그제|그저께|작년|지난\s?[주달해]|지난\s?(?:회의|시간)|당시|그때|예전).*(?:기로|합의|결정|확정|채택|승인|의결)[가-힣\s]{0,4}?(?:했|하였|봤|됐|되었|났)|(?:했|됐|한|된)(?:대요?|답니다|다던데요?|다더라고?요?|다네요|다고\s[가-힣]+)$|(?:다는데요?|다면서요?)$"
)
"""아까 하기로 했다: told of, not settled here."""
_ECHO: Final = re.compile(
    r"^(?:(?:좋습니다|네|예|그럼|그러면|자|모두\s?동의하시니|이의\s?없으니|응|그래|좋아|오케이)[\s,.]*)*"
    r"(?:그렇게|그대로|그걸로|그것으로|그\s?안으로|이대로)\s?"
    r"(?:가요|가자|해요|하자|가시죠|갑시다|가겠습니다|하시죠|합시다|하죠|가죠|진행하시죠|결정하겠습니다|결정하시?죠|결정합시다|결정합니다|확정하겠습니다|확정하시?죠|확정합니다|정하겠습니다|정하시?죠|정합시다)$"
    rf"|^(?:(?:좋습니다|좋네요|좋아요|네|예|그럼|그러면|자)[\s,.]*)*(?:그렇게|그대로|이대로)\s(?!생각|믿)[가-힣]{{0,3}}[{LET_US}](?<![봅압십])시다$"
    r"|^(?:(?:좋습니다|네|예|그럼|자)[\s,.]*)*(?:그건|그거는|그것은|이건)\s(?:바로|당장|오늘|지금|먼저|얼른)\s?(?:하시죠|하죠|합시다|진행하시죠|진행하죠|진행합시다|처리하시죠|처리하죠|처리합시다|고치시죠|고치죠|고칩시다|사시죠|사죠|삽시다)$"
    r"|^(?:그럼|그러면|네|예|자)?\s?(?:결정|확정|합의)(?:됐습니다|되었습니다|합니다|하겠습니다|했습니다)$"
)
_UNDECIDED: Final = re.compile(
    r"(?:보고|듣고|받고|끝나고|알아보고|물어보고|확인하고)\s?(?:나서\s?)?(?:다시\s?)?(?:결정|정)[하합]|오늘은\s(?:이쯤|여기까지|이만|그만)|잖아|해야겠|제안|가능|(?:결정|확정|합의|승인|채택)(?:해야|하지|을?\s?못|하면|하려|할지|이?\s?필요|할\s|된\s?(?:것|게)\s?아니|되지|되면|전까지|하기\s?전|은\s?아직)"
    r"|않|못\s?[했하]|아직|미정|보류|다시\s?논의|것\s?같|좋겠|싶|어떨|어떻|예정|생각(?:합니다|해요|이에요|입니다|은\s)|아닙니다|만약|경우|건의|의견|검토|안건(?!조정)|주제|이야기|순서|에서\s(?:이미\s)?(?:통과|확정|결정|채택|승인|의결|합의)(?:이|가|을|를)?\s?(?:했|됐|되었|하였)|다\s종합|결제"
)
_DONE_TAILS: Final = tuple(
    jamo(tail)
    for tail in (
        "결정하겠습니다",
        "확정하겠습니다",
        "결정했습니다",
        "결정됐습니다",
        "하기로했습니다",
        "확정했습니다",
    )
)


def drops_a_plan(bare: str) -> bool:
    """계약은 갱신하지 않습니다: settled, once somebody says yes."""
    return _DROPS.search(bare) is not None and not SELF.search(bare)


def is_echo(bare: str) -> bool:
    """Decides what was said just before."""
    return _ECHO.search(bare) is not None


def is_vote(bare: str) -> bool:
    """The result of a vote, which does not say on what: 찬성 13명, 반대 6명으로 가결되었음을 선포합니다."""
    return _VOTED.search(bare) is not None and _MATTER.search(bare) is None


def names_a_motion(bare: str) -> bool:
    """Whether a sentence names what is voted on: … 채택의 건을 …."""
    return _MATTER.search(bare) is not None and not bare.startswith("(")


_UNOPPOSED: Final = re.compile(
    r"^(?:(?:그럼|그러면|네|자)[\s,]+)*(?:(?:다른|더|별)\s?(?:의견|말씀|이의|이견)|이의|이견|반대)(?:이|가)?\s?(?:[가-힣]{1,3}\s)?없(?:으시면|으면|으시니|으니)[\s,]+\S.*(?:으로|로|기로|것으로|걸로)\s?(?:하|정하|결정하|확정하|진행하|추진하)(?:겠습니다|죠|시죠)$"
)
"""다른 의견 없으시면 이천칠백만 원 업체로 하겠습니다."""


def decides(bare: str) -> bool:
    """Whether a sentence settles something by itself."""
    if _UNOPPOSED.match(bare) is not None and len(bare.split()) <= MOST_WORDS:
        return True
    if (_VOTED.search(bare) or _ELECTED.search(bare)) and (SELF.search(bare) or _THAT_YEAR.search(bare)):
        return False  # 저는 2023년에 국회에서 의결되었습니다: told of, not done here
    if _VOTED.search(bare) or (_AS_SET.search(bare) and len(bare.split()) <= MOST_WORDS):
        return True
    if _NOT_TO.search(bare) and not _TOLD.search(bare) and len(bare.split()) <= MOST_WORDS:
        return True
    denied = _NOT_DONE.search(bare)
    before = bare[: denied.start()] if denied else bare
    if _UNDECIDED.search(before) or _TOLD.search(bare) or len(bare.split()) < 2:
        return False
    if denied:
        return not (SELF.search(bare) or SPOKEN.search(bare)) and len(bare.split()) <= MOST_WORDS
    if _CHOSEN.search(bare) and not SELF.search(bare) and len(bare.split()) <= MOST_WORDS:
        return True
    return at_the_end(_DECIDES, bare, 9) or _sounds_decided(bare[-9:])


def at_the_end(pattern: re.Pattern[str], bare: str, slack: int) -> bool:
    """Whether the last match ends at most `slack` characters before the end: what is told of is no cue."""
    ends = [found.end() for found in pattern.finditer(bare)]
    return bool(ends) and len(bare) - ends[-1] <= slack and len(bare.split()) <= MOST_WORDS


@lru_cache(maxsize=2048)
def _sounds_decided(tail: str) -> bool:
    """The end of a garbled sentence, e.g. 결정하게씁니다."""
    letters = jamo(tail.replace(" ", ""))
    for meant in _DONE_TAILS:
        start = letters.rfind(meant[:4])
        if start >= 0 and Levenshtein.distance(letters[start:], meant, score_cutoff=2) <= 2:
            return True
    return False
