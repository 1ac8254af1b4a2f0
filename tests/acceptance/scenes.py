"""Saying a line in a room, and reading it there."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from stt.segment import BYTES_PER_MS
from tests.acceptance.lines import Line, heard_in
from tests.acceptance.stack import PATIENCE_S, Play
from tests.fakes.players import Player
from worker.demo.room_texts import TranscriptStream

LEAD_S: Final = 0.6
"""A line is put onto its track this long before it is spoken."""


async def say(play: Play, player: Player, said: Line | bytes) -> float:
    """Say it now, and wait until the last of it has left the microphone; when that was."""
    pcm = said.pcm if isinstance(said, Line) else said
    at_s = play.stage.now_s + LEAD_S
    player.say(pcm, at_s)
    end_s = at_s + len(pcm) / BYTES_PER_MS / 1000
    await play.stage.until(end_s + 0.1)
    return end_s


async def shown(viewer: Player, said: Line, times: int = 1) -> TranscriptStream:
    """The final in which `viewer` reads this line, or its end, under the right speaker.

    Where frames came late, a line may have been cut into two turns.
    """

    def look(player: Player) -> TranscriptStream | None:
        whole = [t for t in player.finals if heard_in(said, [t.text])]
        own = [t for t in player.finals if t.speaker == said.speaker and t not in whole]
        halves = [b for a, b in pairwise(own) if heard_in(said, [f"{a.text} {b.text}"])]
        found = whole + halves
        return found[times - 1] if len(found) >= times else None

    try:
        return await viewer.wait_for(look, PATIENCE_S)
    except TimeoutError:
        read = [(t.speaker, t.text) for t in viewer.finals]
        raise AssertionError(f"{said.text!r} was not read within {PATIENCE_S:g} s, but {read}") from None
