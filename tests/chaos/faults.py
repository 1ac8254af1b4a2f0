"""Language models and speech engines that fail in every way they know: who asks is answered, who speaks is heard.

Language models: for each fault a real text worker and a local server that has nothing but this fault; a
question in Korean and one in English. Each has to end in an answer, or in a stated degradation: first words
within 8 s, the end within 30 s. Then the server is mended, and the worker has to ask it again by itself.

Speech engines: a track at real pace over the real OpenAI-compatible client, whose server is away for some
seconds in each way. Nothing may be missed, and text has to be back within 1 s (p95) of the server's return.
"""

from __future__ import annotations

import argparse
import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from aiohttp import web

from stt.heard import Heard, Missed, TrackEvent
from stt.outage import Outage
from stt.providers.openai_compatible import OpenAICompatible
from stt.segment import BYTES_PER_MS
from stt.track import Track
from tests.chaos.kills import gone
from tests.chaos.report import Report, percentile, progress
from tests.chaos.script import Ask, Say, Step
from tests.chaos.servers import Servers, servers
from tests.chaos.text_meeting import TextMeeting
from tests.fakes.clova_studio import ClovaStudio, Failure
from tests.fakes.openai_chat import ChatServer, Status
from tests.fakes.speech import LevelVad, frames, silence, tone
from worker.clock import monotonic_s
from worker.embedded.child import free_port

FIRST_WORDS_S: Final = 8.0
END_S: Final = 30.0
RESUMED_S: Final = 1.0
AGAIN_S: Final = 90.0
"""A breaker rests for half a minute, and somebody has to ask."""
_SLACK_S: Final = 1.0
"""Between the worker's clock and ours: Redis, the record, a busy machine."""
_SCRIPTED: Final = 400
_AT_ONCE: Final = 5
LINES: Final = (
    ("minji", "김민지", "모바일 앱 출시 일정부터 정하겠습니다."),
    ("junho", "박준호", "출시일은 11월 20일로 결정하겠습니다."),
    ("alice", "Alice Moreau", "Let us talk about the search latency."),
    ("ben", "Ben Carter", "We decided to buy the second server next month."),
)
QUESTIONS: Final = ("출시일이 언제로 결정됐지?", "What did we decide about the second server?")


# ---- language models ----------------------------------------------------------------------------------


@dataclass
class Asked:
    """What came of the questions under one fault."""

    fault: str
    first_s: list[float] = field(default_factory=list)
    end_s: list[float] = field(default_factory=list)
    unanswered: int = 0
    unstated: int = 0
    """Answers that are not the model's and do not say so."""
    again_s: float | None = None
    """From the mend until the server was asked again; None where it is not measured."""


Serve = Callable[[AsyncExitStack], Any]


@dataclass(frozen=True)
class Trouble:
    """A language model in trouble: how to bring it about, what the worker is told, how to mend it."""

    name: str
    engine: str
    script: Callable[[Any], None] | None
    model_answers: bool = False
    """The fault is about manners, the text is a model's: no degradation is to be stated."""


def _chat(*pieces: str | Status, **how: Any) -> Callable[[Any], None]:
    def script(server: Any) -> None:
        for _ in range(_SCRIPTED):
            server.will(*pieces, **how)

    return script


