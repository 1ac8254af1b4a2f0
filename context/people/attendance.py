"""Who is in a meeting; when its record was paused, what it missed, and how far its inputs were read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeVar

from pydantic import BaseModel, Field

from context.events.corrections import PersonFix, UtteranceFix
from context.events.events import Corrected, InputPosition, ParticipantJoined, UtteranceSpoken
from context.events.privacy_events import ConsentTold
from context.models import Frozen, Gap, InputNote
from context.primitives.guest_identity import browser_of, is_one_of
from context.primitives.person_names import canonical, identity_meant, names_of_agent, told_apart
from context.time_spans import Absence

_MOST_COMMANDS: Final = 1_000
"""Ids of so many commands are kept, the newest: one whose id is kept is not obeyed again."""
_MOST_ABSENCES: Final = 20
"""So many of a person's absences are kept, the newest: over a bad line they may be very many."""
_COMPARED_GAPS: Final = 50
"""A gap is compared with so many of the newest: the same one may come again."""
_MOST_NAMES: Final = 20
"""So many of a person's earlier names are kept, the newest: a client may change its name very often."""
_LAST_MS: Final = 10 * 60_000
"""Who was there all the time is told the last ten minutes."""
_NUMBER: Final = re.compile(r" \(\d+\)$")
"""What is put behind the name of its second bearer."""

_Named = TypeVar("_Named", bound=Frozen)


class Attendee(BaseModel):
    """A human who is or was in the meeting."""

    user_id: str
    name: str
    """The name as it is shown: told apart from the names of those who were here before."""
    named: bool = False
    """Whether somebody corrected the name; a name that the client gives later does not replace it then."""
    earlier_names: list[str] = Field(default_factory=list)
    """What they were shown under before their client gave another name, the newest last; their id, too."""
    present: bool = True
    joined_at_ms: int = 0
    left_at_ms: int | None = None
    away: list[tuple[int, int]] = Field(default_factory=list)
    """(from, to) in ms of the absences that are over, the newest last."""
    informed: bool = False
    """Whether they were told that the meeting is heard."""
    agreed: bool | None = None
    """Whether they agree to be heard; None while they have said neither yes nor no."""
    told_at_ms: int | None = None
    """When they said so; None while they have not."""
    told_how: str = ""
    """The `ConsentChannel` by which they said so."""
    told_by: str | None = None
    """Who said it for them; None: they themselves."""

    @property
    def one_name(self) -> bool:
        """Whether all their lines are shown under their present name, whatever they were said under."""
        return self.named or bool(self.earlier_names)


