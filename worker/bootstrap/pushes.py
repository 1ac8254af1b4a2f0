"""Opens the webhook that minutes are pushed to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from worker.bootstrap.database import database
from worker.bootstrap.language_models import mask_of
from worker.clock import SystemClock
from worker.configuration.settings import Settings
from worker.monitoring.metrics import Metrics
from worker.record.restoring import load_minutes

if TYPE_CHECKING:
    from worker.adapters.webhook_receiver import WebhookReceiver
    from worker.push.pusher import Pusher


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
