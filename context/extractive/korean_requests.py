# ruff: noqa: E501  # patterns read better unbroken
"""What one asks of another in Korean, and what one offers: work that is done afterwards.

Offices ask by 주세요 and 주시기 바랍니다.
"""

from __future__ import annotations

import re
from typing import Final

from context.extractive.korean_mood import WILL
from context.extractive.korean_names import NAMED

SPOKEN: Final = re.compile(
    r"^(?:짧게|간단히|빨리|얼른|금방)\s.*게요$|(?:넘어\s?갈|설명|힌트|팩트\s?체크|발언|첨언|당부|언급|수용|감수|인정|존중|사과|강조|지적|못하|읽어\s?(?:보|볼|드리|드릴))"
    r"[가-힣\s]{0,8}?(?:겠[가-힣]{2,3}|게요)$"
)
"""제가 설명드릴게요, 그냥 수용하겠습니다: done as soon as it has been said."""
DUTY: Final = re.compile(r"해야\s?(?:합니다|됩니다)$")
ASKED: Final = re.compile(
    r"(?:해|아|어|여|와|워|려|겨|내|봐|줘|쳐|켜|혀|뤄|라|가|나|눠|둬)\s?(?:주세요|주십시오|주시[기길]를?\s?(?:바랍니다|바라겠습니다|바라고요|부탁드립니다|당부드립니다)|주기\s?바랍니다|주시면\s?(?:됩니다|돼요|감사하겠습니다|고맙겠습니다|좋겠(?:습니다|어요))|주셨으면\s?(?:좋겠(?:습니다|어요)|합니다|해요)|주시겠어요|주셔야\s?(?:돼요|됩니다|합니다|해요))$"
    r"|(?:해|아|어|여|와|워|려|겨|내|봐|써)\s?주(?:시)?고요?$"
    r"|(?:해|아|어|여|와|워|려|겨|내|봐|써|나|돌려|넣어|까지|까지만)\s?줘요?$|까지만?\s?주(?:세요|시면\s?(?:돼요|됩니다))$"
    r"|(?:자료|속기록|회의록|서류|문서|명단|목록|내역|사본|보고서|답변서|계획서|영수증|견적서|초안)(?:은|는|을|를|도)?\s(?:[가-힣]+\s)?(?:가져오|가져와|제출하|보내|내|주)(?:세요|십시오|시고요?|시기\s?바랍니다)$|(?:드리|하시|보시)기\s?바랍니다$|하셔야\s?(?:할|될)\s?것\s?같(?:습니다|아요)$"
    r"|(?:검토|보고|제출|확인|준비|조치|시정|마련|파악|조사|협의|출석|개선|보완|점검|정리|공개|수립|전달|공유)(?:을\s?|를\s?)?(?:하도록\s?)?(?:하십시오|하세요|하시고요|하시기\s?바랍니다|해\s?놓으세요|해\s?두세요)$|(?:신청|예약|주문|등록|연락|문의|요청|발주|접수|섭외|청소|수리|결제)(?:[을를은는도]|부터|먼저)?\s?(?:좀\s|먼저\s)?(?:해\s?)?(?:놓으세요|두세요|하세요|하십시오|놔\s?주세요)$"
    r"|부탁\s?(?:드립니다|드려요|드리겠습니다|합니다|해요)$|(?:하셔야|해야|해\s?주셔야)\s?(?:합니다|됩니다)$"
)
NOT_ASKED: Final = re.compile(
    r"설명을?\s(?:좀\s)?부탁|말씀|질의|질문(?!지)|여쭙|나와\s?주|시작|받아들|(?:질문|전화|말씀|질의)\s?받아|기다려|양해|들어\s?주|이해해|참고|조용|앉아|인사|소개해|질문해|눌러|오해|(?<!한번\s)(?<!같이\s)(?<!한 번\s)(?<!알아)(?<!찾아)(?<!살펴)(?<!알아\s)봐\s?주|마이크|잘\s?부탁|음소거|발언해|답변해|나오셔서|나오시어|참조|보아\s?주|의결하여|심사하여|[0-9]\s?(?:분|초)(?:을|씩|만)?\s?(?:더\s?)?(?:드리|하겠|할게|쓰)|여쭐|화면|잠깐만?[,.]?\s|거수|손을?\s?(?:들|내)|정돈|삼가|협조|자제해|조심해|명심|유념|조절해|의사진행발언|신상발언|발언하시|내색|띄워|(?:장|페이지|슬라이드)(?:을|를|도)?\s(?:좀\s)?(?:넘겨|내보내|보내|보여)|^(?:PPT|피피티)\s(?:좀|한번)\s|(?:^|\s)안\s[가-힣]{1,4}\s주"
)
TASK: Final = re.compile(
    r"공유|작성|준비|조사|측정|확인|검토|정리해|보내|보낼|올려|올리|올릴|만들|수정|추가|업데이트|예약|연락|전달|제출|등록|배포|테스트"
    r"|분석|설정|처리|구현|개발|적용|개선|요청|신청|주문|구매|문의|알아\s?[보봐볼]|찾아\s?[보봐볼]|맡|조율|점검|교체|복구|작업|담당|발송|계약|챙겨|챙기|전화|의논|상의|협의|보고드리|건의|반영|조치|시정|보완|마련|속기록|회의록|서류|문서|명단|목록|내역|사본|보고서|답변서|계획서|영수증|견적서"
)


