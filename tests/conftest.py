"""Real servers for the tests: one embedded Postgres and one Valkey per run, fresh content per test.

The schema is migrated once into a template database, which every test that asks for `database`
gets its own copy of. Servers start only when a test asks for them.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import itertools
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest
import redis.asyncio as redis
import structlog
from hypothesis import settings

from tests.fakes.virtual_time import VirtualTimeLoop, leaving_no_task
from tests.speech_alone import in_a_room
from worker.adapters.migrations import migrate
from worker.adapters.postgres_pool import PostgresPool
from worker.embedded.postgres import EmbeddedPostgres
from worker.embedded.valkey import EmbeddedValkey

_numbers = itertools.count(1)

# How long an example takes says how busy the machine is. CI tries the same examples for the same code, so
# that it fails on what a change broke; at a desk every run tries new ones.
settings.register_profile("moim", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("moim")

# Else rich draws each exception that is logged with all that the locals of its frames hold: seconds for one.
structlog.dev.ConsoleRenderer.get_active().exception_formatter = structlog.dev.plain_traceback


_LONG: Final = (
    "tests/chaos/",
    "tests/load/",
    "tests/deploy/test_image.py",
    "tests/deploy/test_chart.py",
    "tests/deploy/test_compose.py",
    "tests/acceptance/test_meeting.py",
    "tests/acceptance/test_standby.py",
    "tests/acceptance/test_takeover.py",
    "tests/acceptance/test_server_restart.py",
)
"""What `make test-long` runs: kills and outages on purpose, whole meetings in real time, many meetings, the image,
the chart (Helm is built for it: four minutes of both cores)."""


_LONGEST_NAME: Final = 80


def pytest_itemcollected(item: pytest.Item) -> None:
    """Which tests run one after the other in one process, where there are several (`pytest -n 2`).

    What plays in a room does so in real time: all rooms are one group.
    Everything else goes by its file, so that what a module sets up is set up once. Each process has its own
    Postgres, Valkey and `moim dev`.
    """
    if item.nodeid.startswith(_LONG):
        item.add_marker(pytest.mark.long)
    group = "rooms" if in_a_room(item) else item.nodeid.partition("::")[0].replace("/", ".")
    item.add_marker(pytest.mark.xdist_group(group))
    if item.get_closest_marker("virtual_time") and isinstance(item, pytest.Function):
        item.obj = _leaving_no_task(item.obj)


def pytest_make_parametrize_id(val: object) -> str | None:
    """A long text or file is named by how it begins and how long it is.

    A test's name goes between the processes with each step of it, and pytest would write all five megabytes of one.
    """
    if isinstance(val, str | bytes) and len(val) > _LONGEST_NAME:
        return f"{val[:_LONGEST_NAME]!a} of {len(val)}"
    return None


def _leaving_no_task(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., Any]:
    if not inspect.iscoroutinefunction(test):
        return test

    @functools.wraps(test)
    async def watched(*args: object, **named: object) -> None:
        await leaving_no_task(test(*args, **named))

    return watched


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """The loop of an async test: one whose clock jumps where it is marked `virtual_time`."""
    if item.get_closest_marker("virtual_time"):
        return {"virtual": VirtualTimeLoop}
    return {"real": asyncio.new_event_loop}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The rooms come first, since they take longest."""
    items.sort(key=lambda item: not in_a_room(item))


@dataclass(frozen=True, slots=True)
class Database:
    """A database of one's own, with the schema in it."""

    url: str
    admin_url: str


