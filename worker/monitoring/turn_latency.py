"""The way of a turn, hop by hop: from the end of its voice to the publication of its text.

All moments are seconds on the monotonic clock of one process. What a turn waits for on purpose (the
silence that ends it) and what is the engine's work are hops of their own, so that what is left is ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal, get_args

from stt.track_events import Moments

Hop = Literal["silence", "cut", "engine", "fold", "commit", "publish"]
HOPS: Final[tuple[Hop, ...]] = get_args(Hop)
"""*silence*: from the frame with the last of the voice to the one that made the silence long enough;
*cut*: from there until the engine has the whole stretch; *engine*: its request and its work; *fold*: until
the event is folded; *commit*: until it may be shown; *publish*: until all outlets have taken it."""
_KEPT_COUNT: Final = 64
"""How many turns that are text and not yet shown are remembered; beyond that the oldest is forgotten."""


@dataclass(frozen=True, slots=True)
class TurnLatency:
    """The moments at which one turn, or one answer, passed each stage of its way."""

    heard: Moments | None
    """None: it was no sound."""
    folded_s: float
    settled_s: float
    shown_s: float
    durable: bool = True
    """Whether it was on the record by then; else it waits in the spool."""

    def hops(self) -> Sequence[tuple[Hop, float, float]]:
        """Give the hops in order, each with its beginning and end; those that nobody saw are missing."""
        heard = self.heard
        hops_heard: list[tuple[Hop, float, float]] = []
        if heard is not None:
            if heard.voice_s is not None and heard.frame_s is not None:
                hops_heard.append(("silence", heard.voice_s, heard.frame_s))
            if heard.frame_s is not None:
                hops_heard.append(("cut", heard.frame_s, heard.ended_s))
            hops_heard.append(("engine", heard.ended_s, heard.text_s))
            hops_heard.append(("fold", heard.text_s, self.folded_s))
        return [
            *hops_heard,
            ("commit", self.folded_s, self.settled_s),
            ("publish", self.settled_s, self.shown_s),
        ]

    def hops_s(self) -> Mapping[Hop, float]:
        """Give how long each hop took, in seconds."""
        return {hop: ended_s - began_s for hop, began_s, ended_s in self.hops()}

    def moments(self) -> Mapping[str, float | None]:
        """Give the moment of each stage by its name, for the log; None where it is unknown."""
        return {
            **({} if self.heard is None else asdict(self.heard)),
            "folded_s": self.folded_s,
            "settled_s": self.settled_s,
            "shown_s": self.shown_s,
        }


class TurnLatencies:
    """The turns of one meeting that are text and not yet shown, by their keys."""

    def __init__(self) -> None:
        self._heard: dict[str, Moments] = {}

    def heard(self, key: str, moments: Moments | None) -> None:
        """Note that a stretch became text; without `moments` there is nothing to follow."""
        if moments is None:
            return
        if len(self._heard) >= _KEPT_COUNT:
            del self._heard[next(iter(self._heard))]
        self._heard[key] = moments

    def shown(
        self, key: str, *, folded_s: float, settled_s: float, shown_s: float, durable: bool = True
    ) -> TurnLatency:
        """Give the latency of a turn that has been shown."""
        return TurnLatency(self._heard.pop(key, None), folded_s, settled_s, shown_s, durable)

    def __len__(self) -> int:
        return len(self._heard)