TROUBLES: Final = (
    Trouble("refused", "nobody", None),
    Trouble("silent", "mute", None),
    Trouble("500", "openai", _chat(Status(500))),
    Trouble("429, retry after 60 s", "openai", _chat(Status(429, retry_after="60"))),
    Trouble("401", "openai", _chat(Status(401, error_code="invalid_api_key"))),
    Trouble("hangs after the first words", "openai", _chat("출시일은 ", fault="hang")),
    Trouble("first words after 20 s", "openai", _chat("11월 20일입니다.", pause_s=20.0)),
    Trouble("a word a second for ever", "openai", _chat(*["word "] * 200, pause_s=1.0)),
    Trouble("garbage", "openai", _chat("출시일은 ", fault="garbage")),
    Trouble("cut", "openai", _chat("출시일은 ", fault="cut")),
    Trouble("truncated", "openai", _chat("출시일은 ", fault="truncate")),
    Trouble("error inside the stream", "openai", _chat("출시일은 ", fault="error_event")),
    Trouble("empty", "openai", _chat("", fault="empty")),
    Trouble("nonsense without a source", "openai", _chat("보라색 코끼리가 달에 갔습니다.")),
    Trouble("clova: 500", "clova", _chat(Failure(500, "50000"))),  # type: ignore[arg-type]  # its own failure
    Trouble("clova: 429", "clova", _chat(Failure(429, "42901", retry_after="60"))),  # type: ignore[arg-type]  # as above
    Trouble("clova: hangs", "clova", _chat("출시일은 ", fault="hang")),
    Trouble("clova: garbage", "clova", _chat("출시일은 ", fault="garbage")),
    Trouble("clova: overloaded inside the stream", "clova", _chat("출시일은 ", fault="overload_event")),
)


async def _models(world: Servers, troubles: tuple[Trouble, ...], *, again: bool) -> list[Asked]:
    places = asyncio.Semaphore(_AT_ONCE)
    found: list[Asked] = []

    async def one(number: int, trouble: Trouble) -> None:
        async with places:
            asked = await _under(world, f"llm-{number}", trouble, again=again)
            found.append(asked)
            progress(
                f"{asked.fault}: first words {_all(asked.first_s)}, end {_all(asked.end_s)} s"
                f", asked again after {asked.again_s}"
            )

    async with asyncio.TaskGroup() as tasks:
        for number, trouble in enumerate(troubles):
            tasks.create_task(one(number, trouble))
    return found


async def _under(world: Servers, tenant: str, trouble: Trouble, *, again: bool) -> Asked:
    asked = Asked(trouble.name)
    steps: list[Step] = [
        Say(f"s{n}", who, name, text, n * 3000, n * 3000 + 2000)
        for n, (who, name, text) in enumerate(LINES, start=1)
    ]
    async with AsyncExitStack() as stack:
        server, environment = await _server(stack, trouble)
        if trouble.script is not None:
            trouble.script(server)
        meeting = TextMeeting(world, tenant, tenant, steps)
        stack.push_async_callback(meeting.aclose)
        await meeting.want()
        worker = world.worker(tenant, doom=None, **environment)
        following = asyncio.ensure_future(meeting.follow())
        await meeting.feed(window=4, pause_s=0.05)
        for number, question in enumerate(QUESTIONS):
            await _ask(meeting, f"q{number}", question, asked, trouble)
        if again and server is not None:
            asked.again_s = await _asked_again(meeting, server)
        worker.send(signal.SIGTERM)
        await gone(worker, 30)
        worker.kill()
        following.cancel()
    return asked


async def _server(stack: AsyncExitStack, trouble: Trouble) -> tuple[Any, dict[str, str]]:
    if trouble.engine == "clova":
        studio = await stack.enter_async_context(ClovaStudio())
        return studio, {
            "LLM_ENGINE": "clova",
            "LLM_MODEL": "HCX-005",
            "LLM_API_KEY": studio.key,
            "LLM_BASE_URL": studio.base_url,
        }
    told = {"LLM_ENGINE": "openai", "LLM_MODEL": "test-model", "LLM_API_KEY": "secret"}
    if trouble.engine == "openai":
        chat = await stack.enter_async_context(ChatServer())
        return chat, {**told, "LLM_BASE_URL": chat.base_url}
    if trouble.engine == "mute":
        return None, {**told, "LLM_BASE_URL": await stack.enter_async_context(_mute())}
    return None, {**told, "LLM_BASE_URL": f"http://127.0.0.1:{free_port()}/v1"}


@asynccontextmanager
async def _mute() -> AsyncIterator[str]:
    """Takes connections and says nothing, not even a status line."""

    async def listen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while await reader.read(65_536):
                pass
        writer.close()

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    finally:
        server.close()


