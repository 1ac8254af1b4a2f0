"""Each operation of the API, with each kind of credential: what the table of rights says, and nothing else."""

from __future__ import annotations

from tests.security.doors.rights import WHO, attack, expected, missing
from worker.web.operations import OPERATIONS


async def test_nobody_may_what_the_table_does_not_say() -> None:
    outcome = await attack(1)
    assert outcome.got_in == ()
    assert outcome.tried > len(OPERATIONS) * len(WHO)


def test_an_operation_without_a_row_is_a_fault() -> None:
    table = expected()
    assert missing(OPERATIONS, table) == []
    gone = next(iter(table))
    assert missing(OPERATIONS, {name: row for name, row in table.items() if name != gone}) == [
        f"{gone}: no row says who may"
    ]
