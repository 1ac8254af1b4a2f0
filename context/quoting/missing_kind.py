# ruff: noqa: E501  # patterns read better unbroken
"""Asked for a day, a number, a person or a place, and nothing that is quoted has one: that is no answer.

"How many drivers are we hiring?" finds what was said of drivers. Quoted as found it would pass for an answer,
and so would "I'll ask the treasurer" for who that is.
So would the day of the bazaar for "wasn't the canteen on the 18th?", where nobody spoke of a canteen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.answering.claims import claim_in
from context.answering.sides import agrees, same_sort
from context.answering.told import told
from context.extractive.sentences import split
from context.extractive.subjects import facts
from context.quoting.quotes import Found
from context.quoting.reasons import tells
from context.quoting.record import Record
from context.quoting.unsettled import PUTS_OFF
from context.retrieval.answer_kinds import COUNT_KO, NO_AMOUNT
from context.retrieval.questions import Asked, coverage, gives

_NUMBERLESS: Final = re.compile(
    r"없|무료|공짜|전부|모두|그대로|아무|하나|둘|셋|적게|많이|줄이|줄여|늘리|늘려|절반|두\s?배"
    r"|\b(?:fewer|less|twice|double|halve|no|none|nobody|nothing|free|all|every(?!one|body)\w*|both|one|few|enough|same|stays?|leave|third|quarter|dozen)\b",
    re.IGNORECASE,
)
"""An answer without a figure: for free, all of them, fewer, it stays as it is."""
_ANY: Final = re.compile(r"\d|[십백천만억]")
"""Where the question does not say what is counted, any sum may be meant: 칠십까지."""
_BARE_WORDS: Final = 4
_OF_IT: Final = re.compile(
    r"^(?:it|that|they|those)(?:'s|'re| is| are| costs?)\b|^(?:그건|그게|그거)\s", re.IGNORECASE
)
_OF_IT_WORDS: Final = 9
"""It's about four thousand a month."""
_ASKS_MONEY: Final = re.compile(
    r"(?:비용|가격|금액|월세|급여|연봉|시급|보증금|[가-힣](?:료|값))(?:은|는|이|가)?\s(?:\S+\s)?얼마"
    r"|\b(?:cost|price|pay|fee|rent|budget|deposit|salary|wage|charge|allowance|bonus|fine|grant|refund)s?\b",
    re.IGNORECASE,
)
_COUNTS: Final = re.compile(r"\bhow many\b", re.IGNORECASE)
"""How many chairs do we rent?"""
_COUNTED_THINGS: Final = re.compile(
    rf"\d*{COUNT_KO}(?:명|분|건|개(?:월)?|대|달|주|시간|일|번|장|곳|프로|퍼센트)(?![가-힣]?\s?원)|\d\s?%"
    r"|\b(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred)"
    r"(?: (?!for|in|at|an?|the|per|to|on|of|from|by|each|and|or|with|plus|less|is|was)\w+)? (?!pounds|dollars|euros|thousands|hundreds|cents|plus|less|this|was|has)[a-z]{3,}s\b",
    re.IGNORECASE,
)
"""62 applications, six months: no sum of money."""
_UNDER_TEN: Final = re.compile(
    r"\b(?:(?:half|quarter) (?:past|to) )?(?:one|two|three|four|five|six|seven|eight|nine)\b(?![ -](?:and|hundred|thousand|million|grand|quid|k|(?:pound|dollar|euro|cent)s?|(?:twen|thir|for|fif|six|seven|eigh|nine)ty)\b)"
    r"|(?<![\d.,])\d{1,2}(?=[가-힣]|,\s[가-힣A-Z])(?!\s?(?:만|천|백|억|원|달러|유로))|\b(?:at|by|till|until|past|to) (?:ten|eleven|twelve|noon|midnight|half)\b",
    re.IGNORECASE,
)
"""Band's six, at half past eight: no price."""
_WHO_IS: Final = re.compile(
    r"누구(?:예요|이에요|입니까|인가요|신가요|[야죠지니])\W*$|\bwho(?:'s| is| was) (?:the|our|your|their)\b",
    re.IGNORECASE,
)
_SOMEBODY: Final = re.compile(
    r"(?<=[a-z,;:'] )(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)\b)[A-Z][a-z]+"
    r"|^(?!(?:The|This|That|It|There|Here|He|She|They|We|You|What|Who|One)\b)[A-Z][a-z]+(?: (?:is|was|will|does|has|can)|'ll)\b"
    r"|[가-힣]\s?(?:씨|님|쌤)|[가-힣](?:게요|겠습니다)\W*$|(?:남편|아내|동생|누나|언니|오빠|아들|딸|친구|후배|선배)\S{0,2}(?:이|가|는|은)\s",
)
"""Of somebody who is not in the meeting; 물어볼게요: whoever says it."""
_ASIDE: Final = re.compile(r"\bI (?:know|think|see|mean|guess|suppose|hope|agree)\b")
"""Tells nothing of whoever says it."""
_NO_MORE: Final = re.compile(
    r"원래[^.?!]*[었았했]\S{0,2}는데|[기려]\S\s?했었|[을할갈볼]\s?수는\s?있(?:는데|지만|긴)|\b(?:was|were) (?:meant|supposed|going) to\b|\boriginally\b|\bI could\b[^.?!]*\bbut\b",
    re.IGNORECASE,
)
"""A plan that is told as a former one, an offer with a but: what came of it is said elsewhere."""
_TO_KO: Final = r"\S{0,2}(?:께|한테|에게|하고|이랑|랑|[과와])(?![가-힣]{2})"
_TO_EN: Final = r"\b(?:with|to|from|by|for|ask|tell|call|see|ring|email) (?:the|our|your|their) (?:\w+ )?"


