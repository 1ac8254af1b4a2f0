"""What is said of a thing beside its status: dose and frequency, severity and duration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.language.closed_lists import closed_lists, word_sets

_LISTS: Final = closed_lists("medical")
_SETS: Final = word_sets("medical")
_DOSE: Final = re.compile(
    r"[0-9]+(?:[.,][0-9]+)?\s?(?:mg|mcg|µg|g|ml|iu|units?|밀리그램|그램|단위|정|알)(?![a-z])", re.IGNORECASE
)
_TIMES: Final = re.compile(
    r"하루\s?(?:에\s?)?(?:[0-9]|한|두|세|네)\s?(?:번|회|차례)|\bevery [0-9]+ hours\b", re.IGNORECASE
)
_DAYS_KO: Final = r"하루|이틀|사흘|나흘|일주일|한\s?달"
_UNITS_KO: Final = r"일|주|달|개월|년|시간"
_EDGE_CHARACTERS: Final = ".,:;!?()[]\"'“”‘’…~-"
_SPAN_KO: Final = re.compile(
    rf"(?:[0-9]+|{_DAYS_KO}|[일이삼사오육칠팔구십]+)\s?(?:{_UNITS_KO})?\s?(?:째|동안|전부터)"
    rf"|(?<=지 )(?:[0-9]+\s?(?:{_UNITS_KO})|{_DAYS_KO})(?=\s?(?:됐|되|넘|정도))"
)
_LONGEST_SPAN: Final = 5
"""Words at most: for the last three days."""
_DOSE_CHARACTERS: Final = 24
"""Characters before a medicine in which its dose may stand: 10 units of insulin."""


def taken(behind: str, before: str) -> dict[str, str]:
    """Dose and frequency of a medicine, by the words behind it; the dose also before it: 10 units of it."""
    dose, times = _DOSE.search(behind), _TIMES.search(behind)
    if dose is None and before.rstrip().endswith(" of"):
        dose = _DOSE.search(before[-_DOSE_CHARACTERS:])
    often = times.group() if times is not None else _first_of("frequency", behind)
    return _given_details(dose=dose and dose.group(), frequency=often)


def felt(windows: Sequence[str]) -> dict[str, str]:
    """Severity and duration of a symptom, from the first stretch that tells it (severity: but the first)."""
    lasted = (span for text in windows if (span := _span(text)) is not None)
    badly = (how for text in windows[1:] if (how := _severity(text)) is not None)
    return _given_details(severity=next(badly, None), duration=next(lasted, None))


def _severity(text: str) -> str | None:
    """The word that tells how bad something is, in whatever form it has (심한, 심해서); no denied one."""
    said = [word.strip(_EDGE_CHARACTERS) for word in text.lower().replace("’", "'").split()]
    for place, word in enumerate(said):
        if is_severity(word) and not _is_denied(said[:place], word, said[place + 1 :]):
            return word.removesuffix("요")
    return None


def is_severity(word: str) -> bool:
    """Whether a word, in lower case, tells how bad something is."""
    return word in _SETS["severity_en"] or word.startswith(_LISTS["severity_ko"])


def _is_denied(before: Sequence[str], word: str, behind: Sequence[str]) -> bool:
    """Whether a severity is denied: 심하지 않고, 심한 편은 아니에요, 안 심해요; isn't severe, not too bad."""
    if word.isascii():
        return any(each in _SETS["severity_denied_en"] or each.endswith("n't") for each in before[-3:])
    return (
        bool(before and before[-1] in _SETS["severity_denied_ko"])
        or bool(behind and behind[0].startswith(("않", "안")) and word.endswith(_LISTS["severity_before_no"]))
        or any(each.startswith("아니") for each in behind[:2])
    )


def _first_of(key: str, text: str) -> str | None:
    """The phrase of the list `key` that stands first in a text, the longest that begins there, if any."""
    said = f" {' '.join(text.lower().split())} "
    found = [
        (said.find(spelt), -len(phrase), phrase)
        for phrase in _LISTS[key]
        if (spelt := f" {phrase}" if phrase.isascii() else phrase) in said
    ]
    return min(found)[2] if found else None


def _span(text: str) -> str | None:
    """The duration that a text names, in its words: 사흘째, 3주 전부터; for three days, since last Monday."""
    if (span := _SPAN_KO.search(text)) is not None:
        return span.group()
    said = text.split()
    for start, word in enumerate(said):
        if word.lower() in ("for", "since"):
            for end in range(start + 1, min(start + _LONGEST_SPAN, len(said))):
                if said[end].lower().strip(",.!?") in _SETS["spans_en"]:
                    return " ".join(said[start : end + 1]).strip(",.!?")
    return None


def _given_details(**details: str | None) -> dict[str, str]:
    return {name: " ".join(value.split()) for name, value in details.items() if value}
