"""Names and ids as arguments of commands: one that could never be one is refused before anything is done."""

from __future__ import annotations

from worker.errors import InputError
from worker.names import name_fault, room_fault


def an_id(text: str) -> str:
    """Give the id of a meeting, a person or a thing, as the type of an argument; see `name_fault`."""
    return _without(name_fault(text), "id", text)


def a_room(text: str) -> str:
    """Give the name of a LiveKit room, as the type of an argument; see `room_fault`."""
    return _without(room_fault(text), "room", text)


def _without(fault: str | None, what: str, text: str) -> str:
    if fault is not None:
        raise InputError(f"{what} {text[:40]!r}: {fault}")
    return text