class Attendance:
    """The people of a meeting by id, in order of first appearance. Each is shown under their own name."""

    def __init__(self, agent_names: Iterable[str] = ()) -> None:
        """`agent_names` are those that the agent bears."""
        self.people: dict[str, Attendee] = {}
        self._agent_names = names_of_agent(agent_names)

    def joined(self, user_id: str, name: str, at_ms: int) -> bool:
        """Note that somebody came in, came back, or goes by another name; True where a name has changed.

        The time between leaving and coming back is an absence.
        """
        known = self.people.get(user_id)
        if known is None:
            shown = self.shown_as(user_id, name or user_id)
            self._add(Attendee(user_id=user_id, name=shown, joined_at_ms=at_ms))
            return False
        if not known.present and known.left_at_ms is not None:
            known.away = [*known.away[1 - _MOST_ABSENCES :], (known.left_at_ms, max(known.left_at_ms, at_ms))]
        known.present, known.left_at_ms = True, None
        return self._called(known, name)

    def _called(self, known: Attendee, name: str) -> bool:
        """Take the name that somebody's client gives them now; False where they are shown as before."""
        if not name or known.named or (shown := self.shown_as(known.user_id, name)) == known.name:
            return False
        earlier = [each for each in known.earlier_names if each not in {known.name, shown}]
        known.earlier_names, known.name = [*earlier, known.name][-_MOST_NAMES:], shown
        return True

    def left(self, user_id: str, at_ms: int) -> None:
        """Note that somebody left; an id that never joined is passed over."""
        if (known := self.people.get(user_id)) is not None:
            known.present, known.left_at_ms = False, at_ms

    def informed(self, user_id: str) -> None:
        """Note that somebody was told that the meeting is heard; an unknown id is passed over."""
        if (known := self.people.get(user_id)) is not None:
            known.informed = True

    def told(self, event: ConsentTold) -> None:
        """Note that somebody agrees to be heard, or refuses; also somebody who has not joined yet.

        It counts for every identity that their browser has here, also for those that it gets later.
        """
        who, at_ms = event.participant_id, event.at_ms
        if who not in self.people:
            shown = self.shown_as(who, who)
            self._add(Attendee(user_id=who, name=shown, present=False, joined_at_ms=at_ms))
        for known in self.same_as(who):
            known.agreed, known.told_at_ms, known.told_how = event.agreed, at_ms, event.how
            known.told_by = event.told_by

    def agreed(self, user_id: str) -> bool | None:
        """Whether somebody agrees to be heard, also before they join; None: they said neither yes nor no."""
        word = self._word_of(user_id)
        return word.agreed if word is not None else None

    def refused(self, user_id: str, at_ms: int) -> bool:
        """Whether somebody has said no to being heard, at `at_ms` or before, and not yes since."""
        word = self._word_of(user_id)
        return word is not None and word.agreed is False and (word.told_at_ms or 0) <= at_ms

    def same_as(self, user_id: str) -> list[Attendee]:
        """Give the people who are somebody with this id: one, or all who came from their browser."""
        if browser_of(user_id) is None:
            return [self.people[user_id]] if user_id in self.people else []
        return [known for who, known in self.people.items() if is_one_of(who, (user_id,))]

    def _word_of(self, user_id: str) -> Attendee | None:
        """The one of `same_as` under whom they last said whether they agree; None where they never did."""
        told = [known for known in self.same_as(user_id) if known.agreed is not None]
        return max(told, key=lambda known: known.told_at_ms or 0, default=None)

    def _add(self, person: Attendee) -> None:
        """Take in somebody new, with what they said under another identity of their browser."""
        if (word := self._word_of(person.user_id)) is not None:
            person.agreed, person.told_at_ms = word.agreed, word.told_at_ms
            person.told_how, person.told_by = word.told_how, word.told_by
        self.people[person.user_id] = person

    def spoke(self, event: UtteranceSpoken) -> bool:
        """Take in a speaker who never joined (of text input, of another agent's transcript).

        A program that writes into an input stream tells with each line how its speaker is called now; of all
        other lines the room tells that, as they may be late and know an earlier name. True where a name has
        changed.
        """
        known = self.people.get(event.speaker_id)
        if known is None:
            return self.joined(event.speaker_id, event.speaker_name, event.start_ms)
        if event.position is None or event.speaker_name == event.speaker_id:
            return False
        return self._called(known, event.speaker_name)

    def rename(self, user_id: str, name: str) -> bool:
        """Give somebody another name for good; False for an unknown id, or where it is the name already."""
        known = self.people.get(user_id)
        if known is None or (shown := self._told_apart(user_id, name)) == known.name:
            return False
        known.name, known.named = shown, True
        return True

    def shown_as(self, user_id: str, name: str) -> str:
        """Give a name as it is shown where this person bears it: with a number if another bears it already.

        Who is shown under it already keeps it as it is, whoever comes and goes.
        """
        known = self.people.get(user_id)
        if known is not None and name in {known.name, _NUMBER.sub("", known.name)}:
            return known.name
        return self._told_apart(user_id, name)

    def as_shown(self, event: _Named) -> _Named:
        """Give an event as it goes to the record: a name as it is shown, and an id as its bearer has it."""
        match event:
            case Corrected(fix=UtteranceFix(speaker=str(speaker)) as utterance):
                return self._fixed(event, utterance, speaker=speaker)
            case Corrected(fix=PersonFix(person=person, into=into) as merged):
                return self._fixed(event, merged, person=person, **({} if into is None else {"into": into}))
            case ParticipantJoined(participant_id=who, name=name) if name:
                shown = self.shown_as(who, name)
                return event if shown == name else event.model_copy(update={"name": shown})
            case UtteranceSpoken(speaker_id=who, speaker_name=name) if name:
                shown = self.shown_as(who, name)
                return event if shown == name else event.model_copy(update={"speaker_name": shown})
            case _:
                return event

    def _fixed(self, event: _Named, fix: UtteranceFix | PersonFix, **ids: str) -> _Named:
        meant = {field: identity_meant(named, self.people) for field, named in ids.items()}
        return event if meant == ids else event.model_copy(update={"fix": fix.model_copy(update=meant)})

    def _told_apart(self, user_id: str, name: str) -> str:
        others = (canonical(each.name) for who, each in self.people.items() if not is_one_of(who, (user_id,)))
        return told_apart(name, (*self._agent_names, *others))

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
    """A stretch of meeting time of which nothing is recorded."""

    start_ms: int
    end_ms: int | None
    """None while it lasts."""
    off_by: str | None = None
    """Who asked to go off the record; None for a mere pause."""

    def holds(self, at_ms: int) -> bool:
        """Whether a moment falls into it."""
        return self.start_ms <= at_ms and (self.end_ms is None or at_ms < self.end_ms)


