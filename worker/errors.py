"""Errors that a user can mend: each becomes one line and one of the exit codes of `moim`.

Also why a server cannot be reached, in words that help whoever set its address.
"""

from __future__ import annotations

import errno
import re
import socket
import ssl
import sys
from typing import Final

from context.config import ConfigError
from context.ports import Fenced, PortError, Refused, Unavailable
from stt.files.bad_input import BadInput
from stt.segment import SpeechError
from worker.configuration.setting_values import hide_password

DONE: Final = 0
FAILED: Final = 1
WRONG_INPUT: Final = 2
"""Wrong input or configuration."""
UNREACHABLE: Final = 3
"""A part could not be reached."""


class InputError(Exception):
    """What the user gave cannot be used: the text says what, where and how to mend it."""


def exit_code(error: BaseException) -> int:
    """Give the exit code for an error; for a group of errors, that of the first one."""
    match first_cause(error):
        case Fenced():
            return FAILED
        # Refused: a wrong password, a schema that is not there; it will not work until mended.
        case ConfigError() | InputError() | BadInput() | Refused():
            return WRONG_INPUT
        case Unavailable() | ConnectionError() | TimeoutError():
            return UNREACHABLE
        case _:
            return FAILED


def warn(line: str) -> None:
    """Print a warning to stderr, for the user at the terminal."""
    print(f"moim: warning: {line}", file=sys.stderr)  # noqa: T201 - the user's terminal


def one_line(error: BaseException) -> str:
    """Give an error's text on one line, without passwords; its type goes before it where it is not ours."""
    error = first_cause(error)
    text = hide_password(" ".join(str(error).split()))
    known = isinstance(error, ConfigError | InputError | BadInput | SpeechError | PortError)
    return text if known and text else f"{type(error).__name__}: {text}".rstrip(": ")


def first_cause(error: BaseException) -> BaseException:
    """Give the first error in an exception group, however deep; any other error is given back as it is."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


_NUMBER: Final = re.compile(r"\bErr(?:no|or) (-?\d+)\b")
"""Finds the system's error number in a text: some clients keep it nowhere else."""
_WHY: Final = {
    errno.ECONNREFUSED: "nothing listens there: is the address right, and the server up?",
    errno.ENOENT: "there is no such socket: is the address right, and the server up?",
    errno.ETIMEDOUT: "no answer in time: is the address right, and the way to it open?",
    errno.ENETUNREACH: "no network leads there: is the address right?",
    errno.EHOSTUNREACH: "no network leads there: is the address right?",
    errno.ECONNRESET: "it hung up: is it another server that listens there?",
    errno.EPIPE: "it hung up: is it another server that listens there?",
}
_HUNG_UP: Final = re.compile("disconnected|closed by server|connection was closed", re.IGNORECASE)
_NO_HOST: Final = "there is no such host: is the address right?"


def why_unreached(error: BaseException) -> str:
    """Say why a server cannot be reached, and what to look at; for an unusual cause give the error's text."""
    looked_at: list[BaseException] = []
    rest: list[BaseException | None] = [error]
    while rest:  # the error, and what it wraps
        cause = rest.pop(0)
        if cause is None or cause in looked_at:
            continue
        if (why := _why(cause)) is not None:
            return why
        looked_at.append(cause)
        rest += [getattr(cause, "os_error", None), cause.__cause__, cause.__context__]
    return " ".join(str(error).split()) or type(error).__name__


def _why(error: BaseException) -> str | None:
    text = str(error)
    if isinstance(error, socket.gaierror):
        return _NO_HOST
    if isinstance(error, ssl.SSLError) and (reason := getattr(error, "reason", None)):
        return f"TLS fails ({reason}): is the scheme right, and the certificate?"
    if isinstance(error, ConnectionResetError | BrokenPipeError) or _HUNG_UP.search(text):
        return _WHY[errno.ECONNRESET]
    if "protocol error" in text.lower():
        return "what answers there speaks another protocol: is it another server that listens there?"
    if isinstance(error, TimeoutError):
        return _WHY[errno.ETIMEDOUT]
    number = error.errno if isinstance(error, OSError) else None
    if number is None and (match := _NUMBER.search(text)):
        number = int(match[1])
    if number is None:
        return None
    return _NO_HOST if number < 0 else _WHY.get(number)  # negative numbers are getaddrinfo's
