# ruff: noqa: E501  # patterns and texts read better unbroken
"""What kind of help a question asks for: seed 000's four call types."""

from __future__ import annotations

import re
from typing import Final

from context.models import AgentCallType

_ACTIONS: Final = re.compile(
    r"액션\s?아이템|할\s?일|해야\s?할|해야\s?하는|과제\s?(?:목록|정리|알려|뭐|가\s?뭐)|담당(?:자|\s?업무)?\s?(?:목록|정리|별)|투두|후속\s?조치|다음\s?단계"
    r"|누가\s?(?:뭘|무엇을|무슨\s?일을|뭐를?)\s?(?:하기로|맡|해야|담당)|맡은\s?(?:일|것|업무)"
    r"|\baction items?\b|\bto-?dos?\b|\bnext steps\b|\btasks?\b|\bwho (?:does|is doing|has to do|should do|will do) what\b"
    r"|\bfollow-?ups\b|\bassign(?:ed|ments)\b|\bwhat (?:do|does|should|must) (?:i|we|\w+) (?:have to|need to) do\b",
    re.IGNORECASE,
)
_SUMMARY: Final = re.compile(
    r"요약|정리\s?(?:해|좀|부탁)|(?:무슨|어떤)\s?(?:이야기|얘기|내용|논의)[^?]{0,12}(?:했|나눴|오갔|있었|나왔|됐|되었)|뭐\s?(?:얘기|이야기|논의)했"
    r"|지금까지\s?(?:나온|논의|회의)|놓친\s?(?:것|내용|부분)|회의록"
    r"|\bsummar(?:y|ies|i[sz]e)|\brecap\b|\bsum up\b|\boverview\b|\bcatch me up\b|\bwhat did i miss\b|\bminutes\b"
    r"|\bwhat (?:have|did) we (?:discuss|talk|cover)|\bwhat was (?:discussed|this about|talked)",
    re.IGNORECASE,
)
_SEARCH: Final = re.compile(
    r"찾아|검색|(?:지난|이전|저번|예전)\s?(?:회의|번\s?회의|미팅)(?:에서|록|의|\s)|문서|자료에서|위키"
    r"|\bsearch\b|\bfind\b|\blook (?:up|for)\b|\b(?:last|previous|earlier) (?:meeting|call)s?\b|\bdocuments?\b|\bwiki\b",
    re.IGNORECASE,
)


def call_type(question: str) -> AgentCallType:
    """The call type of a question, in Korean or English; an immediate answer where nothing speaks for another."""
    if _ACTIONS.search(question):
        return "ACTION_EXTRACTION"
    if _SUMMARY.search(question):
        return "SUMMARY"
    if _SEARCH.search(question):
        return "SEARCH"
    return "IMMEDIATE_RESPONSE"
