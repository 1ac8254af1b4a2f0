"""Writes `.env.example` from the settings, so that it names every one with its default and meaning.

`make env-example`, and a test that the file in the tree is what this gives.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from typing import Any, Final

from pydantic import SecretStr

from context.config import PREFIX, ContextConfig
from context.config import names as context_names
from worker.configuration.settings import Settings, fields

_HEAD: Final = """\
# Moim's settings. Copy to .env and uncomment what you change; the environment goes before this file.
# Each line shows the default; an empty value means "not set". `moim check` says what is wrong.
"""
_OFTEN: Final = (
    "LIVEKIT_URL",
    "LIVEKIT_API_KEY",
    "LIVEKIT_API_SECRET",
    "DATABASE_URL",
    "DATABASE_ADMIN_URL",
    "REDIS_URL",
    "MOIM_API_TOKEN",
    "MOIM_TIME_ZONE",
    "STT_ENGINE",
    "LLM_ENGINE",
)
"""What most people set: it opens the file, and does not stand again in its group."""
_OFTEN_TITLE: Final = (
    "What most people set: the first six to run beside a LiveKit server, the others as needed"
)


def render() -> str:
    """Write the whole file."""
    entries = {
        variable: _entry(variable, info.default, info.description or "") for *_, variable, info in fields()
    }
    parts = [_HEAD, f"\n# ---- {_OFTEN_TITLE}\n", *(entries[variable] for variable in _OFTEN)]
    group = ""
    for name, _, variable, _ in fields():
        if variable in _OFTEN:
            continue
        if name != group:
            group = name
            parts.append(f"\n# ---- {_title(group)}\n")
        parts.append(entries[variable])
    parts.append(f"\n# ---- {_sentence(ContextConfig)}\n")
    spellings: dict[str, list[str]] = {field: [] for field in context_names().values()}
    for spelling, field in context_names().items():
        if spelling != field:
            spellings[field].append(f"{PREFIX}{spelling.upper()}")
    meanings = dict(_docstrings(ContextConfig))
    for field, others in spellings.items():
        info = ContextConfig.model_fields[field]
        also = f" (also {', '.join(others)})" if others else ""
        parts.append(_entry(f"{PREFIX}{field.upper()}", info.default, meanings[field] + also))
    return "".join(parts)


def _entry(variable: str, default: Any, meaning: str) -> str:
    return f"# {meaning}\n#{variable}={text_of(default)}\n"


def text_of(default: Any) -> str:
    """Write a default as an environment has it; "" for none."""
    match default:
        case None:
            return ""
        case bool():
            return str(int(default))
        case SecretStr():
            return default.get_secret_value()
        case tuple():
            return ",".join(text_of(item) for item in default)
        case _:
            return str(default)


def _title(group: str) -> str:
    kind = Settings.model_fields[group].annotation
    assert isinstance(kind, type)
    return _sentence(kind)


def _sentence(kind: type) -> str:
    return (inspect.getdoc(kind) or "").splitlines()[0].rstrip(".")


def _docstrings(kind: type) -> Iterator[tuple[str, str]]:
    """(attribute, the text beneath it) of a class body."""
    body = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    assert isinstance(body, ast.ClassDef)
    for statement, following in zip(body.body, [*body.body[1:], ast.Pass()], strict=True):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            said = following.value if isinstance(following, ast.Expr) else None
            text = said.value if isinstance(said, ast.Constant) else ""
            yield statement.target.id, " ".join(str(text).split())


if __name__ == "__main__":
    sys.stdout.write(render())
