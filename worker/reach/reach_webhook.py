"""`moim check` for the webhook: does somebody there take what we sign?"""

from __future__ import annotations

from urllib.parse import urlsplit

from context.ports import Refused, Unavailable
from worker.clock import SystemClock
from worker.configuration.settings import Settings


async def webhook(settings: Settings) -> str:
    """POST a signed `ping`. Raises `Refused` or `Unavailable` with what came back."""
    if not settings.webhook.url:
        return "MOIM_WEBHOOK_URL is not set: nothing is pushed"
    parts = urlsplit(settings.webhook.url)
    url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"  # no password, no query's token
    from worker.adapters.webhook_receiver import WebhookReceiver

    secret = settings.webhook.secret.get_secret_value()
    async with WebhookReceiver(settings.webhook.url, secret, clock=SystemClock()) as receiver:
        answer = await receiver.ping()
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
