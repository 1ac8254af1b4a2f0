"""`MOIM_CONSENT=ask` in a real room: of who has not agreed not one frame reaches a track, whoever holds it.

Two workers, a room, people who speak without a pause. One has agreed; one refuses, one says nothing, and new
ones come whose tokens bring a yes or a no; they leave and join again. Between them the holder's job is killed,
by turns with its worker, and the standby goes on. Frames are counted where a track of a worker gets them
(`tests/chaos/counting`).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.acceptance.lines import EN, line
from tests.acceptance.stack import PATIENCE_S, until
from tests.chaos.fleet import Fleet, Numbering, fleet, keeps_logs
from tests.chaos.report import Report, progress
from tests.chaos.takeover import Room
from tests.fakes.players import Player
from worker.adapters.livekit_room import CONSENT_ATTRIBUTE

_SPOKEN_S: Final = 3.0
"""Everybody speaks for so long before the next thing happens."""
_HERE: Final = Path(__file__).parent


@dataclass
class Frames:
    """What the tracks of all workers got."""

    directory: Path

    def counted(self) -> Counter[str]:
        """Frames by participant."""
        found: Counter[str] = Counter()
        for notes in self.directory.iterdir():
            found.update(notes.read_text("utf-8").splitlines())
        return found


@dataclass
class Asked:
    """A meeting in which people are asked, and what was seen in it."""

    room: Room
    frames: Frames
    joins: int = 0
    takeovers: int = 0
    unheard: set[str] = field(default_factory=set)
    """Who never agreed."""
    late: Counter[str] = field(default_factory=Counter)
    """Frames of somebody behind the confirmation of their no."""

    async def enters(self, identity: str, attribute: str = "") -> Player:
        """Somebody with a microphone, speaking; `attribute`: what their token says of consent."""
        stage = self.room.play.stage
        player = stage.players.get(identity) or stage.player(
            identity, identity.title(), attributes={CONSENT_ATTRIBUTE: attribute} if attribute else {}
        )
        await player.join()
        self.joins += 1
        self.speaks(player)
        return player

    def speaks(self, player: Player) -> None:
        """For as long as this may take."""
        stage, pcm = self.room.play.stage, line(EN, 1).first(1.5)
        for number in range(8):
            player.say(pcm, stage.now_s + 0.3 + 2 * number)

    async def answers(self, player: Player, order: str, word: str) -> None:
        """They write it, and are told that it counts."""
        told = len(player.chats)
        await player.chat(order)
        await player.wait_for(
            lambda each: any(word in chat.text for chat in each.chats[told:]),
            PATIENCE_S,
            f"an answer to {order}",
        )

    async def more_of(self, identity: str, than: int) -> None:
        """Wait for frames of somebody who may be heard."""

        async def look() -> bool:
            return self.frames.counted()[identity] > than

        await until(look, f"frames of {identity}")

    async def killed(self, victim: str) -> None:
        """The holder dies, and another one hears who has agreed."""
        row = await self.room.held()
        assert row.holder is not None
        os.kill(row.holder.job_pid if victim == "job" else row.holder.worker_pid, signal.SIGKILL)
        await self.room.play.stack.row_when(
            self.room.play.meeting_id,
            lambda now: now.epoch > row.epoch and now.holder is not None,
            "a higher epoch",
        )
        self.takeovers += 1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the experiment's arguments."""
    parser.add_argument("--count", type=int, default=50, help="joins, rejoins and takeovers (50)")
    keeps_logs(parser)


async def run(args: argparse.Namespace) -> Report:
    """The experiment."""
    report = Report("consent", args.seed)
    with tempfile.TemporaryDirectory(prefix="moim-frames-") as frames:
        async with Numbering().running() as engine:
            environment = {
                "STT_ENGINE": "openai", "STT_BASE_URL": engine.base_url, "STT_MODEL": "numbers",
                "EMBED_ENGINE": "none", "MOIM_CONSENT": "ask", "TRACK_FRAMES": frames,
                "PYTHONPATH": str(_HERE / "counting"),
            }  # fmt: skip
            async with fleet(environment, keep_logs=args.keep_logs) as (stack, directory):
                two = Fleet(stack, directory, livekit_url=None)
                await two.keep_second()
                try:
                    await _play(report, args, two, Frames(Path(frames)))
                finally:
                    if two.second is not None:
                        await two.second.stop(signal.SIGTERM, 20)
    return report


async def _play(report: Report, args: argparse.Namespace, two: Fleet, frames: Frames) -> None:
    stack, dice = two.stack, Random(args.seed)
    async with stack.play("asked", standby=True) as play:
        stage = play.stage
        stage.begin()
        minji = stage.player("minji", "김민지")
        asked = Asked(Room(two, play, minji, standby=True), frames)
        await asked.enters("minji")
        await play.moim_hears(minji)
        await asked.answers(minji, "/me yes", "Thank you")
        await asked.more_of("minji", 0)
        refuses = await asked.enters("refuses")
        await asked.answers(refuses, "/me no", "From now on you are not")
        asked.unheard = {"refuses", "silent"}
        number = 0
        while asked.joins + asked.takeovers < args.count:
            await _round(asked, number, dice)
            number += 1
        asked.speaks(minji)
        await minji.wait_for(
            lambda each: any(text.speaker == "minji" for text in each.finals), PATIENCE_S, "minji's words"
        )
        document = await stack.document(play.meeting_id)
    _tell(report, asked, frames.counted(), document)


async def _round(asked: Asked, number: int, dice: Random) -> None:
    """Some come, one changes their mind, and a holder dies."""
    stage = asked.room.play.stage
    for identity in ("refuses", "silent"):
        if identity in stage.players:
            await stage.players[identity].leave()
        await asked.enters(identity)
    brings = "yes" if number % 2 else "no"
    with_token = await asked.enters(f"brings-{brings}-{number}", brings)
    wavers = await asked.enters("wavers")
    await asked.answers(wavers, "/me yes", "Thank you")
    await asked.more_of("wavers", asked.frames.counted()["wavers"])
    asked.speaks(stage.players["minji"])
    if number % 2 == 0:
        asked.unheard.add(with_token.identity)
    else:
        await asked.more_of(with_token.identity, 0)
    await asyncio.sleep(dice.uniform(0, _SPOKEN_S))
    await asked.answers(wavers, "/me no", "From now on you are not")
    before = asked.frames.counted()
    await asked.killed("job" if number % 2 == 0 else "main")
    await asked.more_of("minji", before["minji"])
    await asyncio.sleep(_SPOKEN_S)
    after = asked.frames.counted()
    asked.late["wavers"] += after["wavers"] - before["wavers"]
    progress(
        f"{number + 1}: {asked.joins} joins, {asked.takeovers} takeovers; frames of minji {after['minji']}, "
        f"of who never agreed {sum(after[who] for who in asked.unheard)}, behind a no {asked.late.total()}"
    )
    await with_token.leave()


def _tell(report: Report, asked: Asked, frames: Counter[str], document: dict[str, Any]) -> None:
    spoken = {each["speaker"] for each in document["utterances"]}
    report.say("joins and rejoins", asked.joins)
    report.say("takeovers", asked.takeovers)
    report.say("frames of who had agreed", frames["minji"])
    for who in sorted(asked.unheard):
        report.exactly(f"frames of {who}, who never agreed", frames[who], 0)
    report.exactly("frames behind the confirmation of a no", asked.late.total(), 0)
    report.exactly("people on the record with words, who never agreed", len(spoken & asked.unheard), 0)
    report.exactly("of who agreed in time, on the record", len({"minji"} - spoken), 0)
