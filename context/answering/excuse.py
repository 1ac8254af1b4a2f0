# ruff: noqa: E501  # patterns read better unbroken
"""Who came late and asks for one thing: "I just joined, what's with the lift?" is about the lift, no catch-up."""

from __future__ import annotations

import re
from typing import Final

from context.language.catching_up import depth_asked
from context.retrieval.questions import take_apart

_LATE: Final = re.compile(
    r"^\W*(?:(?:hi|hey|sorry|so)\W+)*i(?:'ve| have| was| am|'m)? (?:(?:just|only) )*(?:joined|late|got (?:here|back)|came (?:in|back)|stepped (?:out|away)|missed (?:that|the \w+))(?: (?:late|now))?(?:\s*[,.;:–-]+|\s+and|\s+but)\s+(?=\w)"
    r"|^\W*(?:제가|저|내가|나)?\s?(?:방금|지금|늦게)\s(?:들어왔|왔|합류했)\S{0,4}(?:는데|지만|어서|서|습니다[.,]?|어요[.,]?)[,.]?\s+(?=\S)",
    re.IGNORECASE,
)


def without_excuse(question: str) -> str:
    """`question` without "I just joined," where what is left names something; else as it is."""
    rest = _LATE.sub("", question)
    named = any(worth >= 1.0 for worth in take_apart(rest).importance)
    return rest if rest != question and named and depth_asked(rest) is None else question
