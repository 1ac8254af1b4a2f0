"""Decisions and actions of free talk, found by learnt weights beside the rules."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.checking import checked, sources_of
from context.extractive import summarise
from context.extractive.cues import Kind, kind_of
from context.extractive.judge import APART, is_clean, judge, picked
from context.extractive.learnt import by_scores, likely, whole
from context.extractive.sentences import Said, said_in
from context.language.addressing import DEFAULT_WAKE_WORDS
from context.models import Summary, Utterance

_START = datetime(1970, 1, 1, tzinfo=UTC)


def _talk(*lines: tuple[str, str]) -> list[Utterance]:
    return [
        Utterance(
            id=number,
            speaker_id=speaker,
            speaker_name=speaker,
            text=text,
            start_ms=1000 * number,
            end_ms=1000 * number + 900,
            absolute_timestamp=_START,
        )
        for number, (speaker, text) in enumerate(lines, 1)
    ]


def _kinds(said: list[Said]) -> list[Kind]:
    return [kind_of(sentence.text) for sentence in said]


def _plain(said: list[Said]) -> list[Kind]:
    return ["plain" for _ in said]


ERRAND = _talk(
    ("Ann", "Um so the the figures from last year are uh they're not in the report yet."),
    ("Ben", "Yeah, no, I uh I haven't seen them."),
    ("Ann", "Okay, um, so if you could uh put those together and mail them around before next meeting."),
    ("Ben", "Yeah, okay, I can do that."),
    ("Cho", "Mm-hmm."),
)
CHATTER = _talk(
    ("Ann", "Um so did you see the game last night?"),
    ("Ben", "Yeah, uh, it was pretty good, I thought they played well."),
    ("Ann", "I don't know, I think the weather was uh kind of awful though."),
    ("Cho", "Mm, yeah."),
)
KOREAN = _talk(
    ("민지", "어제 경기 보셨어요?"),
    ("서준", "네, 음, 꽤 재미있었던 것 같아요."),
    ("민지", "그런데 날씨가 좀 별로였어요."),
)


def test_what_is_asked_for_in_free_talk_is_a_task() -> None:
    summary = summarise(Summary(), ERRAND)
    assert any(3 in item.evidence and item.kind == "action" for item in summary.pending)


@pytest.mark.parametrize("talk", [CHATTER, KOREAN])
def test_small_talk_decides_nothing(talk: list[Utterance]) -> None:
    summary = summarise(Summary(), talk)
    assert summary.decisions == ()
    assert summary.pending == ()


def test_korean_talk_is_left_to_the_rules() -> None:
    said = said_in(KOREAN)
    assert likely(said, _kinds(said), DEFAULT_WAKE_WORDS) == {}
    mixed = said_in([*ERRAND, *KOREAN])
    assert all(place < len(said_in(ERRAND)) for place in likely(mixed, _kinds(mixed), DEFAULT_WAKE_WORDS))


def test_what_is_said_to_the_agent_is_no_task() -> None:
    asked = _talk(
        ("Ann", "Um, well, uh, that is it."), ("Ann", "Nova, can you send me the report by tomorrow?")
    )
    said = said_in(asked)
    assert likely(said, _plain(said), ["nova"]) == {}


def test_all_that_is_found_passes_the_evidence_checker() -> None:
    summary = summarise(Summary(), ERRAND)
    assert checked(summary, sources_of(ERRAND), ("Ann", "Ben", "Cho")).dropped == ()


def test_rules_come_first() -> None:
    said = said_in(ERRAND)
    kinds = _plain(said)
    scores = [(9.0, -9.0) if place == 2 else (-9.0, -9.0) for place in range(len(said))]
    left_out = [False] * len(said)
    assert by_scores(said, kinds, scores, left_out) == {2: "decision"}
    kinds[3] = "decision"
    assert by_scores(said, kinds, scores, left_out) == {}
    assert by_scores(said, _plain(said), scores, [True] * len(said)) == {}


def test_the_best_of_a_neighbourhood_is_picked() -> None:
    said = said_in(_talk(*[("Ann", f"Sentence number {n} is here.") for n in range(20)]))
    scores = [0.0] * 20
    scores[3], scores[5], scores[3 + APART + 3] = 1.0, 2.0, 1.5
    assert picked(said, scores, 1.0) == [5, 3 + APART + 3]


def test_a_short_answer_is_told_with_what_it_answers() -> None:
    said = said_in(_talk(("Ann", "Should we take the rubber case or the wooden one?"), ("Ben", "Rubber.")))
    decision = whole(said, 1)
    assert decision is not None
    assert decision.evidence == (1, 2)
    assert decision.text.startswith("Should we")
    assert whole(said_in(_talk(("Ben", "Rubber."))), 0) is None
    assert whole(said_in(_talk(("Ben", "Shall we take the rubber case?"))), 0) is None


def test_tidy_talk_is_told_from_free_talk() -> None:
    assert not is_clean(said_in(ERRAND))
    assert is_clean(said_in(_talk(("Ann", "We will raise the price to twenty euros in the spring."))))


def test_the_weights_are_small_and_whole() -> None:
    trained = judge()
    assert trained is judge()
    assert len(trained.known) > 100
    assert 0 < len(trained.action.weights) < 6000
    assert 0 < len(trained.decision.weights) < 6000


def test_what_is_less_likely_is_taken_where_another_says_yes() -> None:
    heard = [
        ("Ann", "We just make a small charger."),
        ("Ben", "Yeah."),
        ("Ann", "We just make a small charger?"),
    ]
    for reply, found in (("Yeah.", {0: "decision"}), ("Absolutely not.", {}), ("The weather was bad.", {})):
        said = said_in(_talk(heard[0], ("Ben", reply)))
        assert by_scores(said, _plain(said), [(-2.2, -9.0), (-9.0, -9.0)], [False, False]) == found
    asked = said_in(_talk(heard[2], heard[1]))
    assert by_scores(asked, _plain(asked), [(-2.2, -9.0), (-9.0, -9.0)], [False, False]) == {}
