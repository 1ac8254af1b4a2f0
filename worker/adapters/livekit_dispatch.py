"""LiveKit's room and dispatch services as the dispatcher's `Placement` and `Rooms`.

Every method raises `Unavailable` where LiveKit does not answer, and `Refused` where it does not take our key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from typing import Any, Final, Self, TypeVar

import aiohttp
from livekit import api
from livekit.protocol import agent, agent_dispatch
from livekit.protocol.models import ParticipantInfo
from pydantic import SecretStr

from context.ports import Refused, Unavailable
from context.primitives.guest_identity import link_of
from worker.adapters.livekit_tokens import shorten_token_lives
from worker.clock import now_utc
from worker.errors import why_unreached
from worker.job_metadata import JobMetadata
from worker.ports import RoomSeen

EMPTY_TIMEOUT_S: Final = 300
"""LiveKit closes a room that nobody joins after this."""
DEPARTURE_TIMEOUT_S: Final = 20
"""LiveKit closes a room this long after its last human left: time for the closing summary."""
_DEADLINE_S: Final = 10.0

_UNDER_WAY: Final = (agent.JobStatus.JS_PENDING, agent.JobStatus.JS_RUNNING)
_NANO: Final = 1e9
_NO_HUMANS: Final = (ParticipantInfo.Kind.AGENT, ParticipantInfo.Kind.EGRESS)

T = TypeVar("T")


class LiveKitDispatch:
    """`Placement` and `Rooms` on a LiveKit server, within the block that it is entered for (`async with`)."""

    def __init__(
        self, url: str, api_key: str, api_secret: SecretStr, *, agent_name: str, tenant: str = "default"
    ) -> None:
        """Ask for jobs of `agent_name`.

        `tenant`: only its dispatches are ours, where several tenants' agents have the same name.
        """
        shorten_token_lives()
        self._agent_name, self._tenant = agent_name, tenant
        self._settings = (url, api_key, api_secret)
        self._livekit: api.LiveKitAPI

    async def __aenter__(self) -> Self:
        """Open the HTTP session."""
        url, key, secret = self._settings
        deadline = aiohttp.ClientTimeout(total=_DEADLINE_S)
        self._livekit = api.LiveKitAPI(url, key, secret.get_secret_value(), timeout=deadline)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the HTTP session."""
        await self._livekit.aclose()

    async def ensure_room(self, room: str) -> None:
        """Make the room if there is none; an existing one stays as it is."""
        wanted = api.CreateRoomRequest(
            name=room, empty_timeout=EMPTY_TIMEOUT_S, departure_timeout=DEPARTURE_TIMEOUT_S
        )
        await _called(self._livekit.room.create_room(wanted))

    async def existing(self, rooms: list[str]) -> set[str]:
        """Return the names among `rooms` of which LiveKit has a room."""
        answer = await _called(self._livekit.room.list_rooms(api.ListRoomsRequest(names=rooms)))
        return {room.name for room in answer.rooms}

    async def entered(self, fits: Callable[[str], bool]) -> list[RoomSeen]:
        """Return the rooms whose name `fits` and in which somebody is, human or not."""
        answer = await _called(self._livekit.room.list_rooms(api.ListRoomsRequest()))
        return [
            RoomSeen.of(room.name, created_ms=room.creation_time_ms, created_s=room.creation_time)
            for room in answer.rooms
            if room.num_participants and fits(room.name)
        ]

    async def has_human(self, room: str) -> bool:
        """Tell whether somebody other than agents and recorders is in the room."""
        answer = await _called(self._livekit.room.list_participants(api.ListParticipantsRequest(room=room)))
        return any(person.kind not in _NO_HUMANS for person in answer.participants)

    async def remove(self, room: str, identity: str) -> None:
        """Have somebody leave the room; nothing happens where they have left already."""
        wanted = api.RoomParticipantIdentity(room=room, identity=identity)
        try:
            await _called(self._livekit.room.remove_participant(wanted))
        except Unavailable as error:
            if not _is_not_found(error.__cause__):
                raise

    async def remove_guests(self, room: str, links: Collection[str]) -> list[str]:
        """Have the guests by these links leave the room; give who they were."""
        answer = await _called(self._livekit.room.list_participants(api.ListParticipantsRequest(room=room)))
        theirs = [
            participant.identity
            for participant in answer.participants
            if link_of(participant.identity) in links
        ]
        for identity in theirs:
            await self.remove(room, identity)
        return theirs

    async def place(self, room: str, metadata: JobMetadata) -> None:
        """Ask for a job that gets `metadata`. A holder's replaces earlier dispatches of holders in the room.

        No lease stands where one is asked for, so earlier ones belong to dead jobs. A standby's is left: to
        withdraw a dispatch ends its job, and that one may be about to take over.
        """
        if not metadata.standby:
            await self._delete(room, lambda old: not old.standby)
        wanted = api.CreateAgentDispatchRequest(
            agent_name=self._agent_name, room=room, metadata=metadata.encode()
        )
        await _called(self._livekit.agent_dispatch.create_dispatch(wanted))

    async def starting(self, room: str, meeting_id: str, within_s: float) -> bool:
        """Tell whether a worker has taken a dispatch of this meeting that is younger than `within_s` seconds.

        Its age is taken from LiveKit's clock and ours: where they differ by more, no dispatch is young.
        """
        now_s = now_utc().timestamp()
        return any(
            job.state.status in _UNDER_WAY
            for one, metadata in await self._ours(room)
            if metadata.meeting_id == meeting_id
            and not metadata.standby
            and abs(now_s - one.state.created_at / _NANO) <= within_s
            for job in one.state.jobs
        )

    async def withdraw(self, room: str, meeting_id: str) -> None:
        """Delete this meeting's dispatches; nothing happens where room or dispatch is gone."""
        if room in await self.existing([room]):
            await self._delete(room, lambda old: old.meeting_id == meeting_id)

    async def _ours(self, room: str) -> list[tuple[agent_dispatch.AgentDispatch, JobMetadata]]:
        """Return the room's dispatches of our agent and tenant, each with its metadata."""
        dispatches = await _called(self._livekit.agent_dispatch.list_dispatch(room_name=room))
        own = [
            (one, JobMetadata.decode(one.metadata))
            for one in dispatches
            if one.agent_name == self._agent_name
        ]
        return [(one, metadata) for one, metadata in own if metadata.is_of(self._tenant)]

    async def _delete(self, room: str, meant: Callable[[JobMetadata], bool]) -> None:
        for one, metadata in await self._ours(room):
            if meant(metadata):
                await _called(self._livekit.agent_dispatch.delete_dispatch(one.id, room))


def _is_not_found(error: BaseException | None) -> bool:
    return isinstance(error, api.TwirpError) and error.code == "not_found"


async def _called(call: Coroutine[Any, Any, T]) -> T:
    try:
        return await call
    except api.TwirpError as error:
        # A wrong key is refused in plain text, before Twirp: then only the status tells.
        code = "" if error.code == "unknown" else error.code
        reason = f"{code} {error.status} {error.message}".strip()
        if error.status in {401, 403} or error.code in {"unauthenticated", "permission_denied"}:
            raise Refused(
                f"LiveKit refuses us ({reason}): check LIVEKIT_API_KEY and LIVEKIT_API_SECRET"
            ) from error
        if error.status == 404 and error.code == "unknown":
            raise Refused(f"no LiveKit server answers there ({reason}): check LIVEKIT_URL") from error
        raise Unavailable(f"LiveKit: {reason}") from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise Unavailable(f"LIVEKIT_URL: LiveKit cannot be reached: {why_unreached(error)}") from error
