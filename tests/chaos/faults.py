"""Speech engines that fail in every way they know: who speaks is heard.

A track at real pace over the real OpenAI-compatible client, whose server is away for some seconds in each way.
Nothing may be missed, and text has to be back within 1 s (p95) of the server's return. Language models in
trouble: `tests/integration/test_fault_matrix.py`.
"""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import dataclass, field
from random import Random
from typing import Final

from aiohttp import web

from stt.heard import Heard, Missed, TrackEvent
from stt.outage import Outage
from stt.providers.openai_compatible import OpenAICompatible
from stt.segment import BYTES_PER_MS
from stt.track import Track
from tests.chaos.report import Report, percentile, progress
from tests.fakes.listening import listen
from tests.fakes.speech import LevelVad, frames, silence, tone
from worker.embedded.child import free_port

RESUMED_S: Final = 1.0
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
        self._runner, _ = await listen(app, port=self.port)

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
    parser.add_argument("--outages", type=int, default=4, help="of each kind (4)")


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report = Report("faults", args.seed)
    async with asyncio.TaskGroup() as tasks:
        running = [
            tasks.create_task(_engine(mood, Random(args.seed * 100 + n), args.outages))
            for n, mood in enumerate(MOODS)
        ]
    _tell(report, [task.result() for task in running])
    return report


def _tell(report: Report, found: list[Outages]) -> None:
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


def _all(seconds: list[float]) -> str:
    return " ".join(f"{each:.1f}" for each in seconds)
