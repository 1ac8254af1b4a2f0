"""What Koreans propose to each other, and how they say yes, no, or that they will do it."""

from __future__ import annotations

import re
from typing import Final

from context.extractive.korean_decisions import MOST_WORDS, drops_a_plan
from context.extractive.korean_mood import WILL, urges
from context.extractive.moments import due_in

_PROPOSES: Final = re.compile(
    r"(?:어떨까요|어떻습니까|어떻겠(?:습니까|어요)|어떨까\s?합니다|어때요|어떤가요|어떠세요|어떠신가요|하면\s?될까요|할까요|갈까요|정할까요|좋겠습니다|좋을\s?것\s?같(?:습니다|아요)|(?:으로|로)\s?(?:가는|하는|정하는|바꾸는|미루는|옮기는|줄이는|늘리는)\s?(?:거죠|거지요|거\s?맞죠|거\s?맞나요)|제안(?:합니다|드립니다|드려요)|지\s?말죠|그대로(?:죠|지요?|가죠|하죠|인가요)|[가-힣](?:으로|로)\s(?:넘겨|해|바꿔|정해|미뤄|옮겨|돌려|줄여|늘려|올려|내려|맞춰|잡아)요"
    r"|면\s안\s(?:돼요?|될까요?|되나요?)|어때|어떠니|할까|갈까|(?:(?:는|은|ㄴ)\s?(?:게|것이|편이|쪽이)|[일시반주달날]가|까지가|부터가)\s?(?:더\s?)?(?:낫|나을|좋)(?:겠(?:어요?|네요?|습니다|죠)|지\s?않(?:아요?|나요|을까요?)|(?:을\s?)?것\s?같(?:아요?|네요?|습니다)|네요?|다))$"
)
_SUITS: Final = re.compile(
    r"(?:은|는|이|가|에|로|모임|회의|미팅|일정)\s.*(?:괜찮(?:으세요|으신가요|으실까요|을까요|아요|으시죠)|되세요|되시나요|가능하(?:세요|신가요|실까요)|가능할까요|될까요|어떠세요)$"
)
"""다음 모임은 24일 괜찮으세요?"""
_SHALL_WE: Final = re.compile(
    rf"(?<!제가\s)(?:[을를은는도만]|에서|으로|로|부터|까지|그냥|아예|같이)\s(?:[가-힣]+\s)?[가-힣]*[{WILL}](?<![있없맞않닐될알볼올질일길])(?<!드릴)까요?$"
)
"""이번 스프린트에서 뺄까요?"""
_ASKS_ONLY: Final = re.compile(
    r"(?:고|다음에|뒤에|후에)\s?(?:나서\s)?(?:결정|정)하는|먼저\s(?:좀\s)?[하할]|다시\s?논의|다음\s회의|시는\s?(?:게|것이|편이)|(?:셨으면|주시면|주셨으면)\s(?:정말\s)?좋겠|됐으면|되었으면|(?:왜|누가|언제|어디|무엇|뭐|뭘|얼마|몇|어느|어떤)\s?|이야기|얘기|말씀|시작할까요|넘어갈까요|쉴까요|의견|들어\s?볼까요"
)
_ASSENTS: Final = re.compile(
    r"^(?:네|예|넵|그렇게(?:\s?(?:해요|하죠|합시다|하시죠|하자))?|좋은데요?|괜찮은데요?|나쁘지\s?않(?:네요?|아요?)|굿|좋습니다|좋아요|좋네요|좋죠|그럽시다|그러죠|그래요|그러시죠|찬성(?:합니다|이에요|입니다)|동의(?:합니다|해요)|저도\s?(?:좋|찬성|동의|괜찮|그게)[가-힣\s]{0,8}|알겠습니다|맞습니다|괜찮(?:습니다|아요|네요)|없습니다|이의\s?없|넹|옙|네네|오케이|오키|콜|그래|그러자|알았어요?|알겠어요?|알겠습니다|좋아|좋지|좋다|되지|물론|문제\s?없|돼요?|됩니다|되죠|나도\s?(?:콜|좋아|찬성|동의|그게)|난\s?(?:좋아|콜|찬성)|그게\s?(?:더\s?)?(?:낫|좋|맞)[가-힣\s]{1,7}|부탁\s?(?:드려요|드립니다|해요?|할게요?)|그래\s?주시?(?:면|세요))(?=$|[\s,.!])"
    r"|^(?:응|어|엉)$|^\S{1,8}\s(?:좋다|좋네요?|좋아요?|괜찮네요?|괜찮아요?|좋죠|좋습니다|괜찮습니다|돼요|됩니다)$"
)
_ACCEPTS: Final = re.compile(
    r"^(?:(?:네|예|넵|알겠습니다|물론이죠|그럼요)[\s,.]*)+$"
    r"|^(?:(?:네|예|넵|알겠습니다|물론이죠|그럼요)[\s,.]*)*(?:제가\s?)?(?:그렇게\s?)?(?:하겠습니다|할게요|해\s?드리겠습니다|드리겠습니다|드릴게요|보내겠습니다|보낼게요|준비하겠습니다|확인하겠습니다|그러겠습니다)$"
    rf"|^(?!.*(?:모르|어렵|힘들|못|않|없|말씀|답변|설명|좋|감사|듣|반대))(?:(?:네|예|넵|알겠습니다|물론이죠|그럼요|제가|저희가|그렇게|잘|한번|다시|적극|충분히|꼭|바로)[\s,.]*)*[가-힣]{{1,6}}(?:\s?해)?(?:\s?(?:보|드리|놓))?(?:도록\s?하)?(?:겠습니다|[{WILL}]게요)$"
)
_OBJECTS: Final = re.compile(
    r"^(?:아니|아뇨|(?:나|저|난|저는|나는)\s[가-힣]{0,8}\s?못\s?(?:해|하|합|가|갑)|그건\s?(?:좀|안)|안\s?됩|안\s?돼|반대|글쎄|어렵|힘들|이의\s?있|그런데|근데|하지만|다만|저는\s?(?:반대|생각이\s?달))|(?:지금은|당장은|올해는|아직은|이번에는)\s(?:[가-힣]+\s)?못\s[가-힣]{1,4}(?:요|니다)$|(?:반대합니다|어렵습니다|안\s?됩니다|힘듭니다|무리입니다)$"
)
_TAKES_ON: Final = re.compile(
    r"^(?:(?:네|예|넵|그럼|그건|그거|그것은|그\s?일은)[\s,.]*)*제가\s?(?:맡아\s?|맡|하|진행하|처리하|준비하|해\s?보)(?:겠습니다|을게요|ㄹ게요|할게요|도록\s?하겠습니다)$|^(?:(?:네|예|넵)[\s,.]*)*제가\s?할게요$"
)


