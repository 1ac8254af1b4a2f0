"""Where the meaning turns: embeddings confirm and doubt candidates, and nothing waits for them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.effects import ScoreTopics
from context.events import Event, MeetingOpened, MeetingStarted
from context.meeting import Meeting
from context.models import Utterance
from context.topics.boundary.meaning import HEARD_AGAIN, Meaning, Piece, PieceCutter, newest
from tests.fakes.openai_embeddings import bag_of_words
from tests.unit.context.meetings import START, of, spoken
from tests.unit.context.samples import utter
from tests.unit.context.test_topics import EN_OFFICE, EN_SERVERS, KO_HIRING, KO_SERVERS

KO, EN = (KO_SERVERS, KO_HIRING), (EN_SERVERS, EN_OFFICE)
TURN = 81
DIM = 64


def two_matters(lines: tuple[list[str], list[str]]) -> list[Utterance]:
    first, second = (itertools.islice(itertools.cycle(each), 80) for each in lines)
    return [utter(number, "ab"[number % 2], text) for number, text in enumerate((*first, *second), 1)]


def pieces(said: list[Utterance]) -> list[Piece]:
    cutter = PieceCutter()
    return [piece for each in said for piece in cutter.add(each)]


def heard(said: list[Utterance]) -> Meaning:
    meaning = Meaning()
    cut = pieces(said)
    for piece, row in zip(cut, bag_of_words([piece.text for piece in cut], DIM), strict=True):
        meaning.take(piece, row)
    return meaning


@pytest.mark.parametrize("lines", [KO, EN])
def test_the_turn_is_where_the_talk_turns(lines: tuple[list[str], list[str]]) -> None:
    meaning = heard(two_matters(lines))
    turns = {at: turn for at in range(1, 130, 2) if (turn := meaning.turn(at)) is not None}
    assert turns[TURN] > 1.0
    assert turns[TURN] > max(turn for at, turn in turns.items() if abs(at - TURN) > 26)


@pytest.mark.parametrize("lines", [KO, EN])
def test_a_turn_confirms_and_its_absence_doubts(lines: tuple[list[str], list[str]]) -> None:
    meaning = heard(two_matters(lines))
    chances = {at: meaning.swayed(0.25, at, korean=lines is KO) for at in range(1, 130, 2)}
    assert max(chances.values()) > 0.26
    assert min(chances.values()) < 0.245
    assert all(0.17 < chance < 0.35 for chance in chances.values()), "it never decides alone"


@given(st.lists(st.text(alphabet="ab 가나", max_size=400), max_size=40))
def test_pieces_are_in_order_bounded_and_hold_whole_utterances(texts: list[str]) -> None:
    said = [utter(number, "a", text) for number, text in enumerate(texts, 1)]
    cut = pieces(said)
    assert all(piece.first <= piece.last for piece in cut)
    assert all(one.last < other.first for one, other in itertools.pairwise(cut))
    assert all(len(piece.text.split()) <= 110 for piece in cut)
    for piece in cut:
        words = [word for each in said[piece.first - 1 : piece.last] for word in each.text.split()]
        assert set(piece.text.split()) <= set(words)


@pytest.mark.parametrize("text", ["서버 비용이 늘었습니다", "the server costs more"])
def test_without_vectors_or_too_few_of_them_nothing_changes(text: str) -> None:
    assert Meaning().swayed(0.3, 5, korean=True) == 0.3
    few = heard([utter(number, "a", f"{text} {number}") for number in range(1, 30)])
    assert few.turn(1) is None, "nothing was said before"
    assert few.swayed(0.3, 9, korean=True) == 0.3, "there is no mean yet to hold it against"
    assert few.swayed(0.3, 900, korean=False) == 0.3, "what was said there has not come"
    assert (few.swayed(0.0, 11, korean=True), few.swayed(1.0, 13, korean=False)) == (0.0, 1.0)


def test_a_piece_counts_once_and_another_models_vectors_are_never_compared() -> None:
    said = two_matters(KO)
    once, again = heard(said), heard(said)
    for piece in pieces(said)[-3:]:
        again.take(piece, bag_of_words(["etwas anderes"], DIM)[0])
    assert once.drop(TURN) == again.drop(TURN)
    again.take(Piece(500, 509, ""), np.ones(3, dtype=np.float32))
    assert again.drop(TURN) is None


def test_whoever_goes_on_hears_only_the_newest_again() -> None:
    said = two_matters(EN)
    assert newest(said[:100]) == 0
    assert newest([*said, *said]) == 320 - HEARD_AGAIN


def opened(lines: tuple[list[str], list[str]]) -> list[Event]:
    return [
        MeetingOpened(meeting_id="m", topics_beside=True),
        MeetingStarted(at=START),
        *(spoken(each.id, each.text, each.speaker_id) for each in two_matters(lines)),
    ]


@pytest.mark.parametrize("lines", [KO, EN])
def test_the_record_alone_gives_the_same_topics_as_with_embeddings(
    lines: tuple[list[str], list[str]],
) -> None:
    live, record = Meeting("m"), list[Event]()
    cutter = PieceCutter()

    def take(event: Event) -> None:
        record.append(event)
        for _ in of(ScoreTopics, live.receive(event)):
            for piece in cutter.add(live.utterances[-1]):
                live.changes.boundaries.detector.meaning.take(piece, bag_of_words([piece.text], DIM)[0])
            for found in live.changes.score():
                if found is not None:
                    take(found)

    for event in opened(lines):
        take(event)
    starts = [segment.start_utterance_id for segment in live.segments]
    assert len(starts) == 2
    assert abs(starts[1] - TURN) <= 4
    again = Meeting("m")
    for event in record:
        again.receive(event)
    assert [segment.start_utterance_id for segment in again.segments] == starts
    # And a meeting from a snapshot goes on, without its vectors.
    restored = Meeting.restore("m", None, live.snapshot(), live.utterances)
    assert [segment.start_utterance_id for segment in restored.segments] == starts
    assert restored.changes.boundaries.detector.meaning.drop(TURN) is None
