"""Opens the webhook that minutes are pushed to."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import structlog

from context.ports import PortError
from worker.bootstrap.database import Database, database
from worker.bootstrap.language_models import mask_of
from worker.clock import SystemClock
from worker.configuration.settings import Settings
from worker.monitoring.metrics import Metrics
from worker.record.restoring import load_minutes

if TYPE_CHECKING:
    from worker.adapters.webhook_receiver import WebhookReceiver
    from worker.push.pusher import Pusher

log = structlog.get_logger(__name__)

_AGAIN_S: Final = 5.0


@asynccontextmanager
async def receiver(settings: Settings) -> AsyncIterator[WebhookReceiver]:
    """Open the webhook at MOIM_WEBHOOK_URL, which must be set."""
    from worker.adapters.webhook_receiver import WebhookReceiver

    webhook = settings.webhook
    async with WebhookReceiver(webhook.url, webhook.secret.get_secret_value(), clock=SystemClock()) as opened:
        yield opened


@asynccontextmanager
async def pusher(settings: Settings, metrics: Metrics) -> AsyncIterator[Pusher | None]:
    """Open the pusher, with connections of its own; None without MOIM_WEBHOOK_URL."""
    if not settings.webhook.url:
        yield None
        return
    from worker.adapters.postgres_pushes import PostgresPushes
    from worker.push.pusher import Pusher

    async with database(settings) as tables, receiver(settings) as webhook:

        async def minutes(meeting_id: str) -> Mapping[str, Any] | None:
            row = await tables.registry.get(meeting_id)
            return None if row is None else await load_minutes(tables.record, row, settings)

        yield Pusher(PostgresPushes(tables.pool, minutes, mask=mask_of(settings)), webhook, metrics)


async def keep_nothing_to_push(tables: Database) -> None:
    """Keep nothing for a webhook, since none is configured: one that is later begins then.

    A database that is away is waited for.
    """
    from worker.adapters.postgres_pushes import PostgresPushes

    while True:
        try:
            await PostgresPushes(tables.pool).close()
        except PortError as error:
            log.info("push_feed_not_closed", error=str(error))
            await asyncio.sleep(_AGAIN_S)
        else:
            return
