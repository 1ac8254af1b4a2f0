"""Who is in the meeting, when the record was paused, what was not heard, how far inputs were read."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from pydantic import BaseModel, Field

from context.decided import ConsentTold
from context.events import GapNoted, InputPosition
from context.models import Gap

_ORDERS: Final = 1_000
"""So many orders are known again, the newest."""
_ABSENCES: Final = 20
"""So many of a person's absences are remembered: a bad line comes and goes."""


class Attendee(BaseModel):
    """A human who is or was in the meeting."""

    user_id: str
    name: str
    named: bool = False
    """People have said what they are called: what a client says later does not change it."""
    present: bool = True
    joined_at_ms: int = 0
    left_at_ms: int | None = None
    away: list[tuple[int, int]] = Field(default_factory=list)
    """Absences that are over, the newest last."""
    informed: bool = False
    """They were told that the meeting is heard."""
    agreed: bool | None = None
    """Whether they agree to be heard; None: they have said neither."""
    told_at_ms: int | None = None
    told_how: str = ""
    told_by: str | None = None
    """Who told it for them; None: they themselves."""


class Attendance:
    """People by id, in order of first appearance. Two people may share a name, never an id."""

    def __init__(self) -> None:
        self.people: dict[str, Attendee] = {}

    def joined(self, user_id: str, name: str, at_ms: int) -> None:
        """Came in, or came back."""
        known = self.people.get(user_id)
        if known is None:
            self.people[user_id] = Attendee(user_id=user_id, name=name or user_id, joined_at_ms=at_ms)
            return
        if not known.present and known.left_at_ms is not None:
            known.away = [*known.away[1 - _ABSENCES :], (known.left_at_ms, max(known.left_at_ms, at_ms))]
        known.present, known.left_at_ms = True, None
        known.name = known.name if known.named else name or known.name

    def left(self, user_id: str, at_ms: int) -> None:
        """Went out; unknown people are none of ours."""
        if (known := self.people.get(user_id)) is not None:
            known.present, known.left_at_ms = False, at_ms

    def informed(self, user_id: str) -> None:
        """Was told that the meeting is heard."""
        if (known := self.people.get(user_id)) is not None:
            known.informed = True

    def told(self, event: ConsentTold) -> None:
        """Somebody agrees to be heard, or does not; also somebody who has not been seen yet."""
        who, at_ms = event.participant_id, event.at_ms
        if who not in self.people:
            self.people[who] = Attendee(user_id=who, name=who, present=False, joined_at_ms=at_ms)
        known = self.people[who]
        known.agreed, known.told_at_ms, known.told_how = event.agreed, at_ms, event.how
        known.told_by = event.told_by

    def spoke(self, user_id: str, name: str, at_ms: int) -> None:
        """Somebody who never joined (text input, another agent's transcript) is known by speaking."""
        if user_id not in self.people:
            self.joined(user_id, name, at_ms)

    def rename(self, user_id: str, name: str) -> bool:
        """Call somebody by another name from now on; False where nobody is meant, or nothing changes."""
        known = self.people.get(user_id)
        if known is None or known.name == name:
            return False
        known.name, known.named = name, True
        return True

    def name_of(self, user_id: str) -> str:
        """The person's name, or the id of an unknown one."""
        known = self.people.get(user_id)
        return known.name if known else user_id

    def dump(self) -> list[dict[str, Any]]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return [person.model_dump(mode="json") for person in self.people.values()]

    def load(self, dumped: list[dict[str, Any]]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.people = {person["user_id"]: Attendee.model_validate(person) for person in dumped}


class Pause(NamedTuple):
    """A stretch of which nothing is recorded."""

    start_ms: int
    end_ms: int | None
    """None: it lasts."""
    off_by: str | None = None
    """Who wished it off the record; None: the record merely rested."""


class Coverage:
    """How far each track and input stream has become part of the record, and where it has holes."""

    def __init__(self) -> None:
        self.heard_until: dict[str, int] = {}
        """Track id → ms on the track up to which its sound has been transcribed or given up."""
        self.positions: dict[str, str] = {}
        """Stream → the last entry that was read."""
        self.orders: dict[str, None] = {}
        """Ids of the orders that came by an input stream and were obeyed."""
        self.gaps: list[Gap] = []
        self.pauses: list[Pause] = []
        """Stretches of which nothing is recorded; the last one may be open."""

    @property
    def paused(self) -> bool:
        """Whether the record is paused now."""
        return bool(self.pauses) and self.pauses[-1].end_ms is None

    @property
    def off_the_record(self) -> list[Pause]:
        """The stretches that somebody wished off the record."""
        return [pause for pause in self.pauses if pause.off_by is not None]

    def advance(self, track_id: str | None, track_end_ms: int | None) -> None:
        """A track's sound is settled up to here; it never goes back."""
        if track_id is not None and track_end_ms is not None:
            self.heard_until[track_id] = max(track_end_ms, self.heard_until.get(track_id, 0))

    def is_news(self, track_id: str | None, track_end_ms: int | None) -> bool:
        """Whether a track's sound up to here was not settled before."""
        if track_id is None or track_end_ms is None:
            return False
        return track_end_ms > self.heard_until.get(track_id, 0)

    def read(self, position: InputPosition | None, *, order: str | None = None) -> None:
        """An input stream has been read up to here; what stood there was this `order`."""
        if position is not None:
            self.positions[position.stream] = position.position
        if order is not None:
            self.orders[order] = None
            if len(self.orders) > _ORDERS:
                del self.orders[next(iter(self.orders))]

    def lost(self, event: GapNoted) -> Gap | None:
        """Note a gap; None where the same one is known already."""
        gap = Gap(
            participant=event.participant_id,
            start_ms=event.start_ms,
            end_ms=event.end_ms,
            reason=event.reason,
        )
        if gap.reason == "off_record":
            return self._refused(gap)
        if gap in self.gaps[-50:]:
            return None
        self.gaps.append(gap)
        return gap

    def unrecorded(self, participant: str, start_ms: int, end_ms: int) -> Gap | None:
        """Words that a pause of the record refused are a gap; None where that one is known already."""
        return self._refused(
            Gap(participant=participant, start_ms=start_ms, end_ms=max(start_ms, end_ms), reason="off_record")
        )

    def _refused(self, gap: Gap) -> Gap | None:
        """What one person says in one pause is one gap that grows."""
        pause = self._pause_at(gap.start_ms)
        for place in range(len(self.gaps) - 1, max(-1, len(self.gaps) - 51), -1):
            known = self.gaps[place]
            if known.participant != gap.participant or known.reason != "off_record":
                continue
            if known.start_ms <= gap.start_ms and gap.end_ms <= known.end_ms:
                return None
            if pause is not None and pause == self._pause_at(known.start_ms):
                whole = known.model_copy(
                    update={
                        "start_ms": min(known.start_ms, gap.start_ms),
                        "end_ms": max(known.end_ms, gap.end_ms),
                    }
                )
                self.gaps[place] = whole
                return whole
        self.gaps.append(gap)
        return gap

    def pause(self, at_ms: int, *, off_by: str | None = None) -> bool:
        """Stop the record at `at_ms`; False where it is stopped already.

        `off_by`: who wishes it off the record, which a mere pause is not: it becomes one from here on.
        """
        if self.paused:
            if off_by is None or self.pauses[-1].off_by is not None:
                return False
            at_ms = max(at_ms, self.pauses[-1].start_ms)
            self.resume(at_ms)
        self.pauses.append(Pause(at_ms, None, off_by))
        return True

    def resume(self, at_ms: int) -> bool:
        """Go on; False where nothing is paused."""
        if not self.paused:
            return False
        open_ = self.pauses[-1]
        self.pauses[-1] = open_._replace(end_ms=max(open_.start_ms, at_ms))
        return True

    def off_record(self, start_ms: int) -> bool:
        """Whether something said at `start_ms` falls into a pause."""
        return self._pause_at(start_ms) is not None

    def _pause_at(self, start_ms: int) -> int | None:
        """Where the pause begins that this falls into."""
        for pause in reversed(self.pauses[-20:]):
            if pause.start_ms <= start_ms and (pause.end_ms is None or start_ms < pause.end_ms):
                return pause.start_ms
        return None

    def dump(self) -> dict[str, Any]:
        """Give the state for a snapshot, JSON-able; `load` takes it back."""
        return {
            "heard_until": dict(self.heard_until),
            "positions": dict(self.positions),
            "orders": list(self.orders),
            "gaps": [gap.model_dump(mode="json") for gap in self.gaps],
            "pauses": [list(pause) for pause in self.pauses],
        }

    def load(self, dumped: dict[str, Any]) -> None:
        """Take the state from a snapshot, as `dump` gave it."""
        self.heard_until = dict(dumped["heard_until"])
        self.positions = dict(dumped["positions"])
        self.orders = dict.fromkeys(dumped.get("orders", ()))
        self.gaps = [Gap.model_validate(gap) for gap in dumped["gaps"]]
        self.pauses = [Pause(*pause) for pause in dumped["pauses"]]  # older ones have two fields
