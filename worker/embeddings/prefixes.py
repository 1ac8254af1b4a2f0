"""How a model family wants to be told questions from texts: by words before them, or not at all."""

from __future__ import annotations

from typing import Final, NamedTuple


class Prefixes(NamedTuple):
    """What goes before a question and before a text."""

    query: str = ""
    passage: str = ""


_FAMILIES: Final = (
    ("e5-mistral", Prefixes()),  # wants an instruction of its own, for questions only
    ("e5", Prefixes("query: ", "passage: ")),
    ("nomic-embed", Prefixes("search_query: ", "search_document: ")),
)
"""By a part of the model's name, the first that fits; bge-m3 and OpenAI's want none."""


def prefixes_of(model: str) -> Prefixes:
    """The prefixes for a model's name."""
    name = model.lower()
    return next((prefixes for part, prefixes in _FAMILIES if part in name), Prefixes())
