"""Who spoke, how long, and how it sounded: the newest utterances, and each speaker's share so far."""

from __future__ import annotations

from typing import Any, Final

from context.topics.boundary.words import UtteranceWords
from context.topics.phrases.cues import Cue

KEPT_UTTERANCES: Final = 176
"""At least so many newest utterances are kept."""
_STRENGTH: Final = {"weak": 1, "opening": 2, "strong": 3}
_MAX_UTTERANCES_AWAY: Final = 200
"""Utterances since somebody's last one; more, or none before, count as so many."""


class UtteranceWindow:
    """The newest utterances in lists, one by property; entry `i - first` of each is utterance `i`."""

    def __init__(self) -> None:
        self.first = 1
        """The oldest utterance that is kept."""
        self.newest = 0
        self.words = [0]
        """Words before each utterance, from `first` on; one entry more than there are utterances."""
        self.words_before = 0
        """Words before `first`."""
        self.weights = [0]
        """Weight of the content words, likewise."""
        self.lengths: list[int] = []
        """Words of each utterance."""
        self.asks: list[bool] = []
        """Whether it ends with a question."""
        self.hangul: list[bool] = []
        """Whether it is in Korean."""
        self.cues: list[int] = []
        """0 without a cue, else its strength (`_STRENGTH`)."""
        self.edges: list[tuple[int, ...]] = []
        """Buckets of the words at its beginning and end (`UtteranceWords.edges`)."""
        self.speakers: list[str] = []
        self.known: list[tuple[float, ...]] = []
        """What was known of each utterance's speaker when it began: share of words, of turns, words a turn,
        utterances since the last one, whether it is who opened the meeting."""
        self.opener = ""
        """Who spoke first in the meeting."""
        self.spoken = 0
        """Words so far in the meeting."""
        self._speakers: dict[str, list[int]] = {}
        """Words, turns and last utterance of each."""

    def add(self, number: int, turn: UtteranceWords, speaker: str, cue: Cue | None) -> None:
        """Hear utterance `number`, the next one."""
        self.opener = self.opener or speaker
        words, turns, last = self._speakers.get(speaker, (0, 0, 0))
        known = (
            words / max(1, self.spoken),
            turns / max(1, number - 1),
            words / max(1, turns),
            min(_MAX_UTTERANCES_AWAY, number - last) if last else _MAX_UTTERANCES_AWAY,
            float(speaker == self.opener),
        )
        self._keep(number, turn, speaker, 0 if cue is None else _STRENGTH[cue.strength], known)
        self._speakers[speaker] = [words + turn.words, turns + 1, number]
        self.spoken += turn.words

    def _keep(
        self, number: int, turn: UtteranceWords, speaker: str, cue: int, known: tuple[float, ...]
    ) -> None:
        if not self.lengths:
            self.first = number
        elif len(self.lengths) >= 4 * KEPT_UTTERANCES:
            self._forget()
        self.newest = number
        self.words.append(self.words[-1] + turn.words)
        self.weights.append(self.weights[-1] + turn.weight)
        self.lengths.append(turn.words)
        self.asks.append(turn.question)
        self.hangul.append(turn.hangul)
        self.cues.append(cue)
        self.edges.append(turn.edges)
        self.speakers.append(speaker)
        self.known.append(known)

    def _forget(self) -> None:
        gone = len(self.lengths) - KEPT_UTTERANCES
        for kept in (self.lengths, self.asks, self.hangul, self.cues, self.edges, self.speakers, self.known):
            del kept[:gone]
        words, weights = self.words[gone], self.weights[gone]
        self.words = [count - words for count in self.words[gone:]]
        self.weights = [weight - weights for weight in self.weights[gone:]]
        self.words_before += words
        self.first += gone

    def dump(self) -> dict[str, Any]:
        """Give for a snapshot, JSON-able, what does not follow from the newest utterances."""
        return {
            "opener": self.opener,
            "spoken": self.spoken,
            "speakers": dict(self._speakers),
            "known": [list(known) for known in self.known[-KEPT_UTTERANCES:]],
            "cues": self.cues[-KEPT_UTTERANCES:],
        }

    def load(self, dumped: dict[str, Any], first: int, turns: list[tuple[UtteranceWords, str]]) -> None:
        """Take what `dump` gave; `turns` are the newest utterances, read again, with their speakers.

        `first`: the id of the first of them.
        """
        skipped = len(turns) - len(dumped["known"])
        kept = zip(turns[skipped:], dumped["cues"], dumped["known"], strict=True)
        for number, ((turn, speaker), cue, known) in enumerate(kept, first + skipped):
            self._keep(number, turn, speaker, cue, tuple(known))
        self.opener, self.spoken = dumped["opener"], dumped["spoken"]
        self.words_before = self.spoken - self.words[-1]
        self._speakers = dict(dumped["speakers"])
