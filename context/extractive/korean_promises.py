"""What somebody takes on in Korean: 제가 하겠습니다, 오늘 전화해 볼게요.

Beside what is asked of one by name, as both give work.
"""

from __future__ import annotations

import re
from typing import Final

from context.extractive.korean_courtesies import is_courtesy
from context.extractive.korean_decisions import MOST_WORDS
from context.extractive.korean_mood import WILL
from context.extractive.korean_names import NAMED, SELF
from context.extractive.korean_requests import ASKED, DUTY, NOT_ASKED, SPOKEN, TASK
from context.extractive.moments import due_in

ACTS: Final = re.compile(rf"(?:겠(?:습니다|어요|읍니다|슴니다|습다)|[{WILL}ㄹ]\s?[게께]요|[{WILL}]게)$")
"""하겠습니다, 바꿀게요, 볼게: who says so means to do it."""
_ACT_STEM: Final = re.compile(
    r"(?:표결|부치|상정|정회|거수|회부|부여|선포|속개|개[회의]|시작|마치|마무리|넘어가|종료|말씀\s?드리|소개|논의|이야기|얘기|결정|확정|채택|승인|의결|의견|듣|묻|여쭤?\s?보|좋|괜찮|모르|알|되|있|없|같|맞|낫|않|못\s?[가-힣]{1,4}|감사하|나가|끝내|줄이|찬성하|동의하|제안하|들어가|가\s?보|보)(?:을|를)?\s?(?:해\s?보|하)?(?:도록\s?(?:그렇게\s?)?하)?겠"
)
_MEETING_ACT: Final = re.compile(
    r"(?:정리|진행|설명|발표|보고|공유|확인)\s?(?:해\s?보|해|하|드리)*\s?겠습니다$"
)
_TAKES_IT: Final = re.compile(
    r"^(?:그럼\s|그건\s|그거\s)?(?:제가|내가)\s(?:그냥\s|다\s)?(?:하|맡|가|챙기|보)(?:죠|지)(?:\s(?:뭐|그럼))?(?:,\s.{1,12})?$"
)
"""제가 하죠 뭐, 3주면."""
_OWN_PART: Final = re.compile(r"제가\s?(?:[가-힣]{2,6}(?:을|를)?\s?)?(?:하고|맡고),|제가\s?(?:하고|맡고)\s")
"""일차 면접은 제가 하고, …: one's own share of a task that is divided."""
_TRIES: Final = re.compile(
    r"(?:연락|전화|문의|확인|요청|신청|부탁|조율|조사|작성|준비|점검|협의|상의|파악|알아|물어|찾아|만들어|말씀|여쭤)(?:해|드려|하)?\s?보겠(?:습니다|어요)$"
    r"|(?:물어\s?보|여쭤\s?보|알아\s?보|확인하|확인해\s?보|문의하|문의해\s?보|상의하|상의해\s?보|논의해\s?보|살펴\s?보|살피|검토하|검토해\s?보|파악하|파악해\s?보|취합하|점검하|점검해\s?보)(?:고|여|서)\s?(?:나서\s?)?(?:(?:다시|다음에|나중에|추후에?|별도로|따로|바로|서면으로|한번)\s?)*(?:말씀|연락|공유|회신|답변|알려|보고|설명|제출)\s?(?:드리|드릴|하|할)\s?(?:도록\s?하)?(?:겠습니다|게요|게)$"
)
"""전화해 보겠습니다: an errand, though one only tries."""
_TELLS_LATER: Final = re.compile(
    r"^(?=.*(?:내일|모레|다음\s?주|이따|요일))(?=.*(?:(?<![주월일시전후때번뒤중침녁낮밤간])에|에게|께|한테)\s).*말씀\s?드(?:릴게요|리겠습니다)$"
)
"""내일 행정실에 말씀드릴게요: somebody else, later; 지금 말씀드리겠습니다 is done with saying it."""
_DONE_BY_SAYING: Final = re.compile(
    r"^(?!.*(?:서면|추후|나중|따로|다시|이따|에게\s|께\s|한테\s|나오면|나오는|끝나고|받아서|다음에|상의|확인하고|검토|보고\s|[가-힣]에\s(?:[가-힣]+\s)?(?:얘기|이야기|말씀)))"
    r".*(?:답변?|부탁|당부|질문|질의|제안|추천|권고?|요구|요청|취소|제시|발언|이야기|얘기|말씀|개요를\s보고)(?:을|를)?\s?(?:(?:해|드려)?\s?(?:보|드리|하)?(?:도록\s?하)?겠습니다|(?:해\s?)?(?:드릴|할|볼)게요)$"
    r"|(?:하나|한\s?가지|몇\s?가지|이어서|추가로|계속|간단히|짧게)(?:만|를|을|도)?\s(?:[가-힣]+\s){0,2}(?:여쭤|물어|여쭙|묻)[가-힣\s]{0,5}(?:겠습니다|게요)$"
    r"|(?:덧붙이|밝히|짚고\s가|(?:보여|읽어|들려)\s?드리|답변을\s(?:[가-힣]+\s)?받아야|(?:시간|기회|순서|발언권|[0-9]분)(?:을|를)?\s(?:좀\s|더\s|제가\s)?(?:드리|쓰))(?:도록\s?하)?겠(?:습니다|어요)$"
    r"|(?:덧붙일|밝힐|(?:보여|읽어|들려)\s?드릴|(?:시간|기회|순서|발언권)(?:을|를)?\s(?:좀\s|더\s)?드릴)게요$"
    r"|여기까지만?\s하(?:겠습니다|죠)$|[가-힣’'\"”]\s?(?:이라고|라고)\s하겠습니다$"
)
"""제가 짧게 답변드리겠습니다, 몇 가지 여쭤보겠습니다, 여기까지만 하겠습니다."""
_NO_MORE_THAN_WILL: Final = re.compile(
    r"(?:최선을\s다|열심히\s(?:[가-힣]+\s)?(?:노력)?|충실히|할\s일을|^(?:저도|그렇게|이렇게)\s?|(?:그렇게|이렇게)\s(?:처리를\s|처리)?|맞게|이해를?\s|수용|존중)하(?:도록\s?하)?겠(?:습니다|어요)$"
    r"|(?:열심히|최선을\s다)\s?할게요$|따르(?:도록\s?하)?겠습니다$|따를게요$|처벌받겠습니다$|(?:으로|로)\s삼겠습니다$"
)
"""최선을 다하겠습니다, 법에 따라 처벌받겠습니다: a will, and nothing that is to be done."""
_ASKS_ELSEWHERE: Final = re.compile(
    r"달라고\s(?:[가-힣]+\s)?[가-힣]{2,}(?:에|에게|께|한테|쪽에)\s(?:다시\s|한번\s)?(?:얘기|이야기|말씀|말|전화|연락|부탁|요청|건의)(?:해|드려|넣어)?\s?(?:볼게요|보겠습니다|둘게요|놓을게요)$"
)
"""가로등을 달아 달라고 구청에 얘기해 볼게요."""
_WILL_NOT: Final = re.compile(
    r"(?:^|\s)안\s[가-힣]{1,5}(?:게요|겠습니다|겠어요)$|지\s?않(?:을게요|겠습니다|겠어요)$"
)
"""주문은 안 할게요."""
_CASUAL: Final = re.compile(rf"[{WILL}]\s?게$")
"""내가 찍어 줄게."""
_FINISHES: Final = re.compile(r"(?:끝내|마치|마무리하|마무리\s?짓)겠")
_THEN: Final = re.compile(
    r"(?:끝나고|끝나는\s?대로|되는\s?대로|(?<=[하가오나서]면서)|오는\s?대로|나오는\s?대로|받는\s?대로|확인되면|끝나면|도착하면|가는\s?길에|오는\s?길에|들어가서|돌아가서|당일에|이따가?|오늘\s?중으로)\s"
)
"""회의 끝나고 바로 볼게요: when it will be done, though no day is named."""
_BY_ABOUT: Final = re.compile(
    r"^(.{4,60}?게요),?\s(?:한\s)?[가-힣0-9\s]{2,12}?(?:쯤|까지|전에|에|중에|안에)$"
)
"""제가 할게요, 금요일쯤? Only the moment is in question."""
_WHEN_BEHIND: Final = re.compile(r",\s[가-힣0-9\s]{2,12}까지(?:요|는요|만요)?$")
"""제가 작성할게요, 수요일까지요."""


