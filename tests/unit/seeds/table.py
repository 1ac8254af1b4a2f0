"""`docs/seeds.md`, written from the rows: `python -m tests.unit.seeds.table`."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.unit.seeds import rows_000, rows_001, rows_002, rows_003, rows_004
from tests.unit.seeds.row import Row, told

PAGE: Final = Path(__file__).parents[3] / "docs" / "seeds.md"
SEEDS: Final[dict[str, tuple[str, tuple[Row, ...]]]] = {
    "000": ("meeting context", rows_000.ROWS),
    "001": ("rolling summaries of the thread", rows_001.ROWS),
    "002": ("extract, store, inject, verify", rows_002.ROWS),
    "003": ("versioned asynchronous summaries", rows_003.ROWS),
    "004": ("context budgets", rows_004.ROWS),
}
_HEAD: Final = """\
# Where the seeds run

What the five design seeds name, and what uses it in a running meeting. This page is written by
`python -m tests.unit.seeds.table` from the rows in `tests/unit/seeds`. `tests/unit/seeds/test_rows.py` plays a
meeting through the real parts of a worker (session, fold, graph, retrieval, memory, cache, thread; a scripted
model, everything in memory), watches what is called, and fails where a row's path was not taken: a function or
method was called, a class or constant is named by code that ran, a setting was looked at, a key of the answer's
state was set, a text stood in a prompt, an event is on the record. That shows that it runs; the tests in the last
column show that it does what the seed says. Rows without a path are pages, commands, SQL or another engine; a
**front** is offered to whoever uses `context` alone, and the worker does not call it.
"""


def page() -> str:
    """The whole page."""
    parts = [_HEAD]
    for seed, (title, rows) in SEEDS.items():
        lines = [f"## {seed}: {title}", "", "| row | running path | shown by |", "|---|---|---|"]
        lines += [f"| {row.name} | {_path(row)} | {_tests(row)} |" for row in rows]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _path(row: Row) -> str:
    if row.front:
        return "**front**"
    return ", ".join(told(step) for step in row.path) or "–"


def _tests(row: Row) -> str:
    return ", ".join(f"`{test.removeprefix('tests/')}`" for test in row.shown)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
