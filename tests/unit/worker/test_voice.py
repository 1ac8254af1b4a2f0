"""What is read aloud of an answer, and a plugin that is none."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest

from context.ports import Refused
from tests.unit.cases import cases
from worker.adapters.livekit_voice import LiveKitVoice, load_voice, spoken


@cases
def test_times_and_markup_are_not_read_aloud(text: str, aloud: str) -> None:
    assert spoken(text) == aloud


def test_a_long_answer_is_cut_at_a_sentence() -> None:
    cut = spoken("A sentence that is said. " * 200)
    assert len(cut) <= 1200
    assert cut.endswith("said.")


@pytest.mark.parametrize(
    "path", ["livekit:tests.nowhere:Voice", "livekit:tests.fakes.livekit_tts:RATE_HZ", "livekit:math:sqrt"]
)
def test_what_is_no_voice_is_named(path: str) -> None:
    with pytest.raises(Refused, match="TTS_ENGINE"):
        load_voice(path)


async def test_a_plugin_that_cannot_be_closed_keeps_no_meeting_from_its_end() -> None:
    class Broken:
        async def aclose(self) -> None:
            raise RuntimeError("the connection is gone")

    await LiveKitVoice(cast("Any", None), cast("Any", Broken()), asyncio.ensure_future).aclose()
