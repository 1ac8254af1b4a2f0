"""The demo's play: start all parts, let people speak and ask in a room, end the meeting, read its record."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from context.export.document import document
from worker.bootstrap import streams
from worker.bootstrap.database import database
from worker.bootstrap.rooms import room_token
from worker.configuration.settings import Settings, child_environment
from worker.demo.players import Player
from worker.demo.stage import Stage
from worker.demo.view import Board, View
from worker.dev.home import Home
from worker.dev.stack import Stack
from worker.errors import InputError
from worker.ports import MeetingRegistry
from worker.record.restoring import load_meeting

_LOOK_EVERY_S: Final = 0.15
_JOINED_DEADLINE_S: Final = 80.0
_TEXT_DEADLINE_S: Final = 12.0
_ANSWER_DEADLINE_S: Final = 40.0
_END_DEADLINE_S: Final = 45.0
_LATE_DEADLINE_S: Final = 60.0
"""How long lines that come after the end are waited for."""
_ROUNDING_S: Final = 1.5
"""Speech ends a little before its line does, and the meeting's clock starts a little before the play's."""


@dataclass(frozen=True, slots=True)
class Performed:
    """The demo's meeting when it is over, and the questions that got no answer."""

    document: Mapping[str, Any]
    """The meeting as `moim export --format json` gives it."""
    unanswered: tuple[str, ...]
    """The texts of the questions that got no answer in time."""


async def perform(settings: Settings, livekit_binary: Path, view: View) -> Performed:
    """Play the meeting on a `Stack` of its own and show it on `view`; it takes some three and a half minutes.

    Raises `InputError` outside a checkout, `Unavailable`, `ConfigError` or `TimeoutError`.
    """
    folder = sound_folder()
    more = dict(AS_SCRIPTED)
    if settings.stt.engine == "none":
        more["STT_ENGINE"] = "whisper"
    with _temporary_home() as (home, rubbish):
        async with Stack(home, livekit_binary, settings, view.say, more=more) as stack:
            rubbish.append(stack.postgres.data_dir)  # not beneath `home` where Postgres could not go there
            view.say("starting Postgres, Valkey, LiveKit, speech engine, worker and dispatcher …")
            await stack.start()
            here = Settings.from_env(child_environment({**more, **stack.environment()}))
            return await _play(here, folder, view, stack.pages)


@contextmanager
def _temporary_home() -> Iterator[tuple[Home, list[Path]]]:
    """A data directory that is deleted after the block, together with the paths that are put on the list."""
    root = Path(tempfile.mkdtemp(prefix="moim-demo-"))
    root.chmod(0o711)  # where we are root, Postgres runs as another user, who has to pass through
    rubbish = [root]
    try:
        yield Home(root), rubbish
    finally:
        for path in rubbish:
            shutil.rmtree(path, ignore_errors=True)


async def _play(settings: Settings, folder: Path, view: View, pages: str) -> Performed:
    async with (
        database(settings) as tables,
        Stage(settings.livekit.url, ROOM, room_token(settings)) as stage,
    ):
        meeting_id = (await tables.registry.want(ROOM, title=TITLE)).id
        view.say("four people join the room …")
        cast = await stage.cast(folder)
        board = Board(TITLE, {i: p.name for i, p in cast.items()}, stage.length_s)
        spectator = next(iter(cast.values()))
        await spectator.wait_for(_agent_is_here, _JOINED_DEADLINE_S, "Moim")
        view.say(f"the same on a page: {pages}")
        async with asyncio.TaskGroup() as tasks:
            feed = tasks.create_task(_follow(settings, meeting_id, board))
            painter = tasks.create_task(_paint(board, stage, spectator, view))
            asking = [tasks.create_task(_ask(stage, cue)) for cue in CUES]
            board.stage = "live"
            stage.begin()
            await stage.until(stage.length_s)
            unanswered = [text for text in await asyncio.gather(*asking) if text]
            board.stage = "ending: last words, closing summary"
            await _end(tables.registry, meeting_id)
            await _all_written(tables.registry, meeting_id, board)
            await asyncio.sleep(2 * _LOOK_EVERY_S)
            feed.cancel()
            painter.cancel()
    async with database(settings) as tables:
        meeting = await load_meeting(tables.record, meeting_id, settings)
        row = await tables.registry.get(meeting_id)
    return Performed(
        document(meeting, title=TITLE, room=ROOM, status=row.status if row else None), tuple(unanswered)
    )


