"""End-to-end encryption of a LiveKit room: whose sound Moim understands, with the key that it was given.

Facts that this rests on (run against livekit-server 1.13.5 and rtc 1.1.21). Without a key an encrypted track
plays as loud noise, with another key as silence. `e2ee_state_changed` tells OK with a participant's first
frame that was decrypted, and DECRYPTION_FAILED after `_TOLERATED_FAILURES` more in a row than could be; from
then on the SDK tries no more, until the key is set anew. Whoever joins with a key writes encrypted, too, and
who has none, or another, cannot read that. Everybody can read what was written by somebody without a key.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

import structlog
from livekit import rtc
from pydantic import SecretStr

from worker.adapters.livekit_tokens import notice_token

log = structlog.get_logger(__name__)

TRY_AGAIN_S: Final = 5.0
"""How often it is tried again to understand those who were not: they may have another key by now."""
_TOLERATED_FAILURES: Final = 25
"""Frames of 20 ms."""
_KEY_INDEX: Final = 0

WritePlainly = Callable[[str, list[str] | None], Awaitable[None]]
"""Writes a line into a room's chat, unencrypted, to these participants, or (None) to everybody."""


def encryption(key: SecretStr | None) -> rtc.E2EEOptions | None:
    """Give the options to join a room with; None without a key: a passphrase, as in LiveKit's SDKs."""
    if key is None:
        return None
    return rtc.E2EEOptions(
        key_provider_options=rtc.KeyProviderOptions(
            shared_key=key.get_secret_value().encode(),
            # As the browser's SDK has it. With a window, each frame that fails costs 16 derivations of a key.
            ratchet_window_size=0,
            failure_tolerance=_TOLERATED_FAILURES,
        )
    )


def is_encrypted(publication: rtc.TrackPublication) -> bool:
    """Tell whether a track's sound is end-to-end encrypted."""
    return bool(publication.encryption_type != rtc.EncryptionType.NONE)


class Decryption:
    """Whose sound can be decrypted in one room, as the SDK tells."""

    def __init__(self, room: rtc.Room, key: SecretStr | None) -> None:
        self._room, self._key = room, key
        self._understood: set[str] = set()
        self.proven = False
        """Whether somebody has been understood: then the key is the room's."""

    @property
    def keyed(self) -> bool:
        """Whether there is a key to try."""
        return self._key is not None

    def understands(self, identity: str) -> bool:
        """Tell whether the encrypted sound of a participant can be decrypted."""
        return identity in self._understood

    def told(self, identity: str, state: rtc.EncryptionState.ValueType) -> None:
        """Take what the SDK says of a participant (`e2ee_state_changed`)."""
        if state == rtc.EncryptionState.OK:
            self._understood.add(identity)
            self.proven = True
        elif state != rtc.EncryptionState.KEY_RATCHETED:
            self._understood.discard(identity)
        log.info("decryption_state", participant=identity, state=rtc.EncryptionState.Name(state))

    def left(self, identity: str) -> None:
        """Forget a participant, who may come back with another key."""
        self._understood.discard(identity)

    def try_again(self) -> None:
        """Let the SDK try again to decrypt what failed."""
        provider = self._room.e2ee_manager.key_provider
        if self._key is not None and provider is not None:
            provider.set_shared_key(self._key.get_secret_value().encode(), _KEY_INDEX)


def plain_writer(url: str, api_key: str, api_secret: str, room: rtc.Room) -> WritePlainly:
    """Make what writes unencrypted into a room that is joined with a key: a hidden guest of a moment.

    Raises whatever the SDK raises.
    """

    async def write(text: str, whom: list[str] | None) -> None:
        token = notice_token(api_key, api_secret, room.name, room.local_participant.identity)
        guest = rtc.Room()
        await guest.connect(url, token, rtc.RoomOptions(auto_subscribe=False))
        try:
            await guest.local_participant.send_text(text, topic="lk.chat", destination_identities=whom)
        finally:
            await guest.disconnect()

    return write
