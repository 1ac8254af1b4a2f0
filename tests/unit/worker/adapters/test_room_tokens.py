"""What the tokens that we mint allow, and for how long; and what an agent may do in a room."""

from __future__ import annotations

import ast
import base64
import json
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web
from livekit import agents
from livekit.api import access_token
from pydantic import SecretStr

from worker.adapters.livekit_dispatch import LiveKitDispatch
from worker.adapters.livekit_tokens import TTL, page_token, participant_token
from worker.configuration.settings import Settings
from worker.job_metadata import JobMetadata
from worker.monitoring.jobs import JobStatus
from worker.process.room_server import room_server

KEY, SECRET = "devkey", "s" * 40
TREE = Path(__file__).parents[4]


def claims(jwt: str) -> dict[str, Any]:
    body = jwt.split(".")[1]
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return found


def lives_s(jwt: str) -> float:
    found = claims(jwt)
    return float(found["exp"] - found["nbf"])


async def test_what_our_calls_to_livekit_carry_is_soon_worth_nothing() -> None:
    seen: list[str] = []

    async def note(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"].removeprefix("Bearer "))
        return web.Response(body=b"", content_type="application/protobuf")

    app = web.Application()
    app.router.add_post("/{any:.*}", note)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    async with LiveKitDispatch(
        f"http://127.0.0.1:{port}", KEY, SecretStr(SECRET), agent_name="moim"
    ) as livekit:
        await livekit.ensure_room("회의실")
        await livekit.existing(["회의실"])
        await livekit.entered(lambda _: True)
    await runner.cleanup()
    assert len(seen) == 3
    for jwt in seen:
        assert lives_s(jwt) <= 600
        assert "roomJoin" not in claims(jwt)["video"], "nobody could enter a room with it"


def test_a_worker_registers_with_a_token_that_is_soon_worth_nothing() -> None:
    """livekit-agents mints it with the SDK's default lifetime, which is ours."""
    _server()
    assert access_token.DEFAULT_TTL == TTL
    assert lives_s(access_token.AccessToken(KEY, SECRET).to_jwt()) <= 600


def test_a_token_of_the_page_is_good_for_two_minutes() -> None:
    """A guest's link may end at any moment, and there may be no worker in the room that looks at it."""
    assert lives_s(page_token(KEY, SECRET, "회의실", "minji", "김민지")) <= 120


def test_the_players_of_the_demo_get_one_room_and_ten_minutes_to_enter_it() -> None:
    jwt = participant_token(KEY, SECRET, "회의실", "minji", "김민지")
    assert lives_s(jwt) <= 600
    video = claims(jwt)["video"]
    assert (video["room"], video["roomJoin"]) == ("회의실", True)
    assert not {"roomAdmin", "roomCreate", "roomList", "canUpdateOwnMetadata"} & {
        k for k, v in video.items() if v
    }


def test_nothing_else_in_the_product_mints_one() -> None:
    minting = set()
    for package in ("worker", "stt", "context"):
        for path in (TREE / package).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "AccessToken" in text or "VideoGrants" in text:
                names = {node.attr for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Attribute)}
                if names & {"AccessToken", "VideoGrants"}:
                    minting.add(path.relative_to(TREE).as_posix())
    assert minting == {"worker/adapters/livekit_tokens.py"}


def _server(statuses: Sequence[JobStatus] = (), **more: str) -> agents.AgentServer:
    return room_server(
        Settings.from_env(
            {"LIVEKIT_URL": "ws://127.0.0.1:1", "LIVEKIT_API_KEY": KEY, "LIVEKIT_API_SECRET": SECRET, **more}
        ),
        lambda: statuses,
        on_registered=lambda: None,
    )


def test_an_agent_may_listen_and_write_and_no_more() -> None:
    rights = _server()._permissions
    assert (rights.can_subscribe, rights.can_publish_data) == (True, True)
    assert not rights.can_publish
    assert not rights.hidden, "people see that somebody listens"


class FakeRequest:
    def __init__(self, metadata: str) -> None:
        self.job = SimpleNamespace(metadata=metadata)
        self.accepted: dict[str, Any] | None = None
        self.rejected: dict[str, Any] | None = None

    async def accept(self, **how: Any) -> None:
        self.accepted = how

    async def reject(self, **how: Any) -> None:
        self.rejected = how


async def asked(metadata: JobMetadata, statuses: Sequence[JobStatus] = (), **environ: str) -> FakeRequest:
    request = FakeRequest(metadata.encode())
    accept = _server(statuses, **environ)._request_fnc
    assert accept is not None
    await accept(request)  # type: ignore[arg-type] # as much of a request as is looked at
    return request


@pytest.mark.parametrize("standby", [False, True])
async def test_an_agent_keeps_the_identity_that_livekit_gives_it(standby: bool) -> None:
    """One of our own would be a dead agent's as well: the ghost's eviction would end the new job."""
    request = await asked(JobMetadata(meeting_id="m-1", standby=standby))
    assert request.accepted is not None
    assert "identity" not in request.accepted


@pytest.mark.parametrize(
    ("tenant", "ours"), [(None, True), ("acme", True), ("default", False), ("acme ", False), ("Acme", False)]
)
async def test_another_tenants_meeting_is_left_to_another_worker(tenant: str | None, *, ours: bool) -> None:
    """Under one agent name it would be held as our own meeting of the same id, in another's room."""
    request = await asked(JobMetadata(meeting_id="ten1", tenant=tenant), MOIM_TENANT="acme")
    assert (request.accepted is not None) is ours
    assert request.rejected == (None if ours else {"terminate": False})


@pytest.mark.parametrize(
    ("status", "taken"),
    [
        ({}, True),
        ({"stt_backlog_s": 12.0}, True),
        ({"stt_backlog_s": 31.0}, False),
        ({"lag_s": 1.5}, False),
    ],
)
async def test_a_worker_at_its_limit_leaves_a_meeting_to_another(
    status: dict[str, float], *, taken: bool
) -> None:
    """LiveKit may ask for some seconds after we have told it that we are full."""
    request = await asked(JobMetadata(meeting_id="m-2"), [JobStatus(pid=1, meeting_id="m-1", **status)])
    assert (request.accepted is not None) is taken
    assert request.rejected == (None if taken else {"terminate": False})
