"""What a model sent in the place of an answer: nothing, a call of a tool, or that it will not answer."""

from __future__ import annotations

import re
from typing import Any, Final, Literal

from context.language.closed_lists import closed_lists, holds, spaced
from context.prompts.json_text import read_text

NonAnswer = Literal["empty", "tool_call", "refused"]

_LISTS: Final = closed_lists("refusals")
_REFUSALS: Final = (*_LISTS["english"], *_LISTS["korean"])
_MAX_CHARACTERS: Final = 400
"""Characters of a refusal; a longer text says something else, too."""
_WRAPPING_MARKS: Final = re.compile(
    r"```(?:\w+)?|</?\|?\s?(?:tool_?calls?|function_?calls?)\s?\|?>|\[TOOL_CALLS\]", re.IGNORECASE
)
_NAMES: Final = frozenset({"name", "tool", "tool_name", "function", "action"})
_ARGUMENTS: Final = frozenset(
    {"arguments", "args", "parameters", "params", "input", "action_input", "tool_input"}
)
_CALLS: Final = frozenset({"tool_calls", "function_call", "function_calls", "tool_call"})


def what_instead(text: str) -> NonAnswer | None:
    """What a whole text is, of which nothing stands, if it is no answer at all."""
    text = _WRAPPING_MARKS.sub("", text).strip()
    if not text:
        return "empty"
    if _calls(text):
        return "tool_call"
    return "refused" if len(text) <= _MAX_CHARACTERS and holds(spaced(text), _REFUSALS) else None


def _calls(text: str) -> bool:
    """Whether it is nothing but calls of tools."""
    json_text = read_text(text)
    values = [*json_text.values, *json_text.begun]
    return bool(values) and not any(map(str.isalnum, json_text.rest)) and all(map(_is_call, values))


def _is_call(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_is_call, value))
    if not isinstance(value, dict):
        return False
    keys = value.keys()
    return (
        not _CALLS.isdisjoint(keys)
        or not (_NAMES.isdisjoint(keys) or _ARGUMENTS.isdisjoint(keys))
        or any(_is_call(part) for part in value.values() if isinstance(part, dict))
    )
