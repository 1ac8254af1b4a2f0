"""The worker asks for no more than it needs, in the room and of LiveKit."""

from __future__ import annotations

import pytest
from livekit.agents.worker import WorkerPermissions
from livekit.protocol.models import TrackSource

from worker.configuration.settings import Settings
from worker.process.room_server import room_server

LIVEKIT = {
    "LIVEKIT_URL": "ws://127.0.0.1:7880",
    "LIVEKIT_API_KEY": "key",
    "LIVEKIT_API_SECRET": "secret-of-thirty-two-characters-x",
}


def asked_for(monkeypatch: pytest.MonkeyPatch, **more: str) -> WorkerPermissions:
    """What `AgentServer` is given, and registers with."""
    given: dict[str, object] = {}
    from livekit import agents

    whole = agents.AgentServer.__init__

    def listening(server: agents.AgentServer, **options: object) -> None:
        given.update(options)
        whole(server, **options)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr(agents.AgentServer, "__init__", listening)
    room_server(Settings.from_env(LIVEKIT | more), list, on_registered=lambda: None)
    permissions = given["permissions"]
    assert isinstance(permissions, WorkerPermissions)
    return permissions


def test_it_listens_writes_and_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_for(monkeypatch)
    assert asked == WorkerPermissions(
        can_publish=False,
        can_subscribe=True,
        can_publish_data=True,
        can_update_metadata=True,
        can_publish_sources=[],
        hidden=False,
    )


def test_only_a_voice_brings_a_track_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = asked_for(monkeypatch, TTS_ENGINE="livekit:tests.fakes.livekit_tts:factory")
    assert asked.can_publish
    assert asked.can_publish_sources == [TrackSource.MICROPHONE]
    assert not asked.hidden
