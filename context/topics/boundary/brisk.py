"""Where topics begin in brisk talk: short meetings in which every utterance says something.

A topic of a spoken meeting goes on for fifty turns, many of which say "mm". Where each turn says something,
a matter is raised, weighed and settled in five to twelve, long before the words on both sides of a candidate
tell anything. What tells here is the turn itself: the last matter has just been settled, and somebody brings
up something that nobody mentioned before, by a noun alone, a question or news, which others then take up.
Each utterance is read for signs (`brisk_line`), and a logistic regression weighs them and what is around
them (`tests/training/brisk_topics.py`). It is asked only where talk is brisk: few turns of a word or two,
hardly any speeches, few that are pieces of a sentence. All follows from the archive, so the snapshot holds
only the counts, which are slow to take again.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from importlib.resources import files
from typing import Final, NamedTuple

from context.language.addressing import DEFAULT_WAKE_WORDS, without_wake_word
from context.language.korean import has_hangul
from context.topics.boundary.brisk_line import BriskLine, brisk_line
from context.topics.phrases import continuations

MIN_LINES: Final = 3
"""A topic has at least so many utterances."""
_LINES_HEARD_PER_LINE: Final = 20
_MAX_SHORTEST_LINES: Final = 15
"""The bound of a topic's least length, which grows by one utterance for every twenty heard: nobody wants
fifty topics of a long meeting."""
LIKELY_CHANCE: Final = 0.25
"""A beginning is at least so likely. Found on the meetings trained on, a part of them held out at a time."""
SUSPECTED_CHANCE: Final = 0.08
"""What a judge is worth asking about is at least so likely; one in five of these is a beginning."""
_LINES_AFTER: Final = 3
"""Utterances after a candidate that are looked at."""
_CHANCES_AROUND: Final = 3
"""A beginning is at least as likely as each of so many candidates after it."""
_LINES_BEFORE: Final = 12
"""A word is new where it was not said in so many utterances before."""
_LINES_LATELY: Final = 5
"""It is repeated where it was said in so many."""
KEPT_LINES: Final = _LINES_BEFORE + _LINES_AFTER + 1
"""Newest utterances that are kept."""
_FIGURE_WEIGHT: Final = 10
"""A figure that is said again weighs as much as an uncommon word."""
_FIRST_LINES: Final = 4
"""Utterances from which on it can be said how people talk."""
_UNSURE_LINES: Final = 4
"""Added to the count of utterances: the shares of a meeting that has just begun say little."""
_SHORT_WORDS: Final = 2
_LONG_WORDS: Final = 25
"""Words; a Korean one counts for more (`_KOREAN_WORD_LENGTH`)."""
_KOREAN_WORD_LENGTH: Final = 1.6
_MAX_SHARES: Final = (0.25, 0.08, 0.2)
"""In brisk talk at most such shares of the utterances so far are short, long, or pieces of a sentence: so
talks one in six of QMSum's meetings for a while, none for half its time, and none of the assembly minutes."""


class _BriskUtterance:
    """An utterance, read when it is first looked at: where talk is not brisk, never."""

    def __init__(self, speaker: str, text: str) -> None:
        self._speaker = speaker
        self.text = text

    @cached_property
    def line(self) -> BriskLine:
        return brisk_line(self._speaker, self.text)


