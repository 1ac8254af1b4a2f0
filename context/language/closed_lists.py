"""The two languages' closed lists: question words, particles, counters, whatever one can count up.

They stand in `lists/*.toml`, so that whoever speaks the language reads and mends them without the code.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path

Lists = Mapping[str, tuple[str, ...]]


def closed_lists(name: str) -> Lists:
    """The lists of `lists/<name>.toml`: words apart by blanks, or, where one holds a blank, an array."""
    kept = tomllib.loads(Path(__file__).with_name("lists").joinpath(f"{name}.toml").read_text("utf-8"))
    return {key: tuple(value.split() if isinstance(value, str) else value) for key, value in kept.items()}
