"""The trained scorer of beginnings: in time, in order, and the same after a restart."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.models import Utterance
from context.topics.boundary.boundary_features import NAMES, SURROUNDING_FEATURES
from context.topics.boundary.model import (
    LATER_STEPS,
    STEPS,
    Net,
    dumped_memory,
    empty_memory,
    models,
    nets,
)
from context.topics.boundary.scorer import Scorer
from context.topics.boundary.words import bare, read
from context.topics.phrases.cues import cue_in
from tests.unit.context.samples import utter

WORDS = "서버 서버를 예산 출시 일정 비용은 search budget the index 2026 okay".split()  # noqa: SIM905  # reads better
LATEST = 32


def test_the_models_ask_only_about_numbers_that_there_are() -> None:
    for model in models():
        assert model.features.max() <= len(NAMES) + len(SURROUNDING_FEATURES)
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
        whole.hear(each.id, each.text, each.speaker_id, cue_in(each.text))
    again = Scorer()
    again.load(whole.dump(), archive[:cut])
    assert again.dump() == whole.dump()
    for each in archive[cut:]:
        cue = cue_in(each.text)
        assert again.hear(each.id, each.text, each.speaker_id, cue) == whole.hear(
            each.id, each.text, each.speaker_id, cue
        )
    assert list(again.rest()) == list(whole.rest())
    assert again.dump() == whole.dump()


@pytest.mark.parametrize(("word", "stem"), [("서버를", "서버"), ("서버", "서버"), ("예산에서는", "예산")])
def test_a_korean_word_is_known_by_its_stem(word: str, stem: str) -> None:
    assert bare(word) == stem
    assert read(word).keys == read(stem).keys


def test_words_of_talk_bring_nothing() -> None:
    assert read("okay so yeah I mean you know").keys == ()


# The net along the candidates

EN = "the server costs more than the budget for hosting allows"
KO = "서버 비용이 호스팅 예산보다 더 늘었습니다"


def talk(count: int) -> list[list[float]]:
    numbers = (
        np.random.default_rng(7).standard_normal((count, len(NAMES) + len(SURROUNDING_FEATURES) + 1)) * 3
    )
    made: list[list[float]] = numbers.tolist()
    return made


def at_once(net: Net, rows: list[list[float]]) -> list[list[float]]:
    """The same net over all candidates together."""
    seen = np.array(rows, dtype=np.float32)
    seen[:, net.logged] = np.log1p(np.maximum(seen[:, net.logged], 0))
    seen = np.clip((seen - net.mean) / net.spread, -4, 4)
    members, width = len(net.enter_bias), net.enter_bias.shape[2]
    entered = (seen @ net.enter).reshape(len(rows), members, width) + net.enter_bias[:, 0]
    hidden = np.maximum(entered, 0).transpose(1, 0, 2)
    for layer, step in enumerate(STEPS):
        gone = [np.pad(hidden, ((0, 0), (back * step, 0), (0, 0)))[:, : len(rows)] for back in (0, 1, 2)]
        mixed = np.concatenate(gone, axis=2) @ net.mixes[layer] + net.biases[layer]
        hidden = hidden + np.maximum(mixed, 0)
    flat = hidden.transpose(1, 0, 2).reshape(len(rows), -1)
    found: list[list[float]] = (flat @ net.out + seen @ net.skip + net.bias).tolist()
    return found


@pytest.mark.parametrize("language", [0, 1])
def test_candidate_by_candidate_is_the_whole_at_once(language: int) -> None:
    net, rows, memory = nets()[language], talk(60), empty_memory()
    heard = [net.hear(row, memory) for row in rows]
    assert len(heard[0]) == LATER_STEPS + 1
    np.testing.assert_allclose(heard, at_once(net, rows), rtol=1e-3, atol=1e-3)


def test_a_memory_stays_small() -> None:
    net, memory = nets()[0], empty_memory()
    for row in talk(80):
        net.hear(row, memory)
    assert len(json.dumps(dumped_memory(memory))) < 40_000


def test_korean_is_told_nothing_about_who_speaks() -> None:
    net, row = nets()[1], talk(1)[0]
    other = list(row)
    for place, name in enumerate((*NAMES, *SURROUNDING_FEATURES)):
        if name.startswith(("voices", "lead", "share", "away", "opener")) or name in ("place", "words"):
            other[place] += 100.0
    assert net.hear(other, empty_memory()) == net.hear(row, empty_memory())


def utterances(texts: list[str]) -> list[Utterance]:
    return [utter(number, "ab"[number % 2], f"{text} {number % 9}") for number, text in enumerate(texts, 1)]


@pytest.mark.parametrize("first", [EN, KO])
def test_another_language_begins_with_its_own_net_and_no_memory(first: str) -> None:
    second = KO if first == EN else EN
    scorer = Scorer()
    scores = []
    for said in utterances([first] * 60 + [second] * 90):
        score = scorer.hear(said.id, said.text, said.speaker_id, None)
        scores += [score] if score is not None else []
    assert {score.korean for score in scores} == {True, False}
    assert all(0.0 <= score.chance <= 1.0 for score in scores)
    assert scorer.dump()["along"]["korean"] == (second == KO)
