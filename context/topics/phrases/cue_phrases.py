"""The phrases behind `cues`: regular expressions over one sentence, Korean and English (lower case).

`*_STRONG`, `*_OPENING` and `*_WEAK` are the cues of each strength. A strong one wants the verb form of somebody
who does it now or proposes it; `*_NOT` is what looks like such a cue and is none. A sentence without any of
`*_HINT` has neither a strong cue nor an opening, and need not be searched for them. `*_NAMES` find the name of
the topic (group `n`); `*_LEAD`, `EN_DETERMINER`, `EN_STOP` and `*_TAIL` are cut off from it; `*_EMPTY` is no name.
"""  # noqa: E501 - a pattern reads better unbroken

from __future__ import annotations

import re
from typing import Final

TOPIC_CHANGE_KEYWORDS: Final = (
    "다음 안건",
    "넘어가",
    "다른 주제",
    "그건 그렇고",
    "이제",
    "다음으로",
    "마무리하고",
    "정리하면",
    "다음",
    "안건",
    "주제 전환",
    "넘어가죠",
)
"""Seed 000's two lists (§3.4, §10.2): a Korean sentence that holds one is searched for a cue (`KO_HINT`).
Alone they say little: 다음 주에 봐요 is about a date."""

# Korean. `DO` are the endings of somebody who does it now or proposes it.
DO: Final = r"(?:겠습니다|겠어요|겠는데요|(?<![하세])죠|(?<!시)하죠|시죠|봅시다|합시다|갑시다|읍시다|보자|하자|가자|(?:볼|할|갈|나눌)까요|게요|께요|보려고\s?합니다|하려고\s?합니다)"  # noqa: E501 - a pattern reads better unbroken
AGENDA: Final = r"(?:안건|주제|의제|토픽|순서|항목|이슈|건|섹션|파트|차례|논의\s?사항)"
ORDER: Final = r"(?:다음|이번|새로운|마지막|또\s?다른|(?:첫|두|세|네|다섯|여섯|일곱|여덟)\s?번째|제?\s?\d+\s?번(?:째)?|[이삼사오육칠]\s?번)"  # noqa: E501 - a pattern reads better unbroken
FIRST: Final = r"(?:첫\s?번째|첫|제?\s?1\s?번(?:째)?|일\s?번|오늘의?)"
TALK: Final = r"(?:이야기|얘기|논의|말씀|검토|공유|보고|설명|정리|토론|회의|발표|진행|시작|질의|심사|상정)"
LEAD: Final = r"^(?:(?:자|네|예|아|음|그럼|그러면|이제|좋습니다|좋아요|그리고|오늘|오늘의|저희|우리|이어서|계속해서|제)[,\s]+)*"  # noqa: E501 - a pattern reads better unbroken
KO_STRONG: Final = [
    # 다음 안건으로 넘어가겠습니다, 마지막 주제는 …입니다, 두 번째 안건은 …
    re.compile(rf"{LEAD}{ORDER}\s?{AGENDA}(?:으로|로|은|는)(?:[,\s]|$)"),
    re.compile(rf"{LEAD}{ORDER}\s?{AGENDA}(?:을|를|에\s?대해|부터)?\s.*(?:{DO}|입니다)$"),
    re.compile(rf"(?:다른|새로운)\s?(?:주제|안건|화제)(?:를|을|로|으로)\s?.*{DO}$"),
    re.compile(
        rf"{LEAD}다른\s?(?:이야기|얘기)(?:를|로|도)?\s?(?:좀\s?|하나\s?|한번\s?)?(?:해|하|넘어|나눠)\S*\s?\S*{DO}$"
    ),
    # 채용 이야기로 넘어가죠
    re.compile(
        r"로\s?(?:한번\s?|바로\s?)?(?:넘어|옮겨|들어|건너)\s?(?:가|갈|갑|가\s?보|가\s?볼|가도록\s?하)(?:겠습니다|겠어요|죠|시죠|자|까요|시다|게요|도록\s?하겠습니다|도록\s?하죠)$"
    ),
    # the same with its verb misheard: 채용 이야기로 남아가죠
    re.compile(
        r"(?:이야기|얘기|안건|주제)(?:으로|로)\s\S{0,3}(?:가죠|가시죠|갑시다|가겠습니다|가도록\s?하겠습니다)$"
    ),
    re.compile(
        r"^(?:(?:자|이제|그럼|그러면|네|예|좋습니다)[,\s]+)+(?:다음(?:으로)?\s?)?넘어\s?가(?:겠습니다|죠|시죠|도록\s?하|\s?보|\s?볼|자$|요$)"
    ),
    re.compile(
        r"^(?:(?:아|자|네|응)[,\s]+)*(?:그건|그\s?(?:얘기|이야기|건)는?)\s?(?:그렇|됐|그만하)고요?(?:[,\s]|$)"
    ),
    re.compile(rf"(?:주제|화제)를?\s?(?:좀\s?)?(?:전환|바꾸|바꿔|바꿀)\S*\s?.*{DO}$|주제\s?전환"),
    re.compile(rf"마무리하고[,\s]+.*(?:넘어|시작|들어|다음|{TALK}).*{DO}$"),
    # 마지막으로 지난주 장애에 대해 정리하겠습니다; 다음으로 예산을 보고드리겠습니다
    re.compile(
        rf"{LEAD}(?:다음으로는?|다음은|이어서|마지막으로는?|끝으로)[,\s]+.*"
        rf"(?:에\s?대(?:해|하여|해서)|에\s?관(?:해|하여|해서)|(?:이야기|얘기|안건|주제|문제|건|사항|현황)(?:를|을|에|부터|으로)?)\s?.*{DO}$"
    ),
    # 다음은 채용 건인데요, 면접이 …; 마지막으로 워크숍 이야기인데요
    re.compile(
        rf"{LEAD}(?:다음으로는?|다음은|이어서|마지막으로는?|끝으로)[,\s]+(?:\S+\s){{0,4}}?\S*\s?(?:건|이야기|얘기|문제|관련|현황|안건|주제)(?:인데요?|입니다|이에요|예요|이고요|이요|요)(?:[,\s]|$)"
    ),
    re.compile(rf"^(?:다음은|다음으로는?)[,\s]+.*(?:차례입니다|순서입니다|{TALK}(?:드리|하)?겠습니다)$"),
    # 그럼 내년 예산 이야기를 해 보죠
    re.compile(
        r"^(?:(?:자|네|좋습니다)[,\s]+)*(?:이제|그럼|그러면|그럼\s?이제|이번에는|이번엔)[,\s]+\S.*"
        rf"(?:이야기|얘기|안건|주제|건|문제)(?:를|을|로|부터|에\s?대해)?\s?(?:좀\s?|한번\s?)?(?:해|하|나눠|다뤄|시작|들어|넘어|논의|살펴)\S*\s?\S*{DO}$"
    ),
]
_KO_NOUN: Final = r"(?!누구|뭐|뭔|뭘|언제|어디|없|왜|어떻게|제가|저는|우리|그)[가-힣A-Za-z0-9]"
# 다음은 도서관 운영 시간; 자 다음, 배달; 다음, 인계 시간 문제요: an item of a list, without a verb
KO_ITEM: Final = re.compile(
    rf"^(?:(?:자|네|예|음|좋아요|그럼)[,\s]+)*(?:다음은|다음으로는?|다음으로\s넘어\s?가서,|다음\s?,|마지막은|마지막\s?,)\s*(?P<n>{_KO_NOUN}[가-힣A-Za-z0-9]*?(?:\s[가-힣A-Za-z0-9]+?){{0,3}}?)"
    r"(?:\s?(?:건|이야기|얘기|문제|관련))?(?:(?:이?요)?$|(?:인데요?|이고요)(?:[,\s]|$))"
)
KO_ITEM_NOT: Final = re.compile(
    r"(?:[다까죠네고서데면지자라며은는를을어아해오]|세|게|에|나|씨|장관|차관|팀장|과장|부장|대표|선생|교수|간사|번째)$|님|위원|의원|질의|질문|발언|말씀|차례|순서|요일|^(?:제|저|내|좀|조금|더|제일)\s|^[0-9]+\s?[월일시주]"
)
"""What `KO_ITEM` finds is no item of a list where it ends like a verb or says whose turn it is."""
KO_NOT: Final = re.compile(
    rf"넘어\s?가서(?!,|\s\S.*{DO}$)|"
    r"넘어\s?(?:가는\s?(?:길|중|거|것|게|건|데|부분|과정)|가기\s?전|가면|갔|가지|가려면|갈\s?때|갈\s?수\s?없|간다고|가도\s?되는지)"
    r"|그냥\s?넘어|(?:안건|주제|건)(?:이|은|는|으로)?\s?(?:아니|없|아닙|무엇|뭐|뭔)"
    r"|다음\s?(?:주|달|번\s?회의|회의|분기|해|학기|시간|기회|날)\S*\s.*(?:안건|주제)(?:으로|에서|에)"
    r"|(?:나중에|다음에|다음\s?(?:주|달|회의|시간|번)에?)\s.*(?:하죠|합시다|하겠습니다|하자|논의)"
    r"|(?:했|었|았|였)(?:습니다|어요|죠|는데|던|잖)\S*$"
)
KO_WEAK: Final = re.compile(
    r"^(?:(?:아|네|예|자|음|그)[,\s]+)?(?:자[,\s]|이제[,\s]|그럼[,\s]|그러면[,\s]|다음[,\s은으]|이어서|마지막으로|끝으로|한편|참[,\s]|근데\s?그|아무튼|어쨌든|정리하면)"
    r"|안건|주제|화제|마무리하|정리하면"
)
KO_WEAK_NOT: Final = re.compile(
    r"다음\s?(?:주|달|번|회의|분기|해|날|시간|학기|기회|스프린트|월|화|수|목|금|토|일)|이제\s?(?:됐|되|막|야|와서|는|까지|괜찮|끝)"
)
KO_OPENING: Final = re.compile(
    rf"{FIRST}\s?{AGENDA}(?:은|는|으로|로)|(?:부터|로|으로)\s?(?:회의를?\s?)?시작(?:하|해)|오늘은?\s\S+부터\s?(?:정하|정합|정해(?!진|져))|오늘(?:은|의)\s?.*{TALK}.*{DO}$"
)
KO_HINT: Final = re.compile(
    "|".join(TOPIC_CHANGE_KEYWORDS)
    + r"|주제|의제|토픽|순서|항목|이슈|섹션|파트|차례|논의|이야기|얘기|화제|넘어|너머|옮겨|건너"
    + r"|들어\s?[가갈갑]|시작|오늘|그건\s?(?:그렇|됐|그만)|이어서|마지막|끝으로"
    + r"|(?:그럼|그러면|이번에는|이번엔).*(?:건|문제)"
)
MAX_SENTENCE_CHARS: Final = 120
"""Characters (in English twice as many); a longer sentence is about something else too."""


