"""Draws the answer's graph in docs/architecture.md from the code.

`python -m tests.graph_drawing` writes it anew, and a test says when that is due
(`tests/unit/worker/agent/graph/test_shape.py`).
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from worker.agent.graph.graph import drawn

_PAGE: Final = Path(__file__).parents[1] / "docs" / "architecture.md"
_BEGINS: Final = "<!-- drawn by `python -m tests.graph_drawing` -->\n"
_BLOCK: Final = re.compile(re.escape(_BEGINS) + "```mermaid\n.*?```\n", re.DOTALL)


def block() -> str:
    """Draw the graph as a block of Markdown, behind the line by which it is found."""
    lines = drawn().replace("\t", "  ").replace("&nbsp;", "").strip()
    return f"{_BEGINS}```mermaid\n{lines}\n```\n"


def redrawn(page: str) -> str:
    """Put the graph as it is now in the place of the page's drawing. Raises `ValueError` if it has none."""
    anew, drawings = _BLOCK.subn(lambda _: block(), page)
    if drawings != 1:
        raise ValueError(
            f"docs/architecture.md has {drawings} drawings behind {_BEGINS!r}; it has to have one"
        )
    return anew


if __name__ == "__main__":
    _PAGE.write_text(redrawn(_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
