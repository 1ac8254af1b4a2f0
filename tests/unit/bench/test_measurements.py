"""The bench writes its figures into docs/measurements.md, each measure in its own place."""

from __future__ import annotations

from datetime import date

import pytest

from tests.bench.figures import Figure
from tests.bench.measurements import HEAD, PAGE, recorded

DAY = date(2026, 11, 26)
SLOW = Figure("fold, p99", 250.4, "µs", goal=200, baseline="one count", baseline_value=25.04, note="CPU")
QUICK = Figure("fold, p99", 150.0, "µs", goal=200)
RECALL = Figure("찾은 결정", 0.72, "", goal=0.7, at_least=True)
PROSE = f"# What was measured\n\nWords.\n\n{HEAD}\n## Else\n\n| a | b |\n"


def test_a_measure_that_is_taken_again_replaces_its_rows_where_they_stood() -> None:
    page = recorded(PROSE, "fold", [SLOW], DAY)
    page = recorded(page, "learnt", [RECALL], DAY)
    assert "| 찾은 결정 | 0.72 | ≥ 0.7: met |  | `python -m tests.bench learnt` | 2026-11-26 |" in page
    assert "| fold, p99 (CPU) | 250.4 µs | ≤ 200: missed | 25.04: one count (10.00 ×) |" in page
    again = recorded(page, "fold", [QUICK, SLOW], date(2026, 11, 27))
    rows = [line for line in again.splitlines() if "tests.bench" in line]
    assert [row.rpartition("| 2026-11-2")[2] for row in rows] == ["7 |", "7 |", "6 |"]
    assert "150 µs | ≤ 200: met" in rows[0]
    assert again.startswith("# What was measured\n\nWords.\n\n")
    assert again.endswith(" |\n\n## Else\n\n| a | b |\n")


def test_a_page_without_the_table_is_told() -> None:
    with pytest.raises(ValueError, match="no table of measures"):
        recorded("# What was measured\n", "fold", [QUICK], DAY)


def test_the_page_has_the_table() -> None:
    assert PAGE.read_text("utf-8").count(HEAD) == 1
