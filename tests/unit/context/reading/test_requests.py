"""What a request asks for: the lists of the record, in the words that people use for them, in both languages."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from context.reading.requests import (
    LIST_INTENTS,
    MIN_PRIVATE_CHANCE,
    SURE_CHANCE,
    Intent,
    private_chance,
    request_in,
)
from tests.training.meetings import DATA
from tests.unit.cases import cases


@cases
def test_plain_requests_are_understood_by_their_words_alone(text: str, intent: Intent) -> None:
    assert request_in(text).intent == intent


@cases
def test_what_one_missed_or_asks_for_oneself_alone_is_private(text: str) -> None:
    assert request_in(text).private


@cases
def test_what_is_everybodys_is_answered_before_everybody(text: str) -> None:
    """Also where it speaks of me, of somebody who was away, or of secrets."""
    assert not request_in(text).private


@cases
def test_what_is_private_says_nothing_of_what_is_asked(text: str, intent: Intent) -> None:
    found = request_in(text)
    assert (found.intent, found.private) == (intent, True)


def test_a_wish_to_catch_up_is_private_always() -> None:
    assert MIN_PRIVATE_CHANCE <= SURE_CHANCE
    assert private_chance({"catch_up": SURE_CHANCE}, 0.0) >= MIN_PRIVATE_CHANCE


@pytest.mark.parametrize("at", [MIN_PRIVATE_CHANCE - 0.1, MIN_PRIVATE_CHANCE])
def test_what_either_head_suspects_counts_for_both(at: float) -> None:
    """Two halves of a suspicion weigh more than each."""
    assert private_chance({"catch_up": at / 2}, at) > at
    assert private_chance({"catch_up": 0.0}, at) == pytest.approx(at)


def test_what_was_learnt_is_known() -> None:
    """Nearly all of the labelled rows themselves are right; what is unseen stands in `requests.scores.json`."""
    rows = [
        json.loads(line)
        for path in sorted((DATA / "labels" / "rows").glob("requests*.jsonl"))
        for line in path.read_text("utf-8").splitlines()
    ]
    right = Counter(request_in(row["text"]).intent == row["intent"] for row in rows)
    assert right[True] / len(rows) > 0.9


@pytest.mark.parametrize("language", ["ko", "en"])
def test_regression_paraphrases_that_are_trained_on_get_their_list_and_their_traps_none(
    language: str,
) -> None:
    """Ten of each request of issue 17's list. How they fared unseen stands in `tests/data/labels/README.md`."""
    blind = DATA / "labels" / "rows" / "requests_blind.jsonl"
    rows = [
        row for row in map(json.loads, blind.read_text("utf-8").splitlines()) if row["language"] == language
    ]
    found = [(row["intent"], request_in(row["text"]).intent, row["text"]) for row in rows]
    asked = [each for each in found if each[0] not in ("fact", "none")]
    traps = [each for each in found if each[0] in ("fact", "none")]
    missed = [each for each in asked if each[0] != each[1]]
    caught = [each for each in traps if each[1] not in ("fact", "none")]
    assert (len(asked), len(traps)) == (110, 55)
    assert len(missed) <= 0.05 * len(asked), missed
    assert len(caught) <= 0.1 * len(traps), caught


@pytest.mark.parametrize("text", ["", " ", "?", "ㅋㅋ", "a" * 5000, "\u202e", "0"])
def test_whatever_is_written_no_list_is_given_without_being_sure(text: str) -> None:
    found = request_in(text)
    assert 0.0 <= found.chance <= 1.0
    assert found.intent not in LIST_INTENTS or found.chance >= 0.5


@pytest.mark.parametrize("text", ["결정된 것들 정리해 줘", "What did we decide today?"])
def test_a_vector_of_another_encoder_says_nothing(text: str) -> None:
    assert request_in(text, np.full(1536, 1536**-0.5, dtype=np.float32)) == request_in(text)
