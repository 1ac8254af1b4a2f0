"""JSON that a language model replies with: the schema to ask for it, its reading, and sending it back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from context.ports import ChatMessage

_SHOWN_AGAIN: Final = 500
"""Characters of a wrong reply that it is shown again: the prompt has filled the window already."""

M = TypeVar("M", bound=BaseModel)


def schema_of(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of `shape`, as `LanguageModel.structured` takes it (see `lean`)."""
    return lean(shape.model_json_schema())


def lean(schema: dict[str, Any]) -> dict[str, Any]:
    """A JSON schema without pydantic's titles and defaults, which would cost tokens in every request."""

    def bare(part: Any, *, names: bool) -> Any:
        if isinstance(part, list):
            return [bare(each, names=False) for each in part]
        if not isinstance(part, dict):
            return part
        return {
            key: bare(value, names=key in {"properties", "$defs"} and not names)
            for key, value in part.items()
            if names or key not in {"title", "default"}
        }

    stripped: dict[str, Any] = bare(schema, names=False)
    return stripped


def read(text: str, shape: type[M]) -> M:
    """The reply `text` as an instance of `shape`. Raises `ValidationError` where it is none."""
    return shape.model_validate_json(bare_json(text))


def read_cut_off(text: str, shape: type[M]) -> M | None:
    """What is complete of a reply whose JSON was cut off; None where that is no instance of `shape`."""
    with suppress(ValueError):
        return shape.model_validate(from_json(bare_json(text), allow_partial=True))
    return None


def bare_json(text: str) -> str:
    """The JSON object in `text`, without fences, thoughts and chatter; `text` where it holds none."""
    text = text.rpartition("</think>")[2]
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1] if 0 <= begin < end else text


def sent_back(messages: Sequence[ChatMessage], text: str, wrong: str) -> list[ChatMessage]:
    """The prompt `messages` once more, with the reply `text` to it and what is `wrong` with that."""
    again = f"That was not valid: {wrong}\nSend the whole corrected JSON object and nothing else."
    return [
        *messages,
        ChatMessage(role="assistant", content=text[:_SHOWN_AGAIN]),
        ChatMessage(role="user", content=again),
    ]


def in_words(error: ValidationError) -> str:
    """The first few faults, each with its place; never the input, which may be long."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)[:3]
    return "; ".join(
        f"{'.'.join(str(part) for part in fault['loc']) or 'whole'}: {fault['msg']}" for fault in faults
    )[:500]