def _with_database(url: str, name: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{name}"))


_MEMORY: Final = Path("/dev/shm")
_LEAST_MEMORY_BYTES: Final = 2 * 2**30
"""Containers often have 64 MB there, which a Postgres' log fills."""


@contextmanager
def open_directory(*, within: Path | None = None) -> Iterator[Path]:
    """A temporary directory that the user whom Postgres runs as can enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="moim-test-", dir=within) as name:
        path = Path(name)
        path.chmod(0o755)
        yield path


@asynccontextmanager
async def migrated_postgres(directory: Path, *, durable: bool = False) -> AsyncIterator[EmbeddedPostgres]:
    """A Postgres with the schema in its database `moim`, that whoever started it may stop, freeze and kill."""
    server = EmbeddedPostgres(directory / "postgres", durable=durable)
    await server.start()
    try:
        await migrate(server.admin_url, server.url)
        yield server
    finally:
        await server.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[EmbeddedPostgres]:
    """The run's Postgres, the schema migrated into its database `moim`.

    In memory, where there is any: a database is some three hundred files, which on a disk are a tenth of a second
    of a core, mostly the kernel's, for each test.
    """
    roomy = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free > _LEAST_MEMORY_BYTES
    with open_directory(within=_MEMORY if roomy else None) as directory:
        yield from _postgres_server(directory)


def _postgres_server(directory: Path) -> Iterator[EmbeddedPostgres]:
    server = EmbeddedPostgres(directory / "postgres", durable=False)

    async def start() -> None:
        await server.start()
        await migrate(server.admin_url, server.url)

    asyncio.run(start())
    try:
        yield server
    finally:
        asyncio.run(server.stop())


class Databases:
    """Copies of the migrated database. The next one is made while a test has the one before."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server
        self._hands = ThreadPoolExecutor(max_workers=1, thread_name_prefix="databases")
        self._next = self._hands.submit(self._make)
        self._dropped: list[Future[None]] = []

    def take(self) -> Database:
        """One that is nobody else's."""
        made, self._next = self._next.result(), self._hands.submit(self._make)
        return made

    def drop(self, database: Database) -> None:
        """Not needed any more; some time soon."""
        name = urlsplit(database.url).path.removeprefix("/")
        self._dropped.append(self._hands.submit(self._ask, f"DROP DATABASE {name} WITH (FORCE)"))

    def close(self) -> None:
        """Wait for what is under way. Raises what went wrong with it."""
        self._hands.shutdown()
        for dropped in self._dropped:
            dropped.result()

    def _make(self) -> Database:
        name = f"test_{next(_numbers)}"
        self._ask(f"CREATE DATABASE {name} TEMPLATE moim STRATEGY file_copy")
        return Database(
            url=_with_database(self._server.url, name), admin_url=_with_database(self._server.admin_url, name)
        )

    def _ask(self, statement: str) -> None:
        async def ask() -> None:
            owner = await asyncpg.connect(_with_database(self._server.admin_url, "postgres"))
            try:
                await owner.execute(statement)
            finally:
                await owner.close()

        asyncio.run(ask())


@pytest.fixture(scope="session")
def databases(postgres_server: EmbeddedPostgres) -> Iterator[Databases]:
    """The run's databases."""
    made = Databases(postgres_server)
    yield made
    made.close()


@pytest.fixture
def database(databases: Databases) -> Iterator[Database]:
    """An empty, migrated database for one test."""
    made = databases.take()
    yield made
    databases.drop(made)


@pytest.fixture
async def pool(database: Database) -> AsyncIterator[PostgresPool]:
    """A pool of the app's role on a database of this test's own."""
    pool = PostgresPool(database.url)
    yield pool
    await pool.aclose()


@pytest.fixture
async def owner(database: Database) -> AsyncIterator[asyncpg.Connection[asyncpg.Record]]:
    """A connection of the schema's owner, who sees all tenants, to this test's database."""
    connection = await asyncpg.connect(database.admin_url)
    yield connection
    await connection.close()


async def cut_off_others(owner: asyncpg.Connection[asyncpg.Record]) -> None:
    """End all other connections to the database of `owner`, as an operator may."""
    await owner.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )


@pytest.fixture(scope="session")
def valkey_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedValkey]:
    """The run's Valkey."""
    server = EmbeddedValkey(Path(tmp_path_factory.mktemp("valkey")), durable=False)
    asyncio.run(server.start())
    try:
        yield server
    finally:
        asyncio.run(server.stop())


@pytest.fixture
async def redis_url(valkey_server: EmbeddedValkey) -> str:
    """An empty Valkey for one test."""
    async with redis.Redis.from_url(valkey_server.url) as client:
        await client.flushall()
    return valkey_server.url
