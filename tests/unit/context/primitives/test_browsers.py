"""Whoever comes to a meeting from one browser is one person there, by whichever link or token they come."""

from __future__ import annotations

import pytest

from context.erasure.erasure_reach import NotTheirs, demand, reach_of
from context.events.actors import Actor, participant
from context.events.erasure_target import Erasure, Target
from context.events.privacy_events import ConsentTold
from context.people.attendance import Attendance
from context.primitives.guest_identity import browser_of, guest_identity, is_one_of, link_of, page_identity
from tests.unit.context.meetings import met, spoken

MINE, THEIRS = "0123456789abcdef", "fedcba9876543210"
A, B, C = guest_identity("5c1d09ab", MINE), guest_identity("77770000", MINE), page_identity(MINE)
OTHER = guest_identity("77770000", THEIRS)


def told(who: str, at_ms: int, *, agreed: bool) -> ConsentTold:
    return ConsentTold(participant_id=who, agreed=agreed, how="page", at_ms=at_ms)


def test_the_identities_of_a_browser_have_one_mark() -> None:
    assert {browser_of(each) for each in (A, B, C)} == {MINE}
    assert [link_of(each) for each in (A, B, C)] == ["5c1d09ab", "77770000", None]
    assert is_one_of(B, (A,))
    assert not is_one_of(OTHER, (A, B, C, None))
    for name in ("minji", f"user {C}", "web-12345678", f"x{C}", f"{A} ", ""):
        assert browser_of(name) is None
        assert not is_one_of(name, (A, B, C))
        assert is_one_of(name, (name,))


def test_a_no_follows_a_browser_and_so_does_a_yes() -> None:
    room = Attendance()
    room.joined(A, "김손님", 0)
    room.joined(OTHER, "Ben", 0)
    room.told(told(A, 5, agreed=False))
    assert room.agreed(B) is False, "also before they join"
    for who in (B, C):
        room.joined(who, "김손님", 10)
        assert room.refused(who, 10)
        assert room.people[who].agreed is False
        assert room.people[who].name == "김손님", "nobody else bears the name"
    assert room.agreed(OTHER) is None
    room.told(told(C, 20, agreed=True))
    assert [room.people[who].agreed for who in (A, B, C)] == [True] * 3
    assert not room.refused(B, 30)
    room.joined(guest_identity("0000ffff", THEIRS), "김손님", 30)
    assert room.people[guest_identity("0000ffff", THEIRS)].name == "김손님 (2)"


def test_what_a_snapshot_has_of_a_no_counts_also_where_it_stands_under_one_identity_alone() -> None:
    room = Attendance()
    room.told(told(A, 5, agreed=False))
    dumped = [*room.dump(), {"user_id": B, "name": "김손님"}]
    again = Attendance()
    again.load(dumped)
    assert again.refused(B, 10)


def test_whoever_takes_out_their_words_takes_out_all_of_them_and_no_others() -> None:
    meeting = met(
        spoken(1, "첫 번째 링크로 한 말입니다.", A),
        spoken(2, "두 번째 링크로 한 말입니다.", B),
        spoken(3, "What Ben said.", OTHER),
    )
    target = Target(what="person", person=B)
    reach = reach_of(meeting, target)
    assert set(reach.erased) == {1, 2}
    demand(participant(B), target, reach)
    demand(Actor(kind="token", id="s", own=(C,)), target, reach)
    with pytest.raises(NotTheirs):
        demand(participant(OTHER), target, reach)
    stretch = Target(what="stretch", person=C, since_ms=0, others="hide")
    assert set(reach_of(meeting, stretch).erased) == {1, 2}
    assert set(reach_of(meeting, stretch).hidden) == {3}
    mark = Erasure(id="e", by="x", at_ms=100, what="person", person=B)
    assert mark.means_question(A, 5)
    assert mark.withholds(C, 5, 9)
    assert not mark.withholds(OTHER, 5, 9)
