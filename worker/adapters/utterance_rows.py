"""Rows to utterances, fast: a restore may bring 20,000 of them, and each millisecond is a silent meeting.

The rows were validated as events when they were written, so they are not validated again. Filling
the instances by hand does what `model_construct` does, without its loop over the fields: some 2 µs
instead of 6 (`tests/integration/test_postgres_store.py` holds the two equal).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Final

import asyncpg

from context.models import Utterance

_FIELDS_SET: Final = set(Utterance.model_fields)

Stamp = tuple[str | None, str | None]
"""A topic's name and id."""


def utterances(
    rows: Sequence[asyncpg.Record], stamps: Iterable[Stamp] = repeat((None, None))
) -> tuple[Utterance, ...]:
    """The utterances of the statement `utterances`, each with its topic; without topics by default."""
    return tuple(map(_utterance, rows, stamps))


def _utterance(row: asyncpg.Record, stamp: Stamp) -> Utterance:
    number, key, speaker_id, speaker_name, text, start_ms, end_ms, at, confidence, language, *rest = row
    first, last, derived = rest
    made = Utterance.__new__(Utterance)
    fill = object.__setattr__  # the model is frozen
    fill(
        made,
        "__dict__",
        {
            "id": number,
            "speaker_id": speaker_id,
            "speaker_name": speaker_name,
            "text": text,
            "start_ms": start_ms,
            "end_ms": end_ms,
            "confidence": confidence,
            "absolute_timestamp": at,
            "topic": stamp[0],
            "topic_id": stamp[1],
            "language": language,
            "key": key,
            "source": None if first is None else (first, last),
            "times_derived": derived,
            "heard": None,
            "corrected_by": None,
        },
    )
    fill(made, "__pydantic_fields_set__", _FIELDS_SET)
    fill(made, "__pydantic_extra__", None)
    fill(made, "__pydantic_private__", None)
    return made
