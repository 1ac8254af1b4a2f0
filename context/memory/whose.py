"""Of whom something is told: what is said of health is one person's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.corpora.rewriting import says_i
from context.retrieval.answer_kinds import kind_asked
from context.retrieval.names import called

_ELSEWHERE: Final = re.compile(
    r"(?<![가-힣])(?:딸|아들|아이|애|엄마|어머니|어머님|아빠|아버지|아버님|남편|아내|동생|형|누나|언니|오빠|할머니|할아버지|친구|환자|고객)"
    r"(?:분|님)?(?:들)?(?:이|가|은|는|께서|한테|에게|의|도)?(?![가-힣])"
    r"|\b(?:daughter|son|child|kid|mother|mum|mom|father|dad|wife|husband|partner|sister|brother|grand\w+|friend|patient|client)s?\b",
    re.IGNORECASE,
)
"""Of whom people tell that are seldom in the room."""


def whose(text: str, speaker: str, names: Sequence[str]) -> str:
    """Of whom `text`, as `speaker` said it, tells: of the speaker, or of the one other whom it names.

    Who says I tells of themselves, whomever they address. "" where several of `names` are named, where it
    asks who, and where it tells of a daughter, a patient: whose is then not known.
    """
    if _ELSEWHERE.search(text):
        return ""
    if says_i(text):
        return speaker
    others = [name for name in names if name != speaker and called(name, text)]
    if not others and kind_asked(text) != "who":
        return speaker
    return others[0] if len(others) == 1 else ""
