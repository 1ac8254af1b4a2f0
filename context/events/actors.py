"""The actor: who was authenticated when something was done, beside whom they call themselves.

A right is asked for with the actor alone. A claimed name gives none; it stands beside the actor, in quotes,
wherever it is shown.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from context.models import Frozen
from context.primitives.guest_identity import link_of
from context.primitives.text import Id, Name, clean_name

ActorKind = Literal["token", "user", "link", "participant", "program", "operator", "retention"]
"""token: a session of somebody who signed in with MOIM_PAGES_TOKEN · user: whom a proxy has signed in ·
link: a guest by a link to one meeting · participant: somebody in the room · program: the holder of
MOIM_API_TOKEN · operator: whoever calls a command of `moim` · retention: the dispatcher, as it is set."""

_KINDS: Final = frozenset(get_args(ActorKind)) | {"page", "http", "cli"}
_QUOTES: Final = str.maketrans({"“": "'", "”": "'"})


class Actor(Frozen):
    """Who does something: the kind, an id that was authenticated, and what follows from it."""

    kind: ActorKind
    id: Id
    """What was authenticated: a session, a user's name, a link, a participant's identity, a login."""
    own: tuple[Id, ...] = ()
    """The ids of the participants that this actor was authenticated as, in the meeting at hand."""
    administrator: bool = False
    """Whether they may do what concerns others' words."""
    claimed: Name = ""
    """What they call themselves; nobody has checked it."""

    @property
    def known_as(self) -> str:
        """Who was authenticated, for the audit log: `link 5c1d09ab`, `user minji`, `program`."""
        return self.kind if self.kind == self.id else f"{self.kind} {self.id}"

    @property
    def shown(self) -> str:
        """Who it was, for people: a claimed name stands in quotes behind what was authenticated.

        A program has the API's token and says in whose name it acts: that name is shown as it is. Whatever
        somebody calls themselves, they are never taken for another kind of actor.
        """
        name = clean_name(self.claimed).translate(_QUOTES)
        if self.kind == "program" and name and not _is_like_a_kind(name):
            return name
        told = self.id if self.kind in {"user", "participant", "operator"} else self.known_as
        if self.kind == "token":  # which of the pages' sessions it was tells people nothing
            told = "page"
        elif _is_like_a_kind(told) or _is_like_a_kind(name):  # called `program`, or `link 5c1d09ab`
            told = self.known_as
        return f"{told.translate(_QUOTES)} (“{name}”)" if name and name != self.id else told


def _is_like_a_kind(name: str) -> bool:
    """Whether a name begins as actors of some kind are shown."""
    return name.split(maxsplit=1)[0].strip(":,.-").casefold() in _KINDS if name.strip() else False


RETENTION: Final = Actor(kind="retention", id="retention", administrator=True)
"""The dispatcher, where words have been kept long enough."""


def participant(identity: str) -> Actor:
    """Make the actor of somebody in the room, whom LiveKit has authenticated by their token."""
    if (link := link_of(identity)) is not None:
        return Actor(kind="link", id=link, own=(identity,))
    return Actor(kind="participant", id=identity, own=(identity,))


def borne_by(actor: Actor, name: str) -> str:
    """Give how an actor is shown in records who bears this name in the meeting.

    That of a link's guest is only claimed, and so is one that looks like another kind of actor.
    """
    told = actor.model_copy(update={"claimed": name}).shown
    return told if actor.kind == "link" or _is_like_a_kind(name) else name


def operator(login: str, claimed: Name = "") -> Actor:
    """Make the actor of whoever calls a command of `moim`, by their login on this machine."""
    return Actor(kind="operator", id=login, administrator=True, claimed=claimed)