def with_its_figure(quoted: Sequence[Found], asked: Asked, record: Record) -> list[Found]:
    """`quoted`, and where none has a number, what the same turns give right behind: "In instalments. Six of them."."""
    found = list(quoted)
    if asked.kind != "how_much" or any(gives(asked, each.text, record.names) for each in found):
        return found
    for each in quoted:
        parts = [part.text for part in split(each.utterance)]
        place = parts.index(each.text) + 1 if each.text in parts else len(parts)
        found += [
            Found(text, each.utterance, each.score, replies=True)
            for text in parts[place : place + 1]
            if len(text.split()) <= (_OF_IT_WORDS if _OF_IT.match(text) else _BARE_WORDS)
            and gives(asked, text, record.names)
        ]
    return found


def lacks_its_kind(question: str, quoted: Sequence[Found], asked: Asked, record: Record) -> bool:
    """Whether `question` is for a day, an amount, a person or a place, and no quote gives one or puts it off."""
    if asked.kind is None:
        return False
    if asked.kind == "why":
        given = (each.replies or gives(asked, each.text, record.names) or tells(each.text) for each in quoted)
        return not any(given)
    if asked.kind == "who" and _only_done_with(question, quoted, asked):
        return True
    texts = [each.text for each in quoted]
    of_money = _ASKS_MONEY.search(question) is not None and _COUNTS.search(question) is None
    if asked.kind == "how_much" and of_money:
        texts = [_UNDER_TEN.sub(" ", _COUNTED_THINGS.sub(" ", text)) for text in texts]
    return not any(_holds(text, asked, record) or PUTS_OFF.search(text) for text in texts)


def _holds(text: str, asked: Asked, record: Record) -> bool:
    """Whether a quote gives what is asked for as something that is still so."""
    if _NO_MORE.search(text) is not None:
        return False
    if asked.kind == "who":
        text = _ASIDE.sub(" ", text)
        return gives(asked, text, record.names) or _SOMEBODY.search(text) is not None
    if gives(asked, text, record.names):
        return True
    return asked.kind == "how_much" and (
        _NUMBERLESS.search(NO_AMOUNT.sub(" ", text)) is not None
        or (
            not asked.unit
            and (_ANY.search(text) is not None or bool(facts(NO_AMOUNT.sub(" ", text)).numbers))
        )
    )


def _only_done_with(question: str, quoted: Sequence[Found], asked: Asked) -> bool:
    """Whether the quotes tell only of something to be done with whoever is asked for."""
    if _WHO_IS.search(question) is None or not asked.topic:
        return False
    who = re.escape(asked.topic[-1])
    done_with = re.compile(
        f"{who}{_TO_KO}" if asked.topic[-1][0] >= "가" else f"{_TO_EN}{who}", re.IGNORECASE
    )
    return all(done_with.search(each.text) for each in quoted)


def not_as_claimed(question: str, quoted: Sequence[Found], record: Record) -> bool:
    """Whether `question` claims a day or figure of something, and the quotes are of nothing of the kind.

    They are where one of them has any day or figure of its sort, and one of them speaks of the thing.
    """
    claim = claim_in(question)
    if claim is None or not claim.facts or not claim.subject:
        return False
    subject = Asked(topic=claim.subject, deciding=False)
    of_its_sort = any(
        agrees(claim.facts, told(each.text)) or same_sort(claim.facts, told(each.text)) for each in quoted
    )
    return not of_its_sort or not any(
        coverage(subject, record.leading_to(each.utterance, each.utterance.text)) > 0 for each in quoted
    )
