"""A text in clauses: within which a denial holds, and whether a clause states anything.

"열은 없고 두통이 사흘째예요" has two clauses, so the denied fever does not get the headache's duration.
A question's clause states nothing unless it stands before what is asked ("저는 고혈압이 있는데 …",
"I take warfarin, can I …"); nor does a condition, what follows from one, or what is said of whomever
("당뇨 있으신 분은", "anyone with diabetes").
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from context.language.closed_lists import closed_lists, word_sets
from context.language.first_person import says_i
from context.language.korean import final, has_hangul
from context.language.questions import SENTENCE, is_question, is_request
from context.packs.medical.persons import is_adnominal, is_another

_LISTS: Final = closed_lists("medical_scope")
_SETS: Final = word_sets("medical_scope")
_GENERIC: Final = frozenset((*_LISTS["generic"], *_LISTS["generic_en"]))
_SUBJECTS: Final = frozenset(_LISTS["subjects_en"])
_DO_ASK: Final = closed_lists("questions")["auxiliaries"]
_EDGE_CHARACTERS: Final = ".,:;!?()[]\"'“”‘’…~-/*"
_WORD: Final = re.compile(r"\S+")
_REASON: Final = "reason"
_COORDINATE: Final = "coordinate"
_CONDITION: Final = "condition"
_LAST_KIND: Final = ""
"""What a clause is to the next one; "" for the last of its sentence."""


class Clause(NamedTuple):
    """One clause of a text."""

    start: int
    end: int
    """Its places in the text; `end` is behind it."""
    text: str
    sentence: int
    """Which of the text's sentences it is in, from 0."""
    asked: bool
    """Whether it states nothing: it is a question's, a condition's, or about whomever."""


def clauses(text: str, named: Collection[int] = ()) -> list[Clause]:
    """All clauses of a text in order. `named`: where the things that it names end (와파린하고 is no verb)."""
    found: list[Clause] = []
    for number, match in enumerate(SENTENCE.finditer(text)):
        sentence, start = match.group(), match.start()
        if has_hangul(sentence):
            parts = _korean(sentence, {end - start for end in named})
            asked = _asked_ko(parts, sentence)
        else:
            parts = _english(sentence)
            asked = _asked_en([part for part, _ in parts], sentence)
        for (part, _), is_asked in zip(parts, asked, strict=True):
            end = start + len(part)
            found.append(Clause(start, end, part, number, is_asked or _is_of_whomever(part)))
            start = end
    return found


ClausePart = tuple[str, str]
"""A clause, and what it is to the next."""


def _parted(sentence: str, cuts: Mapping[int, str]) -> list[ClausePart]:
    """A sentence in clauses. `cuts`: where each further one begins, and what the one before is to it."""
    ends, kinds = [*cuts, len(sentence)], [*cuts.values(), _LAST_KIND]
    return [(sentence[begin:end], kind) for begin, end, kind in zip([0, *cuts], ends, kinds, strict=True)]


def _korean(sentence: str, named: Collection[int]) -> list[ClausePart]:
    said = pairwise(_WORD.finditer(sentence))
    kinds = ((after.start(), _joint(this.group(), after.group(), this.end(), named)) for this, after in said)
    return _parted(sentence, {at: kind for at, kind in kinds if kind})


def _joint(word: str, after: str, end: int, named: Collection[int]) -> str:
    """What a clause that `word`, ending at `end`, ends is to the next one (`after` …); "": it ends none."""
    bare = word.strip(_EDGE_CHARACTERS)
    if not bare or not has_hangul(bare) or bare in _LISTS["no_clause"] or bare.endswith(_LISTS["quotes"]):
        return ""
    if bare.endswith(_LISTS["conditions"]) and bare not in _LISTS["measures"]:
        return _CONDITION
    if bare.endswith((*_LISTS["reasons"], *_LISTS["measures"])) or (
        bare.endswith("데") and len(bare) > 1 and final(bare[-2]) == "ㄴ"
    ):
        return _REASON
    if bare.endswith("하고") and end - len(word) + len(word.rstrip(_EDGE_CHARACTERS)) - len("하고") in named:
        return ""
    if bare.endswith(_LISTS["coordinates"]):
        goes_on = bare.endswith("고") and after.startswith(_LISTS["progressive"])
        return "" if goes_on else _COORDINATE
    return _COORDINATE if word.endswith(",") and bare.endswith(("요", "다", "음")) else ""


