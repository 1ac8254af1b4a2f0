"""Logs: one JSON object per line on stderr, secrets blanked, `meeting_id` bound once per meeting.

Ids, counts and times stand there, and no words of a meeting: where names of topics or other texts help to
find a fault, they are written at DEBUG, and so are the texts of errors that may quote what was said.

The standard library's loggers (livekit, asyncpg, aiohttp) are written in the same way. In a job process, call
`configure` after livekit-agents has set up its own handlers: it replaces them.

Two filters keep repetitions out. `Repeats` lets each line through 20 times a minute, and tells how many more
there were if it comes again in the next one. `StallLines` lets livekit-agents' line about a blocked event
loop through once in five minutes, but at DEBUG each time and with its stack: on a busy machine each job would
write thousands. The metrics tell how late loops are (`moim_loop_lag_seconds`).
"""

from __future__ import annotations

import logging
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final, TextIO

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from worker.clock import monotonic_s
from worker.configuration.settings import Settings
from worker.monitoring.tracebacks import told, without_words

_SECRET_KEY: Final = re.compile(r"secret|token$|password|api_key|authorization|credential", re.IGNORECASE)
_URL_PASSWORD: Final = re.compile(
    r"(?P<head>[a-z][a-z0-9+.-]*://[^\s:/@]*):(?P<password>[^\s@/]+)@", re.IGNORECASE
)
_JWT: Final = re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}")
_MIN_SECRET_CHARS: Final = 6
"""Length from which a secret is blanked in texts: a shorter one would blank parts of ordinary words."""

_QUIET_LOGGERS: Final = {
    "livekit": logging.WARNING,
    "asyncio": logging.WARNING,
    "aiohttp.access": logging.WARNING,
}