_WHY_BEHIND: Final = re.compile(r",\s[^,]{2,30}(?:니까|거든|라서|어서|아서|해서)요?$")
"""내가 살게, 나 운전 안 하니까."""
_ASKS_OUT: Final = re.compile(r"물어\s?[보봐볼]|여쭤")
_MINE: Final = re.compile(
    r"[가-힣](?<!대해서)(?<!관해서)(?:은|는|도|을|를)\s(?:내가|제가)(?:\s?(?:할게|맡을게))?요?$"
)
"""버너랑 코펠은 내가."""


def gives_task(bare: str) -> bool:
    """Whether a sentence takes on or gives work."""
    if _MINE.search(bare) or _TAKES_IT.match(bare):
        return True
    promised = _WHEN_BEHIND.sub("", _WHY_BEHIND.sub("", bare))
    if promised != bare and SELF.search(promised) and ACTS.search(promised):
        bare = promised
    if _OWN_PART.search(bare):
        return True
    if ASKED.search(bare):
        if NOT_ASKED.search(bare):
            return False
        if NAMED.search(bare):
            return True
        by_duty = DUTY.search(bare) is not None
        return not by_duty and (TASK.search(bare) is not None or due_in(bare) is not None)
    if _CASUAL.search(bare) and (SELF.search(bare) or _THEN.search(bare)):
        return SPOKEN.search(bare) is None and NOT_ASKED.search(bare) is None
    own = SELF.search(bare) is not None and (TASK.search(bare) or _ASKS_OUT.search(bare)) is not None
    least = 2 if own or due_in(bare) is not None else 3
    if not ACTS.search(bare) or not least <= len(bare.split()) <= MOST_WORDS or _WILL_NOT.search(bare):
        return False
    if _THEN.search(bare) and bare.endswith(("게요", "께요")):
        return SPOKEN.search(bare) is None and NOT_ASKED.search(bare) is None
    if _NO_MORE_THAN_WILL.search(bare) or (_DONE_BY_SAYING.search(bare) and _due_apart(bare) is None):
        return False
    if _TRIES.search(bare) and (SELF.search(bare) or due_in(bare) is not None):
        return True
    if (_TELLS_LATER.search(bare) and SELF.search(bare)) or _ASKS_ELSEWHERE.search(bare):
        return True
    if _FINISHES.search(bare) and SELF.search(bare) and due_in(bare) is not None:
        return True
    if NOT_ASKED.search(bare) or _ACT_STEM.search(bare) or is_courtesy(bare):
        return False
    if SPOKEN.search(bare):
        return due_in(bare) is not None
    if SELF.search(bare):
        return True
    if _MEETING_ACT.search(bare):
        return due_in(bare) is not None
    return TASK.search(bare) is not None or due_in(bare) is not None


def _due_apart(bare: str) -> str | None:
    """Until when, where that is not only the day of the meeting."""
    due = due_in(bare)
    return None if due == "오늘" else due


def promises_about_when(bare: str) -> bool:
    """Whether a question only asks about the moment of what the speaker takes on: 제가 할게요, 금요일쯤?"""
    found = _BY_ABOUT.match(bare)
    return found is not None and due_in(bare) is not None and SELF.search(found.group(1)) is not None


def volunteers(bare: str) -> bool:
    """다녀올게요, 시장은 제가 갑니다: what is said to "who goes?"."""
    if SPOKEN.search(bare):
        return False
    return (
        _CASUAL.search(bare) is not None
        or bare.endswith(("게요", "겠습니다"))
        or _DOES.search(bare) is not None
    )


_DOES: Final = re.compile(
    r"(?:^|\s)(?:제가|내가|저희가)\s(?:[가-힣]+\s)?(?:갑니다|가요|맡습니다|맡아요|합니다|해요|챙깁니다|챙겨요|준비합니다|준비해요|봅니다)$"
)


def own_part(bare: str) -> bool:
    """Whether somebody says which part of a divided task is theirs."""
    return _OWN_PART.search(bare) is not None