async def _ask(stage: Stage, cue: ScriptedQuestion) -> str | None:
    """Ask the cue's question when it is time; the question's text if no answer came, else None."""
    player = stage.players[cue.by]
    heard_ms = (cue.after_s - _ROUNDING_S) * 1000
    await stage.until(cue.after_s)
    with suppress(TimeoutError):  # the question goes out all the same
        await player.wait_for(
            lambda p: any((final.end_ms or 0) >= heard_ms for final in p.finals), _TEXT_DEADLINE_S
        )
    question_id = await player.chat(cue.text)
    try:
        await player.wait_for(lambda p: p.answer_to(question_id), _ANSWER_DEADLINE_S)
    except TimeoutError:
        return cue.text
    return None


def _agent_is_here(player: Player) -> bool:
    return any("moim.epoch" in p.attributes for p in player.room.remote_participants.values())


async def _follow(settings: Settings, meeting_id: str, board: Board) -> None:
    async with streams.bus(settings) as bus:
        async for _, event in bus.follow(meeting_id):
            board.heard(event)


async def _paint(board: Board, stage: Stage, spectator: Player, view: View) -> None:
    while True:
        board.now_s = min(stage.now_s, stage.length_s) if stage.started_s is not None else 0.0
        board.speaking = spectator.speaking
        board.chat = spectator.chats
        view.show(board)
        await asyncio.sleep(_LOOK_EVERY_S)


async def _end(registry: MeetingRegistry, meeting_id: str) -> None:
    """End the meeting as `moim end` does, and wait until it has ended. Raises `TimeoutError`."""
    await registry.request_end(meeting_id)
    try:
        async with asyncio.timeout(_END_DEADLINE_S):
            while True:
                row = await registry.get(meeting_id)
                if row is not None and row.status in {"ended", "failed"}:
                    return
                await asyncio.sleep(_LOOK_EVERY_S)
    except TimeoutError:
        raise TimeoutError(f"the meeting did not end within {_END_DEADLINE_S:g} s") from None


async def _all_written(registry: MeetingRegistry, meeting_id: str, board: Board) -> None:
    """Wait for what was no text at the end; a machine that is too busy for it goes without."""
    with suppress(TimeoutError):
        async with asyncio.timeout(_LATE_DEADLINE_S):
            while (row := await registry.get(meeting_id)) is not None and row.waiting_ms:
                board.stage = f"still writing, {row.waiting_ms / 1000:.0f} s of speech left"
                await asyncio.sleep(_LOOK_EVERY_S)


_MEETING: Final = Path("tests/data/audio/ko-release-planning")
TITLE: Final = "출시 계획 회의"
ROOM: Final = "moim-demo"

AS_SCRIPTED: Final = {
    "MOIM_LANGUAGE": "ko",
    "MOIM_CHAT": "questions",
    "MOIM_WAKE_WORDS": "모임,Moim",
    "MOIM_AGENT_NAME": "moim",
}
"""Settings that the play needs, whatever the user has set: it is in Korean and calls Moim by its name."""


@dataclass(frozen=True, slots=True)
class ScriptedQuestion:
    """A question that a player asks in the chat."""

    by: str
    """The identity of the player."""
    text: str
    after_s: float
    """The second of the play at which it is asked, and what was said until then should be text by then."""


CUES: Final = (
    ScriptedQuestion("seoyeon", "출시일이 언제로 결정됐지?", 44.4),
    ScriptedQuestion("hana", "요약해 줘", 157.4),
)


def sound_folder() -> Path:
    """The folder of the meeting that the demo plays. Raises `InputError` outside a checkout."""
    for root in (Path(__file__).resolve().parents[2], Path.cwd()):
        if (root / _MEETING / "meeting.json").is_file():
            return root / _MEETING
    raise InputError(
        f"the demo plays {_MEETING}, which is in a checkout of Moim and not in the installed package: "
        "run it in a checkout, or `moim replay` with a recording of your own"
    )
