"""What holding meetings takes, wired by the settings. Tests build `Parts` of fakes instead."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from context.corpora.passage import Retriever
from context.fold.meeting import Meeting
from context.ports import MeetingStore
from stt.segment import SpeechEngine
from worker.adapters.redis_bus import RedisBus
from worker.adapters.redis_outlet import RedisOutlet
from worker.agent.calls.deadlines import VECTORS_OF_THE_RECORD_S, Deadlines
from worker.agent.term_sources import TermSources
from worker.bootstrap.database import Database, database
from worker.bootstrap.embedders import embedder, search_floor
from worker.bootstrap.language_models import tokenizer_of
from worker.bootstrap.speech_engines import speech_engine
from worker.bootstrap.streams import bus_if_any
from worker.bootstrap.thinking import Thinking, thinking
from worker.bootstrap.traces import spans
from worker.clock import Clock, SystemClock, monotonic_s
from worker.configuration.settings import Settings
from worker.meeting.correcting import Correcting
from worker.monitoring.metrics import Metrics, process_metrics
from worker.monitoring.observer import MeetingObserver, Observer
from worker.monitoring.spans import Spans
from worker.monitoring.tracing import TracingObserver
from worker.outlets import Outlets
from worker.participants.expected_terms import WrittenTerms
from worker.passages.indexers import MeetingIndexers
from worker.passages.passage_store import PassageStore, Sweeper, TextEmbedder
from worker.passages.retrieving import CorporaRetriever
from worker.passages.vector_cache import VectorCache
from worker.ports import LeaseStore
from worker.pressure import Pressure
from worker.record.batching import SharedRenewals
from worker.record.renewal_thread import RenewalThread, renewal_thread


@dataclass(slots=True)
class Parts:
    """The parts that all meetings of a process share: stores, engines, metrics, clock."""

    settings: Settings
    tables: Database
    store: MeetingStore
    """What is recorded of meetings: `tables.record`, or what gathers the appends of many meetings for it."""
    bus: RedisBus | None
    """The streams of Redis; None without REDIS_URL."""
    engine: SpeechEngine | None
    """None where STT_ENGINE is none."""
    thinker: Thinking
    indexers: MeetingIndexers
    retriever: Retriever
    metrics: Metrics
    observer: Observer
    clock: Clock
    written_terms: WrittenTerms | None = None
    """What may be talked of that stands in documents and earlier meetings; None: nothing is looked for."""
    pressure: Pressure = field(default_factory=lambda: Pressure(monotonic_s))
    """How hard it is for this process to keep up, and so what gives way."""
    renewals: RenewalThread | None = None
    """Where leases are renewed; None: on the loop of their meetings."""
    spans: Spans | None = None
    """Where the time of turns, answers and takeovers is told; None: nowhere."""

    def outlets(self, meeting_id: str) -> Outlets:
        """Give the places where a meeting is shown so far: its stream, where there is a Redis."""
        return Outlets() if self.bus is None else Outlets(RedisOutlet(self.bus, meeting_id))

    def observer_of(self, meeting: Meeting, epoch: int) -> Observer:
        """Give what observes a meeting for its holder of this epoch."""
        if self.spans is None:
            return self.observer
        return TracingObserver(
            self.metrics,
            self.spans,
            meeting,
            tenant=self.settings.process.tenant,
            epoch=epoch,
            clock=self.clock,
        )


@asynccontextmanager
async def parts(
    settings: Settings,
    *,
    connections: int = 3,
    many: bool = False,
    traced: bool = False,
    of_record: bool = False,
) -> AsyncIterator[Parts]:
    """Open everything that holding a meeting takes. Nothing is connected before it is used.

    `connections` bounds those to Postgres, besides the one by which leases are renewed. `many`: leases
    of several meetings are renewed together. `traced`: spans are told of the meetings that are held with it,
    where the settings ask for them. `of_record`: questions here are about meetings that are over.
    Raises `ConfigError` where a setting that is needed is missing.
    """
    metrics = process_metrics()
    async with AsyncExitStack() as stack:
        traced_spans = await stack.enter_async_context(spans(settings)) if traced else None  # closed last
        tables = await stack.enter_async_context(database(settings, max_size=connections))
        redis = await stack.enter_async_context(bus_if_any(settings))
        encoder = await stack.enter_async_context(embedder(settings))
        pressure = Pressure(monotonic_s)
        engine = await stack.enter_async_context(
            speech_engine(
                settings,
                on_reading=metrics.stretch_read,
                gives_way=lambda: pressure.gives_way("interims"),
            )
        )
        indexers = _indexers(settings, tables.passages, encoder, pressure, keep_vectors=of_record)
        retriever = _retriever(settings, tables.passages, encoder)
        renewals = await stack.enter_async_context(renewal_thread(lambda: _renewed(settings, many=many)))
        thinker = await stack.enter_async_context(
            thinking(
                settings,
                metrics,
                embedder=encoder,
                retriever=retriever,
                encoder=indexers,
                deadlines=Deadlines(encoder_s=VECTORS_OF_THE_RECORD_S) if of_record else None,
            )
        )
        yield Parts(
            settings=settings,
            tables=tables,
            store=tables.record,
            bus=redis,
            engine=engine,
            thinker=thinker,
            indexers=indexers,
            retriever=retriever,
            metrics=metrics,
            observer=MeetingObserver(metrics),
            clock=SystemClock(),
            written_terms=TermSources(tables.passages),
            pressure=pressure,
            renewals=renewals,
            spans=traced_spans,
        )


def _indexers(
    settings: Settings,
    passages: PassageStore,
    encoder: TextEmbedder | None,
    pressure: Pressure,
    *,
    keep_vectors: bool,
) -> MeetingIndexers:
    return MeetingIndexers(
        encoder,
        passages,
        gives_way=lambda: pressure.gives_way("embeddings"),
        budgets=settings.budgets,
        kept=VectorCache() if keep_vectors else None,
    )


def _retriever(settings: Settings, passages: PassageStore, encoder: TextEmbedder | None) -> CorporaRetriever:
    return CorporaRetriever(
        passages,
        tokenizer_of(settings),
        embedder=encoder,
        floor=search_floor(encoder.name if encoder is not None else ""),
        tiers=settings.budgets.cache_levels,
    )


@asynccontextmanager
async def _renewed(settings: Settings, *, many: bool) -> AsyncIterator[LeaseStore]:
    """Open leases by a connection of their own, so that a renewal waits for nothing else."""
    async with database(settings, max_size=1) as tables:
        if not many:
            yield tables.leases
            return
        shared = SharedRenewals(tables.leases, tables.leases)
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(shared.run(), name="renewals")
            yield shared
            running.cancel()


@asynccontextmanager
async def sweeper(
    settings: Settings, gives_way: Callable[[], bool] = lambda: False
) -> AsyncIterator[Sweeper | None]:
    """Open what embeds passages that were left without a vector; None where EMBED_ENGINE is none.

    `gives_way`: whether that is to wait now.
    """
    async with embedder(settings) as encoder:
        if encoder is None:
            yield None
            return
        async with database(settings, max_size=1) as tables:
            yield Sweeper(tables.passages, encoder, gives_way=gives_way)


def correcting(shared: Parts, tables: Database) -> Correcting:
    """Build what writes meetings again that are over: corrections, erasures, late summaries."""
    return Correcting(
        tables.record,
        tables.leases,
        shared.thinker,
        shared.settings,
        passages=shared.indexers,
        bus=shared.bus,
        clock=shared.clock,
        erasures=tables.erasures,
        shown=shared.bus,
    )
