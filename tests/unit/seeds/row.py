"""One row of a seed, and what of the running path uses it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

KINDS: Final = {"reads": "setting `{}`", "sets": "state `{}`", "sends": "prompt: `{}`", "keeps": "event `{}`"}


@dataclass(frozen=True, slots=True)
class Row:
    """`path`: `module:name` (called, or named by what was called), `reads:SETTING` (looked at), `sets:KEY` (of the
    answer's state), `sends:TEXT` (to a model), `keeps:KIND` (of event). `shown`: tests that show what it does.

    `front`: offered to whoever uses `context` alone; the worker does not call it.
    """

    name: str
    path: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    front: bool = False


def told(step: str) -> str:
    """A step of a path, for the table."""
    kind, _, name = step.partition(":")
    if kind in KINDS:
        return KINDS[kind].format(name)
    return f"`{kind}.{name}`"
