"""What several tests use stands in a module named by its noun, which is no test itself."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported(node: ast.AST) -> list[str]:
    match node:
        case ast.Import(names=names):
            return [each.name for each in names]
        case ast.ImportFrom(module=str(module), names=names):
            return [f"{module}.{each.name}" for each in names]
        case ast.Constant(value=str(text)):  # a script that another process runs
            return re.findall(r"(?:from|import) (tests\.[\w.]+)", text)
        case _:
            return []


def test_nothing_is_imported_from_a_test_module() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{node.lineno} imports {name}"
        for path in TESTS.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        for name in imported(node)
        if re.match(r"tests\.(.+\.)?test_", name)
    ]
    assert found == []
