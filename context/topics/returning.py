"""Words by which people come back to what they talked about before: "Back to the budget", 예산 얘기로 돌아가죠.

Such words alone begin no topic ("let's get back to work", 처음으로 돌아가서 …): they count where what they name
is an earlier topic of the meeting (`context.topics.boundaries`).
"""  # noqa: E501 - a pattern reads better unbroken

from __future__ import annotations

import re
from typing import Final

from context.language.korean import has_hangul
from context.language.questions import bare_sentences

_MAX_CHARACTERS: Final = 120
"""Characters of a sentence; a longer one is about something else too."""
_HINTS: Final = ("back", "return", "revisit", "about ", "as for", "돌아", "다시", "마저", "말이", "말인")
"""Every return has one of these in small letters; most utterances have none and are not read further."""

_EN_BEFORE: Final = r"(?:(?:and|so|okay|ok|now|well|right|alright|all right|then|anyway|but|sorry|yes|yeah|actually|oh|also|just|wait|hang on|hold on|before (?:i|we) (?:forget|finish|go|close)|one more thing)[,\s]+)"  # noqa: E501 - a pattern reads better unbroken
_EN: Final = re.compile(
    rf"^{_EN_BEFORE}*"
    r"(?:(?:let's|let us|lets|shall we|(?:can|could|may|should|shall) (?:we|i)|(?:we|i)(?:'d| would) like to|i want to|we should|i'll|we'll|if (?:we|i) (?:can|could|may)|just|to|maybe|perhaps|please)\s+)*"  # noqa: E501 - a pattern reads better unbroken
    r"(?:(?:(?:go|going|get|getting|come|coming|jump|jumping|circle|circling|turn|turning|move|moving|switch|switching)\s+)?back\s+to|return(?:ing)?\s+to|revisit(?:ing)?)\s+(?!(?:you|him|her|them|me|us|everyone|everybody)\b)(?P<n>.+)$",
    re.IGNORECASE,
)
_EN_ABOUT: Final = re.compile(
    rf"^{_EN_BEFORE}*(?:about|as for|regarding)\s+(?P<n>[^,:]+)[,:]\s", re.IGNORECASE
)
_EN_LATER: Final = re.compile(
    r"\b(?:later|tomorrow|offline|(?:next|another|some other) (?:week|time|meeting|month))\s*$", re.IGNORECASE
)
_EN_REST: Final = re.compile(
    r"\s*(?:[,:;]|\s-\s|\b(?:for a (?:second|minute|moment)|once more|again|quickly|now|please|then|if|that we|because|question|topic|issue|point|discussion|item)\b).*$",  # noqa: E501 - a pattern reads better unbroken
    re.IGNORECASE,
)
_EN_FIRST: Final = re.compile(
    r"^(?:(?:what we (?:said|had|discussed) (?:about|on|for)|the|our|that|this|your|my|a|an)\s+)+",
    re.IGNORECASE,
)

_KO_MATTER: Final = r"(?:이야기|얘기|문제|건|안건|주제|논의)"
_KO_NOW: Final = r"(?:가서요?|가면|(?:가\s?)?보(?:면|죠|겠습니다|시죠)|(?:가\s?)?볼(?:게요|까요)|(?:가\s?)?봅시다|가겠습니다|가겠어요|갈게요|갈까요|가죠|가시죠|갑시다|가자면|가자)"  # noqa: E501 - a pattern reads better unbroken
_KO_AGAIN: Final = (
    r"(?:해\s?)?(?:보죠|볼까요|볼게요|보겠습니다|봅시다|하죠|하시죠|할게요|할까요|하겠습니다|합시다|하자면)"
)
_KO: Final = (
    re.compile(rf"^(?P<n>\S.*?)\s?{_KO_MATTER}?(?:으로|로)\s?(?:다시\s?|잠깐\s?|한번\s?)*돌아\s?{_KO_NOW}(?:[,\s]|$)"),
    re.compile(rf"^(?P<n>\S.*?)\s?{_KO_MATTER}(?:를|을)?\s?(?:다시|마저)\s?(?:좀\s?|한번\s?)?{_KO_AGAIN}$"),
    re.compile(rf"^(?P<n>\S.*?)\s?{_KO_MATTER}?\s?말(?:이야|인데요?|이에요|입니다)(?:[,\s]|$)"),
    re.compile(rf"^(?:.*\s)?다시\s(?P<n>\S.*?)\s?{_KO_MATTER}(?:를|을)?\s?(?:좀\s?|한번\s?)?{_KO_AGAIN}$"),
)  # fmt: skip
_KO_LEAD: Final = re.compile(
    r"^(?:(?:자|네|예|아|어|음|저|저기요?|참|맞다|그|그럼|그러면|그리고|근데|그런데|그래서|이제|우리|저희|제가|잠깐|잠깐만요?|잠시만요?|죄송한데요?|다시|방금|아까|아까의|앞의|앞서|처음에?"
    r"|하던|말한|말하던|말씀하신|얘기한|얘기하던|이야기한|이야기하던|나온|했던)[,\s]+)+"
)


def named(text: str) -> str | None:
    """The matter, as it is named, to which an utterance says that it comes back; None where there is none."""
    lowered = text.lower()
    for hint in _HINTS:  # asked of every utterance: `any` of a generator costs twice as much
        if hint in lowered:
            break
    else:
        return None
    for sentence in bare_sentences(text):
        if len(sentence) > _MAX_CHARACTERS:
            continue
        if name := _korean(sentence) if has_hangul(sentence) else _english(sentence.replace("’", "'")):
            return name
    return None


def _english(sentence: str) -> str:
    found = _EN.match(sentence) or _EN_ABOUT.match(sentence)
    if found is None or _EN_LATER.search(sentence):
        return ""
    return _EN_FIRST.sub("", _EN_REST.sub("", found.group("n")).strip())


def _korean(sentence: str) -> str:
    plain = _KO_LEAD.sub("", sentence)
    for text in (plain, sentence):  # 다시 is a lead, or what says that it is a return
        for pattern in _KO:
            if found := pattern.match(text):
                return _KO_LEAD.sub("", found.group("n")).strip(" ,")
    return ""
