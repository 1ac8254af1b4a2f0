"""Writes a meeting's minutes, in the form of `MOIM_MINUTES_TEMPLATE` where there is one, and tries it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, tzinfo
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal

import structlog

from context.config import ConfigError
from context.export.markup import WordsInTag, demand_between_tags, settled
from context.export.minutes import to_markdown
from context.export.template_values import template_values
from worker.configuration.settings import Settings
from worker.sandbox.sandbox_faults import Crashed, Declined, TookTooLong, TookTooMuch
from worker.sandbox.sandboxed_call import Bounds, call_sandboxed

log = structlog.get_logger(__name__)

BOUNDS: Final = Bounds(deadline_s=10.0, memory_bytes=512 << 20, result_bytes=8 << 20)
"""What a template may take: those of eight hours, transcript and all, need a second and a megabyte."""
_SAMPLES: Final = {
    "on a meeting with everything": "full.json",
    "on a meeting in which nothing was said": "silent.json",
}
"""The documents on which a template is tried, by how this is told."""
HELP: Final = "docs/how-to/minutes.md lists the values and shows examples"


class TemplateFailed(Exception):
    """A template cannot write these minutes: the text says in which line and why."""


async def minutes(
    document: Mapping[str, Any],
    settings: Settings,
    *,
    transcript: bool = True,
    zone: tzinfo = UTC,
    url: str = "",
) -> str:
    """Write the minutes of a document in Markdown.

    Where the template fails they are in our own form: a line in them says so, and a warning in the log why.
    `transcript`: whether those in our own form end with it; a template says so itself. `zone` is that of the
    times of day, `url` the address of the minutes on the pages.
    """
    own = partial(to_markdown, document, transcript=transcript, zone=zone)
    template = settings.minutes_template
    if not template:
        return await asyncio.to_thread(own)
    values = await asyncio.to_thread(template_values, document, zone=zone, url=url)
    try:
        return await _filled_in(template, values, "meeting")
    except TemplateFailed as error:
        path, meeting_id = settings.minutes.template, document["meeting"]["id"]
        log.warning("minutes_template_failed", meeting_id=meeting_id, path=path, why=str(error))
        return await asyncio.to_thread(own, own_form_failed=True)


async def demand_template(settings: Settings) -> None:
    """Try the template on sample documents. Raises `ConfigError` with one line where it fails."""
    if not settings.minutes_template:
        return
    for how, values in await asyncio.to_thread(_sample_values):
        try:
            await _filled_in(settings.minutes_template, values, "sample")
        except TemplateFailed as error:
            raise ConfigError(
                f"MOIM_MINUTES_TEMPLATE={settings.minutes.template!r} fails {how}: {error}: {HELP}"
            ) from error


def sample(name: str) -> dict[str, Any]:
    """Read one of the documents on which a template is tried."""
    read: dict[str, Any] = json.loads((Path(__file__).parent / "samples" / name).read_text("utf-8"))
    return read


def _sample_values() -> list[tuple[str, dict[str, Any]]]:
    return [(how, template_values(sample(name))) for how, name in _SAMPLES.items()]


async def _filled_in(template: str, values: dict[str, Any], what: Literal["sample", "meeting"]) -> str:
    from worker.minutes.filling import fill_in  # with Jinja, which nobody needs without a template

    data = await asyncio.to_thread(_as_json, template, values)
    try:
        written = (await call_sandboxed(fill_in, what, data, BOUNDS)).decode("utf-8", "replace")
        return await asyncio.to_thread(_finished, written)
    except TookTooLong as error:
        why = f"it takes more than {BOUNDS.deadline_s:g} s"
        raise TemplateFailed(why) from error
    except TookTooMuch as error:
        memory, size = BOUNDS.memory_bytes >> 20, BOUNDS.result_bytes >> 20
        why = f"it needs more than {memory} MB of memory, or writes more than {size} MB"
        raise TemplateFailed(why) from error
    except (Declined, Crashed, WordsInTag, OSError) as error:  # OSError: there is no place for a child
        raise TemplateFailed(str(error)) from error


def _as_json(template: str, values: dict[str, Any]) -> bytes:
    return json.dumps({"template": template, "values": values}, ensure_ascii=False).encode("utf-8", "replace")


def _finished(written: str) -> str:
    if not written.strip():
        raise TemplateFailed("it writes nothing")
    demand_between_tags(written)
    return settled(written.rstrip() + "\n")
