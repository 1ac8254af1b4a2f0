"""The prompts for language models: their texts are in TOML files beside the modules that fill them in."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def prompts(name: str) -> Mapping[str, Mapping[str, str]]:
    """The texts of `<name>.toml`: by key, then by language (`ko`, `en`)."""
    texts: dict[str, Any] = tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text("utf-8"))
    return texts
