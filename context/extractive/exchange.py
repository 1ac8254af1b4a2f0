"""What stands around a sentence: who says yes to it, what it answers, what is said again.

A decision in free talk is seldom one sentence: it is a noun and three times "yeah", a question and its
answer, a recap by the chair. So each sentence is described together with those around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from context.extractive.reading import Reading
from context.extractive.sentences import Said

_AHEAD: Final = 15
_OTHERS: Final = 6
_BEHIND: Final = 8
_RECENT: Final = 14
_NEAR: Final = 12
_FORMS: Final = (
    *("suggest", "go_for", "use", "should", "must", "drop", "stick", "want"),
    *("future", "could", "we_will", "lets", "decide", "give", "mine", "need"),
)
"""What one may say yes to."""
_ASKED: Final = (
    *(
        "suggest",
        "go_for",
        "use",
        "should",
        "we",
        "decide",
        "drop",
        "give",
        "errand",
        "want",
        "could",
        "mine",
    ),
)
CLEAN: Final = 0.01
"""Talk with fewer fillers than this share of its words has been tidied, or is a script."""


def described(said: Sequence[Said], readings: Sequence[Reading], *, clean: bool) -> list[frozenset[str]]:
    """The features of each sentence in its talk; in `clean` talk, without fillers, rules count more."""
    return [_described(said, readings, place, clean=clean) for place in range(len(said))]


def _described(
    said: Sequence[Said], readings: Sequence[Reading], place: int, *, clean: bool
) -> frozenset[str]:
    own = readings[place]
    features = set(own.features)
    features |= _afterwards(said, readings, place)
    features |= _before(said, readings, place)
    features |= _around(readings, place)
    if clean:
        features.add("clean")
        features.update(f"rc:{rule}" for rule in own.rules)
    return frozenset(features)


def _afterwards(said: Sequence[Said], readings: Sequence[Reading], place: int) -> set[str]:
    """What others say to it, and what the speaker says next."""
    own, speaker = readings[place], said[place].utterance.speaker_id
    assents = objects = asks = echoes = repeats = others = 0
    who: set[str] = set()
    first = ""
    features: set[str] = set()
    for later in range(place + 1, min(len(said), place + _AHEAD)):
        reply = readings[later]
        if said[later].utterance.speaker_id == speaker:
            continue
        others += 1
        shared = bool(own.content & reply.content)
        assents += reply.assents
        objects += reply.objects
        asks += reply.asks
        repeats += shared
        echoes += shared and reply.words <= 10
        if reply.assents:
            who.add(said[later].utterance.speaker_id)
        if not first:
            first = _kind(reply, shared=shared)
            if reply.words <= 3:
                features.add("n:short")
        if others == _OTHERS:
            break
    yes = first in {"yes", "echo"} and not objects
    answer = "y" if yes else "n"
    features |= {f"n:{first}", f"na{min(assents, 3)}", f"nwho{min(len(who), 3)}", f"no{min(objects, 2)}"}
    features |= {f"nq{min(asks, 1)}", f"echo{min(echoes, 2)}", f"rep{min(repeats, 2)}"}
    features.update(f"{answer}:{form}" for form in _FORMS if form in own.cues)
    marks = {"bare": own.bare, "q": own.asks, "so": own.concludes, "proposes": "proposes" in own.rules}
    features.update(f"{answer}:{name}" for name, holds in marks.items() if holds)
    return features | _same_utterance(said, readings, place)


def _kind(reply: Reading, *, shared: bool) -> str:
    if reply.objects:
        return "no"
    if reply.assents:
        return "yes"
    return "q" if reply.asks else "echo" if shared else "other"


def _same_utterance(said: Sequence[Said], readings: Sequence[Reading], place: int) -> set[str]:
    """The sentences of the same speaker right before and right after it."""
    features: set[str] = {f"pl{min(said[place].place, 2)}"}
    utterance = said[place].utterance
    for offset, name in ((1, "own+"), (-1, "own-")):
        beside = place + offset
        if not 0 <= beside < len(said) or said[beside].utterance.speaker_id != utterance.speaker_id:
            continue
        other = readings[beside]
        features.update(f"{name}{rule}" for rule in other.rules)
        if other.assents and other.words <= 3:
            features.add(f"{name}yes")
        if other.asks:
            features.add(f"{name}q")
    if place + 1 == len(said) or said[place + 1].utterance.id != utterance.id:
        features.add("last")
    return features


def _before(said: Sequence[Said], readings: Sequence[Reading], place: int) -> set[str]:
    """What it answers, and whether what it speaks of was spoken of just before."""
    own, utterance = readings[place], said[place].utterance
    features: set[str] = set()
    others = 0
    for earlier in range(place - 1, max(-1, place - 1 - _BEHIND), -1):
        if said[earlier].utterance.speaker_id == utterance.speaker_id:
            continue
        others += 1
        past = readings[earlier]
        if others == 1:
            features |= _answered(own, past)
        else:
            features.update(f"pp:{rule}" for rule in past.rules)
        if others == 3:
            break
    recent: set[str] = set()
    for earlier in range(max(0, place - _RECENT), place):
        if said[earlier].utterance.id != utterance.id:
            recent |= readings[earlier].content
    shared = len(own.content & recent)
    features |= {f"back{min(shared, 3)}", f"new{min(len(own.content) - shared, 4)}"}
    if shared and shared == len(own.content):
        features.add("allback")
    return features


def _answered(own: Reading, past: Reading) -> set[str]:
    features = {f"p:{rule}" for rule in past.rules}
    features.update(f"p:c:{cue}" for cue in _ASKED if cue in past.cues)
    marks = {
        "p:q": past.asks,
        "p:or": past.asks and "or" in past.cues,
        "p:yes": past.assents,
        "p:short": past.words <= 3,
        "p:bare": past.bare,
        "p:echo": bool(own.content & past.content),
        "x:q+yes": past.asks and own.assents,
        "x:q+short": past.asks and own.words <= 3,
        "x:asked+yes": own.assents and ("requests" in past.rules or "give" in past.cues),
    }
    return features | {name for name, holds in marks.items() if holds}


def _around(readings: Sequence[Reading], place: int) -> set[str]:
    """How the talk goes here: how much assent, deciding, ordering of the meeting, how long the turns."""
    near = readings[max(0, place - _NEAR) : place + _NEAR + 1]
    yes = sum(reading.assents for reading in near) / len(near)
    decide = sum("decide" in reading.cues or "go_for" in reading.cues for reading in near)
    meta = sum("meta" in reading.cues for reading in near)
    proposals = sum("suggest" in reading.cues or "should" in reading.cues for reading in near)
    length = sum(reading.words for reading in near) / len(near)
    return {
        f"yes~{min(5, int(10 * yes))}",
        f"decide~{min(3, decide)}",
        f"meta~{min(5, meta)}",
        f"proposals~{min(5, proposals)}",
        f"length~{min(5, int(length / 4))}",
    }
