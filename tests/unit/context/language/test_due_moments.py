"""Until when something is to be done is one moment."""

from __future__ import annotations

from context.language.due_moments import deadline_in
from tests.unit.cases import cases


@cases
def test_of_several_moments_one_is_the_deadline(text: str, due: str | None) -> None:
    assert deadline_in(text) == due
