"""Questions that nothing was tuned to (`tests/data/questions/put_to_teams.jsonl`), by words alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

from context.plain.answer import QuotedAnswer
from tests.training.meetings import DATA, utterances
from tests.unit.context.asked import answer

_WRONG_AT_MOST = 4
_RIGHT_AT_LEAST = 17


def replies() -> Iterator[tuple[QuotedAnswer, frozenset[int]]]:
    """What each question is answered, and the lines of which one answers it."""
    rows = (DATA / "questions" / "put_to_teams.jsonl").read_text("utf-8").splitlines()
    for row in map(json.loads, rows):
        meeting = json.loads((DATA / "decisions" / f"{row['meeting']}.json").read_text("utf-8"))
        yield answer(row["question"], utterances=utterances(meeting["lines"])), frozenset(row["evidence"])


def test_what_is_called_an_answer_seldom_is_none() -> None:
    """Two in five of the questions ask for what was not said of a matter that was spoken of."""
    sure = [(reply, wanted) for reply, wanted in replies() if reply.certainty == "answer"]
    wrong = [reply.text for reply, wanted in sure if wanted.isdisjoint(reply.evidence)]
    assert len(wrong) <= _WRONG_AT_MOST, wrong
    assert len(sure) - len(wrong) >= _RIGHT_AT_LEAST
