"""The meeting pack: people, dates, amounts, decisions and actions, in Korean and English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.entities.entity import Entity
from context.language.dates import due_in
from context.language.questions import sentences
from context.reading.acts import act_of
from context.retrieval.lexical import called

_SINO: Final = "일이삼사오육칠팔구십백천만억조"
_UNITS_KO: Final = (
    "원|달러|유로|퍼센트|프로|명|건|개|대|번|회|시간|분|초|일|주|개월|달|년|배"
    "|장|부|평|킬로|톤|리터|점|위|기가|메가|테라"
)
_UNITS_EN: Final = (
    "percent|dollars?|euros?|pounds?|won|people|hours?|minutes?|seconds?|days?|weeks?|months?|years?|times|gb|mb|tb|k"
    "|million|thousand|billion"
)
_ONES_EN: Final = "one|two|three|four|five|six|seven|eight|nine"
_TENS_EN: Final = "ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred|thousand|half a"
_NATIVE: Final = "한|두|세|네|다섯|여섯|일곱|여덟|아홉|열"
_AMOUNTS: Final = (
    re.compile(
        rf"(?<![가-힣0-9])(?:약\s?|총\s?)?(?:[0-9][0-9,.]*\s?(?:{_SINO[9:]})*|[{_SINO}]{{2,}}|(?:{_NATIVE})\S{{0,2}}?)"
        rf"\s?(?:[천백만억조]\s?)*(?:{_UNITS_KO})(?![가-힣]{{2,}}[가-힣]*(?:다|요))"
    ),
    re.compile(r"[$€£₩]\s?[0-9][0-9,.]*(?:\s?(?:k|m|bn|thousand|million|billion))?\b", re.IGNORECASE),
    re.compile(rf"\b[0-9][0-9,.]*\s?(?:%|{_UNITS_EN})(?!\w)", re.IGNORECASE),
    re.compile(
        rf"\b(?:{_ONES_EN}|{_TENS_EN})(?:[ -](?:{_ONES_EN}|hundred|thousand|million|and))*"
        rf"\s(?:{_UNITS_EN})\b",
        re.IGNORECASE,
    ),
)
_ROLE_KO: Final = re.compile(
    r"(?<![가-힣])([가-힣]{2,4})\s?(?:님|씨|팀장|과장|부장|대리|책임|선임|매니저|대표|이사|선생님|원장)(?:님)?(?=[이가은는을를께도과와의한\s,.]|$)"
)


class MeetingPack:
    """Finds what any meeting names: people, dates, amounts, decisions."""

    def entities(self, text: str, *, names: Sequence[str] = (), speaker: str = "") -> list[Entity]:  # noqa: ARG002 -- a pack's shape
        """People (of `names`, or addressed with a title), dates, amounts, decisions, actions."""
        people = [name for name in names if called(name, text)]
        for match in _ROLE_KO.finditer(text):
            if not _overlaps(match.group(1), people):
                people.append(match.group(1))
        dates = [moment for moment in (due_in(text) or "").split(", ") if moment]
        amounts = [amount for amount in _amounts(text) if not _overlaps(amount, dates)]
        named = {"people": people, "dates": dates, "amounts": amounts}
        found = [Entity(kind=kind, name=name) for kind, known in named.items() for name in known]
        return found + _settled(text)


def _settled(text: str) -> list[Entity]:
    found = []
    for sentence in sentences(text):
        kind = act_of(sentence)
        if kind == "decision":
            found.append(Entity(kind="decisions", name=sentence))
        elif kind == "task":
            found.append(Entity(kind="actions", name=sentence, value=due_in(sentence) or ""))
    return found


def _amounts(text: str) -> list[str]:
    """What is counted or costs something, as it stands; 한 번 and 첫째 count nothing."""
    matches = sorted((each for pattern in _AMOUNTS for each in pattern.finditer(text)), key=re.Match.start)
    found: list[str] = []
    until = 0
    for match in matches:
        amount = " ".join(match.group().split())
        ordinal = text[match.end() : match.end() + 1] == "째" or amount.replace(" ", "") == "한번"
        if match.start() >= until and not ordinal:
            found.append(amount)
        until = max(until, match.end())
    return found


def _overlaps(name: str, known: Sequence[str]) -> bool:
    return any(name in other or other in name for other in known)
