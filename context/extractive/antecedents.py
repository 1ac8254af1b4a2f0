# ruff: noqa: E501  # patterns read better unbroken
"""What a short sentence speaks of: what "let's do that" decides, what "I'll do it" takes on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.cues import Kind
from context.extractive.sentences import Said
from context.korean import has_hangul

_LEAST_ASKED: Final = 4
_CALL_TO_AGREE: Final = re.compile(
    r"^(?:\w+, )?(?:all (?:those )?in favou?r|(?:is |are )?(?:everyone|everybody|we all) (?:happy|agreed|okay|ok|fine|content)|any objections?"
    r"|(?:one|two|three|four|five|six|seven|\d+) (?:for|against|in favou?r)\b|those against|no objections?|seconded|i'?ll vote|i'?m (?:voting|against|for it))"
    r"|^(?:다들|모두|여러분)?\s?(?:괜찮으|동의하시|이의\s?(?:없|있)|찬성하시|반대하시|좋으시)",
    re.IGNORECASE,
)
"""All in favour? Two for, one against. 이의 없으십니까: what is agreed on stands before it."""
_ANTECEDENTS: Final = 4
"""An echo ("그렇게 가시죠") decides what stands at most so many sentences before it."""


def antecedent(said: Sequence[Said], kinds: Sequence[Kind], place: int) -> int | None:
    """The place of what an echo decides; None where the sentence before stands by itself."""
    for before in range(place - 1, max(-1, place - 1 - _ANTECEDENTS), -1):
        if kinds[before] == "decision":
            return None  # it stands by itself, and the echo only says so again
        if (
            kinds[before] in {"plain", "question"}
            and len(said[before].text) > 6
            and said[before].text[0] != "("
            and not _CALL_TO_AGREE.search(said[before].text)
        ):
            return before
    return None


def asked_before(said: Sequence[Said], kinds: Sequence[Kind], place: int) -> int | None:
    """What somebody takes on by "I'll do that": the last proposal, request or wish of somebody else."""
    speaker = said[place].utterance.speaker_id
    for before in range(place - 1, max(-1, place - 1 - _ANTECEDENTS), -1):
        if (
            said[before].utterance.speaker_id == speaker
            and said[before].utterance.id != said[place].utterance.id
        ):
            continue
        words = len(said[before].text.split()) + has_hangul(said[before].text)
        if kinds[before] in {"plain", "question"} and words >= _LEAST_ASKED:
            return before
    return None
