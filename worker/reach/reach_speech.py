"""`moim check` for CLOVA Speech: does each domain open a stream for its secret?"""

from __future__ import annotations

import asyncio

from context.ports import Refused, Unavailable
from stt.providers.clova.domains import parse_domain
from stt.segment import EngineBusy, SpeechError
from worker.configuration.settings import Settings


async def clova_speech(settings: Settings) -> str:
    """Say how many domains serve. Raises `Refused` or `Unavailable`, naming each that does not.

    A domain whose channels are all taken is reached and takes the secret: that is said, and no fault.
    """
    from stt.providers.clova.engine import probe

    domains = [parse_domain(pair.get_secret_value()) for pair in settings.stt.clova_domains]
    outcomes = await asyncio.gather(*map(probe, domains), return_exceptions=True)
    wrong, away, full = [], [], 0
    for number, outcome in enumerate(outcomes, start=1):
        said = f"CLOVA_SPEECH_DOMAINS, number {number}: {outcome}"
        match outcome:
            case None:
                pass
            case EngineBusy(retry_after_s=float()):
                full += 1
            case EngineBusy():
                away.append(said)
            case SpeechError():
                wrong.append(said)
            case _:
                raise outcome
    if wrong:
        raise Refused("; ".join(wrong + away))
    if away:
        raise Unavailable("; ".join(away))
    crowded = f", {full} of them full just now" if full else ""
    return f"CLOVA Speech takes the secrets ({len(domains)} domains{crowded})"
