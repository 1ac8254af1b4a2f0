"""Phrases by which people announce that they change the subject, in Korean and English.

A *strong* cue decides alone, at its utterance, and often names the new topic. A *weak* cue (이제, 다음,
so, next …) says nothing by itself: 다음 주에 하죠 and "next week" are about dates. An *opening* names the
topic that has just begun (첫 번째 안건은 …, "let us begin with …").

A false change is worse than a late one, so a strong cue needs the verb form of somebody who is doing it
now (넘어가겠습니다, "let's move on"), not of somebody who talks about it (넘어가는 길에, "before we move on").
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal

from rapidfuzz import fuzz

from context.korean import has_hangul, jamo

Strength = Literal["strong", "weak", "opening"]

LONGEST: Final = 600
"""Only so many characters of an utterance are looked at, from its beginning and its end."""


@dataclass(frozen=True, slots=True)
class Cue:
    """What an utterance says about the change of topic, and the name that it gives, if any."""

    strength: Strength
    name: str | None = None


_SENTENCE: Final = re.compile(r"[^.!?。？！\n]+")
_SPACE: Final = re.compile(r"\s+")

# Korean. `_DO` are the endings of somebody who does it now or proposes it.
_DO: Final = (
    r"(?:겠습니다|겠어요|겠는데요|도록\s?하(?:겠습니다|죠|시죠)|죠|시죠|지요|자|자고요|자구요|요|아요|어요|ㅂ시다|봅시다|합시다|갑시다"
    r"|까요|까|보겠습니다|보죠|보시죠|보자|볼까요|보도록\s?하(?:겠습니다|죠|시죠)|게요|께요|입니다|이에요|예요|주세요|주십시오|주시기\s?바랍니다|바랍니다)"
)
_AGENDA: Final = r"(?:안건|주제|의제|토픽|순서|항목|이슈|건|섹션|파트|차례|논의\s?사항)"
_ORDER: Final = r"(?:다음|이번|새로운|마지막|또\s?다른|(?:첫|두|세|네|다섯|여섯|일곱|여덟)\s?번째|제?\s?\d+\s?번(?:째)?|[이삼사오육칠]\s?번)"
_FIRST: Final = r"(?:첫\s?번째|첫|제?\s?1\s?번(?:째)?|일\s?번|오늘의?)"
_TALK: Final = r"(?:이야기|얘기|논의|말씀|검토|공유|보고|설명|정리|토론|회의|발표|진행|시작|질의|심사|상정)"
_KO_STRONG: Final = [
    # 다음 안건으로 넘어가겠습니다, 마지막 주제는 …입니다, 두 번째 안건은 …
    re.compile(rf"{_ORDER}\s?{_AGENDA}(?:으로|로|은|는|을|를|에|인|,|\s|$).*"),
    re.compile(
        rf"(?:다른|새로운)\s?(?:주제|안건|이야기|얘기|화제)(?:를|을|로|으로|도)?\s?(?:좀\s?)?.*{_DO}$"
    ),
    # 채용 이야기로 넘어가죠
    re.compile(
        rf"(?:으)?로\s?(?:한번\s?)?(?:넘어|넘어들|옮겨|들어|건너)\s?(?:가|갈|갑|가보|가\s?보|가\s?볼|갈게|가시)\S*{_DO}?$"
    ),
    re.compile(
        r"^(?:자|이제|그럼|그러면|네|예|좋습니다|자\s?그럼|그럼\s?이제)[,\s]*(?:다음(?:으로)?\s?)?넘어\s?가(?:겠|죠|시죠|도록|보|볼|자|요|봅)"
    ),
    re.compile(r"^(?:아\s?)?그건\s?그렇고"),
    re.compile(rf"주제를?\s?(?:전환|바꾸|바꿔|바꿀)\S*\s?.*{_DO}$|주제\s?전환"),
    re.compile(rf"마무리하고[,\s]+.*(?:넘어|시작|들어|다음|{_TALK}).*{_DO}$"),
    # 마지막으로 지난주 장애에 대해 정리하겠습니다; 다음으로 예산을 보고드리겠습니다
    re.compile(
        rf"^(?:자|네|예|그럼|그러면|이제|좋습니다|그리고)?[,\s]*(?:다음으로는?|다음은|이어서|마지막으로는?|끝으로)[,\s]+.*"
        rf"(?:에\s?대(?:해|하여|해서)|에\s?관(?:해|하여|해서)|(?:이야기|얘기|안건|주제|문제|건|사항|현황)(?:를|을|에|부터)?)\s?.*{_DO}$"
    ),
    # 그럼 내년 예산 이야기를 해 보죠
    re.compile(
        r"^(?:자|네|좋습니다)?[,\s]*(?:이제|그럼|그러면|그럼\s?이제|자\s?그럼|이번에는|이번엔)[,\s]+\S.*"
        rf"(?:이야기|얘기|안건|주제|건|문제)(?:를|을|로|부터|에\s?대해)?\s?(?:좀\s?|한번\s?)?(?:해|하|나눠|다뤄|시작|들어|넘어|논의|살펴)\S*\s?\S*{_DO}$"
    ),
]
_KO_NOT: Final = re.compile(
    r"넘어\s?(?:가는\s?(?:길|중|거|것|게|건|데|부분|과정)|가기\s?전|가면|갔|가서|가지|가려면|갈\s?때|갈\s?수\s?없|간다고|가도\s?되는지)"
    r"|그냥\s?넘어|(?:안건|주제|건)(?:이|은|는|으로)?\s?(?:아니|없|아닙|무엇|뭐|뭔)"
    r"|다음\s?(?:주|달|번\s?회의|회의|분기|해|학기|시간|기회|날)\S*\s.*(?:안건|주제)(?:으로|에서|에)"
    r"|(?:나중에|다음에|다음\s?(?:주|달|회의|시간|번)에?)\s.*(?:하죠|합시다|하겠습니다|하자|논의)"
    r"|(?:했|었|았|였)(?:습니다|어요|죠|는데|던|잖)\S*$"
)
_KO_WEAK: Final = re.compile(
    r"^(?:(?:아|네|예|자|음|그)[,\s]+)?(?:자[,\s]|이제[,\s]|그럼[,\s]|그러면[,\s]|다음[,\s은으]|이어서|마지막으로|끝으로|한편|참[,\s]|근데\s?그|아무튼|어쨌든|정리하면)"
    r"|안건|주제|화제|마무리하|정리하면"
)
_KO_WEAK_NOT: Final = re.compile(
    r"다음\s?(?:주|달|번|회의|분기|해|날|시간|학기|기회|스프린트|월|화|수|목|금|토|일)|이제\s?(?:됐|되|막|야|와서|는|까지|괜찮|끝)"
)
_KO_OPENING: Final = re.compile(
    rf"{_FIRST}\s?{_AGENDA}(?:은|는|으로|로)|(?:부터|로|으로)\s?(?:회의를?\s?)?시작(?:하|해)|오늘(?:은|의)\s?.*{_TALK}.*{_DO}$"
)
_KO_FUZZY: Final = tuple(
    (phrase, jamo(phrase))
    for phrase in ("다음안건으로넘어가", "다음주제로넘어가", "다음안건은", "다른주제로넘어가", "마지막안건은")
)
"""Spelt as speech recognisers misspell them; compared by sound letters, without spaces."""
_FUZZY_ENOUGH: Final = 88.0

_KO_NAMES: Final = [
    re.compile(
        rf"(?P<n>\S[^,]*?)\s?(?:이야기|얘기|문제|건|안건|주제|논의)(?:으로|로)\s?(?:한번\s?)?(?:넘어|들어|옮겨|가)"
    ),
    re.compile(
        rf"{_ORDER}\s?{_AGENDA}(?:은|는)[,\s]*(?P<n>\S.*?)\s?(?:에\s?대한\s?)?(?:{_TALK}|건|문제)?\s?(?:입니다|이에요|예요|이고|인데|에\s?대|에\s?관|을|를)"
    ),
    re.compile(r"(?P<n>\S[^,]*?)에\s?(?:대해|대하여|대해서|관해|관하여|관해서|대한)"),
    re.compile(
        r"(?P<n>\S[^,]*?)\s?(?:이야기|얘기|문제|안건|건|현황|논의)(?:를|을|부터|도)?\s?(?:좀\s?|한번\s?)?(?:해|하|나눠|다뤄|시작|들어|논의|살펴|말씀|보고|공유|진행|정리)"
    ),
    re.compile(r"(?P<n>\S[^,]*?)(?:으로|로)\s?(?:한번\s?)?(?:넘어|들어|옮겨)\s?(?:가|갈|갑)"),
    re.compile(r"(?P<n>\S[^,]*?)부터\s?(?:시작|논의|이야기|얘기|보|말씀)"),
    re.compile(
        rf"^(?:다음으로는?|다음은|마지막으로는?|끝으로|이어서)[,\s]+(?P<n>\S[^,]*?)(?:을|를|입니다|이에요|예요|부터)"
    ),
]
_KO_LEAD: Final = re.compile(
    r"^(?:자|이제|그럼|그러면|네|예|좋습니다|마지막으로|다음으로|다음은|이어서|끝으로|이번에는|이번엔|오늘은?|먼저|우선|일단|그리고|아|음|저희가?|우리가?"
    r"|그건\s?그렇고|다음\s?안건(?:으로|은|인)?|다음\s?주제(?:로|는)?|제가|한번|잠깐|다시|아까)(?:[,\s]+|$)"
)
_KO_TAIL: Final = re.compile(r"(?:에\s?대한|관련한|관련|의|은|는|이|가|을|를|도|좀|한번)$")

# English.
_LETS: Final = r"(?:let's|let us|lets|shall we|we(?:'ll| will| shall| can| should)|i(?:'d| would) like to|i want to|i(?:'ll| will)|can we|could we|we(?:'re| are) going to|going to)"
_EN_ITEM: Final = r"(?:topic|item|point|subject|issue|question|agenda item|item on the agenda|order of business|thing|matter|piece of business|section|part)"
_EN_STRONG: Final = [
    re.compile(
        rf"\b{_LETS}\s+(?:(?:now|then|just|quickly|perhaps|maybe|please)\s+)*(?:move on|move along|turn (?:now )?to|turn our attention|switch (?:to|over)|go on to|proceed (?:to|with)|get (?:on)?to the next|jump to|shift (?:to|gears)|change (?:the )?(?:subject|topic))"
    ),
    re.compile(
        r"^(?:and |so |okay |ok |now |well |right |alright |all right |then |anyway )*(?:moving on|turning (?:now )?to|moving to the next|on to the next|onto the next|next up|next on the agenda|on (?:a|to a) (?:different|another|separate) (?:note|topic|subject))\b"
    ),
    re.compile(
        rf"\b(?:the|our|my)\s+(?:very\s+)?(?:next|last|final|second|third|fourth|fifth|other)\s+{_EN_ITEM}(?:\s+(?:today|for today|on (?:the|our|my) (?:agenda|list)|of (?:today|the day)))?\s*(?:is|are|will be|was going to be|:|,|would be)"
    ),
    re.compile(
        rf"^(?:and |so |okay |ok |now |well |right |alright |all right )*next (?:{_EN_ITEM}|is|we have|we(?:'ll| will| can)|i(?:'d| would))\b"
    ),
    re.compile(
        rf"\b(?:move on|moving on|move|turn|go|going)(?: now| on)? to (?:the|our) (?:next|second|third|fourth|last|final) {_EN_ITEM}"
    ),
    re.compile(
        r"\bthat brings us to\b|\bwhich brings us to\b|\bchange of (?:subject|topic)\b|\bchanging the (?:subject|topic)\b|\bon the agenda (?:is|today is|we have)\b"
    ),
    re.compile(
        rf"^(?:and |so |okay |ok |now |well |right |alright |all right |then |anyway )+(?:{_LETS})\s+(?:(?:now|then|just)\s+)*(?:talk about|discuss|look at|go to|start with|begin with|hear about)\b"
    ),
    re.compile(r"\bwe (?:will |shall |'ll )?now (?:move|turn|go|proceed|come|start|begin)\b"),
]
_EN_NOT: Final = re.compile(
    r"\b(?:before|until|unless|if|when|once|whether|after|not|never|can't|cannot|don't|won't|didn't|couldn't)\s+(?:\w+\s+){0,3}?(?:mov(?:e|ing)|turn(?:ing)?|go(?:ing)?|proceed(?:ing)?|switch(?:ing)?|get|chang(?:e|ing)|talk|discuss)\b"
    r"|\b(?:later|offline|another time|some other time|next (?:week|time|meeting|month|year|sprint|quarter)|tomorrow)\s*$"
    r"|\bnext (?:week|month|year|sprint|quarter|meeting|time|day|few|couple|two|three)\b(?!.*\b(?:topic|item|agenda)\b)"
)
_EN_WEAK: Final = re.compile(
    r"^(?:(?:okay|ok|well|right|alright|all right|um|uh|and|yeah)[,\s]+)*(?:so|now|next|finally|lastly|anyway|anyways|also|one more thing|another thing|by the way|speaking of|as for|regarding|what about|let's|let us|okay|alright)\b"
    r"|\b(?:agenda|topic)\b"
)
_EN_WEAK_NOT: Final = re.compile(
    r"\bnext (?:week|month|year|sprint|quarter|meeting|time|day|few|to)\b|\b(?:right|until|by|for|from|just) now\b|^(?:okay|ok|so|now|right)[.,!?\s]*$"
)
_EN_OPENING: Final = re.compile(
    rf"\b(?:begin|start|kick off|open) (?:(?:off|today|the meeting)\s+)?(?:with|by)\b|\bfirst {_EN_ITEM}\b.*\b(?:is|are|:)|\btoday(?:'s| is) (?:topic|meeting|agenda|discussion) (?:is|about)|\bwe(?:'re| are) here to (?:talk about|discuss)"
)
_EN_NAMES: Final = [
    re.compile(
        rf"\b(?:next|last|final|first|second|third|fourth|fifth|other)\s+{_EN_ITEM}(?:\s+(?:today|for today|on (?:the|our|my) (?:agenda|list)|of (?:today|the day)))?\s*(?:is|are|will be|would be|:|,)\s*(?P<n>.+)$"
    ),
    re.compile(
        r"\b(?:move on|moving on|turn(?:ing)?(?: now)?|move along|go on|switch(?:ing)?(?: over)?|proceed|jump|shift|go|move|moving)(?: now| on| over)? (?:on ?to|to|with) (?:discuss(?:ing)? |talk(?:ing)? about )?(?P<n>.+)$"
    ),
    re.compile(
        r"\b(?:brings us to|talk about|discuss|look at|hear about|here to discuss|regarding|as for|what about)\s+(?P<n>.+)$"
    ),
    re.compile(
        r"\b(?:begin|start|kick off|open)(?: off| today| the meeting)? (?:with|by (?:discussing|talking about|looking at))\s+(?P<n>.+)$"
    ),
    re.compile(
        r"\b(?:next up(?: is)?|next is|next we have|on the agenda(?: today)? is|attention to)\s+(?P<n>.+)$"
    ),
]
_EN_STOP: Final = re.compile(
    r"\s*(?:,|;|\bthat (?:is|was|we)\b|\bwhich\b|\bbecause\b|\band (?:then|i|we|see|how|what|let)\b|\bso\b|\bbefore\b|\bwho\b|\btoday\b|\bnow\b|\bplease\b|\bif\b|\bwhere\b|\bwhen\b|\bright\?|\bokay\b).*$"
)
_EN_DETERMINER: Final = re.compile(
    r"^(?:the|our|a|an|my|your|this|that|these|those|some|uh|um|on|about|to)\s+"
)
_EN_EMPTY: Final = re.compile(
    rf"^(?:(?:next|last|final|second|third|other|agenda|first)\s+)*(?:{_EN_ITEM}|one|it|that|this|there|something(?: else)?|you|them|him|her|me|us|another {_EN_ITEM}|a different {_EN_ITEM})s?$"
)


def find(text: str) -> Cue | None:
    """The strongest cue in an utterance; None where it announces nothing."""
    if len(text) > LONGEST:
        text = f"{text[: LONGEST // 2]}. {text[-LONGEST // 2 :]}"
    best: Cue | None = None
    sentences = [s for s in (_SPACE.sub(" ", raw).strip(" ,~…\"'“”") for raw in _SENTENCE.findall(text)) if s]
    for index, sentence in enumerate(sentences):
        cue = (
            _korean(sentence)
            if has_hangul(sentence)
            else _english(sentence.lower().replace("’", "'"), sentence)
        )
        if cue is None:
            continue
        if cue.strength == "strong" and cue.name is None and index + 1 < len(sentences):
            cue = Cue("strong", _name(sentences[index + 1]))
        if best is None or (best.strength == "weak" and cue.strength != "weak") or cue.strength == "strong":
            best = cue
    return best


def _name(sentence: str) -> str | None:
    return korean_name(sentence) if has_hangul(sentence) else english_name(sentence)


def _korean(sentence: str) -> Cue | None:
    if not _KO_NOT.search(sentence):
        if _KO_OPENING.search(sentence):
            return Cue("opening", korean_name(sentence))
        if any(pattern.search(sentence) for pattern in _KO_STRONG) or _sounds_strong(sentence):
            return Cue("strong", korean_name(sentence))
    if _KO_WEAK.search(sentence) and not _KO_WEAK_NOT.search(sentence):
        return Cue("weak", korean_name(sentence))
    return None


def _sounds_strong(sentence: str) -> bool:
    """Whether a short sentence sounds like an announcement, whatever its spelling and spacing."""
    packed = sentence.replace(" ", "")
    if not 5 <= len(packed) <= 40 or ("안" not in packed and "주" not in packed and "너머" not in packed):
        return False
    sound = jamo(packed)
    return any(
        fuzz.partial_ratio(letters, sound, score_cutoff=_FUZZY_ENOUGH) > 0
        for phrase, letters in _KO_FUZZY
        if len(packed) >= len(phrase)
    )


def _english(sentence: str, original: str) -> Cue | None:
    if not _EN_NOT.search(sentence):
        if _EN_OPENING.search(sentence):
            return Cue("opening", english_name(original))
        if any(pattern.search(sentence) for pattern in _EN_STRONG):
            return Cue("strong", english_name(original))
    if _EN_WEAK.search(sentence) and not _EN_WEAK_NOT.search(sentence):
        return Cue("weak", english_name(original))
    return None


def korean_name(sentence: str) -> str | None:
    """The noun phrase that a Korean announcement names: 이제 채용 이야기로 넘어가죠 → 채용."""
    for pattern in _KO_NAMES:
        if (found := pattern.search(sentence)) is None:
            continue
        name = found.group("n")
        previous = ""
        while previous != name:
            previous, name = name, _KO_LEAD.sub("", name).strip(" ,")
        name = _KO_TAIL.sub("", name) if len(name) > 2 else name
        words = name.split()
        if (
            1 <= len(name) <= 40
            and len(words) <= 6
            and not re.fullmatch(rf"(?:{_ORDER}\s?)?(?:{_AGENDA}|다음|{_ORDER})", name)
        ):
            return name
    return None


def english_name(sentence: str) -> str | None:
    """The noun phrase that an English announcement names: "let us move on to the office move" → office move."""
    lowered = sentence.lower().replace("’", "'")
    for pattern in _EN_NAMES:
        if (found := pattern.search(lowered)) is None:
            continue
        start = found.start("n")
        name = _EN_STOP.sub("", sentence[start:]).strip(" .,:;\"'")
        previous = ""
        while previous != name:
            previous, name = name, re.sub(_EN_DETERMINER.pattern, "", name, flags=re.IGNORECASE)
        if name and len(name.split()) <= 7 and len(name) <= 60 and not _EN_EMPTY.match(name.lower()):
            return (
                re.sub(r"\s+(?:problem|issue|topic|question|discussion)$", "", name, flags=re.IGNORECASE)
                or name
            )
    return None
