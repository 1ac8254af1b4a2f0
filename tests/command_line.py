"""Moim's commands, called in the process of the tests: one of their own would import everything for each call."""

from __future__ import annotations

import io
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import structlog

from worker.__main__ import main


@dataclass(frozen=True, slots=True)
class Called:
    """What a shell has of a command that has ended."""

    returncode: int
    stdout: str
    stderr: str


def call(*arguments: str, cwd: Path, environ: Mapping[str, str] | None = None) -> Called:
    """Call a command in this folder, with this environment (None: the process's), as `moim` calls it."""
    out, err = io.StringIO(), io.StringIO()
    with _as_before(), chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        if environ is not None:
            os.environ.clear()
            os.environ.update(environ)
        code = main(arguments)
    return Called(code, out.getvalue(), err.getvalue())


@contextmanager
def _as_before() -> Iterator[None]:
    """The environment and the logging are what they were, once the block is left."""
    environ = dict(os.environ)
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(environ)
        root.handlers[:] = handlers
        root.setLevel(level)
        structlog.reset_defaults()
