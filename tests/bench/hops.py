"""Where the time between the end of a voice and its text in the room goes, hop by hop.

The job tells when a turn was where (its log, debug), the engine when it worked, the client when the
text was there. All clocks are the machine's monotonic one, so moments of different processes compare.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from stt.endpointer import EndpointerOptions
from tests.bench.figures import Figure, percentile

_MS: Final = 1000.0
_MOMENTS: Final = ("voice_s", "frame_s", "ended_s", "text_s", "folded_s", "settled_s", "shown_s")
WINDOW_S: Final = EndpointerOptions().silence_ms / 1000


@dataclass(frozen=True, slots=True)
class Way:
    """One turn's way, in seconds of the machine's monotonic clock."""

    job: Mapping[str, float]
    """When it was where in the job."""
    engine: tuple[float, float]
    """When the engine began and when it was done."""
    received_s: float
    """When the client had read all of it."""

    def ours_s(self, began_s: float) -> float:
        """From `began_s` to the client, the silence window and the engine's own work apart."""
        return self.received_s - began_s - WINDOW_S - (self.engine[1] - self.engine[0])

    def hops_s(self) -> Mapping[str, float]:
        """The same hop by hop; their sum is `ours_s` of the voice's arrival, the last one apart."""
        at = self.job
        return {
            "silence, beyond its window": at["frame_s"] - at["voice_s"] - WINDOW_S,
            "cut: the gate and the detector": at["ended_s"] - at["frame_s"],
            "request to the engine": self.engine[0] - at["ended_s"],
            "answer of the engine": at["text_s"] - self.engine[1],
            "fold": at["folded_s"] - at["text_s"],
            "commit": at["settled_s"] - at["folded_s"],
            "text to the client": self.received_s - at["settled_s"],
            "publication (beside it): until all streams took it": at["shown_s"] - at["settled_s"],
        }


def ways(worker_log: str, engine_log: str, listener_log: str) -> dict[str, Way]:
    """By the key of a turn: its way, where all three tell of it."""
    work = [(told["began_s"], told["done_s"]) for told in _told(engine_log, "began_s")]
    received = {
        told["segment"].rpartition("/")[2]: told["received_s"] for told in _told(listener_log, "segment")
    }
    found: dict[str, Way] = {}
    for told in _told(worker_log, "folded_s"):
        if told["key"] not in received or told["voice_s"] is None or told["frame_s"] is None:
            continue
        at = {name: told[name] for name in _MOMENTS}
        engine = next((one for one in work if at["ended_s"] <= one[0] and one[1] <= at["text_s"]), None)
        if engine is not None:
            found[told["key"]] = Way(at, engine, received[told["key"]])
    return found


def trips_s(listener_log: str) -> list[float]:
    """Round trips of a text to a bare job."""
    return [told["trip_s"] for told in _told(listener_log, "trip_s")]


def _told(log: str, name: str) -> list[dict[str, Any]]:
    """The JSON objects of a log's lines that have such a field."""
    lines = [line for line in log.splitlines() if f'"{name}": ' in line and line.endswith("}")]
    return [json.loads(line[line.index("{") :]) for line in lines]


def figures(found: Sequence[Way], *, disk_s: Sequence[float], trips_s: Sequence[float]) -> list[Figure]:
    """A row per hop, p95 beside its median; for two of them, what they cannot be without."""
    floors = {"commit": ("the disk alone, one page", disk_s), "text to the client": ("half an echo", trips_s)}
    ours = [(way.ours_s(way.job["voice_s"]), way.hops_s()["commit"]) for way in found]
    rows = [
        Figure(
            "end of speech (as it came in) to text, p95, without the commit",
            percentile([all_s - commit_s for all_s, commit_s in ours], 0.95) * _MS,
            "ms",
            None,
            "its median",
            percentile([all_s - commit_s for all_s, commit_s in ours], 0.5) * _MS,
        )
    ]
    for hop in found[0].hops_s():
        took_s = [way.hops_s()[hop] for way in found]
        note = ""
        if hop in floors:
            what, least_s = floors[hop]
            half = 0.5 if what.startswith("half") else 1.0
            floor = [half * percentile(least_s, share) * _MS for share in (0.5, 0.95)]
            note = f"{what}: median {floor[0]:.1f}, p95 {floor[1]:.1f}"
        rows.append(
            Figure(
                f"hop: {hop}, p95",
                percentile(took_s, 0.95) * _MS,
                "ms",
                None,
                "its median",
                percentile(took_s, 0.5) * _MS,
                note=note,
            )
        )
    return rows
