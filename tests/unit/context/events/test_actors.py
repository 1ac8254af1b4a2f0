"""An actor is who was authenticated; what they call themselves stands beside it."""

from __future__ import annotations

import pytest

from context.events.actors import Actor, ActorKind, borne_by, operator, participant


@pytest.mark.parametrize(
    ("kind", "id_", "claimed", "known_as", "shown"),
    [
        ("user", "minji", "", "user minji", "minji"),
        ("user", "minji", "김민지", "user minji", "minji (“김민지”)"),
        ("user", "minji", "minji", "user minji", "minji"),
        ("program", "program", "김민지", "program", "김민지"),
        ("program", "program", "", "program", "program"),
        ("link", "5c1d09ab", "CEO", "link 5c1d09ab", "link 5c1d09ab (“CEO”)"),
        ("link", "5c1d09ab", "a”) (“b", "link 5c1d09ab", "link 5c1d09ab (“a') ('b”)"),
        # Who is called as if they were something else is told apart from it.
        ("user", "program", "", "user program", "user program"),
        ("user", "http", "", "user http", "user http"),
        ("user", "page", "", "user page", "user page"),
        ("user", "Operator", "", "user Operator", "user Operator"),
        ("user", "link 5c1d09ab", "", "user link 5c1d09ab", "user link 5c1d09ab"),
        ("participant", "retention", "", "participant retention", "participant retention"),
        ("user", "linker", "", "user linker", "linker"),
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


@pytest.mark.parametrize(
    "name", ["operator root", "program", "link 5c1d09ab", "retention", "page (“Ben”)", "user: ben"]
)
def test_whoever_is_called_like_another_kind_of_actor_is_told_by_what_was_authenticated(name: str) -> None:
    assert borne_by(participant("web-01"), name).startswith("participant web-01 (“")
    assert Actor(kind="program", id="program", claimed=name).shown.startswith("program")
    assert Actor(kind="user", id=name).shown.startswith("user ")
