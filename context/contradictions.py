"""What was said that does not fit a decision, where nothing was decided anew.

Whether a sentence can be held against what was said at all: words of two languages share nothing.

`checking.fault` lets a sentence in another language than its evidence pass by its numbers, dates and names
alone. Whoever knows in which language it had to be written asks here, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.evidence.words import stems
from context.facts import clash, facts, matter
from context.language.said import Said
from context.models import Contradiction, Statement
from context.reading.acts import act_of
from context.reading.replacing import SURE, replaces

_COMPARED: Final = 100
"""A sentence is held against so many of the newest decisions."""
_MOST: Final = 20
"""So many contradictions of one topic are kept, the newest."""


def contradictions_in(said: Sequence[Said], decisions: Sequence[Statement]) -> list[Contradiction]:
    """Sentences that say another day or figure than a decision made before them, each with both evidences.

    `said`: what decides nothing itself. A question, a proposal and a refusal speak against nothing.
    """
    standing = [each for each in decisions if each.status != "superseded" and each.evidence][-_COMPARED:]
    found: list[Contradiction] = []
    for sentence in said if standing else ():
        told = facts(sentence.text)
        if "?" in sentence.text or not (told or told.negated) or act_of(sentence.text) in _PUTS:
            continue
        for decision in reversed(standing):
            if sentence.utterance.id > decision.evidence[-1] and _is_against(sentence.text, decision.text):
                found.append(
                    Contradiction(
                        text=sentence.text,
                        evidence=(sentence.utterance.id,),
                        decision=decision.text,
                        decision_evidence=decision.evidence,
                    )
                )
                break
    return found


_OF_ONE_MATTER: Final = 0.75
_PUTS: Final = ("proposal", "rejection", "open")


def _is_against(text: str, decision: str) -> bool:
    said, decided = facts(text), facts(decision)
    if clash(said, decided):
        return replaces(text, decision) >= SURE
    about, former = matter(text), matter(decision)
    shared = len(about & former) / max(1, min(len(about), len(former)))
    return said.negated != decided.negated and shared >= _OF_ONE_MATTER


def still_open(
    kept: Sequence[Contradiction], fresh: Sequence[Contradiction], decisions: Sequence[Statement]
) -> tuple[Contradiction, ...]:
    """Old and new ones, none twice, without those whose decision has been changed since."""
    gone = {each.text for each in decisions[-_COMPARED:] if each.status == "superseded"}
    unique = {(each.text, each.decision): each for each in (*kept, *fresh) if each.decision not in gone}
    return tuple(unique.values())[-_MOST:]


_LETTERS: Final = {"ko": ("가", "힣"), "en": ("a", "z")}


def written_in(text: str, language: str) -> bool:
    """Whether a quarter of its letters are those of `ko` or `en`; of another language everything is."""
    low, high = _LETTERS.get(language, ("", "\U0010ffff"))
    letters = [char for char in text.lower() if char.isalpha()]
    return 4 * sum(low <= char <= high for char in letters) >= len(letters)


def comparable(text: str, spoken: str, language: str) -> bool:
    """Whether `text` is in `language`, as it had to be, or else in the words that were spoken."""
    if written_in(text, language):
        return True
    told = stems(text)
    return bool(told) and 2 * len(told & stems(spoken)) >= len(told)
