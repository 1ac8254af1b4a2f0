"""The two languages' closed lists (question words, particles, counters), and what is said to people in each.

They stand in `lists/*.toml` and `wording/*.toml`, so that whoever speaks the language reads and mends them
without the code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

Lists = Mapping[str, tuple[str, ...]]
Wording = Mapping[str, Mapping[str, str]]


def closed_lists(name: str) -> Lists:
    """The lists of `lists/<name>.toml`: words apart by blanks, or, where one holds a blank, an array."""
    kept = _read("lists", name)
    return {key: tuple(value.split() if isinstance(value, str) else value) for key, value in kept.items()}


def wording(name: str) -> Wording:
    """The texts of `wording/<name>.toml`: by language (`ko`, `en`), then by key."""
    return _read("wording", name)


def _read(folder: str, name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(folder).joinpath(f"{name}.toml").read_text("utf-8"))


STOPWORDS: Final = frozenset(closed_lists("stopwords")["topics"])
"""English words of talk that tell nothing about its topic."""
