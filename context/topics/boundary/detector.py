"""The detector: from scores to beginnings. It says which candidates stand out, whatever the open topic is.

A candidate is a beginning when it is likely enough, and likelier than those soon after it (`_Rule`).
Whether the open topic is long enough to end there, the fold knows (`context.topics.boundaries`). All of this
follows from the utterances alone; `heard` says how many the detector has had, in the fold or beside it.
Where talk is brisk, topics are too short for the scorer, and `brisk` finds them. What is not likely enough
but likelier than what is around it is a suspicion, for a judge where there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from context.config import ContextConfig
from context.events.topic_events import FoundBoundary
from context.models import Utterance
from context.topics.boundary.boundary_features import STEP_UTTERANCES
from context.topics.boundary.brisk import Brisk
from context.topics.boundary.scorer import Score, Scorer
from context.topics.phrases.cues import cue_in

_NEAR_UTTERANCES: Final = 2
"""A weak cue at most so many utterances from a beginning is its cue."""
_REMEMBERED_SCORES: Final = 40
"""So many of the newest weak cues, scores and suspicions are kept."""
_SCORES_AROUND: Final = 6 // STEP_UTTERANCES
"""A beginning is at least as likely as each of so many candidates after it, a suspicion as each before it:
a judge needs the time."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """When a candidate is a beginning. Found on the training meetings."""

    likely: float
    """Chance from which on it is one, 0 to 1."""
    suspected: float
    """Chance from which on a judge is worth asking; one in ten of these is a beginning."""
    shortest: int
    """A topic that ends without a strong cue has at least so many utterances."""


_RULE_EN: Final = _Rule(likely=0.22, suspected=0.07, shortest=15)
_RULE_KO: Final = _Rule(likely=0.17, suspected=0.06, shortest=6)


class Detector:
    """Finds beginnings among the utterances of a meeting, each of which it hears once, in order."""

    def __init__(self, config: ContextConfig) -> None:
        self.heard = 0
        """How many utterances it has heard: the id of the last."""
        self._cues = config.topic_quick_check_enabled
        self._scorer = Scorer()
        self._weak: list[int] = []
        """The newest utterances with a cue that is not strong."""
        self._scores: list[Score] = []
        """Newest scores, that of the last candidate last."""
        self._brisk = Brisk(cues=self._cues, agent_names=config.agent_names)
        self._suspected: list[int] = []
        """The newest utterances for which a judge was worth asking."""

    def hear(self, text: str, speaker: str) -> list[FoundBoundary]:
        """Hear the next utterance, and give what it makes clear about earlier ones.

        Of several findings the fold acts on the first with which a topic may begin, so suspicions come last;
        nothing is found at a strong cue, which decides by itself.
        """
        self.heard += 1
        raised = self._brisk.hear(speaker, text)
        cue = cue_in(text) if self._cues else None
        score = self._scorer.hear(self.heard, text, speaker, cue)
        if score is not None:
            self._scores.append(score)
            del self._scores[:-_REMEMBERED_SCORES]
        if cue is not None and cue.strength == "strong":
            return []  # the announcement has decided
        if cue is not None:
            self._weak.append(self.heard)
            del self._weak[:-_REMEMBERED_SCORES]
        found, suspected = list[FoundBoundary](), list[FoundBoundary]()
        if raised is not None and raised.is_likely:
            found.append(self._boundary_at(raised.at, raised.shortest, raised=True))
        elif raised is not None:
            suspected += self._suspicion(raised.at, raised.shortest)
        if score is not None:
            found += self._standing_out(len(self._scores) - 1 - _SCORES_AROUND)
            suspected += self._nearly_standing_out()
        return found + suspected

    def rest(self) -> list[FoundBoundary]:
        """The beginnings that are still undecided when the meeting closes, in order of time."""
        known = self._scores
        self._scores = known + self._scorer.rest()
        found = [self._boundary_at(each.at, each.shortest, raised=True) for each in self._brisk.rest()]
        for place in range(max(0, len(known) - _SCORES_AROUND), len(self._scores)):
            found += self._standing_out(place)
        self._scores = known
        return sorted(found, key=lambda each: (each.at, each.raised))

    def _standing_out(self, place: int) -> list[FoundBoundary]:
        """The candidate at `place` of the scores, alone in a list, if it is a beginning; else nothing."""
        if place < 0:
            return []
        score, *soon = self._scores[place : place + 1 + _SCORES_AROUND]
        rule = _rule(score)
        if score.chance < rule.likely or any(later.chance > score.chance for later in soon):
            return []
        return [self._boundary_at(score.at, rule.shortest, raised=False)]

    def _nearly_standing_out(self) -> list[FoundBoundary]:
        """The newest candidate, alone in a list, if the scorer is not sure of it; else nothing."""
        *before, newest = self._scores[-1 - _SCORES_AROUND :]
        rule = _rule(newest)
        unsure = rule.suspected <= newest.chance < rule.likely
        if not unsure or any(each.chance > newest.chance for each in before):
            return []
        return self._suspicion(newest.at, rule.shortest)

    def _suspicion(self, at: int, shortest: int) -> list[FoundBoundary]:
        """A suspicion, alone in a list; nothing where one has been nearer than a topic is long."""
        if any(abs(at - other) < shortest for other in self._suspected):
            return []
        self._suspected.append(at)
        del self._suspected[:-_REMEMBERED_SCORES]
        return [FoundBoundary(at=at, kind="suspicion", shortest=shortest)]

    def _boundary_at(self, at: int, shortest: int, *, raised: bool) -> FoundBoundary:
        cued = any(abs(number - at) <= _NEAR_UTTERANCES for number in self._weak)
        return FoundBoundary(at=at, kind="cue" if cued else "drop", shortest=shortest, raised=raised)

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "heard": self.heard,
            "scorer": self._scorer.dump(),
            "weak": list(self._weak),
            "scores": [[score.at, score.chance, score.korean] for score in self._scores],
            "brisk": self._brisk.dump(),
            "suspected": list(self._suspected),
        }

    def load(self, dumped: dict[str, Any], archive: Sequence[Utterance]) -> None:
        """Take the state from a snapshot, as `dump` gave it; `archive` are the utterances up to it."""
        self.heard = dumped["heard"]
        self._scorer.load(dumped["scorer"], archive[: self.heard])
        self._weak = list(dumped["weak"])
        self._scores = [Score(*score) for score in dumped["scores"]]
        heard = [(said.speaker_id, said.text) for said in archive[: self.heard]]
        self._brisk.load(heard, dumped["brisk"])
        self._suspected = list(dumped["suspected"])


def _rule(score: Score) -> _Rule:
    return _RULE_KO if score.korean else _RULE_EN
