"""Errors that a user can mend: each becomes one line and an exit code of the contract."""

from __future__ import annotations

import sys
from typing import Final

from context.ports import Fenced, PortError, Refused, Unavailable
from stt.files.errors import BadInput
from stt.segment import SpeechError
from worker.configuration.setting_values import hide_password
from worker.configuration.settings import ConfigError

DONE: Final = 0
FAILED: Final = 1
WRONG_INPUT: Final = 2
UNREACHABLE: Final = 3


class InputError(Exception):
    """What the user gave cannot be used: the text says which, where and how to mend it."""


def exit_code(error: BaseException) -> int:
    """The contract's exit code of an error; of a group, that of its first one."""
    match error:
        case BaseExceptionGroup():
            return exit_code(error.exceptions[0])
        case Fenced():
            return FAILED
        case ConfigError() | InputError() | BadInput():
            return WRONG_INPUT
        case Refused():  # a wrong password, a schema that is not there: it will not work until mended
            return WRONG_INPUT
        case Unavailable() | ConnectionError() | TimeoutError():
            return UNREACHABLE
        case _:
            return FAILED


def warn(line: str) -> None:
    """Tell the user at the terminal something that stops nothing."""
    print(f"moim: warning: {line}", file=sys.stderr)  # noqa: T201 - the user's terminal


def one_line(error: BaseException) -> str:
    """The error's text on one line."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    text = hide_password(" ".join(str(error).split()))
    known = isinstance(error, ConfigError | InputError | BadInput | SpeechError | PortError)
    return text if known and text else f"{type(error).__name__}: {text}".rstrip(": ")


def first_cause(error: BaseException) -> BaseException:
    """The one error that a TaskGroup's bundle is about."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
