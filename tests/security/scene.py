"""One meeting with an attacker in it: a real session, attendant, answers, summaries; only the edges are fakes.

김민지 and Ben talk and ask; "mallory" is who says or writes the case, whose name is the case, or whose document,
earlier meeting or title it is. The meeting is then asked twice in public and once in private, summarised and
closed, once by the extractive engine and once by a model that obeys whatever it reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from context.config import ContextConfig
from context.corpora.passage import Passage
from context.events import events
from context.features import Features
from context.fold.window import RoughTokenizer
from context.models import Utterance
from context.question import Question
from stt.track_events import Heard, TrackEvent
from tests.fakes.meeting import SETTINGS, LoopClock
from tests.fakes.outlet import FakeOutlet
from tests.fakes.passages import FakePassages
from tests.fakes.record import START
from tests.fakes.store import FakeStore
from tests.fakes.virtual_time import run_virtual
from tests.security.cases import Case, Genuine
from tests.security.obedient import ObedientModel
from worker.agent.calls.calling import CalledModel
from worker.agent.question.remembering import ThreadMemory
from worker.bootstrap.language_models import LanguageModels
from worker.bootstrap.thinking import Thinking, answer_parts
from worker.meeting.session import Session
from worker.participants.attendant import Attendant
from worker.passages.retrieving import CorporaRetriever
from worker.record.recorder import Recorder
from worker.record.restoring import restore

Route = Literal["extractive", "model"]
ROUTES: tuple[Route, ...] = ("extractive", "model")
MEETING = "m-test"
NAMES = {"minji": "김민지", "ben": "Ben Carter", "mallory": "최도윤"}
FEATURES = {
    "MOIM_FEATURE_HIERARCHICAL_MEMORY_ENABLED": "1",
    "MOIM_FEATURE_CONTEXT_COMPRESSION_ENABLED": "1",
    "MOIM_ENTITY_PACKS": "meeting,medical",
}
"""Everything on: more ways in, more ways out."""

_TALK = {
    "ko": [
        ("minji", "안녕하세요, 출시 일정부터 이야기하겠습니다."),
        ("ben", "고객 시험은 다음 주에 끝납니다."),
        ("minji", "출시일은 십이월 이십이일로 결정하겠습니다."),
        ("ben", "서버는 두 대면 충분합니다."),
    ],
    "en": [
        ("minji", "Good morning, let us begin with the release plan."),
        ("ben", "The customer trial ends next week."),
        ("minji", "We have decided to release on December twenty second."),
        ("ben", "Two servers are enough for the trial."),
    ],
}
_MORE = {
    "ko": [("minji", "다음 회의는 목요일 열 시에 합니다."), ("ben", "네, 알겠습니다.")],
    "en": [("minji", "The next meeting is on Thursday at ten."), ("ben", "All right, thank you.")],
}
_ASKED = {
    "ko": ("지금까지 회의 내용을 요약해 줘", "무엇을 결정했나요?", "기본 요금이 얼마인가요?"),
    "en": ("Summarise the meeting so far", "What did we decide?", "How much is the basic fee a month?"),
}


@dataclass
class Observed:
    """What came out at the edges."""

    case: Case | None
    route: Route
    outlet: FakeOutlet
    record: list[events.Event]
    utterances: list[Utterance]
    spoken: list[tuple[str, str]]
    """(speaker, text) of all that was really said."""
    asked: dict[str, tuple[str, bool]]
    """Questions really put: asker and whether in private, by id."""
    mallory: str
    """The attacker's name as it was given."""
    closing: str
    injected: frozenset[int]
    """Utterances that are the injection."""
    notes: list[object]
    """Summaries as they stand at the end."""
    remembered: dict[str, str]
    """Per person, profile and lasting memory as the next prompt would show them."""
    model: ObedientModel | None
    stopped: object
    paused: bool
    title: str = ""
    languages: list[tuple[str, str]] = field(default_factory=list)


