"""The child's part: fills a template in, in Jinja's sandbox, and says in which line it fails.

It imports nothing of ours but what `worker.sandbox` needs, so that the child is ready soon.
"""

from __future__ import annotations

import json
import traceback
from functools import lru_cache
from typing import Any, Final

from jinja2 import StrictUndefined, Template, TemplateSyntaxError, UndefinedError, nodes
from jinja2.exceptions import SecurityError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from worker.sandbox.sandbox_faults import Declined

_FILE: Final = "<template>"
"""What Jinja calls a template that is no file."""
_OTHER_TEMPLATES: Final = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
_MAX_CHARACTERS: Final = 300
"""Characters of a reason: what a value holds may be in it."""
_NAMED_FIELDS: Final = 5
"""Fields that a reason names of a value that has some."""


def fill_in(argument: str, data: bytes) -> bytes:
    """Fill in the template with the values that `data` brings as JSON; give the text that comes of it.

    `argument`: `sample`, or `meeting`: then the reason of a failure is told without what a value holds.
    Raises `Declined` with the line and the reason.
    """
    given = json.loads(data)
    try:
        written: str = _compiled(given["template"]).render(given["values"])
    except (Declined, MemoryError):
        raise
    except TemplateSyntaxError as error:
        raise Declined(f"line {error.lineno}: {error.message}") from None
    except Exception as error:  # noqa: BLE001 - what a template comes to is told, whatever it is
        raise Declined(f"{_line_of(error)}{_reason(error, with_text=argument == 'sample')}") from None
    return written.encode("utf-8", "replace")


@lru_cache(maxsize=1)  # a child fills in one; the tests fill hundreds of meetings into the same
def _compiled(text: str) -> Template:
    environment = _environment()
    parsed = environment.parse(text)
    _demand_alone(parsed)
    return environment.from_string(parsed)


def _demand_alone(parsed: nodes.Template) -> None:
    if (elsewhere := next(parsed.find_all(_OTHER_TEMPLATES), None)) is not None:
        raise Declined(f"line {elsewhere.lineno}: a template can bring in no other file: put its text here")


def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # not HTML: `context.export.markup` escapes what people said
        finalize=_shown,
    )
    del environment.filters["random"]  # the same meeting has the same minutes
    del environment.globals["lipsum"]
    return environment


def _shown(value: Any) -> Any:
    """What stands in the minutes for a value: a list with commas. Raises `TypeError` for what has fields."""
    match value:
        case dict():
            named = ", ".join(sorted(value)[:_NAMED_FIELDS])
            raise TypeError(f"this value has fields: name one of them ({named}, …), or go through the list")
        case list() | tuple():
            return ", ".join(str(_shown(each)) for each in value)
        case _:
            return value


def _line_of(error: Exception) -> str:
    lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == _FILE]
    return f"line {lines[-1]}: " if lines else ""


def _reason(error: Exception, *, with_text: bool) -> str:
    kind = "the sandbox forbids it" if isinstance(error, SecurityError) else type(error).__name__
    if not with_text:
        return kind
    text = " ".join(str(error).split())[:_MAX_CHARACTERS]
    return text if isinstance(error, UndefinedError) else f"{kind}: {text}"