class BriskTopic(NamedTuple):
    """How likely a topic begins at utterance `at`."""

    at: int
    chance: float
    """0 to 1; 0 where talk is not brisk."""

    @property
    def is_likely(self) -> bool:
        """Whether it is a beginning without a judge's look."""
        return self.chance >= LIKELY_CHANCE

    @property
    def shortest(self) -> int:
        """Utterances that the topic before it has at least; a greeting and its answer may be a topic."""
        return (
            2
            if self.at == MIN_LINES
            else min(_MAX_SHORTEST_LINES, max(MIN_LINES, self.at // _LINES_HEARD_PER_LINE))
        )


class Brisk:
    """Finds beginnings in brisk talk, six utterances late. It hears every utterance once, in order."""

    def __init__(self, *, cues: bool = True, agent_names: Sequence[str] = DEFAULT_WAKE_WORDS) -> None:
        """`cues`: an utterance that announces a topic is no candidate, for the announcement decides.

        `agent_names`: nor is one that calls the agent by one of these names.
        """
        self._cues = cues
        self._agent_names = tuple(agent_names)
        self._heard = 0
        self._counts = [0, 0, 0]
        """Utterances that are short, that are long, and that are pieces of a sentence."""
        self._last = ("", "")
        self._chair = ""
        self._said: deque[_BriskUtterance] = deque(maxlen=KEPT_LINES)
        self._chances: deque[BriskTopic] = deque(maxlen=_CHANCES_AROUND + 1)
        """The newest candidates, none missing."""

    def hear(self, speaker: str, text: str) -> BriskTopic | None:
        """Hear the next utterance; give the candidate six utterances back if it is a beginning, or may be."""
        self._count(speaker, text)
        self._chances.append(self._judge(_LINES_AFTER))
        return _standing_out(list(self._chances)) if len(self._chances) > _CHANCES_AROUND else None

    def rest(self) -> list[BriskTopic]:
        """The beginnings that are undecided when the meeting closes, in order; the last utterance is none."""
        known = [*self._chances, *(self._judge(after) for after in range(_LINES_AFTER - 1, 0, -1))]
        places = range(max(0, len(self._chances) - _CHANCES_AROUND), len(known))
        topics = (_standing_out(known[place : place + _CHANCES_AROUND + 1]) for place in places)
        return [topic for topic in topics if topic is not None and topic.is_likely]

    def dump(self) -> list[int]:
        """Give the counts for a snapshot; to read all of a long meeting again would take a while."""
        return list(self._counts)

    def load(self, archive: Sequence[tuple[str, str]], counted: Sequence[int]) -> None:
        """Hear the utterances up to a snapshot again: speaker and text of each.

        `counted` is what `dump` gave: with it only the newest utterances are read.
        """
        closely = len(archive) - _CHANCES_AROUND - 1
        first = max(0, closely - KEPT_LINES)
        if first:
            self._chair, self._last = archive[0][0], archive[first - 1]
            for speaker_and_text in archive[first:]:
                self._count(*speaker_and_text)
            self._counts = [of_all - own for of_all, own in zip(counted, self._counts, strict=True)]
            self._heard, self._last = first, archive[first - 1]
        for number, speaker_and_text in enumerate(archive[first:], first):
            (self.hear if number >= closely else self._count)(*speaker_and_text)

    def _count(self, speaker: str, text: str) -> None:
        self._heard += 1
        self._chair = self._chair or speaker
        words = len(text.split()) * (_KOREAN_WORD_LENGTH if has_hangul(text) else 1.0)
        pieces = continuations.goes_on(*self._last, speaker, text)
        for place, counts in enumerate((words <= _SHORT_WORDS, words > _LONG_WORDS, pieces)):
            self._counts[place] += counts
        self._last = (speaker, text)
        self._said.append(_BriskUtterance(speaker, text))

    def _judge(self, after: int) -> BriskTopic:
        """The chance of the candidate that has `after` utterances behind it; 0 where talk is not brisk."""
        at, place = self._heard - after, len(self._said) - 1 - after
        brisk = all(
            count <= most * (self._heard + _UNSURE_LINES)
            for count, most in zip(self._counts, _MAX_SHARES, strict=True)
        )
        if not brisk or self._heard < _FIRST_LINES or place < 1:
            return BriskTopic(at, 0.0)
        lines = [heard.line for heard in self._said]
        to_agent = without_wake_word(self._said[place].text, self._agent_names) is not None
        if to_agent or (self._cues and lines[place].announces):
            return BriskTopic(at, 0.0)
        return BriskTopic(at, chance(describe(lines, place, self._chair)))


def _standing_out(chances: Sequence[BriskTopic]) -> BriskTopic | None:
    """The first of these candidates if it may be a beginning and none is likelier; else None."""
    own = chances[0]
    return (
        own
        if own.chance >= SUSPECTED_CHANCE and own.chance >= max(other.chance for other in chances)
        else None
    )


def describe(lines: Sequence[BriskLine], place: int, chair: str) -> dict[str, float]:
    """The signs of the candidate at `place` of `lines`, by name, as `chance` weighs them.

    `lines` are the newest utterances; `place` is at least 1. `chair`: who spoke first in the meeting.
    """
    own, last, one_before = lines[place], lines[place - 1], lines[max(0, place - 2)]
    after = lines[place + 1 : place + 2]
    settled = sum(line.commits or line.orders for line in lines[max(0, place - 3) : place])
    invited = last.invites and not own.declines
    return {
        **own.signs,
        "about": 1.0 if invited else own.signs["about"],
        "by_chair": float(own.speaker == chair),
        "takes_turns": float(own.speaker == one_before.speaker),
        "last_asks": float(last.asks and not invited),
        "last_commits": float(last.commits),
        "last_orders": float(last.orders),
        "last_agrees": float(last.agrees),
        "last_only_agrees": float(last.agrees and last.words <= 5),
        "last_short": float(last.words <= 3),
        "settled": settled / 3,
        **_words_signs(lines, place, settling=last.commits or (last.agrees and one_before.commits)),
        "then_asks_shortly": float(bool(after) and after[0].asks and after[0].words <= 5),
        "then_commits": float(bool(after) and after[0].commits),
    }


def _words_signs(lines: Sequence[BriskLine], place: int, *, settling: bool) -> dict[str, float]:
    """The signs in the words of the candidate at `place`: what is new in them, and what is said again.

    `settling`: whether a matter was settled right before it.
    """
    own, after = lines[place], lines[place + 1 : place + 1 + _LINES_AFTER]
    past = {key for line in lines[max(0, place - _LINES_BEFORE) : place] for key in line.keys}
    lately = lines[max(0, place - _LINES_LATELY) : place]
    near = {key for line in lately for key in line.keys}
    coming = {key: weight for line in after for key, weight in line.keys.items()}
    total = max(1, sum(own.keys.values()))
    new = sum(weight for key, weight in own.keys.items() if key not in past)
    tied = sum(weight for key, weight in coming.items() if key in near and key not in own.keys)
    again = sum(weight for key, weight in own.keys.items() if key in near)
    new_after = sum(weight for key, weight in coming.items() if key not in past and key not in own.keys)
    again += _FIGURE_WEIGHT * len({figure for line in lately for figure in own.figures & line.figures})
    return {
        "new": new / total if own.keys else 0.5,
        "new_much": min(new, 40) / 20,
        "new_after_settling": new / total * settling,
        "repeats": min(again, 30) / 10,
        "returns": min(tied, 30) / 10,
        "then_new": min(new_after, 60) / 30,
    }


def chance(signs: Mapping[str, float]) -> float:
    """How likely, 0 to 1, a topic begins at a candidate with these signs (`describe`)."""
    bias, weights = _weights()
    logit = bias + sum(weights[name] * sign for name, sign in signs.items())
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, logit))))


@cache
def _weights() -> tuple[float, dict[str, float]]:
    document = json.loads(files("context.topics.boundary").joinpath("brisk.json").read_text("utf-8"))
    return document["bias"], document["weights"]
