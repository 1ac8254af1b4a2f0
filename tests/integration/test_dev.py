"""`moim dev` as a user runs it: real servers, real children, real signals."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import psutil
import pytest
from dotenv import dotenv_values
from livekit import api

from tests.conftest import open_directory
from worker.configuration.settings import Settings, child_environment
from worker.embedded import livekit_server

pytestmark = [pytest.mark.room, pytest.mark.postgres]

MOIM = (sys.executable, "-m", "worker")
START_DEADLINE_S = 90.0
STOP_DEADLINE_S = 30.0
"""The contract's."""


TOLD = {
    "MOIM_API_TOKEN": "of-these-tests-and-long-enough-to-be-one",
    "MOIM_TIME_ZONE": "Asia/Tokyo",
    "MOIM_ROOM_PATTERN": "standup-*",
}


class Dev:
    """One running `moim dev`."""

    def __init__(self, directory: Path) -> None:
        self.env_file = directory / "moim.env"
        self.out, self.err = directory / "out", directory / "err"
        with self.out.open("w") as out, self.err.open("a") as err:
            self.process = subprocess.Popen(
                [*MOIM, "dev", "--data", directory / "data", "--env-file", self.env_file],
                stdout=out,
                stderr=err,
                # A worker without a speech model starts sooner; what is tested here does not hear.
                env=child_environment({"STT_ENGINE": "none", **TOLD}),
            )
        wait(lambda: self.ended() or self.env_file.exists(), START_DEADLINE_S, "the env file")
        assert not self.ended(), self.err.read_text()
        self.env = {name: value or "" for name, value in dotenv_values(self.env_file).items()}
        wait(lambda: self.out.read_text().endswith("\n"), 5, "the line on stdout")

    def ended(self) -> bool:
        return self.process.poll() is not None

    def ready(self) -> bool:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.env['MOIM_HTTP_PORT']}/readyz", timeout=2
            ) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    def moim(self, *arguments: str) -> str:
        done = run(*arguments, **self.env)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def child(self, words: str) -> int | None:
        """The direct child whose command line has `words`."""
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.Error):
                if words in " ".join(child.cmdline()):
                    return child.pid
        return None


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*MOIM, *arguments],
        env=child_environment(environment),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def wait(true: Callable[[], object], timeout_s: float, what: str) -> None:
    end_s = time.monotonic() + timeout_s
    while not true():
        assert time.monotonic() < end_s, f"{what} did not come within {timeout_s:g} s"
        time.sleep(0.05)


