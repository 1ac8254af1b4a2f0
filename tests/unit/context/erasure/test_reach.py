"""Words are taken out by who spoke them, or by an administrator; others' are hidden, and wait."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.erasure.erased_record import as_hidden, withheld
from context.erasure.erasure_reach import NotTheirs, reach_of
from context.events.actors import Actor, operator, participant
from context.events.corrections import PersonFix, UtteranceFix
from context.events.erasure_target import Target
from context.events.events import Corrected, MeetingStarted, UtteranceSpoken, encode
from context.events.privacy_events import ConsentTold, RecordingPaused, RecordingResumed
from context.export.document import document
from context.export.minutes import to_markdown
from tests.unit.context.lives import state
from tests.unit.context.meetings import START, answered, asked, newer, spoken
from tests.unit.context.recorded_meetings import Told, meeting_of, told
from worker.meeting.record_privacy import recordable

ADMIN = operator("ops")
GUEST = Actor(kind="link", id="5c1d09ab", own=("guest",))
SECRETS = pytest.mark.parametrize(
    ("secret", "plain"),
    [
        ("감사는 두루미재단에 맡기죠.", "예산은 이억 원입니다."),
        ("Give it to Heronwood.", "The budget is two million."),
    ],
)


def moved(number: int, text: str, to: str) -> Corrected:
    fix = UtteranceFix(of="utterance", utterance=number, text=text, speaker=to)
    return Corrected(id=f"m{number}", by="edit", at_ms=1, fix=fix)


def merged(person: str, into: str) -> Corrected:
    fix = PersonFix(of="person", person=person, name=into, into=into)
    return Corrected(id=f"{person}-{into}", by="edit", at_ms=1, fix=fix)


def off(person: str, since_ms: int = 0, others: Literal["hide", "leave"] = "hide") -> Target:
    return Target(what="stretch", person=person, since_ms=since_ms, others=others)


def texts(meeting: Told) -> list[str]:
    return [each.text for each in meeting.meeting.utterances]


@SECRETS
def test_a_line_that_was_moved_is_still_whose_it_was(secret: str, plain: str) -> None:
    meeting = meeting_of(("alice", secret), ("ben", plain))
    meeting.fold(moved(1, secret, "ben"))
    assert meeting.meeting.utterances[0].speaker_id == "ben"
    with pytest.raises(NotTheirs):
        meeting.erase(Target(what="utterances", utterances=(1,)), actor=participant("ben"))
    meeting.erase(Target(what="person", person="ben"), actor=participant("ben"))
    assert texts(meeting) == [secret, ""]
    meeting.erase(Target(what="person", person="alice"), "y", actor=participant("alice"))
    assert texts(meeting) == ["", ""]
    assert secret not in meeting.text()


@SECRETS
def test_merging_widens_nobodys_right(secret: str, plain: str) -> None:
    meeting = meeting_of(("minji", secret), ("alice", plain))
    meeting.fold(merged("minji", "alice"))
    meeting.erase(Target(what="person", person="alice"), actor=participant("alice"))
    assert texts(meeting) == [secret, ""]
    for target in (
        Target(what="person", person="alice", people=("minji",)),
        Target(what="person", person="alice", utterances=(1,)),
        Target(what="person", person="minji"),
    ):
        with pytest.raises(NotTheirs):
            meeting.erase(target, "y", actor=participant("alice"))
    meeting.erase(Target(what="person", person="alice", people=("minji",)), "z", actor=ADMIN)
    assert texts(meeting) == ["", ""]


def test_who_said_no_gets_no_later_words() -> None:
    meeting = meeting_of(("minji", "하나"), ("ben", "둘"))
    meeting.fold(ConsentTold(participant_id="minji", agreed=False, how="chat", at_ms=12_000))
    meeting.fold(merged("ben", "minji"))
    meeting.fold(spoken(3, "셋", "ben"))
    meeting.fold(moved(3, "셋", "minji"))
    assert [u.speaker_id for u in meeting.meeting.utterances] == ["minji", "minji", "ben"]
    assert state(meeting.replayed()) == state(meeting.meeting)
    meeting.fold(ConsentTold(participant_id="minji", agreed=True, how="chat", at_ms=30_000))
    assert [u.speaker_id for u in meeting.meeting.utterances] == ["minji"] * 3
    assert state(meeting.replayed()) == state(meeting.meeting)


@pytest.mark.parametrize(
    "actor", [GUEST, participant("a"), Actor(kind="token", id="x"), Actor(kind="user", id="b")]
)
@pytest.mark.parametrize(
    "target",
    [
        Target(what="meeting"),
        Target(what="stretch"),
        Target(what="person", person="b-phone"),
        Target(what="utterances", utterances=(1, 2)),
    ],
)
def test_others_words_need_an_administrator(target: Target, actor: Actor) -> None:
    meeting = meeting_of(("a", "하나"), ("b-phone", "two"))
    with pytest.raises(NotTheirs):
        meeting.erase(target, actor=actor)
    assert texts(meeting) == ["하나", "two"]
    meeting.erase(target, actor=ADMIN)
    assert "two" not in texts(meeting)


def test_what_was_said_off_the_record_is_its_speakers_too() -> None:
    meeting = meeting_of(("a", "하나"), ("b", "둘"))
    meeting.fold(RecordingPaused(by="a", at_ms=9_500, off_the_record=True))
    with pytest.raises(NotTheirs):
        meeting.erase(Target(what="utterances", utterances=(2,)), actor=participant("a"))
    meeting.erase(Target(what="utterances", utterances=(2,)), actor=participant("b"))
    assert texts(meeting) == ["하나", ""]


def hidden_meeting(secret: str, plain: str) -> Told:
    meeting = meeting_of(("a", plain), ("b", f"{secret} 어쩌고"), ("c", plain))
    meeting.fold(
        Corrected(
            id="c", by="Cho", at_ms=1, fix=UtteranceFix(of="utterance", utterance=2, text=secret, was="x")
        )
    )
    for event in (
        newer(meeting.meeting.segments[0], summary(secret)),
        asked(1, by="c"),
        answered(1, secret, by="c", evidence=(2,)),
    ):
        meeting.fold(event)
    meeting.erase(off("a"), actor=participant("a"), at_ms=40_000)
    return meeting


def summary(secret: str) -> Any:
    from context.models import Statement, Summary

    one = Statement(text=secret, evidence=(2,))
    return Summary(text=secret, sentences=(one,), decisions=(one,), key_points=(one,))


def hidden_apart(meeting: Told) -> str:
    """All that is stored but the hidden words themselves, in the events of their turns."""
    rest = []
    for each in meeting.record:
        payload = encode(each.event)
        payload.pop("hidden", None)
        rest.append(payload)
    held = [meeting.meeting.snapshot(), [u.model_dump(mode="json") for u in meeting.meeting.utterances]]
    return json.dumps([rest, held], ensure_ascii=False)


@SECRETS
def test_others_words_are_hidden_everywhere_and_wait(secret: str, plain: str) -> None:
    meeting = hidden_meeting(secret, plain)
    assert texts(meeting) == ["", "", ""]
    assert [u.hidden for u in meeting.meeting.utterances] == [False, True, True]
    assert secret not in hidden_apart(meeting)
    shape = document(meeting.meeting)
    assert [row.get("hidden") for row in shape["utterances"]] == [None, True, True]
    assert secret not in json.dumps(shape, ensure_ascii=False) + to_markdown(shape)
    assert state(meeting.replayed()) == state(meeting.meeting)


@SECRETS
def test_each_speaker_decides(secret: str, plain: str) -> None:
    meeting = hidden_meeting(secret, plain)
    for numbers, actor in (((2,), participant("a")), ((2, 3), participant("b")), ((2,), GUEST)):
        with pytest.raises(NotTheirs):
            meeting.show(numbers, actor)
    meeting.show((2,), participant("b"))
    (_, said, _) = meeting.meeting.utterances
    assert (said.text, said.heard, said.corrected_by, said.hidden) == (
        secret,
        f"{secret} 어쩌고",
        "Cho",
        False,
    )
    assert state(meeting.replayed()) == state(meeting.meeting)
    meeting.erase(Target(what="utterances", utterances=(3,)), "y", actor=participant("c"))
    assert texts(meeting) == ["", secret, ""]
    assert not meeting.meeting.utterances[2].hidden
    assert plain not in meeting.text()
    meeting.erase(off("a"), "again", actor=participant("a"), at_ms=50_000)
    assert secret not in hidden_apart(meeting)
    meeting.show((2,), ADMIN)
    assert meeting.meeting.utterances[1].text == secret
    meeting.erase(Target(what="person", person="b"), "z", actor=participant("b"))
    assert secret not in meeting.text()
    assert state(meeting.replayed()) == state(meeting.meeting)


def test_a_guest_hides_nobodys_words() -> None:
    meeting = meeting_of(("guest", "하나"), ("b", "둘"))
    with pytest.raises(NotTheirs):
        meeting.erase(off("guest"), actor=GUEST)
    meeting.erase(off("guest", others="leave"), actor=GUEST)
    assert texts(meeting) == ["", "둘"]


@SECRETS
def test_words_that_come_late_are_hidden_too(secret: str, plain: str) -> None:
    meeting = meeting_of(("a", plain))
    meeting.erase(off("a"), actor=participant("a"), at_ms=40_000)
    late = recordable(spoken(7, secret, "b"), meeting.meeting, lambda text: text)
    assert (late.text, late.hidden and late.hidden.text) == ("", secret)  # type: ignore[union-attr]
    meeting.fold(late)
    assert withheld(meeting.meeting, spoken(8, secret, "a").model_copy(update={"start_ms": 5})).text == ""
    assert secret not in hidden_apart(meeting)
    assert state(meeting.replayed()) == state(meeting.meeting)
    meeting.show((2,), participant("b"))
    assert texts(meeting) == ["", secret]
    assert state(meeting.replayed()) == state(meeting.meeting)


# Random meetings -------------------------------------------------------------------------------

_PEOPLE = ("alice", "ben", "minji", "guest")
_ACTORS = [
    *(participant(who) for who in _PEOPLE[:3]),
    GUEST,
    ADMIN,
    Actor(kind="token", id="t", own=("web-1",)),
]
_who = st.sampled_from(_PEOPLE)
_numbers = st.lists(st.integers(1, 12), min_size=1, max_size=4).map(tuple)
_targets = st.one_of(
    st.builds(Target, what=st.just("person"), person=_who),
    st.builds(Target, what=st.just("person"), person=_who, people=_who.map(lambda one: (one,))),
    st.builds(Target, what=st.just("person"), person=_who, utterances=_numbers),
    st.builds(Target, what=st.just("utterances"), utterances=_numbers),
    st.builds(Target, what=st.just("stretch"), person=_who, since_ms=st.integers(0, 60_000),
              others=st.sampled_from(["hide", "leave"])),
    st.just(Target(what="stretch")),
    st.just(Target(what="meeting")),
)  # fmt: skip
_steps = st.one_of(
    st.tuples(st.just("speak"), _who),
    st.tuples(st.just("late"), _who),
    st.tuples(st.just("move"), st.integers(1, 12), _who),
    st.tuples(st.just("merge"), _who, _who),
    st.tuples(st.just("reword"), st.integers(1, 12)),
    st.tuples(st.just("refuse"), _who),
    st.tuples(st.just("agree"), _who),
    st.tuples(st.just("off"), _who),
    st.tuples(st.just("on"), _who),
    st.tuples(st.just("hold"), st.booleans()),
    st.tuples(st.just("erase"), _targets, st.sampled_from(_ACTORS)),
    st.tuples(st.just("show"), _numbers, st.sampled_from(_ACTORS)),
)


@dataclass
class Model:
    """What people would expect of the words of a meeting."""

    told: Told = field(default_factory=lambda: told([MeetingStarted(at=START)]))
    owner: dict[int, str] = field(default_factory=dict)
    words: dict[int, list[str]] = field(default_factory=dict)
    erased: set[int] = field(default_factory=set)
    held: bool = False
    now_ms: int = 5_000
    count: int = 0

    def speak(self, who: str, start_ms: int) -> None:
        word = f"두루미{self.count:03}x"
        self.count += 1
        before = len(self.told.meeting.utterances)
        event = spoken(self.count, f"그 건은 {word} 입니다.", who, start_ms=start_ms)
        event = recordable(event, self.told.meeting, lambda text: text)
        assert isinstance(event, UtteranceSpoken)
        self.told.fold(event)
        if len(self.told.meeting.utterances) > before:
            number = before + 1
            self.owner[number], self.words[number] = who, [word]
            if not event.text and event.hidden is None:
                self.erased.add(number)  # of an erasure that its speaker, or an administrator, wanted

    def reword(self, number: int) -> None:
        if number in self.words and self.told.meeting.utterances[number - 1].text:
            word = f"학울음{self.count:03}y"
            self.count += 1
            fix = UtteranceFix(of="utterance", utterance=number, text=f"그 건은 {word} 입니다.")
            self.told.fold(Corrected(id=f"r{number}-{self.count}", by="edit", at_ms=1, fix=fix))
            self.words[number].append(word)

    def step(self, step: tuple[Any, ...]) -> None:
        meeting = self.told.meeting
        self.now_ms += 5_000
        match step:
            case ("speak", who):
                self.speak(who, self.now_ms)
            case ("late", who):
                self.speak(who, max(0, self.now_ms - 20_000))
            case ("move", number, who):
                if number in self.words and meeting.utterances[number - 1].text:
                    self.told.fold(moved(number, meeting.utterances[number - 1].text, who))
            case ("merge", one, other):
                self.told.fold(merged(one, other))
            case ("reword", number):
                self.reword(number)
            case ("refuse" | "agree" as what, who):
                agreed = what == "agree"
                self.told.fold(ConsentTold(participant_id=who, agreed=agreed, how="chat", at_ms=self.now_ms))
            case ("off", who):
                self.told.fold(RecordingPaused(by=who, at_ms=self.now_ms, off_the_record=True))
            case ("on", who):
                self.told.fold(RecordingResumed(by=who, at_ms=self.now_ms))
            case ("hold", held):
                self.held = held
            case ("erase", target, actor) if not self.held:
                self.erase(target, actor)
            case ("show", numbers, actor) if not self.held:
                try:
                    self.told.show(numbers, actor)
                except NotTheirs:
                    assert not actor.administrator

    def erase(self, target: Target, actor: Actor) -> None:
        before = {u.id: (u.text, u.hidden) for u in self.told.meeting.utterances}
        try:
            self.told.erase(target, f"e{self.now_ms}", actor=actor, at_ms=self.now_ms)
        except NotTheirs:
            assert not actor.administrator
            assert before == {u.id: (u.text, u.hidden) for u in self.told.meeting.utterances}
            return
        for said in self.told.meeting.utterances:
            if before[said.id] != (said.text, said.hidden) and not said.hidden:
                assert actor.administrator or self.owner[said.id] in actor.own, "erased without a right"
                self.erased.add(said.id)
            if said.hidden and not before[said.id][1]:
                assert actor.kind != "link", "hidden by a guest"
        events = [each.event for each in self.told.record if each.event.kind == "erased"]
        assert events[-1:] == [] or getattr(events[-1], "actor", None) is not None

    def check(self) -> None:
        everything, shown = self.told.text(), hidden_apart(self.told)
        refused = {
            who: person.told_at_ms
            for who, person in self.told.meeting.attendance.people.items()
            if person.agreed is False
        }
        for said in self.told.meeting.utterances:
            assert self.told.meeting.spoken_by(said) == self.owner[said.id]
            if said.id in self.erased:
                assert said.text == ""
                assert not [word for word in self.words[said.id] if word in everything]
            elif said.hidden:
                assert not [word for word in self.words[said.id] if word in shown]
                assert self.words[said.id][0] in everything, "hidden words are kept"
            else:
                assert self.words[said.id][-1] in said.text
            if said.speaker_id != self.owner[said.id] and said.speaker_id in refused:
                assert said.start_ms < (refused[said.speaker_id] or 0)
        assert state(self.told.replayed()) == state(self.told.meeting)


@settings(max_examples=300, deadline=None)
@given(st.lists(_steps, max_size=30))
def test_nobodys_words_vanish_without_their_right(steps: list[tuple[Any, ...]]) -> None:
    model = Model()
    for who in _PEOPLE:
        model.step(("speak", who))
    for step in steps:
        model.step(step)
    model.check()


def test_the_random_meetings_do_erase_hide_and_show() -> None:
    """What the property goes over: without this it might hold of meetings in which nothing happens."""
    model = Model()
    steps: list[tuple[Any, ...]] = [("speak", who) for who in _PEOPLE]
    steps += [("erase", off("ben"), participant("ben")), ("show", (3,), participant("minji"))]
    for step in steps:
        model.step(step)
    assert model.erased == {2}
    assert [u.hidden for u in model.told.meeting.utterances] == [True, False, False, True]
    model.check()


def test_the_event_of_every_erasure_names_its_actor() -> None:
    meeting = meeting_of(("a", "하나"))
    meeting.erase(Target(what="person", person="a"), actor=participant("a"))
    assert encode(meeting.record[-1].event)["actor"] == {"kind": "participant", "id": "a", "own": ["a"]}


def test_a_turn_that_came_hidden_before_its_mark_is_hidden_by_the_mark() -> None:
    """A spool brings it so. Without the mark nobody could show it again after a restore."""
    meeting = meeting_of(("minji", "하나"), ("ben", "둘")).meeting
    meeting.receive(as_hidden(spoken(3, "셋", "ben")))
    assert sorted(reach_of(meeting, off("minji")).hidden) == [2, 3]


@SECRETS
def test_what_others_asked_stays_where_words_are_only_hidden(secret: str, plain: str) -> None:
    meeting = meeting_of(("a", plain), ("b", secret))
    meeting.fold(asked(1, f"{secret}?", by="b", at_ms=12_000))
    meeting.fold(answered(1, secret, by="b", evidence=(2,), question=f"{secret}?"))
    meeting.erase(off("a"), actor=participant("a"), at_ms=40_000)
    (reply,) = meeting.meeting.replies
    assert (reply.question, reply.text) == (f"{secret}?", "")
    assert state(meeting.replayed()) == state(meeting.meeting)
    meeting.erase(Target(what="person", person="b"), "y", actor=participant("b"))
    assert secret not in meeting.text()
