"""Which engines show words while somebody speaks, by `STT_INTERIMS`."""

from __future__ import annotations

import pytest

from stt.rereading import uncounted
from tests.unit.cases import cases
from worker.bootstrap.speech_engines import speech_engine
from worker.configuration.settings import Settings

ENGINES = {
    "whisper": {"STT_ENGINE": "whisper"},
    "openai": {"STT_ENGINE": "openai", "STT_BASE_URL": "http://127.0.0.1:1/v1", "STT_API_KEY": "k"},
    "streaming": {"STT_ENGINE": "livekit:tests.fakes.livekit_stt:StreamingSTT"},
    "batch": {"STT_ENGINE": "livekit:tests.fakes.livekit_stt:BatchSTT"},
    "clova": {"STT_ENGINE": "clova", "CLOVA_SPEECH_DOMAINS": "https://127.0.0.1:1|secret"},
}


@cases
async def test_interims_are_given_by_setting_and_engine(engine: str, interims: str, given: bool) -> None:
    settings = Settings.from_env({**ENGINES[engine], "STT_INTERIMS": interims})
    async with speech_engine(settings, on_reading=uncounted) as made:
        assert made is not None
        assert made.gives_interims is given


@pytest.mark.parametrize("engine", ["whisper", "openai"])
async def test_a_replay_reads_nothing_twice(engine: str) -> None:
    settings = Settings.from_env({**ENGINES[engine], "STT_INTERIMS": "on"})
    async with speech_engine(settings) as made:
        assert made is not None
        assert not made.gives_interims
