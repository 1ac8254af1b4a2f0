"""Choosing a meeting's adapters by the settings, and wiring them to what needs them.

Adapters that few commands need are imported when they are used: a job process loads no HTTP client that its
settings do not ask for. Tests build `Parts` of fakes instead.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from context.corpora.passage import Retriever
from context.meeting import Meeting
from context.ports import MeetingStore, Tokenizer
from stt.segment import SpeechEngine
from worker.adapters.context_cache_files import ContextCacheFiles
from worker.adapters.postgres_erasures import PostgresErasures
from worker.adapters.postgres_leases import PostgresLeases, PostgresStandbys
from worker.adapters.postgres_passages import PostgresPassages
from worker.adapters.postgres_people import PostgresConsents
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.postgres_registry import PostgresRegistry
from worker.adapters.postgres_store import PostgresLateWords, PostgresStore
from worker.adapters.redis_bus import RedisBus
from worker.adapters.redis_streams import StreamNames
from worker.agent.earlier import EarlierMeetings
from worker.audit import Consents
from worker.clock import Clock, SystemClock
from worker.configuration.settings import Settings
from worker.engines.embedders import embedder
from worker.engines.language_models import mask_of, tokenizer_of
from worker.engines.speech_engines import speech_engine
from worker.engines.thinking import Thinking, thinking
from worker.erasures import Erasures
from worker.errors import InputError
from worker.monitoring.metrics import Metrics, process_metrics
from worker.monitoring.observer import MeetingObserver, Observer
from worker.passages.indexing import MeetingIndexers
from worker.passages.retrieving import CorporaRetriever
from worker.passages.store import PassageStore, Sweeper
from worker.ports import LeaseStore, MeetingRegistry, Standbys
from worker.record.restoring import load_minutes, read_meeting

if TYPE_CHECKING:
    from worker.adapters.livekit_dispatch import LiveKitDispatch
    from worker.push.pusher import Pusher


@dataclass(slots=True)
class Parts:
    """What all meetings of a process share."""

    settings: Settings
    store: MeetingStore
    leases: LeaseStore
    registry: MeetingRegistry
    standbys: Standbys
    bus: RedisBus | None
    """The streams of Redis; None without REDIS_URL."""
    engine: SpeechEngine | None
    """None where STT_ENGINE is none."""
    thinker: Thinking
    indexers: MeetingIndexers
    retriever: Retriever
    tokenizer: Tokenizer
    metrics: Metrics
    observer: Observer
    clock: Clock
    earlier: EarlierMeetings | None = None
    """What meetings leave to the next one in their room; None: nothing."""
    erasures: Erasures | None = None
    """Words that are to be erased from meetings; None: nobody can ask for it."""
    consents: Consents | None = None
    """People's answers of earlier meetings on whether they may be heard; None: they are not known."""
    late: PostgresLateWords | None = None
    """Turns of dead jobs' spools, offered to whoever holds their meeting; None: none are offered."""


@asynccontextmanager
async def parts(
    settings: Settings, *, connections: int = 3, topics_embedded: bool = True
) -> AsyncIterator[Parts]:
    """Open everything that holding a meeting takes. Nothing is connected before it is used.

    `connections` bounds those to Postgres. Without `topics_embedded`, embeddings have no say in where topics
    begin. Raises `ConfigError` where a setting that is needed is missing.
    """
    metrics = process_metrics()
    async with AsyncExitStack() as stack:
        pool = await stack.enter_async_context(database(settings, max_size=connections))
        redis = (
            await stack.enter_async_context(bus(settings)) if settings.redis.url.get_secret_value() else None
        )
        engine = await stack.enter_async_context(speech_engine(settings))
        encoder = await stack.enter_async_context(embedder(settings))
        passages = PostgresPassages(pool)
        indexers = MeetingIndexers(encoder, passages, for_topics=topics_embedded)
        retriever = CorporaRetriever(passages, tokenizer_of(settings), embedder=encoder)
        earlier = earlier_meetings(settings, passages)
        thinker = await stack.enter_async_context(
            thinking(
                settings,
                metrics,
                embedder=encoder,
                retriever=retriever,
                earlier=earlier,
                encoder=indexers,
            )
        )
        yield Parts(
            settings=settings,
            store=PostgresStore(pool),
            leases=PostgresLeases(pool),
            registry=PostgresRegistry(pool),
            standbys=PostgresStandbys(pool),
            bus=redis,
            engine=engine,
            thinker=thinker,
            indexers=indexers,
            retriever=retriever,
            tokenizer=thinker.tokenizer,
            metrics=metrics,
            observer=MeetingObserver(metrics),
            clock=SystemClock(),
            earlier=earlier,
            erasures=PostgresErasures(pool),
            consents=PostgresConsents(pool),
            late=PostgresLateWords(pool),
        )


