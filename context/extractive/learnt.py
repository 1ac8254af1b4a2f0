"""What the learnt weights find in English talk where no rule says anything.

A rule is right more often than not wherever it holds, and in free talk it seldom does. The weights only add:
striking out by them what a rule has found cost more right ones than wrong ones (cross-validated).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import inf
from typing import Final

from context.extractive import english_cues as english
from context.extractive.agreement import agreed_by, proposes
from context.extractive.cues import Kind
from context.extractive.english_forms import plain_form
from context.extractive.judge import APART, judge, picked
from context.extractive.sentences import Said
from context.language.addressing import wake
from context.language.korean import has_hangul
from context.models import Statement

LEAST_DECISION: Final = -1.75
LEAST_AGREED: Final = -2.5
"""As a decision, where somebody else says yes to it."""
LEAST_ACTION: Final = -2.0
"""Log odds from which a sentence is taken for one though no rule says so: `train_decisions --cv`."""
_WHOLE: Final = 5
"""A sentence of fewer words says what is decided only together with what it answers."""
_CONDITION: Final = re.compile(
    r"(?:and |but |so |well |yeah |okay )*(?:if|unless|when|once|suppose)\b|.*\b(?:if you|if we|unless)\b"
)
"""What follows from something else is not settled."""
_BEHIND: Final = 4
_ADDED_TO: Final = frozenset({"plain", "question"})
"""What leaves something open in so many words settles nothing."""
_STANDS: Final[dict[Kind, Kind]] = {"decision": "decision", "echo": "decision", "action": "action"}


def likely(
    said: Sequence[Said], kinds: Sequence[Kind], wake_words: Sequence[str], *, known: int = 0
) -> dict[int, Kind]:
    """The places of likely decisions and actions besides those of `kinds`.

    Korean ones are none of them, nor is what is said to the agent, nor the first `known` sentences.
    """
    korean = [has_hangul(sentence.text) for sentence in said]
    if all(korean):
        return {}
    left_out = [place < known or skip for place, skip in enumerate(korean)]
    added = by_scores(said, kinds, judge().scores(said), left_out)
    return {place: kind for place, kind in added.items() if wake(said[place].text, wake_words) is None}


def by_scores(
    said: Sequence[Said],
    kinds: Sequence[Kind],
    scores: Sequence[tuple[float, float]],
    left_out: Sequence[bool],
) -> dict[int, Kind]:
    """The likeliest of each neighbourhood, where nothing of the kind is found already."""
    added: dict[int, Kind] = {}
    free = [kind in _ADDED_TO and not skip for kind, skip in zip(kinds, left_out, strict=True)]
    kind: Kind
    for kind, number, least in (("action", 1, LEAST_ACTION), ("decision", 0, LEAST_AGREED)):
        by_rule = [place for place, each in enumerate(kinds) if _STANDS.get(each) == kind]
        of_kind = [score[number] if may else -inf for score, may in zip(scores, free, strict=True)]
        for place in picked(said, of_kind, least):
            if place in added or _beside(said, place, by_rule):
                continue
            if kind == "action" or of_kind[place] >= LEAST_DECISION or _is_agreed(said, place):
                added[place] = kind
    return added


def _is_agreed(said: Sequence[Said], place: int) -> bool:
    """Whether somebody else says yes to what is stated; a yes to a question may be an answer."""
    text = said[place].text
    return "?" not in text and agreed_by(said, place) is not None and not english.orders(plain_form(text))


def _beside(said: Sequence[Said], place: int, others: Sequence[int]) -> bool:
    """Whether a rule has found one of the kind right here."""
    number = said[place].utterance.id
    return any(abs(said[other].utterance.id - number) <= APART for other in others)


_INQUIRES: Final = re.compile(
    r"^(?!.* or )(?:(?:so|and|but|well|okay) )*(?:do|does|did|have|has|had|was|were)"
    r" (?:we|you|they|he|she|it|i|the \w+)(?: still| already| even| really)?"
    r" (?!want\b|go\b|use\b|keep\b|agree\b|all\b|take\b|make\b|say\b)"
)
"""Do we still need a new pianist? A yes to it is no decision."""


def whole(said: Sequence[Said], place: int) -> Statement | None:
    """A likely decision as a statement: with what it answers, or with the answer, where it needs them."""
    sentence = said[place]
    by = agreed_by(said, place)
    if _CONDITION.match(plain_form(sentence.text)):
        return None
    if by is None and proposes(sentence.text):
        return None  # nobody said yes, and what weights guess of it is no yes either
    texts, evidence = [sentence.text], [sentence.utterance.id]
    if "?" in sentence.text:
        if by is None or _INQUIRES.match(plain_form(sentence.text)) is not None:
            return None
        texts.append(by.text)
    if by is not None:
        evidence.append(by.utterance.id)
    if len(sentence.text.split()) < _WHOLE:
        before = _answers(said, place)
        if before is None:
            return None
        texts.insert(0, before.text)
        evidence.insert(0, before.utterance.id)
    return Statement(text=" ".join(texts), evidence=tuple(dict.fromkeys(evidence)), status="decided")


def _answers(said: Sequence[Said], place: int) -> Said | None:
    """The last sentence of somebody else that is long enough to be what it answers."""
    speaker = said[place].utterance.speaker_id
    for before in range(place - 1, max(-1, place - 1 - _BEHIND), -1):
        if said[before].utterance.speaker_id != speaker and len(said[before].text.split()) >= _WHOLE:
            return said[before]
    return None
