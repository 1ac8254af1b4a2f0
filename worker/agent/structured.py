"""JSON from a language model, validated, and repaired once by the model itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import structlog
from pydantic import BaseModel, ValidationError

from context.budgets.sent import sent
from context.models import PromptRecord
from context.ports import ChatMessage, PortError, Tokenizer
from context.prompts.json_replies import in_words, read, read_cut_off, schema_of, sent_back
from worker.agent.calling import CalledModel

log = structlog.get_logger(__name__)

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
    schema = schema_of(shape)
    sends = list(messages)
    for repaired in (False, True):
        on_prompt(sent(name, sends, tokenizer, shown))
        text = await model.structured(sends, schema=schema, name=name, max_tokens=max_tokens)
        try:
            found = _read(text, shape, cut_off_counts)
        except ValidationError as error:
            wrong = in_words(error)
            model.checked(name, "json", passed=False)
            if repaired:
                model.repaired(name, well=False)
                model.missed(name, "useless")
                raise Unusable(f"{model.name} sent no valid {name}: {wrong}") from error
            log.info("llm_json_repair", purpose=name, error=wrong)
            sends = sent_back(messages, text, wrong)
            continue
        model.checked(name, "json", passed=True)
        if repaired:
            model.repaired(name, well=True)
        return found
    raise AssertionError("the second reply returns or raises")


def _read(text: str, shape: type[M], cut_off_counts: bool) -> M:
    try:
        return read(text, shape)
    except ValidationError as error:
        if not cut_off_counts or error.errors(include_url=False)[0]["type"] != "json_invalid":
            raise
        whole = read_cut_off(text, shape)
        if whole is None:
            raise
        log.info("llm_json_cut_off", shape=shape.__name__)
        return whole
