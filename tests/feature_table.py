"""Writes the table of the flags `MOIM_FEATURE_*` in docs/how-to/settings.md from their declarations.

`make env-example` writes it anew, and a test says when that is due (`tests/unit/worker/test_settings.py`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from context.features import Features
from tests.env_example import text_of
from worker.configuration.setting_values import FeatureSettings

PAGE: Final = Path(__file__).parents[1] / "docs" / "how-to" / "settings.md"
_BEGINS: Final = "<!-- written by `make env-example` -->\n"
_TABLE: Final = re.compile(re.escape(_BEGINS) + r"(?:\|.*\n)*")


def table() -> str:
    """Write the table in Markdown, behind the line by which it is found."""
    designed = Features.seed().model_dump()
    rows = ["| setting | default | what it does |", "|---|---|---|"]
    for name, info in FeatureSettings.model_fields.items():
        default = _shown(info.default)
        design = _shown(designed.get(name, info.default))
        by_design = f" (by design {design})" if design != default else ""
        rows.append(f"| `{info.alias}` | {default}{by_design} | {info.description} |")
    return _BEGINS + "\n".join(rows) + "\n"


def with_table(page: str) -> str:
    """Put the table as it is now in the place of the page's. Raises `ValueError` if it has none."""
    anew, tables = _TABLE.subn(lambda _: table(), page)
    if tables != 1:
        raise ValueError(f"{PAGE.name} has {tables} tables behind {_BEGINS!r}; it has to have one")
    return anew


def _shown(value: object) -> str:
    text = text_of(value)
    return f"`{text}`" if text else "empty"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
