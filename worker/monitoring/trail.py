"""The way of a turn, hop by hop: from the end of its voice to the publication of its text.

All moments are seconds on the monotonic clock of one process. What a turn waits for on purpose (the
silence that ends it) and what is the engine's work are hops of their own, so that what is left is ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args

from stt.heard import Moments

Hop = Literal["silence", "cut", "engine", "fold", "commit", "publish"]
HOPS: Final[tuple[Hop, ...]] = get_args(Hop)
"""*silence*: from the frame with the last of the voice to the one that made the silence long enough;
*cut*: from there until the engine has the whole stretch; *engine*: its request and its work; *fold*: until
the event is folded; *commit*: until it may be shown; *publish*: until all outlets have taken it."""
_KEPT: Final = 64
"""How many turns that are text and not yet shown are remembered; beyond that the oldest is forgotten."""


@dataclass(frozen=True, slots=True)
class Trail:
    """The moments at which one turn passed each stage of its way."""

    heard: Moments
    folded_s: float
    settled_s: float
    shown_s: float

    def hops_s(self) -> Mapping[Hop, float]:
        """Give how long each hop took, in seconds; `silence` and `cut` are missing where nobody saw them."""
        heard = self.heard
        took: dict[Hop, float] = {}
        if heard.voice_s is not None and heard.frame_s is not None:
            took["silence"] = heard.frame_s - heard.voice_s
        if heard.frame_s is not None:
            took["cut"] = heard.ended_s - heard.frame_s
        took["engine"] = heard.text_s - heard.ended_s
        took["fold"] = self.folded_s - heard.text_s
        took["commit"] = self.settled_s - self.folded_s
        took["publish"] = self.shown_s - self.settled_s
        return took

    def moments(self) -> Mapping[str, float | None]:
        """Give the moment of each stage by its name, for the log; None where it is unknown."""
        heard = self.heard
        return {
            "voice_s": heard.voice_s,
            "frame_s": heard.frame_s,
            "ended_s": heard.ended_s,
            "text_s": heard.text_s,
            "folded_s": self.folded_s,
            "settled_s": self.settled_s,
            "shown_s": self.shown_s,
        }


class Trails:
    """The turns of one meeting that are text and not yet shown, by their keys."""

    def __init__(self) -> None:
        self._heard: dict[str, Moments] = {}

    def heard(self, key: str, moments: Moments | None) -> None:
        """Note that a stretch became text; without `moments` there is nothing to follow."""
        if moments is None:
            return
        if len(self._heard) >= _KEPT:
            del self._heard[next(iter(self._heard))]
        self._heard[key] = moments

    def shown(self, key: str, *, folded_s: float, settled_s: float, shown_s: float) -> Trail | None:
        """Give the trail of a turn that has been shown; None for one that was no sound."""
        heard = self._heard.pop(key, None)
        return None if heard is None else Trail(heard, folded_s, settled_s, shown_s)

    def __len__(self) -> int:
        return len(self._heard)