async def _ask(meeting: TextMeeting, id_: str, question: str, asked: Asked, trouble: Trouble) -> None:
    begin_s = monotonic_s()
    await meeting.send(Ask(id_, "ben", question))
    reply = await _reply(meeting, id_, begin_s + END_S + 15)
    if reply is None or not reply["text"].strip():
        asked.unanswered += 1
        return
    asked.end_s.append(monotonic_s() - begin_s)
    first_ms = (reply.get("run") or {}).get("first_words_ms")
    asked.first_s.append(first_ms / 1000 if first_ms is not None else asked.end_s[-1])
    asked.unstated += not (reply["degraded"] or reply["declined"] or trouble.model_answers)


async def _reply(meeting: TextMeeting, id_: str, until_s: float) -> dict[str, Any] | None:
    while monotonic_s() < until_s:
        for entry in meeting.out:
            if entry["kind"] == "reply" and entry["invocation_id"] == id_:
                return entry
        await asyncio.sleep(0.05)
    return None


async def _asked_again(meeting: TextMeeting, server: Any) -> float | None:
    """Seconds from the mend until it was asked again; infinity where that was not within `AGAIN_S`."""
    server._scripts.clear()
    begin_s, before = monotonic_s(), len(server.requests)
    number = 0
    while monotonic_s() - begin_s < AGAIN_S:
        number += 1
        await meeting.send(Ask(f"again{number}", "ben", f"{QUESTIONS[number % 2]} ({number})"))
        for _ in range(40):
            if len(server.requests) > before:
                return monotonic_s() - begin_s
            await asyncio.sleep(0.1)
    return float("inf")


# ---- speech engines -----------------------------------------------------------------------------------

MOODS: Final = ("refused", "500", "503", "429", "hang", "hang for long", "hang_up", "garbage")
LONG_HANG_S: Final = 25.0
"""Beyond what a first attempt may take: the engine counts as silent, and the tracks wait."""


class Recogniser:
    """An OpenAI-compatible transcription server that comes and goes in one way."""

    def __init__(self, mood: str) -> None:
        self.mood, self.well = mood, True
        self.port = free_port()
        self._count = 0
        self._hanging: set[asyncio.Transport] = set()
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen."""
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_post("/v1/audio/transcriptions", self._transcribe)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True).start()

    async def stop(self) -> None:
        """Nobody listens any more."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def away(self) -> None:
        """From now on it fails."""
        self.well = False
        if self.mood == "refused":
            await self.stop()

    async def back(self) -> None:
        """It was started again: what hung is cut."""
        self.well = True
        if self.mood == "refused":
            await self.start()
        for transport in self._hanging:
            transport.abort()

    async def _transcribe(self, request: web.Request) -> web.StreamResponse:
        await request.post()
        assert request.transport is not None
        if not self.well:
            match self.mood:
                case "hang" | "hang for long":
                    self._hanging.add(request.transport)
                    await asyncio.Event().wait()
                case "hang_up":
                    request.transport.close()
                case "garbage":
                    return web.Response(body=b"\x00\xff{not json", content_type="application/json")
                case _:
                    return web.json_response({"error": {"message": "no"}}, status=int(self.mood))
        self._count += 1
        return web.json_response({"text": f"line {self._count}", "language": "english", "duration": 1.0})


@dataclass
class Outages:
    """What came of the outages of one kind."""

    mood: str
    resumed_s: list[float] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    heard: int = 0


