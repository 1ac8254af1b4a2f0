"""Which embedder is configured, and what is between it and whoever asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Final

from worker.configuration.settings import Settings
from worker.embeddings.client import CalledEmbedder
from worker.engines.language_models import mask_of

if TYPE_CHECKING:
    from worker.adapters.openai_embedder import OpenAIEmbedder
    from worker.embeddings.client import OwnEmbedder, SharedEmbedder

_SOCKET_PATH_LIMIT: Final = 100
"""A Unix socket's path has about 108 bytes."""


def embedding_socket(settings: Settings) -> Path:
    """Where the machine's shared embedding engine listens."""
    path = settings.process.state_dir.absolute() / "embeddings.sock"
    if len(str(path)) <= _SOCKET_PATH_LIMIT:
        return path
    return Path(gettempdir()) / f"moim-embeddings-{sha256(str(path).encode()).hexdigest()[:16]}.sock"


@asynccontextmanager
async def embedder(
    settings: Settings, *, alone: bool = False, many: bool = False
) -> AsyncIterator[CalledEmbedder | None]:
    """The configured embedder, None where there is none; its connection is closed at the end.

    `alone`: for a command beside no worker; the local model then runs in this process, `many`: for more
    texts than a question.
    """
    made = _made(settings, alone=alone, many=many)
    if made is None:
        yield None
        return
    try:
        yield CalledEmbedder(made)
    finally:
        await made.aclose()


def _made(
    settings: Settings, *, alone: bool, many: bool
) -> SharedEmbedder | OwnEmbedder | OpenAIEmbedder | None:
    embed = settings.embed
    if embed.engine == "none":
        return None
    if embed.engine == "openai":
        from worker.adapters.openai_embedder import OpenAIEmbedder

        return OpenAIEmbedder(
            base_url=embed.base_url or None,
            api_key=embed.api_key,
            model=embed.model,
            mask=mask_of(settings),
        )
    from worker.embeddings.client import OwnEmbedder, SharedEmbedder

    if alone:
        return OwnEmbedder(settings.process.cache_dir, fast=many)
    return SharedEmbedder(embedding_socket(settings))
