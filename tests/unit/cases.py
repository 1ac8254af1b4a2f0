"""Literal cases of a test, which stand as rows of data beside it: those of `test_agenda.py` in `test_agenda.json`."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def cases(test: Callable[..., Any]) -> Callable[..., Any]:
    """Run a test once with each row that its module's data has under the test's name.

    A row is a list that fills the test's first parameters in their order, or the only one itself. Lists within a row
    come as tuples.
    """
    rows = beside(str(sys.modules[test.__module__].__file__))[test.__name__]
    names = list(inspect.signature(test).parameters)
    if not isinstance(rows[0], tuple):
        return pytest.mark.parametrize(names[0], rows)(test)
    return pytest.mark.parametrize(names[: len(rows[0])], rows)(test)


def beside(file: str) -> dict[str, Any]:
    """All of the data of a test module, whose `__file__` this is: lists as tuples."""
    found: dict[str, Any] = _frozen(json.loads(Path(file).with_suffix(".json").read_text(encoding="utf-8")))
    return found


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _frozen(each) for key, each in value.items()}
    return tuple(map(_frozen, value)) if isinstance(value, list) else value