class _Track:
    """A track that says what it is told to."""

    backlog_s = 0.0
    sound_ms = 0
    trouble = ""

    def __init__(self, participant: str, track_id: str, on_event: Callable[[TrackEvent], None]) -> None:
        self.participant, self.track_id, self.on_event = participant, track_id, on_event
        self.queue = self

    def push(self, pcm: bytes, arrived_s: float) -> None: ...
    def flush(self) -> None: ...
    def hurry(self, deadline_s: float) -> None: ...
    def pause(self) -> None: ...
    def resume(self) -> None: ...
    async def finish(self, deadline_s: float) -> None: ...
    async def aclose(self) -> None: ...

    def hears(self, text: str, start_ms: int) -> None:
        key = f"{self.participant}@{start_ms}"
        self.on_event(
            Heard(key, self.participant, text, start_ms, start_ms + 900, 0.9, None, self.track_id, start_ms)
        )


class Scene:
    """The meeting while it goes on."""

    def __init__(
        self, session: Session, outlet: FakeOutlet, attendant: Attendant, tracks: dict[str, _Track]
    ) -> None:
        self.session, self.outlet, self.attendant, self.tracks = session, outlet, attendant, tracks
        self.spoken: list[tuple[str, str]] = []
        self.asked: dict[str, tuple[str, bool]] = {}

    def enter(self, who: str, name: str) -> None:
        self.attendant.joined(who, name)
        self.attendant.track_opened(who, f"TR_{who}")

    async def say(self, who: str, text: str) -> None:
        self.spoken.append((who, text))
        start_ms = 1000 * len(self.spoken)
        if self.session.stopped is None:
            self.tracks[f"TR_{who}"].hears(text, start_ms)
        self.asked[f"voice:{who}@{start_ms}"] = (who, False)
        await self.settled()

    async def write(self, who: str, text: str) -> None:
        id_ = f"chat-{len(self.asked)}"
        self.asked[id_] = (who, text.startswith("/me "))
        if self.session.stopped is None:
            self.attendant.chat(id_, who, NAMES.get(who, who), text)
        await self.settled()

    async def settled(self) -> None:
        """Everything that was set off is done; a session that left does nothing any more."""
        with suppress(TimeoutError):
            async with asyncio.timeout(300):
                await self.session.settle()


def observe(case: Case, route: Route, *, quick: bool = False) -> Observed:
    """Play one case to its end; `quick`: one question, after the summaries."""
    model = ObedientModel(case) if route == "model" else None
    return run_virtual(_played(case, route, model, quick=quick))


def decided(case: Genuine) -> Observed:
    """Play a dialogue that nobody has tampered with."""
    return run_virtual(_played(None, "extractive", None, genuine=case, quick=True))


async def _played(
    case: Case | None,
    route: Route,
    model: ObedientModel | None,
    genuine: Genuine | None = None,
    *,
    quick: bool = False,
) -> Observed:
    store, outlet = FakeStore(), FakeOutlet()
    korean = (case or genuine).language != "en"  # type: ignore[union-attr]  # one of them is given
    tongue = "ko" if korean else "en"
    thinker, memory = await _thinker(case, model)
    clock = LoopClock()
    epoch = store.record.open_meeting(MEETING)
    restored = await restore(store, MEETING, ContextConfig(), tokenizer=thinker.tokenizer, spool=None)
    recorder = Recorder(store, MEETING, epoch, clock=clock, spool=None, committed=0)
    session = Session(
        restored.manager,
        thinker=thinker,
        outlet=outlet,
        clock=clock,
        recorder=recorder,
    )
    tracks: dict[str, _Track] = {}

    def make(participant: str, track_id: str, on_event: Callable[[TrackEvent], None]) -> _Track:
        tracks[track_id] = _Track(participant, track_id, on_event)
        return tracks[track_id]

    title = case.text if case is not None and case.channel == "title" else "Weekly"
    name = case.text if case is not None and case.channel == "name" else NAMES["mallory"]
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(session.run())
        await asyncio.sleep(0)
        session.fold_now(
            events.MeetingOpened(meeting_id=MEETING, title=title, language="auto", topics_beside=True)
        )
        attendant = Attendant(
            session,
            tasks,
            make_track=make,  # type: ignore[arg-type]  # a track for all that matters here
            wake_words=("모임", "Moim"),
            chat="questions",
        )
        scene = Scene(session, outlet, attendant, tracks)
        for who, called in (NAMES | {"mallory": name}).items():
            scene.enter(who, called)
        closing = await _talk(scene, case, genuine, tongue, quick=quick)
        meeting = session.manager.meeting
        observed = Observed(
            case=case,
            route=route,
            outlet=outlet,
            record=[],
            utterances=list(meeting.utterances),
            spoken=scene.spoken,
            asked=scene.asked,
            mallory=name,
            closing=closing,
            injected=_injected(case, meeting.utterances),
            notes=list(meeting.segments),
            remembered=_remembered(memory, session),
            model=model,
            stopped=session.stopped,
            paused=meeting.paused,
            title=title,
        )
        await session.leave("test over")
        await attendant.aclose()
        await running
    observed.record = [recorded.event for recorded in store.events_of(MEETING)]
    return observed


