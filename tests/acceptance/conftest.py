"""One `moim dev` for all acceptance tests. Each test has a room of its own in it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.acceptance.stack import Stack
from tests.conftest import open_directory
from worker.configuration.settings import Settings
from worker.embedded import livekit_server


@pytest.fixture(scope="session")
def stack() -> Iterator[Stack]:
    """Everything, running. Skipped with one line where there is no LiveKit server to run."""
    if livekit_server.find(Settings.load()) is None:
        pytest.skip(
            "no LiveKit server: `make livekit` builds one (needs a network), or set MOIM_LIVEKIT_SERVER"
        )
    with open_directory() as directory:
        stack = Stack(directory)
        asyncio.run(stack.start())
        yield stack
        said = stack.log.read_text("utf-8", "replace")
        print(f"moim dev said:\n{said}")
        code = asyncio.run(stack.stop())
        assert code == 0, f"moim dev ended with {code} (None: not within 30 s):\n{said}"
