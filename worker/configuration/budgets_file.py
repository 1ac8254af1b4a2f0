"""The file that `MOIM_BUDGETS_FILE` names: TOML, read once when the settings are built, and never again."""

from __future__ import annotations

import tomllib
from pathlib import Path

from context.budgets.configuration import BudgetConfig


class BudgetsFileError(Exception):
    """The file cannot be used: one line with the variable, the file, the key, its value, what is allowed."""


def read_budgets(path: str) -> BudgetConfig:
    """What the file at `path` says beside the defaults; "": those alone. Raises `BudgetsFileError`."""
    if not path:
        return BudgetConfig()
    where = f"MOIM_BUDGETS_FILE={path!r}"
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise BudgetsFileError(f"{where} cannot be read: {why}") from error
    except tomllib.TOMLDecodeError as error:
        raise BudgetsFileError(f"{where} is no TOML: {error}") from error
    try:
        return BudgetConfig.from_mapping(given)
    except ValueError as error:
        raise BudgetsFileError(f"{where}: {error}") from None