def tasks_by_question(bare: str) -> bool:
    """Whether a question gives a named person a task: 준호 님, 금요일까지 보내 주실 수 있나요?"""
    return NAMED.search(bare) is not None and asks_for_work(bare)


def asks_for_work(bare: str) -> bool:
    """Whether a question asks somebody to do something afterwards."""
    if NOT_ASKED.search(bare) or _SPOKEN_OF.search(bare):
        return False
    if ASKS_POLITELY.search(bare):
        return TASK.search(bare) is not None or _OF_WHAT.search(bare) is not None
    return _ASKS_PLAINLY.search(bare) is not None


def asks_in_passing(bare: str) -> bool:
    """법무 검토도 같이 돌려 주시고요: work for whoever says yes to it."""
    if _CALLED.search(bare):
        return NOT_ASKED.search(bare) is None and _SPOKEN_OF.search(bare) is None
    return ASKED.search(bare) is not None and not (
        DUTY.search(bare) or NOT_ASKED.search(bare) or _SPOKEN_OF.search(bare)
    )


def offers(bare: str) -> bool:
    """제가 여쭤볼까요?: a task of the speaker's, once somebody says yes."""
    return (
        _OFFERS.search(bare) is not None
        and NOT_ASKED.search(bare) is None
        and _SPOKEN_OF.search(bare) is None
        and SPOKEN.search(bare) is None
    )


_CALLED: Final = re.compile(
    r"^[가-힣]{2,3}[야아],?\s.{2,30}(?:해|와|줘|놔|둬|봐|가져가|사|써|내|챙겨|알아봐|맡아)(?:라|요)?$"
)
"""준호야 스피커 챙겨 와."""
ASKS_POLITELY: Final = re.compile(r"(?:주실|줄)\s?(?:수\s?있|래)|주시겠(?:어요|습니까)|(?:하실|보실)\s?래요")
_ASKS_PLAINLY: Final = re.compile(
    r"(?:^|[\s,])(?:네가|니가|너가|너)\s.*(?:볼래|할래|줄래|맡을래|하면\s?안\s?돼|해\s?줘|하면\s?되겠다)$"
)
_OF_WHAT: Final = re.compile(r"[가-힣](?:은|는|을|를|이|가|도|까지)\s")
_CAN_YOU: Final = re.compile(
    r"^(?:[가-힣]{1,8}(?:님|씨|쌤|께서|께서는|이)*[\s,]+)?(?:가능하(?:시겠습니까|실까요|시겠어요|신가요|세요|시죠)|되시겠(?:어요|습니까)|해\s?주(?:시겠습니까|시겠어요|실\s?수\s?있(?:나요|으세요|을까요|습니까|어요)))$"
)


def asks_if_one_can(bare: str) -> bool:
    """설문을 먼저 하죠. 간사님 가능하시겠습니까?: what was just said is asked of one."""
    return _CAN_YOU.match(bare) is not None


_WHO: Final = re.compile(
    r"(?:할|올|볼|갈|[가-힣]을|[가-힣]를|줄)\s?(?:사람|분)(?:\s?(?:있(?:어요?|으세요|나요|을까요|습니까)|계(?:세요|신가요|십니까|실까요)))?$|(?:^|\s)누가\s(?:[가-힣]+\s){0,2}(?!그래|알|모르)[가-힣]{0,3}(?:[해가와아어여]|있지|있어|있죠|있나|있을까)요?$|(?:^|\s)누가\s.*(?:까요?|래요?|나요|죠|실래요|실까요|주실까요)$"
)


def asks_who(bare: str) -> bool:
    """5층 거 보고 올 사람?: whoever promises something then has taken it on."""
    return _WHO.search(bare) is not None


_SPOKEN_OF: Final = re.compile(
    r"설명|보여|알려\s?주실|들려|읽어|시작|표결|이야기|얘기|정리해\s?볼|넘어|마무리|생각|나눠\s?볼|살펴|쉴까|발표|소개|질문|말씀|여쭤\s?봐도|물어\s?봐도|하나만"
)
_OFFERS: Final = re.compile(
    rf"(?:^|\s)(?:제가|내가|저희가)\s.*(?:[{WILL}]까요?|[{WILL}]래요?)$|(?:여쭤|물어|알아|찾아|연락해|전화해|확인해|문의해|신청해)\s?볼까요?$"
    rf"|(?:^|\s)(?:제가|내가|저도|저희가)\s(?:[가-힣]+\s){{0,2}}[가-힣]*[{WILL}]\s수\s있(?:어요|습니다|을\s것\s같아요)$"
)
