"""What issue 6 wants of rooms, held against what was measured: only goals of which both sides were seen."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from tests.load.place import Side
from tests.load.rooms import RoomRow

TIMES_AS_MANY: Final = 3.0
FULL_ROOMS: Final = 8
FULL_S: Final = 1.5


@dataclass(frozen=True, slots=True)
class Goal:
    """One of them."""

    text: str
    met: bool

    def __str__(self) -> str:
        return f"{'✓' if self.met else '✗'} {self.text}"


def goals(rows: Sequence[RoomRow]) -> Iterator[Goal]:
    """Those that these rows say something about."""
    by = {(row.side, row.rooms): row for row in rows}
    ours, theirs = by.get(("moim", 1)), by.get(("example", 1))
    if ours is not None and theirs is not None:
        text = f"one room: p95 {ours.line_s_p95:.2f} s, the example's {theirs.line_s_p95:.2f} s"
        yield Goal(text, _whole(ours) and ours.line_s_p95 <= theirs.line_s_p95)
    if (full := by.get(("moim", FULL_ROOMS))) is not None:
        text = f"{FULL_ROOMS} rooms: {full.delivered} of {full.lines} lines, p95 {full.line_s_p95:.2f} s, at most {FULL_S} s"
        yield Goal(text, _whole(full) and full.line_s_p95 <= FULL_S)
    most, most_of_theirs = _most(rows, "moim"), _most(rows, "example")
    if most is not None and most_of_theirs is not None:
        times = most_of_theirs.cpu_per_room / most.cpu_per_room
        text = (
            f"{times:.1f} times as many rooms per core, at least {TIMES_AS_MANY:g}: {most.cpu_per_room:.3f} core a room with "
            f"{most.rooms}, the example's {most_of_theirs.cpu_per_room:.3f} with {most_of_theirs.rooms}, the most at which it says all"
        )
        yield Goal(text, times >= TIMES_AS_MANY)


def _whole(row: RoomRow) -> bool:
    return row.delivered == row.lines


def _most(rows: Sequence[RoomRow], side: Side) -> RoomRow | None:
    """The most rooms of which no line was missing: who is starved costs little, and is worth nothing."""
    return max(
        (row for row in rows if row.side == side and _whole(row)), key=lambda row: row.rooms, default=None
    )
