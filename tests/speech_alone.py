"""People who speak are heard while no other test computes: the speech model needs both cores then.

Among the processes of one run (`pytest -n`), and of several runs of one checkout. Loaded by pyproject.toml.
A module in which people speak in rooms has the machine alone from its first test until what its tests share is
gone: its rooms go on between its tests, in real time. All other tests share the machine, one by one.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Generator
from pathlib import Path
from typing import Final

import pytest


class Machine:
    """Who may compute: locks on two folders, which a process that is killed leaves open."""

    def __init__(self, door: Path, inside: Path) -> None:
        self._door = door
        self._inside = inside
        self._held: int | None = None
        self.alone = False

    def take(self, *, alone: bool) -> None:
        """Wait until nobody else computes, or until nobody has the machine alone.

        Whoever waits to have it alone stands in the door meanwhile, and no other test begins.
        """
        door = _locked(self._door, fcntl.LOCK_EX)
        self._held = _locked(self._inside, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        self.alone = alone
        _unlock(door)

    def leave(self) -> None:
        """Let others in, if this process is inside at all."""
        if self._held is not None:
            _unlock(self._held)
        self._held, self.alone = None, False


def _locked(folder: Path, how: int) -> int:
    opened = os.open(folder, os.O_RDONLY)
    fcntl.flock(opened, how)
    return opened


def _unlock(opened: int) -> None:
    fcntl.flock(opened, fcntl.LOCK_UN)  # whatever a test has forked holds it no longer
    os.close(opened)


_MACHINE: Final = pytest.StashKey[Machine]()


def in_a_room(item: pytest.Item) -> bool:
    """Whether a test needs a LiveKit server."""
    return item.get_closest_marker("room") is not None or item.nodeid.startswith("tests/acceptance/")


def pytest_configure(config: pytest.Config) -> None:
    """The doors are this checkout's."""
    config.stash[_MACHINE] = Machine(config.rootpath, config.rootpath / "tests")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, object, object]:
    """First, so that waiting for the other processes counts for no test's timeout."""
    machine = item.config.stash[_MACHINE]
    if not machine.alone:
        machine.take(alone=in_a_room(item) and item.get_closest_marker("speech") is not None)
    try:
        return (yield)
    finally:
        if not (machine.alone and nextitem is not None and nextitem.path == item.path):
            machine.leave()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A run that ends at its first failure ends within a module; first what its tests shared goes."""
    session.config.stash[_MACHINE].leave()
