"""The answer cache: what it keeps, for whom, for how long, and what it counts."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.answer_cache.entry import CacheEntry, Occasion
from context.answer_cache.kept_answers import LIFETIME, LookUp, ResponseCache
from context.answer_cache.likeness import CALIBRATIONS, calibration_of, threshold_for
from tests.languages import BOTH
from tests.unit.cases import cases

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
SAME = {
    "ko": ("출시일이 언제로 결정됐지?", "출시일은 언제로 결정됐어?"),
    "en": ("Who is ordering the server?", "Who's ordering the server?"),
}
KO = SAME["ko"][0]
ENCODER = CALIBRATIONS[0].encoder


def here(**changed: object) -> Occasion:
    return Occasion.model_validate({"meeting_id": "m1", "at": NOW, "asker": "minji", **changed})


def vector(cosine: float) -> np.ndarray:
    return np.array([cosine, (1 - cosine**2) ** 0.5], dtype=np.float32)


def kept(
    question: str, occasion: Occasion | None = None, cache: ResponseCache | None = None
) -> ResponseCache:
    cache = ResponseCache() if cache is None else cache  # an empty one is false
    entry = cache.store(
        question, "22일 / the 22nd", occasion or here(), verified=True, tokens=750, time_ms=2500,
        vector=vector(1.0), encoder=ENCODER,
    )  # fmt: skip
    assert entry is not None
    return cache


def hits(cache: ResponseCache, question: str, **occasion: object) -> bool:
    return cache.find_similar(question, here(**occasion)) is not None


@BOTH
def test_the_same_words_hit_whatever_their_case_blanks_and_marks(language: str) -> None:
    question = SAME[language][0]
    cache = kept(question)
    found = cache.find_similar(f"  {question.upper().replace('?', ' ')}!", here())
    assert found is not None
    assert (found[0].query, found[1]) == (question, 1.0)
    assert cache.statistics.exact_hits == 1


@BOTH
def test_what_hits_saved_is_counted_under_the_seeds_names(language: str) -> None:
    stored, asked = SAME[language]
    told: list[LookUp] = []
    cache = kept(stored, cache=ResponseCache(on_look_up=told.append))
    found = cache.find_similar(asked, here(), vector=vector(0.99), encoder=ENCODER)
    assert found is not None
    assert found[0].hit_count == 1
    assert not hits(cache, asked), "other words for the same hit only with vectors"
    counted = cache.statistics.as_dict()
    assert {name: counted[name] for name in counted if name not in {"guarded", "exact_hits"}} == {
        "total_queries": 2,
        "cache_hits": 1,
        "cache_hit_rate": 0.5,
        "total_tokens_saved": 750,
        "total_time_saved_ms": 2500,
    }
    assert [each.hit for each in told] == [True, False]


def test_a_miss_beside_a_kept_question_says_which_guard_spoke() -> None:
    cache = kept("예산안을 승인하기로 했어?")
    assert not hits(cache, "예산안을 승인하지 않기로 했어?")
    assert cache.statistics.as_dict()["guarded"] == {"polarity": 1}


@pytest.mark.parametrize(
    ("kept_question", "mine"),
    [(KO, "내가 할 일이 뭐야?"), (SAME["en"][0], "What do I have to do?")],
)
def test_a_question_of_my_own_is_refused_only_beside_one_like_it(kept_question: str, mine: str) -> None:
    told: list[LookUp] = []
    cache = kept(kept_question, cache=ResponseCache(on_look_up=told.append))
    assert not hits(cache, mine, asker="junho")
    assert not hits(kept(mine, cache=cache), mine, asker="junho")
    assert [each.guard for each in told] == [None, "asker"]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({}, {"meeting_id": "m2"}),
        ({}, {"tenant": "other"}),
        ({}, {"call_type": "SEARCH"}),
        ({}, {"language": "en"}),
        ({}, {"maker": "another model"}),
        ({"private": True}, {"asker": "junho"}),
        ({"private": True}, {"asker": "junho", "private": True}),
        ({"private": True}, {"private": False}),
    ],
)
@BOTH
def test_nothing_crosses_from_one_shelf_to_another_nor_what_is_private(
    language: str, mine: dict[str, object], theirs: dict[str, object]
) -> None:
    question = SAME[language][0]
    cache = kept(question, here(**mine))
    assert not hits(cache, question, **theirs)
    assert hits(cache, question, **mine)


def test_evidence_that_only_some_may_read_is_for_them() -> None:
    cache = ResponseCache()
    cache.store(KO, "Ben", here(), verified=True, readers=frozenset({"minji"}))
    assert not hits(cache, KO, asker="junho")
    assert hits(cache, KO)


@pytest.mark.parametrize("question", ["내가 할 일이 뭐야?", "What do I have to do?", "List my action items"])
def test_my_tasks_are_not_yours(question: str) -> None:
    cache = kept(question)
    assert not hits(cache, question, asker="junho")
    assert hits(cache, question)


@pytest.mark.parametrize("question", ["내일 발표는 누가 해?", "Who presents tomorrow?"])
def test_tomorrow_is_another_day_after_midnight_where_the_asker_is(question: str) -> None:
    late = datetime(2026, 11, 20, 23, 50, tzinfo=ZoneInfo("Asia/Seoul"))
    cache = kept(question, here(at=late))
    assert hits(cache, question, at=late + timedelta(minutes=5))
    assert not hits(cache, question, at=late + timedelta(minutes=20))


@cases
def test_what_leans_on_the_turn_before_is_neither_kept_nor_served(question: str) -> None:
    cache = ResponseCache()
    assert cache.store(question, "민지", here(), verified=True) is None
    assert not hits(cache, question)


@pytest.mark.parametrize(
    ("response", "verified", "evidence"), [("22일", False, {}), ("   ", True, {}), ("22일", True, {9: ""})]
)
def test_only_verified_answers_that_rest_on_something_are_kept(
    response: str, verified: bool, evidence: dict[int, str]
) -> None:
    cache = ResponseCache()
    assert cache.store(KO, response, here(), verified=verified, evidence=evidence) is None
    assert len(cache) == 0


def test_an_hour_is_the_longest_and_an_answer_from_the_future_is_not_believed() -> None:
    assert timedelta(hours=1) == LIFETIME
    cache = kept(KO)
    assert hits(cache, KO, at=NOW + LIFETIME)
    assert not hits(cache, KO, at=NOW + LIFETIME + timedelta(seconds=1))
    assert len(cache) == 0
    assert not hits(kept(KO), KO, at=NOW - timedelta(minutes=1))


@given(
    capacity=st.integers(1, 6),
    steps=st.lists(st.tuples(st.sampled_from(["store", "find"]), st.integers(0, 9)), max_size=40),
)
def test_the_one_unused_longest_leaves_first(capacity: int, steps: list[tuple[str, int]]) -> None:
    """Against a model: a list in order of use. What is stored again takes its place."""
    cache = ResponseCache(capacity=capacity)
    order: list[tuple[int, str]] = []
    for step, (what, number) in enumerate(steps):
        question = f"{number + 1}번 안건은 누가 설명했어?"
        known = [each for each in order if each[0] == number]
        if what == "store":
            cache.store(question, f"{step}", here(), verified=True)
            known = [(number, f"{step}")]
        else:
            found = cache.find_similar(question, here())
            assert (found and (number, found[0].response)) == (known[0] if known else None)
        order = [*(each for each in order if each[0] != number), *known][-capacity:]
        assert len(cache) == len(order)


# The encoder


def with_vectors(
    cosine: float, encoder: str = ENCODER, threshold: float | None = None
) -> tuple[CacheEntry, float] | None:
    stored, asked = SAME["ko"]
    cache = ResponseCache()
    cache.store(stored, "Ben", here(), verified=True, vector=vector(1.0), encoder=encoder)
    assert cache.needs_vector(asked, here())
    return cache.find_similar(asked, here(), vector=vector(cosine), encoder=encoder, threshold=threshold)


def test_an_encoder_alone_says_nothing() -> None:
    found = with_vectors(0.98)
    assert found is not None
    assert found[1] == pytest.approx(0.98, abs=1e-3)
    assert with_vectors(0.85) is None  # of this encoder, two questions with nothing in common have that
    near = kept("Who presents slide 12?")
    assert not near.needs_vector("Who presents slide 21?", here())
    assert near.find_similar("Who presents slide 21?", here(), vector=vector(0.999), encoder=ENCODER) is None
    assert not near.needs_vector("Who presents slide 12", here()), "the same words need no vector"
    other = kept("배포 전에 뭘 해?")
    assert other.find_similar("배포 후에 뭘 해?", here(), vector=vector(0.999), encoder=ENCODER) is None


def test_an_encoder_nobody_calibrated_is_left_out() -> None:
    assert calibration_of("somebody/else") is None
    assert with_vectors(0.99, encoder="somebody/else") is None
    with pytest.raises(LookupError, match="somebody/else"):
        threshold_for("somebody/else")


def test_the_seeds_scale_is_mapped_on_an_encoders_and_a_stricter_flag_is_stricter() -> None:
    known = CALIBRATIONS[0]
    assert threshold_for(ENCODER) == threshold_for(ENCODER, 0.85) == pytest.approx(known.threshold)
    assert threshold_for(ENCODER, 1.0) == pytest.approx(1.0)
    assert threshold_for(ENCODER, 0.0) == pytest.approx(known.unrelated)
    steps = [threshold_for(ENCODER, step / 20) for step in range(21)]
    assert steps == sorted(steps)
    assert with_vectors(0.98, threshold=0.99) is None
    assert with_vectors(0.98, threshold=0.5) is not None