def _name_before(what: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """A pattern for the name that stands before `what`, with a quick test whether `what` is there at all."""
    return re.compile(what), re.compile(rf"(?P<n>\S[^,]*?){what}")


KO_NAMES: Final = [
    _name_before(
        r"\s?(?:이야기|얘기|문제|건|안건|주제|논의)(?:으로|로)\s?(?:한번\s?)?(?:넘어|들어|옮겨|\S{0,3}가)"
    ),
    (
        re.compile(rf"{AGENDA}(?:은|는)"),
        re.compile(
            rf"{ORDER}\s?{AGENDA}(?:은|는)[,\s]*(?P<n>\S.*?)\s?(?:에\s?대한\s?)?(?:{TALK}|건|문제)?\s?(?:입니다|이에요|예요|이고|인데|에\s?대|에\s?관|을|를)"
        ),
    ),
    _name_before(r"에\s?(?:대해|대하여|대해서|관해|관하여|관해서|대한)"),
    _name_before(
        r"\s?(?:이야기|얘기|문제|안건|건|현황|논의)(?:를|을|부터|도)?\s?(?:좀\s?|한번\s?)?(?:해|하|나눠|다뤄|시작|들어|논의|살펴|말씀|보고|공유|진행|정리)"
    ),
    _name_before(r"(?:으로|로)\s?(?:한번\s?)?(?:넘어|들어|옮겨)\s?(?:가|갈|갑)"),
    _name_before(r"부터\s?(?:시작|논의|이야기|얘기|보|말씀|정하|정합|정해(?!진|져))"),
    (
        re.compile(r"^(?:다음|마지막|끝으로|이어서)"),
        re.compile(
            r"^(?:다음으로는?|다음은|마지막으로는?|끝으로|이어서)[,\s]+(?P<n>\S[^,]*?)(?:\s?(?:건|이야기|얘기|문제|관련|안건|주제)(?=인데|입니다|이에요|예요|이고|이요|요))?(?:을|를|인데|입니다|이에요|예요|이고|이요|부터)"
        ),
    ),
    (re.compile(r"다음|마지막"), KO_ITEM),
]
"""Each behind a quick test: a lazy group before what is not there tries every place of the sentence."""
KO_LEAD: Final = re.compile(
    r"^(?:자|이제|그럼|그러면|네|예|좋습니다|마지막으로|다음으로|다음은|이어서|끝으로|이번에는|이번엔|오늘은?|먼저|우선|일단|그리고|아|음|저희가?|우리가?"
    r"|(?:그건|그\s?(?:얘기|이야기)는?)\s?(?:그렇|됐|그만하)고요?|다음\s?안건(?:으로|은|인)?|다음\s?주제(?:로|는)?|(?:첫|두|세|네|다섯)\s?번째(?:로|는)?|제가|한번|잠깐|다시|아까)(?:[,\s]+|$)"
)
KO_EMPTY: Final = re.compile(
    rf"(?:{ORDER}\s?)?(?:{AGENDA}|다음|{ORDER})|(?:다음|마지막)\S{{0,2}}|다른(?:\s?(?:{AGENDA}|이야기|얘기|화제))?|안|.*\s(?:{ORDER}\s?{AGENDA}|다음|마지막)"
)
"""No name: 다음 안건, 다른 얘기."""
KO_SENTENCES: Final = re.compile(r"(?:니다|세요|[어아해]요|까요|시죠|하죠|가죠)\s+")
"""The joint between sentences that nobody put a stop to: 넘어가겠습니다 내년 예산 …"""
KO_TAIL: Final = re.compile(
    r"(?:\s쪽|부터|까지|에\s?대한|관련한|관련|(?<![질회논협심토결동합정])의|은|는|(?<=[가-힣]{2})[이가도]|을|를|좀|한번)$"
)
"""이, 가 and 도 behind one syllable are the noun's own: 종이, 평가, 지도."""

# English.
LETS: Final = r"(?:let's|let us|lets|shall we|we(?:'ll| will| shall| can| should)|i(?:'d| would) like to|i want to|i(?:'ll| will)|can we|could we|we(?:'re| are) going to|going to)"  # noqa: E501 - a pattern reads better unbroken
EN_ITEM: Final = (
    r"(?:topic|agenda item|item on the agenda|item|agenda point|order of business|subject|piece of business)"
)
EN_ORDER: Final = r"(?:(?:very )?(?:next|last|final|second|third|fourth|fifth))"
EN_TODAY: Final = r"(?:today|for today|on (?:the|our|my) (?:agenda|list)|of (?:today|the day))"
EN_LOOSE: Final = r"(?:point|issue|question|thing|matter|section|part)"
EN_LEAD: Final = (
    r"(?:(?:and|so|okay|ok|now|well|right|alright|all right|then|anyway|please|thanks|great|also|oh)[,\s]+)"
)
EN_STRONG: Final = [
    re.compile(
        rf"\b{LETS}\s+(?:(?:now|then|just|quickly|perhaps|maybe|please)\s+)*(?:move on|move along|turn (?:now )?to|turn our attention|switch (?:to|over)|go on to|proceed (?:to|with)|get (?:on)?to the next|jump to|shift (?:to|gears)|change (?:the )?(?:subject|topic))"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        rf"^{EN_LEAD}*(?:moving on|turning (?:now )?to|moving to the next|on to the next|onto the next|next up|next on the agenda|on (?:a|to a) (?:different|another|separate) (?:note|topic|subject))\b"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        rf"\b(?:the|our|my)\s+(?:{EN_ORDER}|other)\s+{EN_ITEM}(?:\s+{EN_TODAY})?\s*(?:is|are|will be|:|would be)(?:\s|$)"  # noqa: E501 - a pattern reads better unbroken
        rf"|\b(?:the|our|my)\s+{EN_ORDER}\s+{EN_LOOSE}\s+{EN_TODAY}\s*(?:is|are|will be|:|would be)(?:\s|$)"
    ),
    re.compile(
        rf"^{EN_LEAD}*next (?:{EN_ITEM}\s*(?:is|,|:|$)|up|on the agenda|we(?:'ll| will| can)|i(?:'d| would))\b"  # noqa: E501 - a pattern reads better unbroken
    ),
    # Let's go to the next topic. I want to move to the third item, the budget.
    re.compile(
        rf"\b(?:move|moving|turn|go|going)(?: now| on)? to (?:the|our) {EN_ORDER} (?:{EN_ITEM}|{EN_LOOSE})\b"
    ),
    # Next, the migration to Postgres 17.
    re.compile(rf"^{EN_LEAD}*next\s*[,:]\s*(?:the|our|on|about|a)\s+\w+"),
    re.compile(
        rf"^{EN_LEAD}*(?:just )?(?:(?:one )?(?:last|final|more) (?:thing|item|point|topic)|lastly|finally)\s*(?:,|:)\s*(?:the|about|on|is|are|what|how|who|where|when|do|does|did|can|should|we)\b"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        r"\bthat brings us to\b|\bwhich brings us to\b|\bchange of (?:subject|topic)\b|\bchanging the (?:subject|topic)\b|\bon the agenda (?:is|today is|we have)\b"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        rf"^{EN_LEAD}+(?:let's|let us|lets|shall we|we'll|we will|i'd like to|i would like to)\s+(?:(?:now|then|just)\s+)*(?:talk about|discuss|look at|go to|start with|begin with|hear about)\b"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(r"\bwe (?:will |shall |'ll )?now (?:move|turn|go|proceed|come|start|begin)\b"),
    # Next thing, the comments on the paper. Other thing, the neighbours … So, the crane.
    re.compile(
        rf"^{EN_LEAD}*(?:the )?(?:next|other|another|last|final|one (?:more|last|other)) (?:thing|one|item|bit)\s*,\s*(?:the|our|my|about)\s+\w+"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        r"^(?:so|now|right|okay|ok), (?:the|our) (?!other|one|same|thing|idea|question|answer|point|problem|rest|whole|way|only|first|next|last|more|only)\w+(?: \w+)?$"  # noqa: E501 - a pattern reads better unbroken
    ),
]
EN_NOT: Final = re.compile(
    r"\b(?:before|until|unless|if|when|once|whether|after|not|never|can't|cannot|don't|won't|didn't|couldn't)\s+(?:\w+\s+){0,3}?(?:mov(?:e|ing)|turn(?:ing)?|go(?:ing)?|proceed(?:ing)?|switch(?:ing)?|get|chang(?:e|ing)|talk|discuss)\b"
    r"|\b(?:later|offline|another time|some other time|next (?:week|time|meeting|month|year|sprint|quarter)|tomorrow)\s*$"  # noqa: E501 - a pattern reads better unbroken
    r"|\bnext (?:week|month|year|sprint|quarter|meeting|time|day|few|couple|two|three)\b(?!.*\b(?:topic|item|agenda)\b)"  # noqa: E501 - a pattern reads better unbroken
)
EN_WEAK: Final = re.compile(
    r"^(?:(?:okay|ok|well|right|alright|all right|um|uh|and|yeah)[,\s]+)*(?:so|now|next|finally|lastly|anyway|anyways|also|one more thing|another thing|by the way|speaking of|as for|regarding|what about|let's|let us|okay|alright)\b"  # noqa: E501 - a pattern reads better unbroken
    r"|\b(?:agenda|topic)\b"
)
EN_WEAK_NOT: Final = re.compile(
    r"\bnext (?:week|month|year|sprint|quarter|meeting|time|day|few|to)\b|\b(?:right|until|by|for|from|just) now\b|^(?:okay|ok|so|now|right)[.,!?\s]*$"  # noqa: E501 - a pattern reads better unbroken
)
EN_OPENING: Final = re.compile(
    rf"\b(?:begin|start|kick off|open) (?:(?:off|today|the meeting)\s+)?(?:with|by)\b|\bfirst {EN_ITEM}\b.*\b(?:is|are|:)|\btoday(?:'s| is) (?:topic|meeting|agenda|discussion) (?:is|about)|\bwe(?:'re| are) here to (?:talk about|discuss)"  # noqa: E501 - a pattern reads better unbroken
)
EN_HINT: Final = re.compile(
    r"\b(?:mov(?:e|ing)|turn(?:ing)?|next|last|final|second|third|fourth|fifth|other|first|switch|go|going|proceed|jump|shift|chang(?:e|ing)"
    r"|brings|agenda|another|more|on (?:a|to)|onto|now|talk|discuss|look|start|begin|hear|kick|open|today|here|get)\b"  # noqa: E501 - a pattern reads better unbroken
    r"|^(?:so|right|okay|ok), (?:the|our) "
)

EN_NAMES: Final = [
    re.compile(
        rf"\b(?:next|last|final|first|second|third|fourth|fifth|other)\s+(?:{EN_ITEM}|{EN_LOOSE})(?:\s+{EN_TODAY})?\s*(?:is|are|will be|would be|:|,)\s*(?P<n>.+)$"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        r"\b(?:move on|moving on|turn(?:ing)?(?: now)?|move along|go on|switch(?:ing)?(?: over)?|proceed|jump|shift|go|move|moving)(?: now| on| over)? (?:on ?to|to|with) (?:discuss(?:ing)? |talk(?:ing)? about )?(?P<n>.+)$"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        r"\b(?:brings us to|talk about|discuss|look at|hear about|here to discuss|regarding|as for|what about)\s+(?P<n>.+)$"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(
        r"\b(?:begin|start|kick off|open)(?: off| today| the meeting)? (?:with|by (?:discussing|talking about|looking at))\s+(?P<n>.+)$"  # noqa: E501 - a pattern reads better unbroken
    ),
    re.compile(r"^(?:\w+ )?next\s*[,:]\s*(?P<n>.+)$"),
    re.compile(r"^(?:so|now|right|okay|ok), (?:the|our) (?P<n>\w+(?: \w+)?)$"),
    re.compile(r"\b(?:one|more|another|bit)\s*,\s*(?P<n>(?:the|our|my|about) .+)$"),
    re.compile(
        r"\b(?:next up(?: is)?|next is|next we have|on the agenda(?: today)? is|attention to)[:,]?\s+(?P<n>.+)$"  # noqa: E501 - a pattern reads better unbroken
    ),
]
EN_STOP: Final = re.compile(
    r"\s*(?:,|;|\bthat (?:is|was|we)\b|\bwhich\b|\bbecause\b|\band (?:then|i|we|see|how|what|let)\b|\bso\b|\bbefore\b|\bwho\b|\btoday\b|\bthis (?:time|week|year)\b|\bnow\b|\bplease\b|\bif\b|\bwhere\b|\bwhen\b|\bright\?|\bokay\b|\b(?:first|next|then)$).*$"  # noqa: E501 - a pattern reads better unbroken
)
EN_DETERMINER: Final = re.compile(
    r"^(?:is|are|was|were|do|does|did|can|could|should|shall|will|would|has|have|how|what|when|where|who|i|we|you|the|our|a|an|my|your|this|that|these|those|some|uh|um|on|about|to)\s+",
    re.IGNORECASE,
)
EN_TAIL: Final = re.compile(r"\s+(?:problem|issue|topic|question|discussion)$", re.IGNORECASE)
EN_EMPTY: Final = re.compile(
    rf"^(?:(?:next|last|final|second|third|other|another|different|agenda|first)\s+)*(?:{EN_ITEM}|one|mr|ms|mrs|dr|the|our|an?|my|your|it|that|this|there|eh|uh|um|though|so|other other things|something(?: else)?|you|them|him|her|me|us|other matter)s?$"  # noqa: E501 - a pattern reads better unbroken
)

SAID_TO_ONE: Final = re.compile(
    r"(?:주세|주십시|주시|하세|하십시|봅시|니다|까요|세요)$"
    r"|\b(?:could|can|would|will|do|did|are) (?:you|we|i|they)\b"
)
"""What is said to a person is no name: 그다음 것 보여 주세(요), Heather could you push it down."""
