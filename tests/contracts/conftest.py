"""One behaviour suite per port, run over the fake and over the real part."""

from __future__ import annotations

import pytest

from tests.contracts.world import World, world_in_memory, world_in_postgres


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def world(request: pytest.FixtureRequest) -> World:
    """The record, in memory and in Postgres."""
    if request.param == "memory":
        return world_in_memory()
    return world_in_postgres(request.getfixturevalue("pool"), request.getfixturevalue("database"))
