"""A question as the cache compares it, and the style of an answer that is given again.

A `ComparedQuestion` holds a question's words, and the facts in which two alike questions may still differ.
`ResponseStyleVariator` puts a kept answer in slightly other words: its opening, connectives and closing,
never what it says. It does nothing unless the flag `style_variation_level` is above 0. The same answer at the
same hit is always varied alike (a hash decides, no dice). Quotes, lists, headings, citations and whatever
stands on their lines stay letter for letter.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final

from context.answering.follow_up import is_follow_up
from context.evidence.claim_words import is_called
from context.evidence.figures import moments_named
from context.evidence.polarity import is_negated
from context.language.closed_lists import closed_lists
from context.language.dates import lone_days, month_days, weekdays
from context.language.first_person import says_i
from context.language.korean import has_hangul, language_of
from context.language.numbers import spelled, stated
from context.question import Intent
from context.reading.requests import LIST_INTENTS
from context.retrieval.answer_kinds import AnswerKind, question_words
from context.retrieval.index_terms import stem

_MAX_CHARACTERS: Final = 600
"""Characters of a question that are read for its facts."""
_MOST_WORDS: Final = 16
"""Most words of a question that another may be like; a longer one is a task of its own."""
_NOT_LETTERS: Final = re.compile(r"[^\w%€$£+#.,:/-]+|(?<!\d)[.,:/-]+|[.,:/-]+(?!\d)")
_LISTS: Final = closed_lists("moving")
_POINTS_EN: Final = _LISTS["points_en"]
_POINTS_KO: Final = _LISTS["points_ko"]
"""Words that point to what another turn named."""
_NOW_EN: Final = _LISTS["now_en"]
_NOW_KO: Final = _LISTS["now_ko"]
"""Words that ask for the state of things as of now, which anything said since may change."""


@dataclass(frozen=True, slots=True)
class ComparedQuestion:
    """What a question says, as far as the cache compares it."""

    normal: str
    """The text in lower case without punctuation; equal ones were asked in the same words."""
    words: tuple[str, ...]
    """Its words in order, English ones without their endings."""
    korean: bool
    """Whether it holds Korean letters."""
    figures: frozenset[float]
    """The numbers that it certainly names."""
    moments: tuple[frozenset[Any], ...]
    """Its days of the week, days with a month, days without one, and moments told from today (tomorrow)."""
    negated: bool
    names: frozenset[str]
    """The participants that it names."""
    kind: AnswerKind | None
    """What its first question word asks for: a day, an amount, a person, a place, a reason; or None."""
    intent: Intent
    """What it asks the agent to do."""
    leaning: bool
    """Whether it cannot be understood without the turn before it."""
    own: bool
    """Whether its answer may depend on who asks."""
    moving: bool
    """Whether it asks for the state of things as of now."""

    @property
    def long(self) -> bool:
        """Whether it is so long that only the same words are like it."""
        return len(self.words) > _MOST_WORDS

    @property
    def of_everything(self) -> bool:
        """Whether it asks for a list that all of the meeting goes into."""
        return self.intent in LIST_INTENTS


@lru_cache(maxsize=2048)
def read(question: str, names: tuple[str, ...] = (), intent: Intent = "fact") -> ComparedQuestion:
    """Take `question`, which asks for `intent`, apart; asked among participants called `names`."""
    normal = normalised(question)
    question = question[:_MAX_CHARACTERS]
    points = _has_one(normal, _POINTS_EN) or any(word.startswith(_POINTS_KO) for word in normal.split())
    dated = month_days(question)
    return ComparedQuestion(
        normal=normal,
        words=tuple(stem(word) if word.isascii() and word.isalpha() else word for word in normal.split()),
        korean=has_hangul(question),
        figures=frozenset(stated(question) | spelled(question)),
        moments=(
            frozenset(weekdays(question)),
            frozenset(dated),
            frozenset(lone_days(question) - {day for _, day in dated}),
            moments_named(question),
        ),
        negated=is_negated(question),
        names=frozenset(name for name in names if is_called(name, question)),
        kind=next((kind for _, kind in question_words(question)), None),
        intent=intent,
        # What has a number of its own ("item 4") leans only by a pointing word.
        leaning=not normal or points or (is_follow_up(question, intent) and not stated(question)),
        own=says_i(question) or "저" in normal.split(),
        moving=_has_one(normal, _NOW_EN) or any(word in normal for word in _NOW_KO),
    )


def _has_one(normal: str, phrases: Iterable[str]) -> bool:
    return any(f" {phrase} " in f" {normal} " for phrase in phrases)


def normalised(text: str) -> str:
    """A text lowered, with single blanks and few marks: seed 002's key of exact hits, a little wider."""
    return " ".join(_NOT_LETTERS.sub(" ", text.lower()).split())


_OPENINGS: Final = {
    "ko": ("확인한 내용입니다.", "회의 기록에 따르면 다음과 같습니다.", "문의하신 내용은 다음과 같습니다."),
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
"""Marks of a line that is not varied: lists, headings, tables, quotes, citations, times of day."""


class ResponseStyleVariator:
    """Varies the wording around what an answer says (seed 002 §3.3.2)."""

    def vary_response(
        self, original_response: str, variation_level: float = 0.3, *, language: str = "auto", turn: int = 0
    ) -> str:
        """The answer with another opening, connectives or closing; the meaning is unchanged.

        `variation_level`: the share of cases, 0 to 1, in which each of them is varied. `turn`: how often the
        answer was given before; each time may vary otherwise.
        """
        if variation_level <= 0 or not original_response.strip():
            return original_response
        spoken = language_of(original_response, language)

        def number(what: str) -> int:
            """A number from 0 to 2^32 - 1 that the text itself decides."""
            seed = f"{what}\n{turn}\n{original_response}".encode("utf-8", "surrogatepass")
            return int.from_bytes(sha256(seed).digest()[:4], "big")

        def falls(what: str) -> bool:
            return number(f"{what}?") / 0xFFFFFFFF < min(1.0, variation_level)

        lines = original_response.split("\n")
        for place, line in enumerate(lines):
            pair = next(
                (each for each in _CONNECTIVES[spoken] if line.startswith(tuple(f"{w} " for w in each))), None
            )
            if pair is not None and not _FIXED_LINE.search(line) and falls(line):
                now, then = pair if line.startswith(f"{pair[0]} ") else reversed(pair)
                lines[place] = then + line.removeprefix(now)
        varied = "\n".join(lines)
        if falls("opening"):
            openings = _OPENINGS[spoken]
            varied = f"{openings[number('opening') % len(openings)]}\n{varied}"
        if falls("closing"):
            closings = _CLOSINGS[spoken]
            varied = f"{varied}\n\n{closings[number('closing') % len(closings)]}"
        return varied
