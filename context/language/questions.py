"""Is this a question, is it a request? By endings and openings, in Korean and English.

Speech comes without reliable punctuation, so a question mark settles it and nothing else is asked
of one. Korean 죠/지 ends questions and statements alike; there a second sign is needed.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.korean import final, has_hangul

_WITHIN: Final = (
    r"(?:(?<=[0-9A-Za-z])\.(?=[0-9a-z])|(?<=\s)\.(?=[0-9])"
    r"|(?:(?<=\b[MD]r)|(?<=\bM[rs]s)|(?<=\bMs)|(?<=\bProf)|(?<=\bvs)|(?<=e\.g)|(?<=i\.e))\.)"
)
"""A full stop that ends nothing: 2.3퍼센트, node.js, Dr. Kim."""
SENTENCE: Final = re.compile(rf"[^.!?。？！\n]+(?:{_WITHIN}[^.!?。？！\n]*)*[.!?。？！]*")
"""One sentence with its punctuation."""
_TRIM: Final = " \t\"'’”“‘)(,;:~…-·"

_WH: Final = re.compile(
    r"(?:^|\s)(?:어떻게|어떤|어때|어떡|왜|누가|누구|누굴|언제|어디|어딜|무엇|무슨|뭐|뭘|뭔|뭡|어느|몇|얼마|얼만)"
)
_WH_FALSE: Final = re.compile(
    r"왜냐|언제나|언제든|언제라도|언젠가|누군가|누구나|누구든|누구라도|누구도|어디서나|어디든|어디까지나|어딘가|무엇보다|무엇이든"
    r"|뭐든|뭔가|무언가|어느\s?정도|어느\s?새|어떻게든|어떻게\s?보면|얼마든|얼마\s?전|얼마\s?안|몇몇|몇\s?가지\s?(?:더|만)|뭐라\s?해도|어떤\s?식으로든"
)
_WH_END: Final = re.compile(
    r"(?:지|죠|지요|요|야|까|나|니|냐|가|어|아|해|돼|래|대|데|건데|더라|라고|거|임|음)$"
)
_DECLARES: Final = (
    "다",
    "자",
    "라",
    "군요",
    "네요",
    "고요",
    "거든요",
    "세요",
    "시오",
    "는데요",
    "게요",
    "께요",
)
_ASKS_TO_DO: Final = re.compile(r"(?:주|줘|봐|보)\s?(?:세요|시오|십시오)$|줘요?$")

_NOT_NAYO: Final = re.compile(r"(?:만|끝|어|타|떠|지|벗어|늘어|생각|깨|태어|빛|드러)나요$")
_NOT_NGA: Final = re.compile(
    r"(?:누군가|언젠가|무언가|뭔가|어딘가|휴가|평가|국가|증가|추가|참가|물가|단가|가격|인증가|요가|전문가)$"
)
_NI: Final = re.compile(r"(?:[가-힣]*(?:있|없|맞|뭐|거|떠|좋|싶|같|않|되|이)니)$")
_AGREEING: Final = re.compile(
    r"^(?:네|예|아|그|음|뭐)*\s*(?:그렇|그러|맞|물론이|당연하|좋|알)(?:죠|지요|지)$"
)
_TAG: Final = re.compile(r"(?:맞|있|없|이|않|아니)(?:죠|지요|지)$")

_EN_FILLER: Final = re.compile(
    r"^(?:(?:so|and|but|okay|ok|well|um|uh|hey|hi|right|now|then|also|sorry|excuse me|alright"
    r"|yeah|yes|no|great|good|thanks|thank you|please)\b[\s,]*)+",
)
_EN_VOCATIVE: Final = re.compile(r"^@?[\w.'-]+(?:\s[\w.'-]+)?,\s+")
_AUX: Final = (
    r"(?:is|are|was|were|am|do|does|did|can|could|will|would|should|shall|has|have|had|may|might|must"
    r"|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|can't|couldn't|won't|wouldn't|shouldn't|haven't|hasn't)"
)
_SUBJECT: Final = (
    r"(?:i|you|we|they|he|she|it|there|this|that|these|those|anyone|anybody|someone|somebody|everyone|everybody"
    r"|the|a|an|our|your|their|my|his|her|its|any|all|both)"
)
_EN_QUESTION: Final = re.compile(
    rf"^(?:{_AUX}\s+{_SUBJECT}\b"
    rf"|(?:who|what|when|where|why|how|which|whose|whom)(?:\s+|'s\s|'re\s|'d\s|'ll\s)(?:\w+\s+){{0,3}}?{_AUX}\b"
    r"|(?:who|what|when|where|why|how)(?:'s|'re|'d|'ll)\b"
    r"|how\s+(?:much|many|long|often|far|soon|come|about)\b|what\s+(?:about|time|date|if|else)\b"
    r"|who\s+(?!ever)[a-z]+s?\b|why\s+not\b|which\s+(?:ones?|day|week|month|room|team|file|page|version|option)$|any\s+(?:idea|news|update|questions)\b)"
)
_EN_SUBORDINATE: Final = re.compile(
    r"^(?:when|where|what|how|which|who)\s+(?:i|you|we|they|he|she|it|the|a|this|that|our|means|possible)\b"
)
_EN_ORDER: Final = re.compile(r"^(?:do\s+(?:it|that|this|so)|have\s+an?)\b")
"""Do it now; have a seat: what is done is no subject."""
_EN_TAIL: Final = re.compile(rf"(?:,\s*{_AUX}\s+(?:i|you|we|they|he|she|it|there)|,\s*right)$")

_REQUEST_KO: Final = re.compile(
    r"(?:요약|정리|설명|추출|검색|확인|번역|작성|나열|기록|공지|비교)\s?(?:을|를)?\s?(?:좀\s?)?(?:해|부탁|하고|하여)"
    r"|(?:알려|말해|말씀해|보여|찾아|뽑아|읽어|적어|들려|가르쳐|짚어|골라|모아|불러)\s?(?:줘|조|죠|주|달|줄|봐)"
)
_REQUEST_KO_END: Final = re.compile(
    r"(?:줘요?|조|주세요|주십시오|주시겠어요|줄래요?|주라|달라|해요?|하라|부탁(?:해요?|드려요|드립니다|합니다)?|봐요?|줄\s?수\s?있\S*)$"
)
_REQUEST_EN: Final = re.compile(
    r"^(?:(?:can|could|would|will)\s+you\s+(?:please\s+)?"
    r"|i\s+(?:need|want|would like|'d like)\s+(?:you\s+to\s+)?|let me (?:know|see)\b|please\s+)?"
    r"(?:summari[sz]e|sum\s+up|recap|list|tell\s+(?:me|us)|show\s+(?:me|us)?|give\s+(?:me|us)|find|remind\s+(?:me|us)|explain|search"
    r"|look\s+up|extract|repeat|quote|name|describe|compare|translate|catch\s+me\s+up|outline|a\s+summary|the\s+summary"
    r"|let\s+(?:me|us)\s+know)\b"
)


def sentences(text: str) -> list[str]:
    """The sentences of `text` by their punctuation, without outer blanks; never empty strings."""
    found = (part.strip() for part in SENTENCE.findall(text))
    return [part for part in found if part.strip(_TRIM + ".!?。？！")]


def is_question(text: str) -> bool:
    """Whether anything in `text` asks something. A question mark anywhere settles it."""
    if "?" in text or "？" in text:
        return True
    return any(
        _asks_ko(bare) if has_hangul(bare) else _asks_en(bare)
        for bare in (part.strip(_TRIM + ".!。！") for part in sentences(_bounded(text)))
    )


def is_request(text: str) -> bool:
    """Whether `text` asks for something to be told: a summary, a list, a look-up. Not: to do work."""
    for part in sentences(_bounded(text)):
        bare = part.strip(_TRIM + ".!?。？！")
        if has_hangul(bare):
            if _REQUEST_KO.search(bare) and _REQUEST_KO_END.search(bare):
                return True
        elif _is_request_en(bare):
            return True
    return False


def _bounded(text: str) -> str:
    """Both ends of a very long text: who asks, asks there, and nobody waits for a million characters."""
    return text if len(text) <= 4000 else f"{text[:2000]}\n{text[-2000:]}"


def _is_request_en(bare: str) -> bool:
    lowered = _EN_FILLER.sub("", bare.lower().replace("’", "'")).strip(_TRIM)
    return any(_REQUEST_EN.match(form) is not None for form in (lowered, _EN_VOCATIVE.sub("", lowered)))


def _asks_ko(sentence: str) -> bool:
    words = sentence.split()
    # what asks wherever it stands ends so: most sentences have none of these
    asking = "요" in sentence or "까" in sentence or "냐" in sentence
    if asking and any(_strong_ending(word.strip(_TRIM)) for word in words):
        return True
    last = words[-1].strip(_TRIM)
    if _closing_question(last, sentence):
        return True
    # 어디 가세요; the ending is asked first, for it costs little and settles most
    if not last.endswith("세요") and (_WH_END.search(last) is None or last.endswith(_DECLARES)):
        return False
    near = " ".join(words[-8:])
    wh = _WH.search(_WH_FALSE.sub(" ", near))
    return wh is not None and _ASKS_TO_DO.search(near) is None


def _strong_ending(word: str) -> bool:
    """Endings that ask wherever they stand: 할까요, 하나요, 합니까, 인가요."""
    if word.endswith("까요"):
        return len(word) > 2 and final(word[-3]) == "ㄹ"
    if word.endswith("니까"):  # 합니까, but not 하니까
        return len(word) > 2 and final(word[-3]) == "ㅂ"
    if word.endswith("나요"):
        return len(word) > 2 and _NOT_NAYO.search(word) is None
    if word.endswith("가요"):  # 인가요, but not 가요
        return len(word) > 2 and final(word[-3]) == "ㄴ"
    return word.endswith(("ㄹ까요", "을래요", "느냐", "겠냐", "었냐", "했냐", "됐냐"))


def _closing_question(last: str, sentence: str) -> bool:
    """Endings that ask at the end of a sentence only."""
    if last.endswith("까"):
        return len(last) > 1 and final(last[-2]) == "ㄹ"
    if last.endswith("가"):  # 하는가, 인가
        return len(last) > 1 and final(last[-2]) == "ㄴ" and _NOT_NGA.search(last) is None
    if last.endswith("냐"):
        return len(last) > 1
    if last.endswith("니"):
        return (len(last) > 1 and final(last[-2]) == "ㅆ") or (
            _NI.search(last) is not None and last != "아니"
        )
    if last.endswith(("어때", "어때요", "어떤지요", "ㄹ래", "을래", "할래", "될래")):
        return True
    return _asks_for_consent(last, sentence)


def _asks_for_consent(last: str, sentence: str) -> bool:
    """죠 and 지: after a past or a copula they ask; in 넘어가죠 (let us) and 그렇죠 (I agree) they don't."""
    tail = next((end for end in ("지요", "죠") if last.endswith(end)), None)
    if tail is None or _AGREEING.search(sentence.strip(_TRIM)):
        return False
    stem = last[: -len(tail)]
    return bool(stem) and (final(stem[-1]) == "ㅆ" or _TAG.search(last) is not None)


def _asks_en(sentence: str) -> bool:
    lowered = _EN_FILLER.sub("", sentence.lower().replace("’", "'")).strip(_TRIM)
    if _EN_TAIL.search(lowered):
        return True
    return any(
        _EN_QUESTION.match(form) is not None
        and _EN_SUBORDINATE.match(form) is None
        and _EN_ORDER.match(form) is None
        for form in (lowered, _EN_VOCATIVE.sub("", lowered))
    )
