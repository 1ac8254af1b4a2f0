"""The SQL of the Postgres adapters: `.sql` files in which every statement has a name and a description.

A statement begins with a line `-- name --`; the comment lines under it describe it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

_SQL_FOLDER: Final = Path(__file__).parent
_NAME: Final = re.compile(r"^-- (\w+) --$", re.MULTILINE)


@cache
def statements(topic: str) -> dict[str, str]:
    """Return the statements of `{topic}.sql`: name → SQL without comments."""
    parts = _NAME.split((_SQL_FOLDER / f"{topic}.sql").read_text(encoding="utf-8"))
    named = zip(parts[1::2], parts[2::2], strict=True)
    return {
        name: "\n".join(line for line in body.splitlines() if line and not line.startswith("--")).strip()
        for name, body in named
    }
