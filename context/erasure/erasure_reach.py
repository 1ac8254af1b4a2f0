"""Whose words an erasure request reaches, and whether somebody may take those out.

Words belong to whoever *spoke* them: the participant on whose track they were heard, or whom the source
named. A correction moves what is shown, never whose words they are. Somebody may take out, or show again,
what was spoken under an id that they were authenticated as, or under another one of the same browser; what
others spoke needs an administrator.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from context.events.actors import Actor
from context.events.erasure_target import Target
from context.primitives.guest_identity import is_one_of

if TYPE_CHECKING:
    from context.fold.meeting import Meeting


class NotTheirs(ValueError):
    """Somebody asks for words that are not theirs to take out; the message says so to them."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The utterances of a meeting that a request reaches, each with the person who spoke it."""

    erased: dict[int, str]
    """Utterance id → who spoke it, of those that are to be erased, or shown again."""
    hidden: dict[int, str]
    """The same of those that are only to be hidden."""
    others_too: bool = False
    """Whether it reaches more than utterances of some people: the title, everybody's questions, answers."""

    @property
    def owners(self) -> frozenset[str]:
        """The people whose words are erased or shown again."""
        return frozenset(self.erased.values())


def reach_of(meeting: Meeting, target: Target) -> Reach:
    """Tell whose words `target` reaches: its utterances in the meeting as it is now, with who spoke each."""
    spoken = {utterance.id: meeting.spoken_by(utterance) for utterance in meeting.utterances}
    match target.what:
        case "person":
            confirmed, mine = frozenset(target.utterances), target.everybody
            return Reach({n: who for n, who in spoken.items() if n in confirmed or is_one_of(who, mine)}, {})
        case "utterances":
            wanted = frozenset(target.utterances)
            return Reach({n: who for n, who in spoken.items() if n in wanted}, {})
        case "stretch":
            return _stretch(meeting, target, spoken)
        case "meeting":
            return Reach(spoken, {}, others_too=True)
        case "answers":
            return Reach({}, {}, others_too=True)


def _stretch(meeting: Meeting, target: Target, spoken: dict[int, str]) -> Reach:
    then = {
        utterance.id: spoken[utterance.id]
        for utterance in meeting.utterances
        if utterance.end_ms > target.since_ms
        and (target.until_ms is None or utterance.start_ms < target.until_ms)
    }
    if target.others == "erase":
        return Reach(then, {}, others_too=True)
    own = {n: who for n, who in then.items() if is_one_of(who, (target.person,))}
    if target.others == "leave":
        return Reach(own, {})
    # One that came hidden, from a spool, before there was a mark here is hidden by this one.
    marked = {number for mark in meeting.erasures for number in mark.hidden}
    here = {u.id for u in meeting.utterances if u.text or (u.hidden and u.id not in marked)}
    return Reach(own, {n: who for n, who in then.items() if n not in own and n in here})


def demand(actor: Actor, target: Target, reach: Reach) -> None:
    """Raise `NotTheirs` where the actor may not do what `target` reaches; an administrator may all of it."""
    if actor.administrator:
        return
    named = set(target.everybody) if target.what != "utterances" else set()
    if reach.others_too or not all(is_one_of(who, actor.own) for who in reach.owners | named):
        raise NotTheirs(
            "these are words of others: you can take out what you said; for more, ask an administrator"
        )
    if reach.hidden and actor.kind == "link":
        raise NotTheirs("a guest hides nobody's words: sign in, or ask whoever invited you")
