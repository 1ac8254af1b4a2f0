"""Which moments have a date.

A file that is replayed may not tell when its meeting was. The clock of such a meeting begins at `EPOCH`, so
that times of day count from its start, and its moments have no date. Whatever shows a date, sorts by one or
reckons with one asks `dated`, and whatever shows a time of day asks `local`. In the database `moim.dated` is
the former; the list of meetings has only true dates.
"""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from typing import Final

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When a meeting begins of which nothing says when it was."""
_FIRST_MOMENT: Final = datetime(1971, 1, 1, tzinfo=UTC)


def dated(moment: datetime | None) -> datetime | None:
    """The moment, or None where it is one of a meeting without a date."""
    return moment if moment is not None and moment >= _FIRST_MOMENT else None


def local(moment: datetime, zone: tzinfo) -> datetime:
    """The moment by the clocks of `zone`; one without a date as it stands, from its meeting's start on."""
    return moment if dated(moment) is None else moment.astimezone(zone)