def earlier_meetings(settings: Settings, passages: PassageStore) -> EarlierMeetings:
    """Build what meetings leave to the next one in their room, out of the tenant's `context_cache`."""
    folder = context_cache(settings)
    return EarlierMeetings(
        folder.within,
        passages,
        tokenizer_of(settings),
        now=SystemClock().now_utc,
        budgets=settings.budgets,
    )


def context_cache(settings: Settings) -> ContextCacheFiles:
    """Give the tenant's folder of the context cache on this machine's disk (seed 004)."""
    return ContextCacheFiles(settings.process.state_dir / "context_cache").within(settings.agent.tenant)


@asynccontextmanager
async def database(settings: Settings, *, max_size: int = 3) -> AsyncIterator[PostgresPool]:
    """Open a pool of connections to Postgres, as the app's own role, for this process's tenant."""
    settings.require("DATABASE_URL")
    pool = PostgresPool(settings.database.url.get_secret_value(), settings.agent.tenant, max_size=max_size)
    try:
        yield pool
    finally:
        await pool.aclose()


@asynccontextmanager
async def registry(settings: Settings) -> AsyncIterator[PostgresRegistry]:
    """Open the registry of meetings, with connections of its own."""
    async with database(settings) as pool:
        yield PostgresRegistry(pool)


@asynccontextmanager
async def store(settings: Settings) -> AsyncIterator[PostgresStore]:
    """Open the record, with connections of its own."""
    async with database(settings) as pool:
        yield PostgresStore(pool)


@asynccontextmanager
async def bus(settings: Settings) -> AsyncIterator[RedisBus]:
    """Open the streams of Redis. Raises `ConfigError` without REDIS_URL."""
    settings.require("REDIS_URL")
    redis = RedisBus(
        settings.redis.url.get_secret_value(),
        names=stream_names(settings),
        token=settings.agent.api_token.get_secret_value(),
        on_refused=lambda stream: process_metrics().command_refused(stream),
    )
    try:
        yield redis
    finally:
        await redis.aclose()


def stream_names(settings: Settings) -> StreamNames:
    """Give the names of the tenant's keys in Redis."""
    return StreamNames(settings.agent.tenant, old_keys=settings.redis.old_keys)


async def load_meeting(meetings: MeetingStore, meeting_id: str, settings: Settings) -> Meeting:
    """Fold a meeting from its record, to look at. Raises `InputError` where nothing is on record."""
    meeting = await read_meeting(meetings, meeting_id, settings)
    if meeting is None:
        raise InputError(
            f"nothing is on record of meeting {meeting_id!r}: `moim meetings` shows whether it is live"
        )
    return meeting


@asynccontextmanager
async def placement(settings: Settings) -> AsyncIterator[LiveKitDispatch]:
    """Open LiveKit's room and dispatch services. Raises `ConfigError` where LIVEKIT_* are not set."""
    from worker.adapters.livekit_dispatch import LiveKitDispatch

    settings.require("LIVEKIT_URL", "LIVEKIT_API_KEY", "LIVEKIT_API_SECRET")
    livekit = settings.livekit
    async with LiveKitDispatch(
        livekit.url,
        livekit.api_key,
        livekit.api_secret,
        agent_name=settings.agent.name,
        tenant=settings.agent.tenant,
    ) as dispatch:
        yield dispatch


@asynccontextmanager
async def pusher(settings: Settings, metrics: Metrics) -> AsyncIterator[Pusher | None]:
    """Open the pusher, with connections of its own; None without MOIM_WEBHOOK_URL."""
    if not settings.webhook.url:
        yield None
        return
    from worker.adapters.postgres_pushes import PostgresPushes
    from worker.adapters.webhook_receiver import WebhookReceiver
    from worker.push.pusher import Pusher

    webhook = settings.webhook
    async with (
        database(settings) as pool,
        WebhookReceiver(webhook.url, webhook.secret.get_secret_value(), clock=SystemClock()) as receiver,
    ):

        async def minutes(meeting_id: str) -> Mapping[str, Any] | None:
            row = await PostgresRegistry(pool).get(meeting_id)
            return None if row is None else await load_minutes(PostgresStore(pool), row, settings)

        yield Pusher(PostgresPushes(pool, minutes, mask=mask_of(settings)), receiver, metrics)


@asynccontextmanager
async def sweeper(settings: Settings) -> AsyncIterator[Sweeper | None]:
    """Open what embeds passages that were left without a vector; None where EMBED_ENGINE is none."""
    async with embedder(settings) as encoder:
        if encoder is None:
            yield None
            return
        async with database(settings, max_size=1) as pool:
            yield Sweeper(PostgresPassages(pool), encoder)