_AS_BEFORE: Final = re.compile(
    r"(?:^|\s)(?:지금처럼|지금대로|기존대로|하던\s?대로|종전대로|예전처럼|앞으로도|원래대로|예년처럼|작년처럼)\s.{2,40}(?:합니다|갑니다|해요|둡니다|둬요|가요|하면\s?(?:돼요|됩니다)|유지합니다|하시면\s?(?:돼요|됩니다))$"
)
"""지금처럼 전부 두 명이 확인합니다: a ruling, once somebody says yes."""


def proposes(bare: str) -> bool:
    """Whether a sentence becomes a decision by somebody's yes."""
    if _AS_BEFORE.search(bare) is not None or drops_a_plan(bare):
        return len(bare.split()) <= MOST_WORDS
    if _SUITS.search(bare) and due_in(bare) is not None and len(bare.split()) <= MOST_WORDS:
        return True
    if urges(bare) and _ASKS_ONLY.search(bare) is None:
        return 2 <= len(bare.split()) <= MOST_WORDS
    return (
        (_PROPOSES.search(bare) is not None or _SHALL_WE.search(bare) is not None)
        and _ASKS_ONLY.search(bare) is None
        and 3 <= len(bare.split()) <= MOST_WORDS
    )


def assents(bare: str) -> bool:
    """Whether somebody agrees."""
    return _ASSENTS.match(bare) is not None and not objects(bare)


def objects(bare: str) -> bool:
    """Whether somebody contradicts."""
    return _OBJECTS.search(bare) is not None


def accepts(bare: str) -> bool:
    """Whether an answer takes a request on."""
    return _ACCEPTS.match(bare) is not None


def takes_on(bare: str) -> bool:
    """제가 하겠습니다: takes on what was said just before."""
    return _TAKES_ON.match(bare) is not None
