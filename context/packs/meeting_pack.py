"""The meeting pack: people, dates, amounts, decisions and actions, in Korean and English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from context.language.closed_lists import closed_lists, one_of
from context.language.dates import due_in
from context.language.korean import has_hangul
from context.language.questions import sentences
from context.packs.entity import Entity, Kind, Kinds, Pack
from context.primitives.person_names import called
from context.reading.acts import act_of

_LISTS: Final = closed_lists("amounts")
_PARTICLES: Final = ("", *_LISTS["particles_ko"])
_SINO: Final = "일이삼사오육칠팔구십백천만억조"


_NUMBERS_EN: Final = rf"{one_of(_LISTS['numbers_en'])}(?:[ -](?:{one_of(_LISTS['ones_en'])}|and))*"
_UNITS_EN: Final = one_of(_LISTS["units_en"])
_AMOUNT_KO: Final = re.compile(
    rf"(?<![가-힣0-9])(?:약\s?|총\s?)?(?:[0-9][0-9,.]*\s?(?:{_SINO[9:]})*|[{_SINO}]{{2,}}|{one_of(_LISTS['native'])}\S{{0,2}}?)"
    rf"\s?(?:[천백만억조]\s?)*{one_of(_LISTS['units_ko'])}(?![가-힣]{{2,}}[가-힣]*(?:다|요))"
)
_PRICE: Final = re.compile(
    r"[$€£₩]\s?[0-9][0-9,.]*(?:\s?(?:k|m|bn|thousand|million|billion))?\b", re.IGNORECASE
)
_AMOUNT_EN: Final = re.compile(
    rf"\b[0-9][0-9,.]*\s?(?:%|{_UNITS_EN}(?!\w))"
    rf"|\b{_NUMBERS_EN}\s{_UNITS_EN}\b",
    re.IGNORECASE,
)


MEETING_KINDS: Final[Kinds] = {
    "decisions": Kind(
        korean="결정", english="Decisions", lasts_as="decisions", lasts_at_once=True, fades=False
    ),
    "actions": Kind(korean="할 일", english="Tasks", lasts_as="facts"),
    "dates": Kind(korean="날짜", english="Dates", lasts_as="facts"),
    "amounts": Kind(korean="금액·수량", english="Amounts", lasts_as="facts"),
    "people": Kind(korean="사람", english="People", lasts_as="facts"),
}


class MeetingPack(Pack):
    """A `Pack`: finds what any meeting names."""

    kinds = MEETING_KINDS

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:  # noqa: ARG002 -- a pack's shape
        """See `Pack.entities`: people (of `names`, or with a title), dates, amounts, decisions, actions."""
        people = [name for name in names if called(name, text)]
        for name in _titled(text):
            if not _overlaps(name, people):
                people.append(name)
        dates = [moment for moment in (due_in(text) or "").split(", ") if moment]
        amounts = [amount for amount in _amounts(text) if not _overlaps(amount, dates)]
        named = {"people": people, "dates": dates, "amounts": amounts}
        found = [Entity(kind=kind, name=name) for kind, known in named.items() for name in known]
        for sentence in sentences(text):
            match act_of(sentence):
                case "decision":
                    found.append(Entity(kind="decisions", name=sentence))
                case "task":
                    found.append(Entity(kind="actions", name=sentence, value=due_in(sentence) or ""))
        return found


def _titled(text: str) -> Iterator[str]:
    """The names that stand before a title in a Korean text: 김민지 님이, 박준호 팀장."""
    said = [word.lstrip("*-(\"'“‘") for word in text.split()]
    for before, word in pairwise(["", *said]):
        word = word.rstrip(",.?!:*)")  # noqa: PLW2901 - the comparison is of the bare word
        title = next(
            (title for title in _LISTS["titles_ko"] for end in _PARTICLES if word.endswith(title + end)), None
        )
        if title is not None:
            name = word[: word.rindex(title)] or before
            if 2 <= len(name) <= 4 and has_hangul(name) and name.isalpha():
                yield name


def _amounts(text: str) -> list[str]:
    """The amounts and prices in a text, in order and in its words; 한 번 and 첫째 are none."""
    matches = (each for pattern in (_AMOUNT_KO, _PRICE, _AMOUNT_EN) for each in pattern.finditer(text))
    found: list[str] = []
    until = 0
    for match in sorted(matches, key=re.Match.start):
        amount = " ".join(match.group().split())
        ordinal = text[match.end() : match.end() + 1] == "째" or amount.replace(" ", "") == "한번"
        if match.start() >= until and not ordinal:
            found.append(amount)
        until = max(until, match.end())
    return found


def _overlaps(name: str, known: Sequence[str]) -> bool:
    return any(name in other or other in name for other in known)
