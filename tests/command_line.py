"""Moim's commands, called in the process of the tests: one of their own would import everything for each call."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import structlog

from worker.__main__ import main


@dataclass(frozen=True, slots=True)
class Called:
    """What a shell has of a command that has ended."""

    returncode: int
    stdout: str
    stderr: str


def call(*arguments: str, cwd: Path, environ: Mapping[str, str] | None = None, typed: str = "") -> Called:
    """Call a command in this folder, with this environment (None: the process's), as `moim` calls it.

    `typed`: what comes from its standard input, a pipe, which holds 64 KB.
    """
    out, err = io.StringIO(), io.StringIO()
    with (
        _as_before(),
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
        _pipe(typed) as stdin,
    ):
        sys.stdin = stdin
        if environ is not None:
            os.environ.clear()
            os.environ.update(environ)
        code = main(arguments)
    return Called(code, out.getvalue(), err.getvalue())


def _pipe(typed: str) -> TextIO:
    out, into = os.pipe()
    os.write(into, typed.encode())
    os.close(into)
    return os.fdopen(out, encoding="utf-8")


@contextmanager
def _as_before() -> Iterator[None]:
    """The environment, standard input and the logging are what they were, once the block is left."""
    environ, stdin = dict(os.environ), sys.stdin
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environ)
        sys.stdin = stdin
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()