class Redactor:
    """Blanks secrets in every value of a log line, by the field's name and by the text itself."""

    def __init__(self, secrets: Collection[str] = ()) -> None:
        """Blank these texts wherever they stand, beside fields that are named as secrets are."""
        self._secrets = sorted((s for s in secrets if len(s) >= _MIN_SECRET_CHARS), key=len, reverse=True)

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Give the fields of a line with secrets as `***`, as a structlog processor."""
        return {key: "***" if _is_secret(key, value) else self.clean(value) for key, value in event.items()}

    def clean(self, value: Any) -> Any:
        """Give a value without secrets, passwords in URLs and JSON Web Tokens; containers are searched."""
        match value:
            case None | bool() | int() | float():
                return value
            case dict():
                return {k: "***" if _is_secret(str(k), v) else self.clean(v) for k, v in value.items()}
            case list() | tuple():
                return [self.clean(item) for item in value]
            case str():
                text = value
            case BaseException():
                text = told(value)
            case _:  # it would be shown by its `repr` anyway
                text = repr(value)
        for secret in self._secrets:
            text = text.replace(secret, "***")
        if "://" in text:
            text = _URL_PASSWORD.sub(r"\g<head>:***@", text)
        return _JWT.sub("***", text)


def _is_secret(key: str, value: Any) -> bool:
    return isinstance(value, str) and value != "" and _SECRET_KEY.search(key) is not None


def configure(settings: Settings, *, stream: TextIO | None = None, quiet: bool = False) -> None:
    """Set up logging for this process, to stderr or `stream`; calling it again replaces what was there.

    A line is JSON; on a terminal it is laid out for eyes. `quiet`: only errors are written, for commands
    whose answer is one line.
    """
    stream = stream or sys.stderr
    redact = Redactor(settings.secrets())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    level = logging.getLevelNamesMapping()["ERROR" if quiet else settings.process.log_level.upper()]
    renderer: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if stream.isatty():
        renderer = structlog.dev.ConsoleRenderer()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared, structlog.stdlib.ExtraAdder()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info
                if level <= logging.DEBUG
                else structlog.processors.ExceptionRenderer(without_words),
                structlog.processors.UnicodeDecoder(),
                redact,
                renderer,
            ],
        )
    )
    handler.addFilter(StallLines(stacks=settings.process.debug))
    handler.addFilter(Repeats())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name, least in _QUIET_LOGGERS.items():
        logging.getLogger(name).setLevel(max(level, least))


@contextmanager
def meeting_logs(meeting_id: str, **more: Any) -> Iterator[None]:
    """Bind `meeting_id` and `more` to each log line within the block, and to those of tasks begun there."""
    with structlog.contextvars.bound_contextvars(meeting_id=meeting_id, **more):
        yield


def l1_segment_created(
    *,
    meeting_id: str,
    topic_name: str,
    l0_buffer_size: int,
    l1_segments_count: int,
    next_topic: str | None,
    topic_id: str | None = None,
    next_topic_id: str | None = None,
) -> None:
    """Log the event of seed 000 §8.2: a topic was closed and summarised, another one begins.

    The topics' names are words of the meeting: they are a line of their own, at DEBUG.
    """
    context_log = structlog.get_logger("moim.context")
    context_log.info(
        "l1_segment_created",
        meeting_id=meeting_id,
        topic_id=topic_id,
        l0_buffer_size=l0_buffer_size,
        l1_segments_count=l1_segments_count,
        next_topic_id=next_topic_id,
    )
    context_log.debug("l1_segment_named", meeting_id=meeting_id, topic_name=topic_name, next_topic=next_topic)


MOST_REPEATS: Final = 20
"""How often one line is written within a minute."""
_WINDOW_S: Final = 60.0
_COUNTED_LINES: Final = 5_000
"""How many different lines are counted in a minute; further ones are all let through."""
_NOT_COMPARED: Final = frozenset(["timestamp", "_record", "_from_structlog"])


class Repeats(logging.Filter):
    """A filter that lets a line through until it has been written `MOST_REPEATS` times in a minute."""

    def __init__(self, *, clock: Callable[[], float] = monotonic_s) -> None:
        """`clock` gives seconds that never go back."""
        super().__init__()
        self._clock = clock
        self._since_s = clock()
        self._seen: Counter[str] = Counter()
        self._before: Counter[str] = Counter()
        """How many of each line the last minute held back, to be told with the next such line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is to be written; one that follows suppressed ones gets their number."""
        now_s = self._clock()
        if now_s - self._since_s >= _WINDOW_S:
            self._before = Counter(
                {line: n - MOST_REPEATS for line, n in self._seen.items() if n > MOST_REPEATS}
            )
            self._seen.clear()
            self._since_s = now_s
        line = _compared(record)
        if line not in self._seen and len(self._seen) >= _COUNTED_LINES:
            return True
        self._seen[line] += 1
        if held := self._before.pop(line, 0):
            if isinstance(record.msg, dict):
                record.msg = {**record.msg, "not_repeated": held}
            else:
                record.msg, record.args = f"{record.getMessage()} (and {held} times more a minute ago)", ()
        return self._seen[line] <= MOST_REPEATS


def _compared(record: logging.LogRecord) -> str:
    """What two lines have to share to be the same: logger, level, and all fields but the time."""
    message: Any = record.msg
    if isinstance(message, dict):
        message = sorted((key, repr(value)) for key, value in message.items() if key not in _NOT_COMPARED)
    else:
        message = record.getMessage()
    return f"{record.name} {record.levelno} {message}"


_STALL_EVERY_S: Final = 300.0
_STALL_MESSAGE: Final = "event loop blocked"
"""How livekit-agents' line about a blocked event loop begins."""
_NEEDLESS_FIELDS: Final = ("stack", "gc_time", "threshold")
"""Fields of such a line that are left out."""


class StallLines(logging.Filter):
    """A filter that lets a line about a blocked event loop pass once in five minutes, and all others."""

    def __init__(self, *, stacks: bool = False) -> None:
        """`stacks`: let all these lines pass, with their stacks, for whoever looks for what blocks."""
        super().__init__()
        self._stacks = stacks
        self._told_at_s: float | None = None
        self._unsaid, self._longest_s = 0, 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a line is to be written; to a stall's line, how many were not is added."""
        if self._stacks or not str(record.msg).startswith(_STALL_MESSAGE):
            return True
        if self._told_at_s is not None and record.created - self._told_at_s < _STALL_EVERY_S:
            self._unsaid += 1
            self._longest_s = max(self._longest_s, float(getattr(record, "duration", 0.0)))
            return False
        self._told_at_s = record.created
        if self._unsaid:
            record.unsaid_since, record.longest_unsaid_s = self._unsaid, round(self._longest_s, 3)
        self._unsaid, self._longest_s = 0, 0.0
        for name in _NEEDLESS_FIELDS:
            record.__dict__.pop(name, None)
        return True
