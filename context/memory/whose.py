"""Of whom something is told: what is said of health is one person's."""

from __future__ import annotations

from collections.abc import Sequence

from context.corpora.rewriting import says_i
from context.retrieval.questions import called, take_apart


def whose(text: str, speaker: str, names: Sequence[str]) -> str:
    """Of whom `text`, as `speaker` said it, tells: of the speaker, or of the one other whom it names.

    Who says I tells of themselves, whomever they address. "" where several of `names` are named, or where
    it asks who.
    """
    if says_i(text):
        return speaker
    others = [name for name in names if name != speaker and called(name, text)]
    if not others and take_apart(text).kind != "who":
        return speaker
    return others[0] if len(others) == 1 else ""
