"""Who is named behind a decision of the minutes: whoever said what it rests on."""

from __future__ import annotations

import pytest

from context.export.statement_view import Witnesses

SAID = {"ko": ("정하늘", "박서연"), "en": ("Dana", "Ben")}


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("quoted", [True, False])
def test_what_a_model_wrote_is_said_by_all_whom_it_cites(language: str, quoted: bool) -> None:
    first, last = SAID[language]
    told = Witnesses({1: (first, 0), 2: (first, 500), 3: (last, 900)})
    statement = {"evidence": [1, 2, 3, 9], "quoted": quoted}
    assert told.speaker(statement) == (last if quoted else f"{first}, {last}")
    assert told.speaker({"evidence": [], "quoted": quoted}) == ""
