"""What is no HTTP is refused by aiohttp with a 400: a line in the log, not a traceback of its parser."""

from __future__ import annotations

import logging
from typing import Final

from aiohttp import web
from aiohttp.http import HttpProcessingError

_SERVER: Final = "aiohttp.server"


def tell_unread_requests() -> None:
    """From now on they are told so; once is enough for a process."""
    logger = logging.getLogger(_SERVER)
    if not any(isinstance(each, UnreadRequests) for each in logger.filters):
        logger.addFilter(UnreadRequests())


class UnreadRequests(logging.Filter):
    """Tells such a request as a fact of its sender's; a fault of ours keeps its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Work as a filter of aiohttp's logger."""
        error = record.exc_info[1] if record.name == _SERVER and record.exc_info else None
        if not isinstance(error, HttpProcessingError | web.RequestPayloadError | web.HTTPRequestTimeout):
            return True
        # Not its bytes: they are the sender's, and would make each line another one.
        record.msg, record.args = f"http_unreadable: {type(error).__name__}", ()
        record.exc_info = record.exc_text = None
        record.levelno, record.levelname = logging.INFO, "INFO"
        return logging.getLogger().isEnabledFor(logging.INFO)
