"""Every error is one line and an exit code of the contract."""

from __future__ import annotations

from pathlib import Path

import pytest

from context.ports import Fenced, Refused, Unavailable
from stt.files.audio import BadInput
from worker.configuration.settings import ConfigError
from worker.errors import InputError, exit_code, one_line


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ConfigError("MOIM_HTTP_PORT=x"), 2),
        (InputError("no such file"), 2),
        (BadInput(Path("a.vtt"), "no WebVTT"), 2),
        (Refused("Postgres: wrong password"), 2),
        (Fenced("somebody else writes it"), 1),
        (Unavailable("Postgres cannot be reached"), 3),
        (ConnectionRefusedError(111, "refused"), 3),
        (TimeoutError(), 3),
        (RuntimeError("a bug"), 1),
        (ExceptionGroup("g", [ExceptionGroup("h", [Unavailable("away")])]), 3),
    ],
)
def test_exit_codes(error: Exception, code: int) -> None:
    assert exit_code(error) == code
    assert "\n" not in one_line(error)
    assert one_line(error)
