# ruff: noqa: E501  # patterns read better unbroken
"""The meeting pack: people, dates, amounts, decisions and actions, in Korean and English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.entities.entity import Entity
from context.language.moments import due_in
from context.language.questions import sentences
from context.reading.acts import act_of
from context.retrieval.names import called

_SINO: Final = "일이삼사오육칠팔구십백천만억조"
_UNITS_KO: Final = r"원|달러|유로|퍼센트|프로|명|건|개|대|번|회|시간|분|초|일|주|개월|달|년|배|장|부|평|킬로|톤|리터|점|위|기가|메가|테라"
_AMOUNT: Final = re.compile(
    rf"(?<![가-힣0-9])(?:약\s?|총\s?)?(?:[0-9][0-9,.]*\s?(?:{_SINO[9:]})*|[{_SINO}]{{2,}}|(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|열)\S{{0,2}}?)\s?(?:[천백만억조]\s?)*(?:{_UNITS_KO})(?![가-힣]{{2,}}[가-힣]*(?:다|요))"
    r"|[$€£₩]\s?[0-9][0-9,.]*(?:\s?(?:k|m|bn|thousand|million|billion))?\b"
    r"|\b[0-9][0-9,.]*\s?(?:%|percent|dollars?|euros?|pounds?|won|people|hours?|minutes?|seconds?|days?|weeks?|months?|years?|times|gb|mb|tb|k|million|thousand|billion)(?![\w])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|hundred|thousand|half a)(?:[ -](?:one|two|three|four|five|six|seven|eight|nine|hundred|thousand|million|and))*\s(?:percent|dollars?|euros?|pounds?|won|people|hours?|minutes?|days?|weeks?|months?|years?|times|million|thousand)\b",
    re.IGNORECASE,
)
_ROLE_KO: Final = re.compile(
    r"(?<![가-힣])([가-힣]{2,4})\s?(?:님|씨|팀장|과장|부장|대리|책임|선임|매니저|대표|이사|선생님|원장)(?:님)?(?=[이가은는을를께도과와의한\s,.]|$)"
)


class MeetingPack:
    """What everybody's meetings name."""

    def entities(self, text: str, *, names: Sequence[str] = ()) -> list[Entity]:
        """People (of `names`, or addressed with a title), dates, amounts, decisions, actions."""
        found = [Entity(kind="people", name=name) for name in names if called(name, text)]
        known = {entity.name for entity in found}
        for match in _ROLE_KO.finditer(text):
            name = match.group(1)
            if not any(name in other or other in name for other in known):
                known.add(name)
                found.append(Entity(kind="people", name=name))
        moments = (due_in(text) or "").split(", ")
        found += [Entity(kind="dates", name=moment) for moment in moments if moment]
        dates = {entity.name for entity in found if entity.kind == "dates"}
        for match in _AMOUNT.finditer(text):
            amount = " ".join(match.group().split())
            ordinal = text[match.end() : match.end() + 1] == "째" or amount.replace(" ", "") == "한번"
            if not ordinal and not any(amount in date or date in amount for date in dates):
                found.append(Entity(kind="amounts", name=amount))
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