async def _engine(mood: str, dice: Random, count: int) -> Outages:
    found = Outages(mood)
    server = Recogniser(mood)
    await server.start()
    engine = OpenAICompatible(base_url=f"http://127.0.0.1:{server.port}/v1", model="m")
    loop = asyncio.get_running_loop()
    told: list[tuple[float, TrackEvent]] = []
    track = Track(
        "minji",
        f"TR_{mood}",
        engine,
        LevelVad(),
        lambda event: told.append((loop.time(), event)),
        origin_s=loop.time(),
        outage=Outage(),
    )
    speech = (tone(1500) + silence(900)) * 400

    async def speak() -> None:
        begin_s, told_ms = loop.time(), 0
        for frame in frames(silence(500) + speech):
            # By the sound's own clock: a busy machine is late with it, the microphone was not.
            told_ms += len(frame) // BYTES_PER_MS
            at_s = begin_s + told_ms / 1000
            await asyncio.sleep(max(0.0, at_s - loop.time()))
            track.push(frame, at_s)

    speaking = asyncio.ensure_future(speak())
    for _ in range(count):
        await asyncio.sleep(dice.uniform(3, 5))
        await server.away()
        await asyncio.sleep(dice.uniform(5, 9) + (LONG_HANG_S if mood == "hang for long" else 0))
        await server.back()
        back_s = loop.time()
        while not any(at_s > back_s and isinstance(event, Heard) for at_s, event in told):
            if loop.time() > back_s + 45:
                break
            await asyncio.sleep(0.01)
        found.resumed_s.append(
            min(
                (at_s - back_s for at_s, event in told if at_s > back_s and isinstance(event, Heard)),
                default=45,
            )
        )
    speaking.cancel()
    await track.finish(30)
    await track.aclose()
    await engine.aclose()
    await server.stop()
    found.missed = [event.reason for _, event in told if isinstance(event, Missed)]
    found.heard = sum(isinstance(event, Heard) for _, event in told)
    progress(f"speech engine {mood}: text back after {_all(found.resumed_s)} s, missed {found.missed}")
    return found


# ---- the command --------------------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--only", choices=["llm", "stt"], help="one half of it")
    parser.add_argument("--outages", type=int, default=4, help="of a speech engine, of each kind (4)")
    parser.add_argument("--fault", action="append", help="only these of a language model, without a mend")


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report = Report("faults", args.seed)
    if args.only != "stt":
        troubles = tuple(t for t in TROUBLES if not args.fault or t.name in args.fault)
        async with servers() as world:
            _tell_models(report, await _models(world, troubles, again=not args.fault))
    if args.only != "llm":
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(_engine(mood, Random(args.seed * 100 + n), args.outages))
                for n, mood in enumerate(MOODS)
            ]
        _tell_engines(report, [task.result() for task in running])
    return report


def _tell_models(report: Report, found: list[Asked]) -> None:
    report.say("faults of a language model", len(found))
    report.say("questions", len(found) * len(QUESTIONS))
    report.exactly("  not answered", sum(asked.unanswered for asked in found), 0)
    report.exactly("  answered without the model, and not said so", sum(a.unstated for a in found), 0)
    report.at_most("  first words, longest", _longest(found, "first_s"), FIRST_WORDS_S + _SLACK_S, "s")
    report.at_most("  end, longest", _longest(found, "end_s"), END_S + _SLACK_S, "s")
    again = [asked.again_s for asked in found if asked.again_s is not None]
    if again:
        report.at_most("mended model asked again, longest", max(again), AGAIN_S, "s")
    for asked in found:
        late = max(asked.first_s, default=0) > FIRST_WORDS_S + _SLACK_S
        late = late or max(asked.end_s, default=0) > END_S + _SLACK_S
        if late or asked.unanswered or asked.unstated or asked.again_s == float("inf"):
            report.note(
                f"{asked.fault}: first words {_all(asked.first_s)}, end {_all(asked.end_s)} s, "
                f"unanswered {asked.unanswered}, unstated {asked.unstated}, again after {asked.again_s}"
            )


def _tell_engines(report: Report, found: list[Outages]) -> None:
    resumed = [seconds for outages in found for seconds in outages.resumed_s]
    report.say("outages of a speech engine", len(resumed))
    report.say("  text back, median", percentile(resumed, 0.5), "s")
    report.at_most("  text back, p95", percentile(resumed, 0.95), RESUMED_S, "s")
    for outages in found:
        report.say(f"    {outages.mood}, longest", max(outages.resumed_s), "s")
    report.exactly("  stretches missed", sum(len(outages.missed) for outages in found), 0)
    for outages in found:
        if outages.missed:
            report.note(f"speech engine {outages.mood}: missed {outages.missed}, heard {outages.heard}")


def _longest(found: list[Asked], name: str) -> float:
    return max((seconds for asked in found for seconds in getattr(asked, name)), default=0.0)


def _all(seconds: list[float]) -> str:
    return " ".join(f"{each:.1f}" for each in seconds)
