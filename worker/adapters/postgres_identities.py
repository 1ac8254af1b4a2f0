"""Whom somebody means by an id: the rule of `person_names` over the people in Postgres."""

from __future__ import annotations

from typing import Final

from context.primitives.person_names import identity_meant
from worker.adapters.postgres_pool import PostgresPool
from worker.adapters.sql import statements

_SQL: Final = statements("identities")


async def identity_in(pool: PostgresPool, named: str, meeting_id: str | None = None) -> str:
    """Return exactly this id where somebody has it, in one meeting or in any, else its canonical form."""
    if identity_meant(named, ()) == named:  # it has but one form: nothing is to be looked up
        return named
    known = await pool.value(_SQL["known"], named, meeting_id, read_only=True)
    return identity_meant(named, (named,) if known else ())
