"""What masks the texts that leave Moim, as the settings say."""

from __future__ import annotations

from collections.abc import Callable

from worker.configuration.settings import Settings


def mask_of(settings: Settings, *, record: bool = False) -> Callable[[str], str]:
    """What masks a text that leaves Moim; with `record`, one that is to be recorded."""
    if settings.consent.redact == "off" or (record and settings.consent.redact != "record"):
        return lambda text: text
    from worker.redaction import redacted  # its tables take some MB

    return redacted
