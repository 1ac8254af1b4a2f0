"""JSON from a language model, read item by item; one of which nothing can be read is sent back once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import structlog
from pydantic import BaseModel

from context.budgets.sent import sent
from context.models import PromptRecord
from context.ports import ChatMessage, PortError, Tokenizer
from context.prompts.json_replies import read, schema_of, sent_back
from context.prompts.json_shapes import UnreadableJson
from worker.agent.calls.calling import CalledModel

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
    """The model's reply to `messages` as an instance of `shape`, without the items that cannot be read.

    A reply of which nothing is left is sent back once. Raises `Unusable` where that is so of the second one,
    too, else what the port raises. `name`: what it is for. `on_prompt` is told of each prompt that is sent,
    counted by `tokenizer`; `shown`: the text that each producer brought to it. `cut_off_counts`: of a reply
    that was cut off, what is complete is taken, which is good for a list of many but not for one verdict.
    """
    schema = schema_of(shape)
    sends = list(messages)
    for repaired in (False, True):
        on_prompt(sent(name, sends, tokenizer, shown))
        text = await model.structured(sends, schema=schema, name=name, max_tokens=max_tokens)
        try:
            reply = read(text, shape, cut_off_counts=cut_off_counts)
        except UnreadableJson as error:
            model.checked(name, "json", passed=False)
            if repaired:
                model.repaired(name, well=False)
                model.missed(name, "useless")
                raise Unusable(f"{model.name} sent no valid {name}: {error}") from error
            log.info("llm_json_repair", purpose=name, error=str(error))
            sends = sent_back(messages, text, str(error))
            continue
        if reply.lost:
            log.info("llm_json_items_lost", purpose=name, count=reply.lost)
        model.checked(name, "json", passed=True)
        if repaired:
            model.repaired(name, well=True)
        return reply.found
    raise AssertionError("the second reply returns or raises")
