"""The dispatcher's socket for the commands of its machine: whom it lets in, what it answers, who finds it."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from context.ports import Unavailable
from tests.unit.worker.web.server import Site
from worker.audit_log import login
from worker.commands.dispatcher_client import NoDispatcher, asked
from worker.configuration.settings import Settings
from worker.configuration.sockets import dispatcher_socket
from worker.errors import InputError
from worker.web.api import api_for_commands
from worker.web.local_socket import commands_socket

URL = "postgresql://app:secret@db/moim"
REPLY = {"text": "출시일은 11월 20일입니다.", "via": "cli"}


def on_machine(tmp_path: Path, *, tenant: str = "default", url: str = URL) -> Settings:
    return Settings.from_env({"DATABASE_URL": url, "MOIM_TENANT": tenant, "MOIM_STATE_DIR": str(tmp_path)})


@pytest.fixture
async def machine(site: Site, tmp_path: Path) -> AsyncIterator[Settings]:
    """The settings of a machine on which a dispatcher has its socket."""
    settings = on_machine(tmp_path)
    async with commands_socket(api_for_commands(site.parts), dispatcher_socket(settings)):
        yield settings


async def ask(settings: Settings, meeting_id: str, text: str, **more: Any) -> list[str | dict[str, Any]]:
    question = {"text": text, **more}
    return await asyncio.to_thread(lambda: list(asked(settings, meeting_id, question)))


async def test_a_command_gets_the_answer_piece_by_piece_as_the_operator(
    site: Site, machine: Settings
) -> None:
    await site.hold("회의/1")
    site.answers.pieces = ["출시일은 ", "11월 20일입니다.", REPLY]
    flags = {"retrieval_mode": "bm25"}
    assert await ask(machine, "회의/1", "출시일은?", features=flags) == site.answers.pieces
    (question,) = site.answers.asked
    assert (question.by, question.via, question.private) == ("cli ~", "cli", False)
    assert question.features == flags
    (row,) = site.audit.rows
    assert (row.who, row.how, row.action) == (f"operator {login(os.getuid())}", "command", "ask")


@pytest.mark.parametrize("text", ["/rate 0.3", "기록 멈춰", "Moim, stop recording"])
async def test_an_order_is_put_as_it_stands_as_by_any_command(
    site: Site, machine: Settings, text: str
) -> None:
    await site.hold()
    site.answers.pieces = [REPLY]
    await ask(machine, "m-1", text)
    assert [question.text for question in site.answers.asked] == [text]


async def test_what_the_asker_can_mend_is_told_as_the_command_tells_it(site: Site, machine: Settings) -> None:
    with pytest.raises(InputError, match="there is no meeting 'm-none': `moim meetings` lists them"):
        await ask(machine, "m-none", "?")
    await site.registry.want("room", meeting_id="m-soon")
    with pytest.raises(InputError, match="nothing is on record of meeting 'm-soon'"):
        await ask(machine, "m-soon", "When?")
    with pytest.raises(InputError, match="at most 4000"):
        await ask(machine, "m-soon", "?" * 5_000)


async def test_an_answer_that_breaks_off_is_no_answer(site: Site, machine: Settings) -> None:
    await site.hold()
    site.answers.pieces, site.answers.error = ["출시일은 "], Unavailable("the model is away")
    with pytest.raises(Unavailable, match="the model is away"):
        await ask(machine, "m-1", "출시일은?")


async def test_nobody_else_may_open_it_and_it_serves_no_more_than_commands_use(
    machine: Settings,
) -> None:
    path = dispatcher_socket(machine)
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
    connector = aiohttp.UnixConnector(str(path))
    async with aiohttp.ClientSession(connector=connector) as client:
        for method, address in (("GET", "/v1/meetings"), ("POST", "/v1/erasures"), ("GET", "/metrics")):
            async with client.request(method, f"http://moim{address}") as response:
                assert response.status in {404, 405}


async def test_other_meetings_have_another_socket(tmp_path: Path) -> None:
    paths = {
        dispatcher_socket(on_machine(tmp_path)),
        dispatcher_socket(on_machine(tmp_path, tenant="other")),
        dispatcher_socket(on_machine(tmp_path, url="postgresql://app:secret@db/other")),
    }
    assert len(paths) == 3
    assert dispatcher_socket(on_machine(tmp_path, url=URL.replace("secret", "new"))) in paths
    with pytest.raises(NoDispatcher):
        await ask(on_machine(tmp_path), "m-1", "?")


async def test_the_newest_dispatcher_has_it_and_one_that_goes_leaves_it_to_a_newer_one(
    site: Site, tmp_path: Path
) -> None:
    settings = on_machine(tmp_path / "not there yet")
    path = dispatcher_socket(settings)
    await site.hold()
    site.answers.pieces = [REPLY]
    older = commands_socket(api_for_commands(site.parts), path)
    await older.__aenter__()
    async with commands_socket(api_for_commands(site.parts), path):
        await older.__aexit__(None, None, None)
        assert await ask(settings, "m-1", "?") == [REPLY]
    assert not path.exists()
    with pytest.raises(NoDispatcher):
        await ask(settings, "m-1", "?")


async def test_a_dead_dispatchers_socket_is_none(tmp_path: Path, site: Site) -> None:
    settings = on_machine(tmp_path)
    path = dispatcher_socket(settings)
    path.touch()
    with pytest.raises(NoDispatcher):
        await ask(settings, "m-1", "?")
    async with commands_socket(api_for_commands(site.parts), path):
        assert path.is_socket()


async def test_without_a_folder_to_put_it_a_dispatcher_serves_on(site: Site, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    async with commands_socket(api_for_commands(site.parts), tmp_path / "file" / "s.sock"):
        assert await site.status("GET", "/v1/meetings") == 200
