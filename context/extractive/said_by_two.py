# ruff: noqa: E501  # patterns read better unbroken
"""What one names and the next names again with a yes: "So rubber buttons." – "Rubber, yeah.".

Two people who say the same noun one after the other, one of them with a yes, have settled it, whatever was put before.
A noun alone, or a nod alone, settles nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from context.extractive.agreement import objected_to
from context.extractive.english_forms import plain_form
from context.extractive.sentences import Said
from context.extractive.subjects import facts, matter
from context.language.korean import has_hangul
from context.models import Statement

_LONGEST: Final = 7
_TALK: Final = 24
_WHICH: Final = re.compile(
    r"\b(?:what|which|who|when|where|how (?:many|much|long|often)|or)\b", re.IGNORECASE
)
_YES: Final = re.compile(
    r"\b(?:yeah|yes|yep|yup|okay|ok|agreed|absolutely|exactly|definitely|fine|good|perfect)\b"
)
_LEAD: Final = re.compile(
    r"^(?:(?:no|so|then|okay|ok|all right|alright|right|yeah|yes|oh|well|and|good|fine|great)\b\s*)+"
)
_SAYS: Final = re.compile(
    r"\b(?:i|i'm|i've|i'd|you|you're|he|she|they|we|we're|it|it's|there|there's|that's|this|what|how|who|why|when|where|is|are|was|were|am|do|does|did|don't|have|has|had|will|would|can|could|should|not|thanks|thank|sorry|please|question|next|because|but|minutes?|page|slide|thing|stuff|maybe|probably|mean|think|say|said)\b"
)
_EMPTY: Final = frozenset(
    {
        "one",
        "thing",
        "then",
        "right",
        "good",
        "okay",
        "fine",
        "great",
        "yeah",
        "sure",
        "yes",
        "yep",
        "really",
        "true",
        "exactly",
        "absolutely",
        "definitely",
        "agreed",
        "perfect",
    }
)


def said_by_two(said: Sequence[Said], place: int) -> Statement | None:
    """The decision that the sentence at `place` is by what it names and the next speaker names again; else None."""
    sentence = said[place]
    what = _named(sentence)
    if not what or place + 1 >= len(said) or objected_to(said, place):
        return None
    reply = said[place + 1]
    if (
        reply.utterance.id == sentence.utterance.id
        or reply.utterance.speaker_id == sentence.utterance.speaker_id
    ):
        return None
    whole = plain_form(reply.utterance.text)
    if (
        "?" in reply.utterance.text
        or len(whole.split()) > _LONGEST
        or not _YES.search(whole)
        or _SAYS.search(whole)
    ):
        return None
    again = matter(whole) - _EMPTY
    if not again or not again <= what or not _was_put(said, place, what):
        return None
    evidence = (sentence.utterance.id, reply.utterance.id)
    return Statement(text=f"{sentence.text} {reply.text}", evidence=evidence, status="decided")


def _was_put(said: Sequence[Said], place: int, what: frozenset[str]) -> bool:
    """Whether it answers a question that asks for one, or was named in an earlier turn of the same talk."""
    here = said[place].utterance.id
    before = [each for each in said[max(0, place - _TALK) : place] if each.utterance.id < here]
    asked = before and "?" in before[-1].utterance.text and _WHICH.search(before[-1].utterance.text)
    return bool(asked) or any(what <= matter(each.text) for each in before)


def _named(sentence: Said) -> frozenset[str]:
    """The words of what a fragment names; none where it says something of it, or asks."""
    if "?" in sentence.text or has_hangul(sentence.text) or facts(sentence.text):
        return frozenset()  # a figure that is said again may only have been heard: `accepted_figures`
    rest = _LEAD.sub("", plain_form(sentence.text))
    if not 1 <= len(rest.split()) <= _LONGEST or _SAYS.search(rest):
        return frozenset()
    return matter(rest) - _EMPTY
