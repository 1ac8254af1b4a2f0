"""Where the small model that comes with Moim is in use, the pages say so."""

from __future__ import annotations

import pytest

from worker.configuration.settings import Settings


@pytest.mark.parametrize("environ", [{}, {"STT_MODEL": "auto"}, {"STT_MODEL": "base"}])
def test_the_model_that_comes_with_moim_is_known_as_that(environ: dict[str, str]) -> None:
    assert Settings.from_env(environ).stt.is_packaged


@pytest.mark.parametrize(
    "environ",
    [
        {"STT_MODEL": "large-v3-turbo"},
        {"STT_MODEL": "/models/ko"},
        {"STT_MODEL": "owner/whisper-ko"},
        {"STT_ENGINE": "none"},
        {"STT_ENGINE": "openai", "STT_BASE_URL": "http://whisper/v1"},
    ],
)
def test_any_other_is_not(environ: dict[str, str]) -> None:
    assert not Settings.from_env(environ).stt.is_packaged
