# ruff: noqa: E501  # patterns read better unbroken
"""What kind of answer a question wants (a day, an amount, a person, a reason, a place), and what holds one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.retrieval.asked import AnswerKind, Asked
from context.retrieval.names import called

MISHEARD_WHEN: Final = (
    r"(?:[언안](?:제|재|져|저|절|젤|쩨)(?:로|러|쯤|부터|까지|나|는)?|(?:앉으|얹으|[언안][지즈])(?:로|러|루))"
)
"""언제 as a small speech model writes it."""
_WHEN: Final = re.compile(
    rf"\b{MISHEARD_WHEN}\b|"
    r"언제|며칠(?!이나|간|\s?(?:동안|걸|필요|남))|몇\s?(?:시(?!간)|일|월|날)|날짜|기한|\bwhen\b|\bwhat (?:date|day|time)\b|\bdeadline\b",
    re.IGNORECASE,
)
_MUCH: Final = re.compile(
    r"얼마|며칠(?:이나|간|\s?(?:동안|걸|필요|남))|몇\s?(?!시(?!간)|일(?!간)|월|날|번째)[가-힣]|\bhow (?:much|many|long|big|small|old|far|fast|hot|cold|warm|high|low|deep|often|late|early|tall|wide|heavy|bad)\b"
    r"|(?:비용|가격|금액|요금|회비|값|예산|월세|단가|참가비)(?:은|는|이|가)?\s?어떻게\s?[되돼될]"
    r"|\bwhat(?:'s| is| was| are| will| does| do| did| would)\b[^?]*\b(?:cost|fee|price|rent|rate|budget|deposit|salary)s?\b(?! for\W*$)",
    re.IGNORECASE,
)
_WHO: Final = re.compile(r"누가|누구|담당자|\bwho(?:'s|se)?\b|\bin charge\b", re.IGNORECASE)
_WHY: Final = re.compile(r"왜|이유|원인|어째서|\bwhy\b|\breasons?\b|\bcaused?\b", re.IGNORECASE)
_ASKS_WHY: Final = re.compile(r"왜|어째서|\bwhy\b", re.IGNORECASE)
_ASKS_ELSE: Final = re.compile(r"언제|며칠|몇|얼마|누가|누구|어디|\b(?:when|who|where|how)\b", re.IGNORECASE)
_WHERE: Final = re.compile(
    r"어디|장소|어느\s?(?:곳|데|방|회의실|[가-힣]+(?:에서|으?로|에)(?=\s))|\bwhere\b|\b(?:which|what) (?:venue|place|location|room)\b",
    re.IGNORECASE,
)
_KINDS: Final[tuple[tuple[AnswerKind, re.Pattern[str]], ...]] = (
    ("when", _WHEN),
    ("how_much", _MUCH),
    ("who", _WHO),
    ("where", _WHERE),
    ("why", _WHY),
)
_OPEN_VOWELS: Final = "".join(
    chr(code) for code in range(0xAC00, 0xD7A4, 28) if (code - 0xAC00) // 28 % 21 in (0, 4, 6, 14)
)
"""Syllables that end in ㅏ, ㅓ, ㅕ or ㅝ: 바빠, 커, 걸려, 추워."""
_REASON: Final = re.compile(
    rf"(?<=[가-힣])(?!어서)[{_OPEN_VOWELS}]서(?=[\s,.]|$)|느라|[다라]\s?보니|가지고(?:요)?(?=[\s,.]|$)|"
    r"때문|덕분|원인|이유|거든요|(?:어서|아서|해서|니까|으니|라서|[져려겨쳐워돼]서)요?(?:[\s,.]|$)|고\s?나서|했더니|는\s?바람에|\bbecause\b|\bsince\b|\bdue to\b|\bcause\b|\breason\b|,? so\b|\bcan't\b|\bcannot\b|\btoo\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"[거여저]기로\s|[가-힣](?:에서|(?<![번명개건원시분])으로\s|(?<!으)(?<![가-힣]기)로\s|(?<![월일주날때중전후뒤시간분년기초말밤침녁])에\s)|\b(?:in|at|on|to|the)\s+\w|\bit's the\b",
    re.IGNORECASE,
)
_PERSON: Final = re.compile(
    r"(?:^|\s)(?:제가|저는|저희가|내가|저하고|저랑|저와|우리가)(?:\s|$)|(?:님|씨|팀|팀장|선생님)(?:이|은|는|가|하고|께서|에서|으로|로)?(?:\s|$)|\b(?:I|I'll|I'm|I've|me|we'll)\b"
)
_DATE: Final = re.compile(
    r"[0-9]+\s?[월일시]|\b\d{1,2}:\d{2}\b|(?:^|\s)(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열|열한|열두)\s?시(?!간)(?:까지|부터|쯤|에|(?![가-힣]{2}))|주말|자정|정오"
    r"|\b(?:noon|midnight|o'clock|half past)\b|\bat (?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?!\w|[ -](?:percent|per|hundred|thousand))|\bthe \d{1,2}(?:st|nd|rd|th)\b|\bthe (?:twenty-\w+|thirt(?:y-first|ieth)|(?:four|fif|six|seven|eigh|nine|thir)teenth|twentieth|twelfth|eleventh|tenth|ninth|eighth|seventh|sixth|fifth)\b|^(?:(?:four|fif|six|seven|eigh|nine|thir)teenth|twentieth|twelfth|eleventh|tenth)\b|[일이삼사오육칠팔구십시유비]{1,4}\s?[월일](?:로|에|까지|은|이|\s)|요일|(?<![가-힣])(?:[월화수목금토일](?=[월화수목금토일]))+[월화수목금토일](?![가-힣])|다음\s?(?:주|달)|이번\s?(?:주|달)|내일|모레|오늘|(?:내년|올해|연말|연초|월말)(?=에|부터|까지|이)"
    r"|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|tomorrow|today|tonight|(?:this|in the) (?:morning|afternoon|evening)|(?:after|before|at|over) (?:lunch|breakfast|dinner)|(?:from|by|on|until|before|after|for) the (?:first|second|third|fourth)|(?:day|week|month)s? (?:after|before|later|from)|week|month|sprint|quarter)\b",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(
    r"[0-9]|[일이삼사오육칠팔구십백천만억]+\s?(?:원|명|건|퍼센트|분|시간)|(?:한|두|세|네|석|넉|다섯|여섯|일곱|여덟|아홉|열|스무|서른|마흔|쉰)\s?(?:명|건|개|달|주(?!일)|시간|번(?!째))|하루|이틀|사흘|나흘|열흘|보름|반나절|일주일"
    r"|(?<![가-힣])[일이삼사오육칠팔구]?[십백천](?:[일이삼사오육칠팔구]?[십백천])*[일이삼사오육칠팔구]?만?(?=밖에|까지|정도|이요|요|이에요|입니다|\s)|[일이삼사오육칠팔구십백천]만(?![가-힣])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand"
    r"|million|percent|half|(?:an?|a couple of) (?:hour|day|week|month|year|fortnight|dozen)s?)\b",
    re.IGNORECASE,
)
_UNIT: Final = re.compile(
    r"몇\s?(퍼센트|프로|킬로|군데|사람|상자|[가-힣]{1,2}?)(?=(?:이|을|를|은|는|나|씩|까지|짜리|으로|로|에|서|야|예|인)(?![가-힣]{3})|\s|\?|$)"
)
_LASTING: Final = "년|개월|달|주|일|시간|분"
"""Of what lasts: 몇 주 걸려? — 한 달이요."""
_SAME_UNIT: Final = {
    "명": "명|분|사람",
    "분": "명|분|사람",
    "퍼센트": "퍼센트|프로|%",
    "프로": "퍼센트|프로|%",
    "곳": "곳|군데",
    "군데": "곳|군데",
    **dict.fromkeys(("년", "개월", "달", "주", "시간"), _LASTING),
}
COUNT_KO: Final = r"(?:[0-9]|[한두세네섯곱덟홉물흔른순쉰열]|스무|[일이삼사오육칠팔구십백천만])\s?"
_ORDINAL: Final = re.compile(r"\b\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
"""A day, no amount."""
_A_DAY: Final = re.compile(r"[0-9]+\s?월(?:\s?[0-9]+\s?일)?|[0-9]+\s?시(?!간)")
NO_AMOUNT: Final = re.compile(
    r"\b(?:the|a|an|this|that|which|last|next|first|other|another|any|every|each|no|only|same) (?:\w+ )?one\b|\b\w+ (?:things|items|topics|points)\b|\bone (?:more|other|last) thing\b|\bone of (?:the|those|these|them|us|you|my|our|your|their|his|her)\b"
    r"|(?:한|두|세|네|다섯)\s?(?:가지|건|개)(?:만|를|을)?\s?(?:논의|이야기|얘기|말씀|안건|보)",
    re.IGNORECASE,
)
"""The last one, three things: 세 가지 논의하겠습니다."""


def kind_asked(question: str) -> AnswerKind | None:
    """What is asked for; of two ("who does it, and by when?") the one that is asked first."""
    if _ASKS_WHY.search(question) and _ASKS_ELSE.search(question) is None:
        return "why"  # 날짜를 왜 옮겼어?: the day is what it is asked of
    kind = next((kind for kind, pattern in _KINDS if pattern.search(question)), None)
    if kind == "when" and (who := _WHO.search(question)) is not None:
        when = _WHEN.search(question)
        return "who" if when is not None and who.start() < when.start() else "when"
    return kind


def kinds_asked(question: str) -> list[AnswerKind]:
    """All kinds of answer that are asked for: of 언제 어디서 해? a day and a place."""
    return [kind for kind, pattern in _KINDS if pattern.search(question)]


def gives(asked: Asked, text: str, names: Sequence[str] = ()) -> bool:
    """Whether `text` holds the kind of answer that is asked for: a date, an amount, a person, a reason."""
    match asked.kind:
        case "when":
            return _DATE.search(text) is not None
        case "how_much" if asked.unit:
            unit = _SAME_UNIT.get(asked.unit, asked.unit)
            return re.search(rf"{COUNT_KO}(?:{unit})(?!에\s|당)", text) is not None
        case "how_much":
            counted = NO_AMOUNT.sub(" ", _ORDINAL.sub(" ", text))
            return _AMOUNT.search(_A_DAY.sub(" ", counted)) is not None
        case "who":
            return _PERSON.search(text) is not None or any(called(name, text) for name in names)
        case "why":
            return _REASON.search(text) is not None
        case "where":
            return _PLACE.search(text) is not None
        case _:
            return False


def unit_asked(question: str) -> str:
    """몇 명: what is counted, by its Korean counter; "" where none is named."""
    found = _UNIT.search(question)
    return found.group(1) if found else ""
