"""How people speak of the next time that they meet: what names it, and what calls it off.

"다음 정기 회의", "our next call" and "let's meet again" name it; "자료는 다음 회의까지" and
"the next client meeting" do not: there something else is due then, or others meet.
"""

from __future__ import annotations

import re
from typing import Final

from context.language.closed_lists import closed_lists, holds, spaced

_LISTS: Final = closed_lists("next_meeting")


def _one_of(key: str) -> str:
    return f"(?:{'|'.join(sorted(map(re.escape, _LISTS[key]), key=len, reverse=True))})"


_NAME_KO: Final = re.compile(
    rf"{_one_of('leads_ko')}\s?(?:{_one_of('sorts_ko')}\s)?{_one_of('gatherings_ko')}|{_one_of('alone_ko')}"
)
_NAME_EN: Final = re.compile(
    rf"\b(?:{_one_of('leads_en')} (?:[a-z'-]+ )?{_one_of('gatherings_en')}|{_one_of('alone_en')})(?![a-z-])",
    re.IGNORECASE,
)
_MEETS_KO: Final = re.compile(rf"{_one_of('again_ko')}\s{_one_of('meets_ko')}|{_one_of('on_ko')}")
_OTHERS_KO: Final = re.compile(rf"(?<![가-힣]){_one_of('others_ko')}(?:{_one_of('with_ko')})?\s$")
_WITH_OTHERS_KO: Final = re.compile(rf"(?<![가-힣]){_one_of('others_ko')}{_one_of('with_ko')}\s")
_PHRASES: Final = tuple(
    phrase for key in ("meets_en", "parts_en", "same_time", "points_back") for phrase in _LISTS[key]
)


def may_name_it(text: str) -> bool:
    """Whether a text is worth splitting into sentences; a quick look that misses none."""
    if _NAME_KO.search(text) or _MEETS_KO.search(text) or _NAME_EN.search(text):
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
    if _MEETS_KO.search(text):
        return not any(told in text for told in _LISTS["reported_ko"])
    said = spaced(text)
    if holds(said, _LISTS["parts_en"]):
        return True
    return holds(said, _LISTS["meets_en"]) and holds(said, _LISTS["us_en"])
