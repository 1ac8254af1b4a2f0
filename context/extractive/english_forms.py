# ruff: noqa: E501  # patterns read better unbroken
"""English talk in plain form: real talk stutters ("I I 'll um send it"), patterns are not to."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

_CLITIC: Final = re.compile(r"\s+('(?:ll|m|s|re|ve|d)|n't)\b")
_FILLER: Final = re.compile(
    r"\b(?:um+|uh+|uhm|er|erm|hmm+|mm(?:-? ?hmm?)?|you know|i mean|sort of|kind of|basically|just|actually|like,)(?=\s|,|$),?"
)
_STUTTER: Final = re.compile(r"\b([\w']+(?: [\w']+){0,2})(?:,? \1\b(?!'))+")
_PUNCTUATION: Final = re.compile(r"\s*[,;:\"“”()—]+\s*|\s+-\s+|\s+\.$")
_OPENING: Final = re.compile(
    r"^(?:(?:and|so|but|then|well|okay|ok|alright|right|yeah|yes|yep|no|nope|oh|now|good|great|cool|fine|mm|'kay|sure|also|because|'cause|cuz)\b\s*)+"
)


@lru_cache(maxsize=1024)
def plain_form(text: str) -> str:
    """Lower case, without fillers, stutters, commas and detached clitics; for matching, never for show."""
    form = _CLITIC.sub(r"\1", text.lower().replace("’", "'").replace("gonna", "going to").strip(" .!?…\"'"))
    form = _PUNCTUATION.sub(" ", _FILLER.sub(" ", form))
    form = " ".join(form.split())
    return _STUTTER.sub(r"\1", form)


def opening_left_out(form: str) -> str:
    """Without the "okay, so" that it starts with."""
    return _OPENING.sub("", form)
