"""An actor is who was authenticated; what they call themselves stands beside it."""

from __future__ import annotations

import pytest

from context.actors import Actor, ActorKind, borne_by, operator, participant


@pytest.mark.parametrize(
    ("kind", "id_", "claimed", "known_as", "shown"),
    [
        ("user", "minji", "", "user minji", "user minji"),
        ("user", "minji", "김민지", "user minji", "user minji (“김민지”)"),
        ("user", "minji", "minji", "user minji", "user minji"),
        ("token", "s-1", "operator root", "token s-1", "page (“operator root”)"),
        ("program", "program", "", "program", "program"),
        ("program", "program", "김민지", "program", "program (“김민지”)"),
        ("program", "program", "operator root", "program", "program (“operator root”)"),
        ("operator", "root", "Minji", "operator root", "operator root (“Minji”)"),
        ("link", "5c1d09ab", "CEO", "link 5c1d09ab", "link 5c1d09ab (“CEO”)"),
        ("link", "5c1d09ab", "a”) (“b", "link 5c1d09ab", "link 5c1d09ab (“a') ('b”)"),
        (
            "participant",
            "web-01",
            "operator root",
            "participant web-01",
            "participant web-01 (“operator root”)",
        ),
        ("participant", "p1", "링크 5c1d09ab", "participant p1", "participant p1 (“링크 5c1d09ab”)"),
        # Nor is an id.
        ("user", "program", "", "user program", "user program"),
        ("user", "link 5c1d09ab", "", "user link 5c1d09ab", "user link 5c1d09ab"),
        ("participant", "retention", "", "participant retention", "participant retention"),
        ("participant", "x (“CEO”)", "", "participant x (“CEO”)", "participant x ('CEO')"),
    ],
)
def test_a_name_is_never_taken_for_who_was_authenticated(
    kind: ActorKind, id_: str, claimed: str, known_as: str, shown: str
) -> None:
    actor = Actor(kind=kind, id=id_, claimed=claimed)
    assert (actor.known_as, actor.shown) == (known_as, shown)


def test_somebody_in_the_room_owns_what_they_say_and_an_operator_is_an_administrator() -> None:
    assert participant("minji").own == ("minji",)
    assert not participant("minji").administrator
    assert operator("root").administrator


@pytest.mark.parametrize("name", ["operator root", "program", "link 5c1d09ab", "retention", "김민지"])
def test_the_name_that_somebody_bears_in_a_meeting_is_marked_as_claimed(name: str) -> None:
    assert borne_by(participant("p1"), name) == f"participant p1 (“{name}”)"
    assert borne_by(participant("guest-5c1d09ab-0123456789"), name) == f"link 5c1d09ab (“{name}”)"
