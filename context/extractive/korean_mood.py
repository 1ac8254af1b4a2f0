# ruff: noqa: E501  # patterns read better unbroken
"""The mood of a Korean sentence, told by its last syllables: what somebody means to do, or wants all to do.

Not by lists of verbs where the ending says it: ㄹ게(요) after any stem is a promise, ㅂ시다, 시죠 and 자 urge.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.korean import final

_SYLLABLES: Final = range(0xAC00, 0xD7A4)
WILL: Final = "".join(chr(code) for code in _SYLLABLES if (code - 0xAC00) % 28 == 8)
"""Every syllable that ends in ㄹ: 할, 바꿀, 넣을."""
LET_US: Final = "".join(chr(code) for code in _SYLLABLES if (code - 0xAC00) % 28 == 17)
"""Every syllable that ends in ㅂ: 합, 나눕, 바꿉."""
_TRAILING: Final = re.compile(r"[\s,]+(?:그럼|그러면|일단|그냥|우리|뭐|이제|다|다들)$")
_PLAIN: Final = re.compile(
    r"(?:(?:으로|로|에|에서|까지|부터|만|도|은|는|을|를|씩|쯤|게)\s[가-힣]{1,3}자|[가-힣]하자|지\s?말자|[려해어아여워]\s?주자"
    r"|(?:^|\s)(?:빼|넣|쓰|두|사|바꾸|줄이|늘리|미루|당기|옮기|빌리|없애|맞추|올리|내리|만들|시키|고르|뽑|부르|보내|열|팔|끊|닫|돌리|나누|합치|맡기|남기|버리|지우|붙이|걸|세우|모으|치우|접|키우|모시|주문하|예약하|취소하|정리하|초대하|준비하)자)$"
)
_URGED: Final = re.compile(
    r"(?:하|(?:으로|로)\s?가|두|쓰|빼|넣|당기|미루|늦추|바꾸|옮기|넘기|줄이|늘리|올리|내리|낮추|높이|보내|맞추|돌리|잡|빌리|없애|맡기|나누|합치|합치하|취소하|접)(?:시)?(?:죠|지요)$"
)
"""죠 asks for agreement with anything: with these stems, to do something."""
_NO_VERB: Final = re.compile(
    r"(?:사용|담당|개발|참가|참석|관리|책임|운영|소비|당사|후보|지원|신청|가입|구매|발표|진행|보호|기획|제작|노동|연구)자$"
    r"|(?:^|\s)(?:기|의|과|혼|각|여|남|환|학|작|글|숫|문|한|격|이|모|상|타|철|박)자$"
)
_ORDER: Final = re.compile(
    r"넘어|시작|표결|상정|정회|속개|질의|말씀|발언|논의|이야기|얘기|들어\s?(?:보|봅)|생각해|쉬|알아\s?[보봅]|살펴|검토|확인|정리(?!하자$)|다시\s?(?:논의|이야기|얘기|보|봐|봅|생각|검토|확인|정하|정해|말씀|모이|모여|만나|한번|여쭤|물어)|다음에\s?(?:논의|이야기|얘기|보|봐|봅|다시|하|정하|만나)|나중에|한번\s?[보봅](?!내)|천천히|물어|여쭤|공유|마무리|끝내|마치|그만|(?<!지)정하|정합|정해|결정하|기다리|지켜\s?[보봅]|투표|보자|봅시다|보시죠|보죠|빨리|서둘|짧게|간단히|조용|집중|인사|박수|밥|점심|커피|먹|마시|가자$(?<!로 가자)|만나|감사|건배|솔직|이쯤|이만\s|끝냅|먼저\s(?:좀\s)?[하합할보봅]|진행합시다|진행하(?:시)?[죠지]|띄워|질문|여기까지|말하자|따지자|굳이|제안하|어떻게|뭐라|왜|하자면|(?:^|\s)(?:일단\s)?하자$(?<!로 하자)"
)
"""The order of the meeting, and what is over when it has been said."""


_NEEDS: Final = re.compile(r"[어아여해돼와워]야\s|야만\s")
"""비교표가 있어야 판단하죠: what it takes, no wish."""


_IS_SO: Final = re.compile(
    r"(?:비슷|심각|중요|필요|가능|당연|충분|분명|확실|간단|복잡|불편|다양|유명|안전|위험|훌륭|똑같|부족|곤란|애매|답답|정확|적당|적절|억울|이상|급)하(?:죠|지요)$"
    r"|(?:^|\s)(?:보통|원래|대개|주로|늘|항상|대부분)\s.*(?:죠|지요)$"
)
"""심각하죠, 보통 그렇게 하죠: how it is."""


def urges(bare: str) -> bool:
    """Whether a sentence wants all to do something: 13일로 하자, 다음에 넣읍시다, 27일로 당기죠."""
    bare = _TRAILING.sub("", bare)
    if _ORDER.search(bare) or len(bare) < 4:
        return False
    if bare.endswith("시다") and final(bare[-3]) == "ㅂ":
        return True
    if bare.endswith(("죠", "지요")) and (_NEEDS.search(bare) or _IS_SO.search(bare)):
        return False
    if bare.endswith(("죠", "지요")):
        return _URGED.search(bare) is not None
    return _PLAIN.search(bare) is not None and _NO_VERB.search(bare) is None