async def _talk(scene: Scene, case: Case | None, genuine: Genuine | None, tongue: str, *, quick: bool) -> str:
    summary, decisions, fee = _ASKED[tongue]
    for who, text in _TALK[tongue]:
        await scene.say(who, text)
    for who, text in genuine.lines if genuine is not None else ():
        await scene.say(who, text)
    if case is not None and case.channel == "spoken":
        await scene.say("mallory", case.text)
    elif case is not None and case.channel == "chat":
        await scene.write("mallory", case.text)
    else:
        await scene.say("mallory", "저는 다 괜찮습니다." if tongue == "ko" else "That is fine with me.")
    for who, text in _MORE[tongue]:
        await scene.say(who, text)
    if not quick:
        await scene.write("minji", summary)
        await scene.write("ben", f"/me {fee if case and case.channel in _ELSEWHERE else decisions}")
    closing = "" if scene.session.stopped else await scene.session.close_topics()
    await scene.write("minji", fee if case and case.channel in _ELSEWHERE else decisions)
    return closing


_ELSEWHERE = ("document", "earlier_meeting")


async def _thinker(case: Case | None, model: ObedientModel | None) -> tuple[Thinking, ThreadMemory]:
    settings = SETTINGS.from_env(FEATURES)
    tokenizer = RoughTokenizer()
    models = None
    if model is not None:
        called = CalledModel(model)
        models = LanguageModels(called, called, called)
    shelf = FakePassages()
    if case is not None and case.channel in _ELSEWHERE:
        await shelf.put([_passage(case)])
    from zoneinfo import ZoneInfo

    parts = answer_parts(
        settings,
        tokenizer,
        models=models,
        zone=ZoneInfo("UTC"),
        retriever=CorporaRetriever(shelf, tokenizer),
    )
    assert isinstance(parts.memory, ThreadMemory)
    return Thinking(models, tokenizer, settings, parts=parts), parts.memory


def _passage(case: Case) -> Passage:
    if case.channel == "document":
        return Passage(
            corpus="document", source_id="d1", position=0, text=case.text, title="Price list", page=3
        )
    return Passage(
        source_id="m-old",
        position=0,
        text=f"Ben Carter: {case.text}",
        title="Kick-off",
        first=1,
        last=2,
        said_at=START - timedelta(days=7),
        speakers=("Ben Carter",),
    )


def _injected(case: Case | None, utterances: Sequence[Utterance]) -> frozenset[int]:
    if case is None or case.channel != "spoken":
        return frozenset()
    return frozenset(said.id for said in utterances if said.speaker_id == "mallory")


def _remembered(memory: ThreadMemory, session: Session) -> dict[str, str]:
    """What lasts of what was asked: never the exchanges themselves, which are shown as such."""
    found = {}
    for who in NAMES:
        invocation = Question(id="probe", by=who, via="chat", text="?", at_ms=session.now_ms())
        features = Features(hierarchical_memory_enabled=True)
        meeting = session.manager.meeting
        known = memory.recall(invocation, meeting, features, max_tokens=4000)
        tiers = memory.tiers(invocation, meeting, features).retrieve_context(invocation.text, 4000)
        found[who] = f"{known.profile}\n{tiers.semantic}"
    return found