def _asked_ko(parts: Sequence[ClausePart], sentence: str) -> list[bool]:
    """Whether each clause states nothing, by what ends it: 는데 is stated, 고 is as the next one."""
    outright = {_LAST_KIND: is_question(sentence) or is_request(sentence), _REASON: False, _CONDITION: True}
    found: list[bool] = []
    for part, kind in reversed(parts):
        states = says_i(part) or _is_past(part)
        found.append(outright[kind] if kind in outright else found[-1] and not states)
    found.reverse()
    kinds = [kind for _, kind in parts]
    if _CONDITION in kinds:  # what follows from a condition is as uncertain as it is
        first = kinds.index(_CONDITION)
        found[first:] = [True] * (len(parts) - first)
    return found


def _is_past(part: str) -> bool:
    """Whether a Korean clause that goes on states what was: 혈당이 올라갔고 …; not 드셨고, which may ask."""
    word = part.rstrip(_EDGE_CHARACTERS + " ")
    return word.endswith("고") and final(word[-2:-1] or " ") == "ㅆ" and not word.endswith("셨고")


def _english(sentence: str) -> list[ClausePart]:
    said = list(_WORD.finditer(sentence))
    bare = [match.group().lower().replace("’", "'").strip(_EDGE_CHARACTERS) for match in said]
    cuts: dict[int, str] = {}
    for place in range(1, len(said)):
        word, after = bare[place], bare[place + 1] if place + 1 < len(said) else ""
        joins = word in _SETS["joints_en"] and (
            after in _SUBJECTS or word == "but" or is_another(after) or _opens(sentence, said[place].end())
        )
        before = said[place - 1].group()
        paused = before.endswith((",", "-", "—")) and before != "but,"
        begins = word in _SUBJECTS or _opens(sentence, said[place].start())
        if before.endswith(";") or joins or (paused and begins):
            cuts[said[place].start()] = _COORDINATE
    return _parted(sentence, cuts)


def _opens(sentence: str, at: int) -> bool:
    """Whether a question begins at a place of a sentence: …, so is naproxen safe?"""
    tail = sentence[at:].strip(_EDGE_CHARACTERS + " ")
    return is_question(tail) or (sentence.rstrip().endswith("?") and tail.lower().split(" ", 1)[0] in _DO_ASK)


def _asked_en(parts: Sequence[str], sentence: str) -> list[bool]:
    """Whether each clause states nothing: a question does not, and what follows it without a subject."""
    said = [part.strip(_EDGE_CHARACTERS + " ") for part in parts]
    opens = [is_question(part) or is_request(part) for part in said]
    if not any(opens) and sentence.rstrip().endswith("?"):
        opens[-1] = True  # You take warfarin?
    found: list[bool] = []
    for part, asks in zip(said, opens, strict=True):
        first = [word.strip(_EDGE_CHARACTERS) for word in part.lower().replace("’", "'").split()[:2]]
        states = any(word in _SUBJECTS for word in first) and not _SETS["conditions_en"].intersection(first)
        found.append(asks or (bool(found) and found[-1] and not states))
    return found


def _is_of_whomever(part: str) -> bool:
    said = [word.strip(_EDGE_CHARACTERS).lower() for word in part.split()]
    return any(
        word in _GENERIC
        and (
            word.isascii()
            or place == 0
            or (is_adnominal(said[place - 1]) and said[place - 1] not in _LISTS["one"])
            or word.startswith("누")
        )
        for place, word in enumerate(said)
    )
