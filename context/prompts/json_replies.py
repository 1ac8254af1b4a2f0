"""JSON that a language model replies with: the schema to ask for it, its reading, and sending it back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar

from pydantic import BaseModel

from context.language.korean import language_of
from context.ports import ChatMessage
from context.prompts.json_shapes import Read, UnreadableJson, list_named, lists_of_items, read_as
from context.prompts.json_text import read_text
from context.prompts.markdown_lists import lists_in

_SHOWN_AGAIN_CHARS: Final = 500
"""Characters of a wrong reply that it is shown again: the prompt has filled the window already."""
_BRACES: Final = frozenset("{｛")

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


def read(text: str, shape: type[M], *, cut_off_counts: bool = False) -> Read[M]:
    """The reply `text` as an instance of `shape`, as much of it as can be read. Raises `UnreadableJson`.

    Lists of items are read from Markdown, too, where there is no JSON. `cut_off_counts`: of a reply that was
    cut off, what is complete is taken.
    """
    try:
        return _from_json(text, shape, cut_off_counts=cut_off_counts)
    except UnreadableJson:
        lists = _from_markdown(text, shape)
        with suppress(UnreadableJson):
            if lists:
                return read_as([lists], shape)
        raise


def _from_markdown(text: str, shape: type[BaseModel]) -> dict[str, list[str]]:
    names = lists_of_items(shape)
    if not names or not _BRACES.isdisjoint(text):
        return {}
    return lists_in(text, lambda heading: list_named(heading, shape), names[0] if len(names) == 1 else "")


def _from_json(text: str, shape: type[M], *, cut_off_counts: bool) -> Read[M]:
    found = read_text(text)
    if not found.begun:
        return read_as(found.values, shape)
    if not (cut_off_counts or found.values):
        raise UnreadableJson("its JSON is cut off")
    reply = read_as((*found.values, *(found.begun if cut_off_counts else ())), shape)
    if not any(reply.found.model_dump().values()):
        raise UnreadableJson("its JSON is cut off before it says anything")
    return reply


_ASK_AGAIN: Final = {
    "ko": "올바른 형식이 아닙니다: {}\n고친 JSON 객체 전체만 다시 보내세요.",
    "en": "That was not valid: {}\nSend the whole corrected JSON object and nothing else.",
}


def sent_back(messages: Sequence[ChatMessage], text: str, wrong: str) -> list[ChatMessage]:
    """The prompt `messages` once more, with the reply `text` to it and what is `wrong` with that."""
    again = _ASK_AGAIN[language_of(messages[0].content)].format(wrong)
    return [
        *messages,
        ChatMessage(role="assistant", content=text[:_SHOWN_AGAIN_CHARS]),
        ChatMessage(role="user", content=again),
    ]
