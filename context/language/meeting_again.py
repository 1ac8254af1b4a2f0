"""How people speak of the next time that they meet: what names it, and what calls it off.

"다음 정기 회의", "our next call" and "let's meet again" name it; "자료는 다음 회의까지" and
"the next client meeting" do not: there something else is due then, or others meet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists, holds, one_of, spaced
from context.language.dates import moments_in

_LISTS: Final = closed_lists("next_meeting")


def _one_of(key: str) -> str:
    return one_of(_LISTS[key])


_NAME_KO: Final = re.compile(
    rf"{_one_of('leads_ko')}\s?(?:{_one_of('sorts_ko')}\s?)?{_one_of('gatherings_ko')}|{_one_of('alone_ko')}"
)
_NAME_EN: Final = re.compile(
    rf"\b(?:{_one_of('leads_en')} (?:[a-z'-]+ )?{_one_of('gatherings_en')}|{_one_of('alone_en')})(?![a-z-])",
    re.IGNORECASE,
)
_MEETS_KO: Final = re.compile(_one_of("on_ko"))
_GOES_ON_KO: Final = re.compile(rf"{_one_of('again_ko')}\s{_one_of('meets_ko')}|{_one_of('goes_on_ko')}")
_MEETS_NEXT_KO: Final = re.compile(
    rf"(?:{_one_of('asked_next_ko')}\s(?:{_one_of('again_ko')}\s)?|{_one_of('again_ko')}\s)"
    rf"(?:{_one_of('meets_ko')}|{_one_of('asked_meets_ko')})"
)
_OTHERS_KO: Final = re.compile(rf"(?<![가-힣]){_one_of('others_ko')}(?:{_one_of('with_ko')})?\s$")
_WITH_OTHERS_KO: Final = re.compile(rf"(?<![가-힣]){_one_of('others_ko')}{_one_of('with_ko')}\s")
_PLACE_KO: Final = re.compile(
    r"^(?:에|쯤|쯤에)?\s(?:\S+(?<![은는을를와과랑고면서])\s){0,2}?\S+(?:에서|으로)\s"
)
_PHRASES: Final = tuple(
    phrase for key in ("meets_en", "parts_en", "same_time", "points_back") for phrase in _LISTS[key]
)

_TIME: Final = frozenset(_LISTS["asked_time"])
_ASKED_WORDS: Final = frozenset(
    word
    for key in (
        "asked_ko", "asked_en", "leads_ko", "sorts_ko", "gatherings_ko", "leads_en", "gatherings_en",
        "alone_en", "meets_en", "asked_meets_en", "parts_en", "again_ko", "asked_next_ko",
    )
    for phrase in _LISTS[key]
    for word in phrase.split()
)  # fmt: skip


def may_name_it(text: str) -> bool:
    """Whether a text is worth splitting into sentences; a quick look that misses none."""
    if any(each.search(text) for each in (_NAME_KO, _MEETS_KO, _GOES_ON_KO, _NAME_EN)):
        return True
    if any(f" {verb}" in text for verb in _LISTS["there_ko"]):
        return True
    lowered = text.lower()
    return any(phrase in lowered for phrase in _PHRASES)


def without_its_name(text: str) -> str:
    """A sentence without the names of the next meeting, which are no days: 다음 회의는 금요일."""
    return _NAME_EN.sub(" ", _NAME_KO.sub(" ", text))


def names_it(text: str) -> bool:
    """Whether a sentence speaks of when people meet next; not of what else is due then, or who else meets."""
    return (
        _is_named_ko(text) or _is_named_en(text) or _meets(text) or holds(spaced(text), _LISTS["same_time"])
    )


def points_back(text: str) -> bool:
    """Whether a sentence says that people meet on a day that was named before: "See you then"."""
    return holds(spaced(text), _LISTS["points_back"])


def calls_it_off(text: str) -> bool:
    """Whether a sentence that names the next meeting says that it does not take place."""
    name = _NAME_KO.search(text) or _NAME_EN.search(text)
    return name is not None and holds(spaced(text[name.end() :]), _LISTS["called_off"])


def asks_for_it(question: str) -> bool:
    """Whether a question without its question words names when people meet next: 다음에 만나? do we meet?"""
    said = spaced(question)
    if any(word.startswith(_LISTS["asked_else"]) for word in said.split()):
        return False
    for phrase in _LISTS["asked_day_for_en"]:  # it does not ask for what is due then
        question = question.replace(phrase, "")
    if names_it(question) or _MEETS_NEXT_KO.search(question):
        return True
    return holds(said, (*_LISTS["meets_en"], *_LISTS["asked_meets_en"])) and holds(
        said, _LISTS["asked_us_en"]
    )


def beside_it(words: Sequence[str]) -> list[str]:
    """The words of a question that are no part of naming the next meeting, and of asking for its day."""
    meets = (*_LISTS["meets_ko"], *_LISTS["asked_meets_ko"])
    return [word for word in words if word not in _ASKED_WORDS and not word.startswith(meets)]


def names_time(words: Sequence[str]) -> bool:
    """Whether a question without a question word asks for the time, by its words: 다음 회의 시간 알려줘."""
    return not _TIME.isdisjoint(words)


def _is_named_ko(text: str) -> bool:
    for name in _NAME_KO.finditer(text):
        before, behind = text[: name.start()], text[name.end() :].lstrip()
        with_others = before.rstrip().endswith(_LISTS["with_anybody_ko"]) or _OTHERS_KO.search(before)
        if (
            not with_others
            and not _WITH_OTHERS_KO.search(behind)
            and not behind.startswith(_LISTS["then_ko"])
        ):
            return True
    return False


def _is_named_en(text: str) -> bool:
    for name in _NAME_EN.finditer(text):
        before = [word for word in spaced(text[: name.start()]).split() if word not in _LISTS["articles_en"]]
        behind = spaced(text[name.end() :]).split()
        alone = name.group().lower() in _LISTS["alone_en"]
        is_due_then = bool(before) and before[-1] in _LISTS["then_en"] and not alone
        with_others = behind[:1] == [*_LISTS["with_en"]] and not set(behind[1:2]) & set(_LISTS["ours_en"])
        if not (is_due_then or with_others or holds(spaced(name.group()), _LISTS["others_en"])):
            return True
    return False


def _meets(text: str) -> bool:
    goes_on = _GOES_ON_KO.search(text) is not None
    if goes_on or _MEETS_KO.search(text) or _meets_there(text):
        told = any(each in text for each in _LISTS["reported_ko"])
        return not told and (goes_on or not _is_of_others(text))
    said = spaced(text)
    if holds(said, _LISTS["parts_en"]):
        return True
    with_others = holds(said, _LISTS["with_en"]) and holds(said, _LISTS["others_en"])
    return not with_others and holds(said, _LISTS["meets_en"]) and holds(said, _LISTS["us_en"])


def _meets_there(text: str) -> bool:
    """Whether people meet at a place that stands behind a day: 화요일 두 시에 현장에서 봅시다."""
    for moment in moments_in(text):
        behind = text[moment.end :]
        place = _PLACE_KO.match(behind) if not moment.limits else None
        if place and behind[place.end() :].startswith(_LISTS["there_ko"]):
            return True
    return False


def _is_of_others(text: str) -> bool:
    """Whether a Korean sentence names before its day a thing that is looked at, or others who meet."""
    day = next(iter(moments_in(text)), None)
    before = text[: day.start if day else 0].replace(",", ", ").rpartition(",")[2].split()
    return any(word.endswith(_LISTS["others_by_ko"]) and word not in _LISTS["we_ko"] for word in before)
