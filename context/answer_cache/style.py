"""A kept answer in slightly other words: its opening, connectives and closing; never what it says.

Off unless the flag `style_variation_level` is above 0. The same answer at the same hit is always varied alike
(a hash decides, no dice). Quotes, lists, headings, citations and whatever stands on their lines stay letter
for letter.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from context.language.korean import language_of

_OPENINGS: Final = {
    "ko": ("확인한 내용입니다.", "회의 기록을 보면 이렇습니다.", "말씀하신 내용은 다음과 같습니다."),
    "en": ("Here is what I found.", "This is what the meeting says.", "From the record of the meeting:"),
}
_CLOSINGS: Final = {
    "ko": ("더 필요하신 내용이 있으면 말씀해 주세요.", "다른 내용도 물어보시면 찾아 드리겠습니다."),
    "en": ("Ask if you need more on this.", "Let me know if you want more detail."),
}
_CONNECTIVES: Final = {
    "ko": (("또한", "아울러"), ("하지만", "그러나"), ("따라서", "그러므로"), ("예를 들어", "이를테면")),
    "en": (
        ("Also,", "In addition,"), ("However,", "But"), ("Therefore,", "So"),
        ("For example,", "For instance,"),
    ),
}  # fmt: skip
_FIXED_LINE: Final = re.compile(
    r"^\s*(?:[-*>#|\d]|\[|\*\*)|[\"“”„«»「」『』‘’`]|'[^']{2,}'|\[#?\d|\d{1,2}:\d{2}"
)
"""Lists, headings, tables, quotes, citations, times of day: such a line is not touched."""


class ResponseStyleVariator:
    """Varies how an answer is put (seed 002 §3.3.2)."""

    def vary_response(
        self, original_response: str, variation_level: float = 0.3, *, language: str = "auto", turn: int = 0
    ) -> str:
        """The answer with another opening, connectives or closing; `variation_level` 0–1: how often each.

        `turn`: how often it was given before; each time may vary otherwise.
        """
        if variation_level <= 0 or not original_response.strip():
            return original_response
        spoken = language_of(original_response, language)
        chance = _Chance(f"{turn}\n{original_response}", min(1.0, variation_level))
        lines = [_connected(line, spoken, chance) for line in original_response.split("\n")]
        varied = "\n".join(lines)
        if chance.falls("opening"):
            varied = f"{chance.one_of('opening', _OPENINGS[spoken])}\n{varied}"
        if chance.falls("closing"):
            varied = f"{varied}\n\n{chance.one_of('closing', _CLOSINGS[spoken])}"
        return varied


class _Chance:
    """Draws that the text itself decides."""

    def __init__(self, seed: str, level: float) -> None:
        self._seed, self._level = seed, level

    def falls(self, what: str) -> bool:
        return self._number(f"{what}?") / 0xFFFFFFFF < self._level

    def one_of(self, what: str, choices: tuple[str, ...]) -> str:
        return choices[self._number(what) % len(choices)]

    def _number(self, what: str) -> int:
        return int.from_bytes(
            sha256(f"{what}\n{self._seed}".encode("utf-8", "surrogatepass")).digest()[:4], "big"
        )


def _connected(line: str, language: str, chance: _Chance) -> str:
    """The line with its opening connective exchanged, where it is free text."""
    if _FIXED_LINE.search(line):
        return line
    for one, other in _CONNECTIVES[language]:
        for now, then in ((one, other), (other, one)):
            if line.startswith(f"{now} ") and chance.falls(line):
                return then + line.removeprefix(now)
    return line
