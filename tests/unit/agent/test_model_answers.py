"""A strong model's answers to real questions, written by hand: what is true is let out, what is not is held back.

`tests/data/model_answers`: a meeting of `tests/data/trials`, a question, a faithful reply, and sentences that are
`wrong` in one respect each. What the checks are known to lose (`lost`) or to let out (`passes`) is named there;
a check that does better may do so, one that does worse fails here.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.unit.agent.meetings import said
from worker.agent.citations import CitedText

DATA: Final = Path(__file__).parents[2] / "data"
CASES: Final = [
    (language, json.loads(line))
    for language in ("ko", "en")
    for line in (DATA / "model_answers" / f"{language}.jsonl").read_text().splitlines()
]
EACH: Final = pytest.mark.parametrize(
    ("language", "case"), CASES, ids=[f"{case['meeting']}-{number}" for number, (_, case) in enumerate(CASES)]
)


def let_out(text: str, meeting: str, language: str) -> tuple[str, CitedText]:
    lines = json.loads((DATA / "trials" / f"{meeting}.json").read_text())["lines"]
    cited = CitedText(
        said([(line["speaker"], line["speaker"], line["text"]) for line in lines]), language=language
    )
    return (cited.feed(text) + cited.finish()).strip(), cited


@EACH
def test_what_is_true_is_let_out(language: str, case: dict[str, Any]) -> None:
    shown, cited = let_out(case["reply"], case["meeting"], language)
    assert shown
    # A lead-in without a citation is nobody's loss.
    assert [why for why in cited.dropped if why != "no_evidence"] == case.get("lost", [])


@EACH
def test_what_is_wrong_is_held_back(language: str, case: dict[str, Any]) -> None:
    for wrong in case["wrong"]:
        shown, cited = let_out(wrong["text"], case["meeting"], language)
        assert not shown or wrong.get("passes"), wrong["text"]
        assert shown or cited.dropped


def test_what_passes_though_it_is_wrong_stays_named_and_few() -> None:
    wrong = [each for _, case in CASES for each in case["wrong"]]
    assert len(wrong) >= 300
    told_apart = [each for each in wrong if each["kind"] not in {"swapped", "stale"}]
    assert sum("passes" in each for each in told_apart) <= len(told_apart) // 7
