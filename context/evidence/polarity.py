"""Polarity: whether a claim affirms or denies what its evidence does, and states what was more than asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from context.evidence.words import FRAME, stems
from context.language.closed_lists import closed_lists, holds, spaced
from context.language.korean import jamo
from context.language.questions import BREAK, is_question

_LISTS: Final = closed_lists("polarity")
_CONTRASTS: Final = re.compile(
    r"지\s?[않말]고|밖에\s(?:\S+\s)?\S*[없안않못]\S*|[,(]\s?(?:and |but )?not\b"
    r"|[없않안못](?:으시|으|다|된다)?면|\bif (?:\w+ ){1,2}(?:\w+n't|not)\b"
)
"""Negations that deny nothing: "Tuesday, not Thursday" puts one thing beside the other, 구백밖에 안 남았다
says that nine hundred are left, 다른 의견 없으면 is a condition. So do the phrases of list `contrasts`."""
_DENIED: Final = re.compile(r"([가-힣]{2,}?)하?지\s?(?:않|말|못)(고?)\S*")
_UNDECIDED: Final = re.compile(
    r"(?:정해지|결정되|확정되|정하|결정하|확정하)지\s?(?:는\s?)?[않못]\S*"
    r"|(?:\bnot|n't|\bno)\b[^.;]{0,25}\b(?:decid\w*|decision\w*|settled|final\w*)"
)


def is_negated(text: str) -> bool:
    """Whether a sentence denies something; the 안 of 보안 (security) and "not only" deny nothing."""
    return holds(spaced(_without(text.lower(), "denies_nothing")), _LISTS["negates"])


def polarity_stands(text: str, cited: Sequence[str]) -> bool:
    """Whether the claim `text` says yes or no as some cited sentence about the same does.

    `cited`: the cited utterances. Where none shares a word with the claim, all of them together are compared.
    """
    claim = stems(text) - FRAME
    lowered = _behind_an_answer(text.lower())
    said = "\n".join(cited).lower()
    if _UNDECIDED.search(lowered) and holds(spaced(said), _LISTS["puts_off"]):
        lowered = _UNDECIDED.sub(" ", lowered)
    # What a claim puts aside (빌리지 않고) may not be what was said (빌립시다).
    affirmed = jamo(_DENIED.sub(" ", said))
    if any(jamo(root) in affirmed for root, joined in _DENIED.findall(text) if joined):
        return False
    about_it = [
        (len(claim & stems(sentence)), sentence.lower())
        for source in cited
        for sentence in BREAK.split(source)
        if sentence
    ]
    nearest = max((shared for shared, _ in about_it), default=0)
    if nearest == 0:
        return _agree(lowered, said)  # 받지 않기로 했습니다: all that it says is yes or no
    # One clause of several may deny: "moved, and no customer noticed" rests on two sentences.
    least = 1 if _denies(lowered) or holds(spaced(lowered), _LISTS["restricts"]) else nearest / 2
    return any(shared >= least and _agree(lowered, one) for shared, one in about_it)


def is_vouched(text: str, cited: Sequence[str]) -> bool:
    """Whether somebody stated the claim `text` in `cited`, rather than asked: "What if we merge them?"

    A claim that reports a question or proposal always passes; one of a decision needs more than a proposal.
    """
    if reports(text):
        return True
    claim = stems(text) - FRAME
    decided = holds(spaced(text), _LISTS["decided"])
    return not all(_only_asks_it(source, claim, decided) for source in cited)


def only_asks(said: str) -> bool:
    """Whether each part of an utterance is a question; "I need it on Monday, could you …?" also states."""
    parts = (part for sentence in BREAK.split(said) for part in sentence.split(", "))
    return all(is_question(part) for part in parts if part.strip())


def reports(text: str) -> bool:
    """Whether a claim is that something was asked or proposed."""
    return holds(spaced(text), _LISTS["reports"])


def _behind_an_answer(lowered: str) -> str:
    """A claim without the yes or no that it begins with: that denies nothing of what follows."""
    bare = lowered.lstrip(" \t\"'“‘*-")
    for answer in _LISTS["answers"]:
        if bare.startswith(answer) and bare[len(answer) :][:1] in tuple(",.;:"):
            return bare[len(answer) + 1 :]
    return lowered


def _only_asks_it(source: str, claim: frozenset[str], decided: bool) -> bool:
    """Whether what is nearest to a claim is a question, or, of a decision, a proposal."""
    shares = [(len(claim & stems(sentence)), sentence) for sentence in BREAK.split(source) if sentence]
    most = max((shared for shared, _ in shares), default=0)
    return most > 0 and all(
        is_question(sentence) or (decided and holds(spaced(sentence), _LISTS["proposes"]))
        for shared, sentence in shares
        if shared == most
    )


def _agree(claim: str, said: str) -> bool:
    """Whether both deny or both do not; what denies by a word of its own or says both agrees with either."""
    claim_by_its_word, said_by_its_word = (
        holds(spaced(each), _LISTS["denies_by_its_word"]) for each in (claim, said)
    )
    if claim_by_its_word != said_by_its_word or _denies(claim) is _denies(said):
        return True
    return any(_uncontrasted(each) != each for each in (claim, said))


@lru_cache(maxsize=2048)
def _denies(lowered: str) -> bool:
    return is_negated(_uncontrasted(lowered))


def _uncontrasted(lowered: str) -> str:
    return _without(_CONTRASTS.sub(" ", lowered), "contrasts")


def _without(text: str, key: str) -> str:
    for phrase in _LISTS[key]:
        text = text.replace(phrase, " ")
    return text
