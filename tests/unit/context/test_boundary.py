"""The trained scorer of beginnings: in time, in order, and the same after a restart."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.topics.boundary.features import NAMES, SURROUNDING
from context.topics.boundary.model import models, word_table
from context.topics.boundary.scorer import Scorer
from context.topics.boundary.words import Reader, bare
from context.topics.cues import find
from tests.unit.context.samples import utter

WORDS = [
    "서버",
    "서버를",
    "예산",
    "출시",
    "일정",
    "비용은",
    "search",
    "budget",
    "the",
    "index",
    "2026",
    "okay",
]
LATEST = 32


def test_the_models_ask_only_about_numbers_that_there_are() -> None:
    for model in models():
        assert model.features.max() <= len(NAMES) + len(SURROUNDING)
        assert len(model.leaves) == 16 * len(model.features)


@pytest.mark.parametrize("text", ["서버 비용이 늘었습니다", "the server costs more"])
def test_every_second_utterance_is_scored_once_in_order_and_never_too_late(text: str) -> None:
    scorer = Scorer()
    scored: list[int] = []
    for number in range(1, 90):
        score = scorer.hear(number, f"{text} {number}", "a", None)
        if score is not None:
            assert number - score.at == LATEST
            assert 0 <= score.chance <= 1
            scored.append(score.at)
        rest = [score.at for score in scorer.rest()]
        assert [*scored, *rest] == list(range(1, number + 1, 2))


said = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)),
    min_size=1,
    max_size=30,
)


@settings(deadline=None, max_examples=25)
@given(said, st.integers(1, 20), st.integers(1, 500))
def test_a_scorer_from_a_snapshot_goes_on_exactly(
    lines: list[tuple[str, str]], repeated: int, cut: int
) -> None:
    archive = [utter(n, who, f"{text} {n % 7}") for n, (who, text) in enumerate(lines * repeated, 1)]
    cut = min(cut, len(archive))
    whole = Scorer()
    for each in archive[:cut]:
        whole.hear(each.id, each.text, each.speaker_id, find(each.text))
    again = Scorer()
    again.load(whole.dump(), archive[:cut])
    assert again.dump() == whole.dump()
    for each in archive[cut:]:
        cue = find(each.text)
        assert again.hear(each.id, each.text, each.speaker_id, cue) == whole.hear(
            each.id, each.text, each.speaker_id, cue
        )
    assert list(again.rest()) == list(whole.rest())
    assert again.dump() == whole.dump()


@pytest.mark.parametrize(("word", "stem"), [("서버를", "서버"), ("서버", "서버"), ("예산에서는", "예산")])
def test_a_korean_word_is_known_by_its_stem(word: str, stem: str) -> None:
    assert bare(word) == stem
    reader = Reader(word_table())
    assert reader.read(word).keys == reader.read(stem).keys


def test_words_of_talk_bring_nothing() -> None:
    assert Reader(word_table()).read("okay so yeah I mean you know").keys == ()
