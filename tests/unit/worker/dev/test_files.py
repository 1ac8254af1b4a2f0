"""`moim dev`: the file it writes, the directory it keeps, what it shows of its children's logs."""

import asyncio
import json
import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest
from dotenv import dotenv_values

from worker.dev.home import Home, clear_env_file, write_env_file
from worker.dev.supervisor import follow, worth_showing
from worker.errors import InputError

VALUES = {
    "LIVEKIT_URL": "ws://127.0.0.1:7880",
    "MOIM_STATE_DIR": "/tmp/a place's \\ 이름/state",
    "DATABASE_URL": "postgresql://moim:abc@127.0.0.1:5432/moim",
}


def test_what_is_written_is_read_back_by_dotenv_and_only_by_its_owner(tmp_path: Path) -> None:
    write_env_file(tmp_path / "env", VALUES)
    assert dotenv_values(tmp_path / "env") == VALUES
    assert stat.S_IMODE((tmp_path / "env").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["env"], "no draft stays"
    write_env_file(tmp_path / "env", {"A": "ws://127.0.0.1:1", "B": "/x/y-z_1"})
    assert (tmp_path / "env").read_text() == "A=ws://127.0.0.1:1\nB=/x/y-z_1\n", "plain values are bare"


@pytest.mark.parametrize(
    "value",
    [VALUES["MOIM_STATE_DIR"], 'the "first" of May', "pa$$ wo`rd", "a; b # c", "그냥 글", "$HOME", ""],
)
def test_a_shell_that_sources_the_file_reads_what_dotenv_reads(value: str, tmp_path: Path) -> None:
    write_env_file(tmp_path / "env", {"VALUE": value})
    script = '. "$0"; printf %s "$VALUE"'
    done = subprocess.run(["sh", "-c", script, tmp_path / "env"], capture_output=True, text=True, check=True)
    assert done.stdout == value == dotenv_values(tmp_path / "env")["VALUE"]


def test_a_file_of_an_earlier_run_is_cleared_so_that_waiting_for_it_works(tmp_path: Path) -> None:
    write_env_file(tmp_path / "env", VALUES)
    (tmp_path / "empty").touch()
    for name in ("env", "empty", "missing"):
        clear_env_file(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_the_users_own_env_file_is_never_overwritten(tmp_path: Path) -> None:
    mine = tmp_path / ".env"
    mine.write_text("LIVEKIT_URL=wss://livekit.example.com\nLIVEKIT_API_SECRET=precious\n")
    with pytest.raises(InputError, match=r"\.env exists and is not of `moim dev`"):
        clear_env_file(mine)
    assert "precious" in mine.read_text()


def test_a_device_is_no_file_to_write_and_stays(tmp_path: Path) -> None:
    device = tmp_path / "null"
    os.mkfifo(device)  # as /dev/null: there, and no file
    with pytest.raises(InputError, match=r"is no file: .* name one"):
        clear_env_file(device)
    assert device.exists()


def test_a_file_in_a_missing_directory_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no directory"):
        clear_env_file(tmp_path / "nowhere" / "env")


def test_keys_are_drawn_once_and_kept_private(tmp_path: Path) -> None:
    home = Home(tmp_path)
    key, secret = home.livekit_keys()
    assert len(secret) >= 32
    assert Home(tmp_path).livekit_keys() == (key, secret)
    assert stat.S_IMODE((tmp_path / "livekit-keys.json").stat().st_mode) == 0o600


def test_the_pages_keep_their_port_while_nobody_else_has_it(tmp_path: Path) -> None:
    port = Home(tmp_path).pages_port()
    assert Home(tmp_path).pages_port() == port
    with socket.socket() as somebody:
        somebody.bind(("127.0.0.1", port))
        somebody.listen()
        assert Home(tmp_path).pages_port() != port
    assert Home(tmp_path).pages_port() == port


def test_two_at_once_on_one_directory_is_an_error_that_names_it(tmp_path: Path) -> None:
    said = f"another `moim dev` uses {tmp_path / 'd'}"
    with Home(tmp_path / "d").alone(), pytest.raises(InputError, match=said), Home(tmp_path / "d").alone():
        pass
    with Home(tmp_path / "d").alone():
        pass


def test_data_under_a_file_is_a_plain_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be used"), Home(tmp_path / "file" / "data").alone():
        pass


def entry(level: str, event: str, **more: object) -> str:
    return json.dumps(
        {"level": level, "event": event, "logger": "x", "timestamp": "t", **more}, ensure_ascii=False
    )


UNHEARD = "livekit_signaling:668:livekit_signaling - dropping pass-through signal \u2014 no stream available"
GONE = "livekit::rtc_engine: publisher data channel '_reliable' closed unexpectedly"
FAILED = entry("error", "failed", exception="Traceback …\n  File …\nValueError: no such thing")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (entry("warning", "redis_away", error="연결 끊김"), "warning: redis_away error=연결 끊김"),
        (entry("info", "job_done"), None),
        ("", None),
        (FAILED, "error: failed (ValueError: no such thing)"),
        (entry("warning", "Attempted to drop unknown FFI handle: 11"), None),
        (entry("warning", UNHEARD), None),
        (entry("error", GONE), None),
        (entry("error", "room 'a' closed unexpectedly"), "error: room 'a' closed unexpectedly"),
        (
            entry("error", "worker connection closed unexpectedly"),
            "error: worker connection closed unexpectedly",
        ),
        ("Fatal Python error: Segmentation fault\n", "Fatal Python error: Segmentation fault"),
    ],
)
def test_warnings_and_worse_are_shown_and_harmless_noise_is_not(line: str, shown: str | None) -> None:
    assert worth_showing(line) == shown


async def test_a_log_is_followed_from_a_place_over_split_lines_and_replacement(tmp_path: Path) -> None:
    log_file, shown = tmp_path / "worker.log", []
    log_file.write_text(entry("error", "old") + "\n")
    came = asyncio.Event()

    def show(line: str) -> None:
        shown.append(line)
        came.set()

    async def next_line() -> str:
        await asyncio.wait_for(came.wait(), 5)
        came.clear()
        return str(shown[-1])

    following = asyncio.ensure_future(follow(log_file, show, start=log_file.stat().st_size))
    line = entry("error", "new", word="한국어")
    with log_file.open("ab") as file:
        file.write(line.encode()[:-5])
        file.flush()
        await asyncio.sleep(0)
        file.write(line.encode()[-5:] + b"\n")
    assert await next_line() == "error: new word=한국어"
    log_file.unlink()
    log_file.write_text(entry("error", "b") + "\n")
    assert await next_line() == "error: b"
    following.cancel()
    assert len(shown) == 2
