"""JSON from a language model, validated, and repaired once by the model itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

import structlog
from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from context.budgets.sent import sent
from context.models import PromptRecord
from context.ports import ChatMessage, PortError, Tokenizer
from worker.agent.calling import CalledModel

log = structlog.get_logger(__name__)

_SHOWN_AGAIN: Final = 500
"""Characters of a wrong reply that it is shown again: the prompt has filled the window already."""

M = TypeVar("M", bound=BaseModel)


class Unusable(PortError):
    """The model replied twice, and neither reply had the shape that was asked for."""


async def ask(
    model: CalledModel,
    messages: Sequence[ChatMessage],
    shape: type[M],
    *,
    name: str,
    max_tokens: int,
    tokenizer: Tokenizer,
    shown: Mapping[str, str] | None = None,
    on_prompt: Callable[[PromptRecord], None] = lambda _prompt: None,
    cut_off_counts: bool = False,
) -> M:
    """The model's reply to `messages` as an instance of `shape`; one that is not valid is sent back once.

    Raises `Unusable` where the second reply is not valid either, else what the port raises. `name`: what it
    is for. `on_prompt` is told of each prompt that is sent, counted by `tokenizer`; `shown`: the text that
    each producer brought to it. `cut_off_counts`: of a reply that was cut off, what is complete is taken,
    which is good for a list of many but not for one verdict.
    """
    schema = lean(shape.model_json_schema())
    sends = list(messages)
    for repaired in (False, True):
        on_prompt(sent(name, sends, tokenizer, shown))
        text = await model.structured(sends, schema=schema, name=name, max_tokens=max_tokens)
        try:
            found = _read(text, shape, cut_off_counts)
        except ValidationError as error:
            wrong = _in_words(error)
            model.checked(name, "json", passed=False)
            if repaired:
                model.repaired(name, well=False)
                model.missed(name, "useless")
                raise Unusable(f"{model.name} sent no valid {name}: {wrong}") from error
            log.info("llm_json_repair", purpose=name, error=wrong)
            again = f"That was not valid: {wrong}\nSend the whole corrected JSON object and nothing else."
            sends = [
                *messages,
                ChatMessage(role="assistant", content=text[:_SHOWN_AGAIN]),
                ChatMessage(role="user", content=again),
            ]
            continue
        model.checked(name, "json", passed=True)
        if repaired:
            model.repaired(name, well=True)
        return found
    raise AssertionError("the second reply returns or raises")


def _read(text: str, shape: type[M], cut_off_counts: bool) -> M:
    bare = bare_json(text)
    try:
        return shape.model_validate_json(bare)
    except ValidationError as error:
        if not cut_off_counts or error.errors(include_url=False)[0]["type"] != "json_invalid":
            raise
        with suppress(ValueError):
            whole = shape.model_validate(from_json(bare, allow_partial=True))
            log.info("llm_json_cut_off", shape=shape.__name__)
            return whole
        raise


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


def bare_json(text: str) -> str:
    """The JSON object in `text`, without fences, thoughts and chatter; `text` where it holds none."""
    text = text.rpartition("</think>")[2]
    begin, end = text.find("{"), text.rfind("}")
    return text[begin : end + 1] if 0 <= begin < end else text


def _in_words(error: ValidationError) -> str:
    """The first few faults, each with its place; never the input, which may be long."""
    faults = error.errors(include_url=False, include_input=False, include_context=False)[:3]
    return "; ".join(
        f"{'.'.join(str(part) for part in fault['loc']) or 'whole'}: {fault['msg']}" for fault in faults
    )[:500]
