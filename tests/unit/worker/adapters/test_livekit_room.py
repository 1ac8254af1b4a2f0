"""The room's side of a meeting, without a server: joined within a bound, and what waits for the room."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from livekit import agents, rtc

from context.events.effects import PublishUtterance
from context.models import Utterance
from context.ports import Unavailable
from tests.fakes.meeting import LoopClock
from tests.fakes.virtual_time import in_virtual_time, run_virtual
from worker.adapters.livekit_outlet import LiveKitOutlet
from worker.adapters.livekit_room import LiveKitRoom
from worker.adapters.livekit_voice import LiveKitVoice
from worker.clock import Clock
from worker.holder.standby_listener import StandbyListener
from worker.holder.takeover import CONNECT_DEADLINE_S, join
from worker.participants.listener import Listener
from worker.ports import Holder

ME, NEW, DEAD = (Holder(host="a", worker_pid=1, job_pid=pid) for pid in (2, 3, 4))


class _Writer:
    def __init__(self, stream: dict[str, Any], free: asyncio.Event) -> None:
        self._stream, self._free = stream, free

    async def write(self, text: str) -> None:
        await self._free.wait()
        self._stream["text"] = text

    async def aclose(self, **_: Any) -> None:
        """Taken."""


class _Me:
    def __init__(self) -> None:
        self.streams: list[dict[str, Any]] = []
        self.lines: list[tuple[str, list[str] | None]] = []
        self.free = asyncio.Event()
        """Unset: the connection is stalled."""
        self.free.set()

        self.attributes: dict[str, str] = {}

    async def set_attributes(self, attributes: dict[str, str]) -> None:
        self.attributes.update(attributes)

    async def stream_text(self, **options: Any) -> _Writer:
        self.streams.append(options)
        return _Writer(options, self.free)

    async def send_text(self, text: str, **options: Any) -> None:
        self.lines.append((text, options["destination_identities"]))


class _Room:
    """What an answer needs of `rtc.Room`."""

    def __init__(self) -> None:
        self.connected = False
        self.local_participant = _Me()
        self.remote_participants: dict[str, rtc.RemoteParticipant] = {}
        self.on_event: dict[str, Callable[..., None]] = {}

    def on(self, event: str, handler: Callable[..., None]) -> None:
        self.on_event[event] = handler

    def off(self, event: str, _handler: Callable[..., None]) -> None:
        del self.on_event[event]

    def unregister_text_stream_handler(self, _topic: str) -> None:
        """Nobody writes here."""

    def register_text_stream_handler(self, _topic: str, _handler: Any) -> None:
        """Nobody writes here."""

    def isconnected(self) -> bool:
        return self.connected


def _room(fake: _Room, tasks: asyncio.TaskGroup) -> LiveKitRoom:
    # No event of the room reaches its listener here.
    return LiveKitRoom(
        cast("rtc.Room", fake), cast("Listener", None), tasks, clock=cast("Clock", None), epoch=2, me=ME
    )


async def test_a_successor_that_still_connects_answers_when_it_is_there() -> None:
    fake = _Room()
    async with asyncio.TaskGroup() as tasks:
        room = _room(fake, tasks)
        opening = tasks.create_task(room.outlet.open_reply("i1", "SEARCH", evidence=(), to="alice"))
        await asyncio.sleep(0)
        assert fake.local_participant.streams == []
        fake.connected = True
        await room.arrive()
        await opening
    assert [s["destination_identities"] for s in fake.local_participant.streams] == [["alice"]]


async def test_a_standby_that_died_is_not_taken_for_the_one_that_is_on_its_way() -> None:
    fake = _Room()
    async with asyncio.TaskGroup() as tasks:
        room = _room(fake, tasks)
        assert not room.stands_by(NEW)
        fake.remote_participants["ghost"] = _agent({"moim.standby": "1", "moim.job": DEAD.mark})
        assert not room.stands_by(NEW)
        fake.remote_participants["new"] = _agent({"moim.standby": "1", "moim.job": NEW.mark})
        assert room.stands_by(NEW)


def _agent(attributes: dict[str, str]) -> rtc.RemoteParticipant:
    kind = rtc.ParticipantKind.PARTICIPANT_KIND_AGENT
    return cast("rtc.RemoteParticipant", SimpleNamespace(kind=kind, attributes=attributes))


class _Microphone:
    """What listening needs of a remote track and its publication; it is silent."""

    sid = "TR_1"
    kind = rtc.TrackKind.KIND_AUDIO
    track, subscribed, muted = None, False, False
    encryption_type = rtc.EncryptionType.NONE
    wanted = False

    def set_subscribed(self, wanted: bool) -> None:
        self.wanted = wanted


class _Silence:
    """An `rtc.AudioStream` from which nothing comes."""

    def __aiter__(self) -> _Silence:
        return self

    async def __anext__(self) -> Any:
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        """Closed."""


@in_virtual_time
@pytest.mark.parametrize(("subscribed_after_s", "shown_after_s"), [(3.0, 3.0), (60.0, 5.0)])
async def test_a_standby_shows_its_mark_only_once_it_hears(
    monkeypatch: pytest.MonkeyPatch, subscribed_after_s: float, shown_after_s: float
) -> None:
    monkeypatch.setattr(rtc.AudioStream, "from_track", lambda **_: _Silence())
    fake, microphone, clock = _Room(), _Microphone(), LoopClock()
    person = SimpleNamespace(
        identity="alice",
        name="Alice",
        kind=rtc.ParticipantKind.PARTICIPANT_KIND_STANDARD,
        attributes={},
        track_publications={microphone.sid: microphone},
    )
    fake.remote_participants["alice"] = cast("rtc.RemoteParticipant", person)
    listener = StandbyListener(clock, on_closed=lambda: None)
    async with asyncio.TaskGroup() as tasks:
        room = LiveKitRoom(cast("rtc.Room", fake), listener, tasks, clock=clock, epoch=0, me=ME)
        room.listen()
        await room.arrive()
        assert microphone.wanted
        await asyncio.sleep(min(subscribed_after_s, shown_after_s) - 0.1)
        assert fake.local_participant.attributes == {"moim.standby": "1", "moim.job": ""}
        if subscribed_after_s < shown_after_s + 0.1:
            fake.on_event["track_subscribed"](microphone, microphone, person)
        await asyncio.sleep(0.2)
        assert fake.local_participant.attributes == {"moim.standby": "1", "moim.job": ME.mark}
        await room.aclose()


async def test_a_room_that_was_lost_again_is_not_waited_for() -> None:
    fake = _Room()
    async with asyncio.TaskGroup() as tasks:
        room = _room(fake, tasks)
        fake.connected = True
        await room.arrive()
        fake.connected = False
        with pytest.raises(Unavailable, match="not in the room"):
            await room.outlet.open_reply("i1", "SEARCH", evidence=(), to=None)


async def test_an_answer_that_is_cancelled_just_as_the_room_is_joined_is_not_begun() -> None:
    outlet = LiveKitOutlet(rtc.Room())
    opening = asyncio.ensure_future(outlet.open_reply("q-1", "IMMEDIATE_RESPONSE", evidence=[], to=None))
    for _ in range(3):  # it waits for the room
        await asyncio.sleep(0)
    outlet.arrived.set()
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening


@pytest.mark.parametrize(
    ("others", "to", "streams", "told"),
    [
        (["alice", "guest-l1-0123456789", "ben"], None, [["alice", "ben"]], [["guest-l1-0123456789"]]),
        (["alice", "ben"], None, [["alice", "ben"]], []),
        (
            ["guest-l1-0123456789", "guest-l2-0123456789"],
            None,
            [],
            [["guest-l1-0123456789", "guest-l2-0123456789"]],
        ),
        (["alice", "guest-l1-0123456789"], "alice", [["alice"]], []),
        (["alice", "guest-l1-0123456789"], "guest-l1-0123456789", [], [["guest-l1-0123456789"]]),
        ([], None, [], []),
    ],
)
async def test_an_answer_from_elsewhere_goes_to_all_but_guests_who_are_told_why(
    others: list[str], to: str | None, streams: list[list[str]], told: list[list[str]]
) -> None:
    fake = _Room()
    fake.connected = True
    fake.remote_participants = {who: cast("rtc.RemoteParticipant", None) for who in others}
    outlet = LiveKitOutlet(cast("rtc.Room", fake))
    outlet.arrived.set()
    reply = await outlet.open_reply("i1", "SEARCH", evidence=(), to=to, instead="다른 회의를 인용합니다.")
    await reply.write("a secret")
    await reply.close()
    assert [each["destination_identities"] for each in fake.local_participant.streams] == streams
    assert fake.local_participant.lines == [("다른 회의를 인용합니다.", whom) for whom in told]


@pytest.mark.parametrize(
    ("who", "instead", "spoken"),
    [("guest-l1-0123456789", "…", False), ("alice", "…", True), ("guest-l1-0123456789", "", True)],
)
async def test_an_answer_from_elsewhere_is_not_said_aloud_while_guests_are_there(
    who: str, instead: str, spoken: bool
) -> None:
    fake = _Room()
    fake.remote_participants = {who: cast("rtc.RemoteParticipant", None)}
    voice, said = LiveKitVoice(cast("rtc.Room", fake), cast("Any", None), cast("Any", None)), list[str]()
    voice.speak = said.append  # type: ignore[method-assign]  # no sound here
    reply = await voice.open_reply("i1", "SEARCH", evidence=(), to=None, instead=instead)
    await reply.write("a secret")
    await reply.close()
    assert bool(said) is spoken


async def _done(**_: object) -> None: ...


async def _for_ever(**_: object) -> None:
    await asyncio.Event().wait()


async def _refused(**_: object) -> None:
    raise RuntimeError("engine: signal failure: 401")


async def _broke_without_a_word(**_: object) -> None:
    raise ConnectionResetError


async def _too_late_for_itself(**_: object) -> None:
    raise TimeoutError


def _joining(connect: Callable[..., Awaitable[None]], arrive: Callable[..., Awaitable[None]]) -> Any:
    context = SimpleNamespace(connect=connect, job=SimpleNamespace(room=SimpleNamespace(name="회의실")))
    return join(cast("agents.JobContext", context), cast("LiveKitRoom", SimpleNamespace(arrive=arrive)))


@pytest.mark.parametrize(("connect", "arrive"), [(_for_ever, _done), (_done, _for_ever)])
def test_a_room_that_never_opens_is_given_up(
    connect: Callable[..., Awaitable[None]], arrive: Callable[..., Awaitable[None]]
) -> None:
    async def scenario() -> float:
        began_s = asyncio.get_running_loop().time()
        with pytest.raises(Unavailable, match="'회의실' could not be joined: no answer within 15 s"):
            await _joining(connect, arrive)
        return asyncio.get_running_loop().time() - began_s

    assert run_virtual(scenario()) == CONNECT_DEADLINE_S


@pytest.mark.parametrize(
    ("connect", "why"),
    [
        (_refused, "RuntimeError: engine: signal failure: 401"),
        (_broke_without_a_word, "ConnectionResetError"),
        (_too_late_for_itself, "TimeoutError"),
    ],
)
@in_virtual_time
async def test_a_room_that_refuses_says_why(connect: Callable[..., Awaitable[None]], why: str) -> None:
    with pytest.raises(Unavailable, match=rf"could not be joined: {why}$"):
        await _joining(connect, _done)


@pytest.mark.parametrize(
    "texts",
    [("안녕하세", "안녕하세요, 오늘", "안녕하세요."), ("Good", "Good morning all", "Good morning.")],
)
async def test_words_under_way_say_what_is_firm_and_never_go_out_behind_their_final(
    texts: tuple[str, str, str],
) -> None:
    fake = _Room()
    fake.connected = True
    me, outlet = fake.local_participant, LiveKitOutlet(cast("rtc.Room", fake))
    first, second, whole = texts
    spoken = Utterance(
        id=1, key="k", speaker_id="minji", speaker_name="김민지", text=whole, start_ms=0, end_ms=900,
        absolute_timestamp=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    me.free.clear()
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(outlet.interim("minji", "m/k", first, 4))
        await asyncio.sleep(0)
        final = tasks.create_task(
            outlet.show(PublishUtterance(utterance=spoken), segment_id="m/k", durable=True)
        )
        await asyncio.sleep(0)
        tasks.create_task(outlet.interim("minji", "m/k", second, 4))
        await asyncio.sleep(0)
        assert len(me.streams) == 1, "the final waits for the one that is being sent"
        me.free.set()
        await final
    assert [stream["text"] for stream in me.streams] == [first, whole]
    assert [stream["attributes"].get("moim.firm") for stream in me.streams] == ["4", None]
    assert [stream["attributes"]["lk.transcription_final"] for stream in me.streams] == ["false", "true"]
    await outlet.interim("minji", "m/k2", second)
    assert me.streams[-1]["attributes"]["lk.segment_id"] == "m/k2"


async def test_words_that_are_taken_back_leave_a_stream_with_a_piece() -> None:
    """LiveKit's components pass over a stream without one, and would go on showing what was taken back."""
    fake = _Room()
    fake.connected = True
    await LiveKitOutlet(cast("rtc.Room", fake)).interim("minji", "m/k", "")
    assert [stream["text"] for stream in fake.local_participant.streams] == [" "]


@pytest.mark.parametrize(("to", "marked"), [("minji", "true"), (None, None)])
async def test_an_answer_for_one_alone_is_marked_as_private(to: str | None, marked: str | None) -> None:
    fake = _Room()
    fake.connected = True
    outlet = LiveKitOutlet(cast("rtc.Room", fake))
    outlet.arrived.set()
    await outlet.open_reply("i1", "SEARCH", evidence=(), to=to)
    (stream,) = fake.local_participant.streams
    assert stream["attributes"].get("moim.private") == marked