def descendants(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def over(family: list[psutil.Process]) -> bool:
    for one in family:
        with suppress(psutil.NoSuchProcess):
            if one.status() != psutil.STATUS_ZOMBIE:
                return False
    return True


@pytest.fixture(scope="module")
def directory() -> Iterator[Path]:
    if livekit_server.find(Settings.load()) is None:
        pytest.skip(
            "no LiveKit server: `make livekit` builds one (needs a network), or set MOIM_LIVEKIT_SERVER"
        )
    with open_directory() as found:
        yield found


@pytest.fixture(scope="module")
def dev(directory: Path) -> Iterator[Dev]:
    """One for all of them; the last one kills it."""
    dev = Dev(directory)
    yield dev
    if not dev.ended():
        dev.process.kill()
        dev.process.wait(10)


PARTS = {
    "valkey": "valkey-server",
    "livekit": "livekit.yaml",
    "postgres": "bin/postgres",
    "dispatcher": "worker dispatcher",
    "worker": "worker worker",
}


def test_it_says_one_line_and_where_everything_is(dev: Dev) -> None:
    assert dev.out.read_text().count("\n") == 1
    assert dev.ready()
    assert {name: dev.env[name] for name in TOLD} == TOLD
    urls = ("LIVEKIT_URL", "DATABASE_URL", "DATABASE_ADMIN_URL", "REDIS_URL")
    assert {urlsplit(dev.env[name]).hostname for name in urls} == {"127.0.0.1"}
    with urllib.request.urlopen(dev.env["LIVEKIT_URL"].replace("ws:", "http:"), timeout=5) as answer:
        assert answer.status == 200
    assert json.loads(dev.moim("meetings", "--json")) == []
    listed = urllib.request.Request(
        f"{dev.env['MOIM_API_URL']}/v1/meetings",
        headers={"Authorization": f"Bearer {dev.env['MOIM_API_TOKEN']}"},
    )
    with urllib.request.urlopen(listed, timeout=10) as answer:
        assert json.load(answer) == {"meetings": [], "next": None}

    # Each part that dies is there again, at its old address and with its data.
    meeting_id = json.loads(dev.moim("dispatch", "stand-up"))["meeting_id"]
    for name, words in PARTS.items():
        wait(lambda w=words: dev.child(w), 30, name)  # type: ignore[misc]  # bound now
        before = dev.child(words)
        assert before is not None
        os.kill(before, signal.SIGKILL)
        wait(lambda b=before, w=words: dev.child(w) not in {b, None}, 30, f"another {name}")  # type: ignore[misc]  # bound now
    wait(dev.ready, 60, "the new worker's registration")
    assert [row["id"] for row in json.loads(dev.moim("meetings", "--json"))] == [meeting_id]
    for name in PARTS:
        assert f"{name} died" in dev.err.read_text()

    # A room of the pattern that it was told is met as soon as LiveKit tells of it.
    asyncio.run(_made(dev.env, "standup-1"))
    wait(lambda: "standup-1" in dev.moim("meetings", "--json"), 60, "the room that LiveKit told of")


def test_a_stop_while_it_starts_is_a_stop(directory: Path) -> None:
    process = subprocess.Popen(
        [*MOIM, "dev", "--data", directory / "another"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=child_environment({"STT_ENGINE": "none"}),
    )
    wait(lambda: len(psutil.Process(process.pid).children()) > 1, 30, "its first servers")
    family = descendants(process.pid)
    process.terminate()
    out, err = process.communicate(timeout=STOP_DEADLINE_S)
    assert process.returncode == 0, err
    assert out == ""
    wait(lambda: over(family), 5, "the end of every child")


def test_without_a_livekit_server_it_says_what_to_do(tmp_path: Path) -> None:
    nothing = {"MOIM_LIVEKIT_SERVER": "", "MOIM_CACHE_DIR": str(tmp_path), "PATH": "/nowhere"}
    done = run("dev", "--data", tmp_path / "data", **nothing)
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "`make dev`" in done.stderr


def test_killed_it_leaves_no_orphans_and_the_data_is_there_next_time(dev: Dev, directory: Path) -> None:
    meeting_id = json.loads(dev.moim("dispatch", "회의실"))["meeting_id"]
    family = descendants(dev.process.pid)
    dev.process.kill()
    dev.process.wait(5)
    wait(lambda: over(family), 20, "the end of every child")

    dev.env_file.unlink()  # a killed process could not
    again = Dev(directory)
    try:
        assert again.env["LIVEKIT_API_SECRET"] == dev.env["LIVEKIT_API_SECRET"]
        assert meeting_id in [row["id"] for row in json.loads(again.moim("meetings", "--json"))]
        second = run("dev", "--data", directory / "data")
        assert second.returncode == 2
        assert "another `moim dev` uses" in second.stderr
        assert second.stderr.count("\n") == 1
    finally:
        family = descendants(again.process.pid)
        again.process.send_signal(signal.SIGINT)
        assert again.process.wait(STOP_DEADLINE_S) == 0, again.err.read_text()
    assert len(family) >= len(PARTS)
    wait(lambda: over(family), 5, "the end of every child")
    assert not again.env_file.exists(), "addresses where nothing is any more"


async def _made(env: dict[str, str], room: str) -> None:
    async with api.LiveKitAPI(
        env["LIVEKIT_URL"], env["LIVEKIT_API_KEY"], env["LIVEKIT_API_SECRET"]
    ) as livekit:
        await livekit.room.create_room(api.CreateRoomRequest(name=room))