class Coverage(BaseModel):
    """How far each track and input stream has become part of the record, and where it has holes."""

    heard_until: dict[str, int] = Field(default_factory=dict)
    """Track id → ms on the track up to which its sound has been transcribed or given up."""
    positions: dict[str, str] = Field(default_factory=dict)
    """Input stream → the position of the last entry that was read."""
    orders: list[str] = Field(default_factory=list)
    """Ids of the commands of input streams that were obeyed, the newest last; the record calls them so."""
    gaps: list[Gap] = Field(default_factory=list)
    """What was not heard, in the order in which it was noted."""
    notes: list[InputNote] = Field(default_factory=list)
    """What files had that was dropped, made up or not understood."""
    pauses: list[Pause] = Field(default_factory=list)
    """Stretches of which nothing is recorded; the last one may be open."""

    @property
    def paused(self) -> bool:
        """Whether the record is paused now."""
        return bool(self.pauses) and self.pauses[-1].end_ms is None

    @property
    def off_the_record(self) -> list[Pause]:
        """The pauses for which somebody asked to go off the record."""
        return [pause for pause in self.pauses if pause.off_by is not None]

    def advance(self, track_id: str | None, track_end_ms: int | None) -> bool:
        """Note up to which ms a track is transcribed or given up; False where that is no further than before.

        Without a track (text input) there is nothing to note.
        """
        if track_id is None or track_end_ms is None:
            return False
        before = self.heard_until.get(track_id, 0)
        self.heard_until[track_id] = max(track_end_ms, before)
        return track_end_ms > before

    def read(self, position: InputPosition | None, *, order: str | None = None) -> None:
        """Note up to where an input stream has been read, and the id of the command that was obeyed there."""
        if position is not None:
            self.positions[position.stream] = position.position
        if order is not None and order not in self.orders:
            self.orders = [*self.orders, order][-_MOST_COMMANDS:]

    def noted(self, note: InputNote) -> None:
        """Keep a note on a file; the same one again changes nothing."""
        if note not in self.notes:
            self.notes.append(note)

    def lost(self, gap: Gap) -> Gap | None:
        """Note a gap and return it as it is kept; None where it is known already.

        All that one person says within one pause of the record is kept as one gap, which grows; so is time in
        which their sound was encrypted, as it is told piece by piece.
        """
        pause = self._pause_at(gap.start_ms)
        for place in range(len(self.gaps) - 1, max(-1, len(self.gaps) - 1 - _COMPARED_GAPS), -1):
            known = self.gaps[place]
            if known == gap:
                return None
            if gap.reason not in {"off_record", "encrypted"} or known.reason != gap.reason:
                continue
            if known.participant != gap.participant:
                continue
            if known.start_ms <= gap.start_ms and gap.end_ms <= known.end_ms:
                return None
            goes_on = gap.reason == "encrypted" and gap.start_ms == known.end_ms
            if goes_on or (pause is not None and pause == self._pause_at(known.start_ms)):
                start_ms, end_ms = min(known.start_ms, gap.start_ms), max(known.end_ms, gap.end_ms)
                self.gaps[place] = known.model_copy(update={"start_ms": start_ms, "end_ms": end_ms})
                return self.gaps[place]
        self.gaps.append(gap)
        return gap

    def pause(self, at_ms: int, *, off_by: str | None = None) -> bool:
        """Stop the record at `at_ms`; False where it is stopped already.

        `off_by`: who asks to go off the record; None for a mere pause. Where a mere pause lasts, it ends and
        one off the record begins.
        """
        if self.paused:
            if off_by is None or self.pauses[-1].off_by is not None:
                return False
            at_ms = max(at_ms, self.pauses[-1].start_ms)
            self.resume(at_ms)
        self.pauses.append(Pause(at_ms, None, off_by))
        return True

    def resume(self, at_ms: int) -> bool:
        """End the pause at `at_ms`; False where none lasts."""
        if not self.paused:
            return False
        open_ = self.pauses[-1]
        self.pauses[-1] = open_._replace(end_ms=max(open_.start_ms, at_ms))
        return True

    def off_record(self, start_ms: int) -> bool:
        """Whether something said at `start_ms` falls into a pause, of either kind."""
        return self._pause_at(start_ms) is not None

    def _pause_at(self, start_ms: int) -> int | None:
        """Where the pause begins that `start_ms` falls into; None where the record ran."""
        for pause in reversed(self.pauses):
            if pause.holds(start_ms):
                return pause.start_ms
        return None


def missed(person: Attendee | None, now_ms: int) -> Absence:
    """What `person` missed by `now_ms`: their last absence, what was before they came, or the last minutes.

    None (a question from outside the room) was never there: everything so far.
    """
    if person is None:
        return Absence(start_ms=0, end_ms=now_ms, away=True)
    if not person.present and person.left_at_ms is not None:
        return Absence(start_ms=person.left_at_ms, end_ms=now_ms, away=True)
    if person.away:
        start_ms, end_ms = person.away[-1]
        return Absence(start_ms=start_ms, end_ms=end_ms, away=True)
    if person.joined_at_ms > 0:
        return Absence(start_ms=0, end_ms=person.joined_at_ms, away=True)
    return Absence(start_ms=max(0, now_ms - _LAST_MS), end_ms=now_ms, away=False)
