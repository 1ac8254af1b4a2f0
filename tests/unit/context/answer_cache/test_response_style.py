"""A kept answer in other words says the same; quotes stay letter for letter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from context.answer_cache.compared_question import ResponseStyleVariator
from tests.languages import BOTH

STYLE = ResponseStyleVariator()
ANSWERS = {
    "ko": '출시일은 12월 22일입니다.\n또한 예산은 3천만 원입니다.\n- **준호** (14:30:05): "또한 22일로 합시다"\n[#12]',
    "en": 'The launch is on December 22.\nAlso, the budget is 30,000.\n- **Ben** (14:30:05): "Also, the 22nd"\n[#12]',
}


@BOTH
def test_off_means_unchanged(language: str) -> None:
    assert STYLE.vary_response(ANSWERS[language], 0) == ANSWERS[language]


@BOTH
def test_full_variation_changes_opening_connective_and_closing(language: str) -> None:
    varied = STYLE.vary_response(ANSWERS[language], 1.0)
    lines = ANSWERS[language].split("\n")
    assert varied.split("\n")[1] == lines[0]
    assert lines[1] not in varied
    assert lines[1].split(" ", 1)[1] in varied
    assert all(line in varied for line in lines[2:])


@BOTH
@given(level=st.floats(0, 1), turn=st.integers(0, 50))
def test_it_is_decided_by_the_text_and_keeps_every_fixed_line(language: str, level: float, turn: int) -> None:
    answer = ANSWERS[language]
    varied = STYLE.vary_response(answer, level, turn=turn)
    assert varied == STYLE.vary_response(answer, level, turn=turn)
    lines = varied.split("\n")
    assert [line for line in answer.split("\n")[2:] if line in lines] == answer.split("\n")[2:]


@given(st.text(max_size=200), st.floats(0, 1))
def test_quoted_speech_is_never_touched(text: str, level: float) -> None:
    quote = f'"{text}"'.replace("\n", " ")
    assert quote in STYLE.vary_response(f"답:\n또한 {quote}", level)


def test_the_seeds_level_varies_some_answers_and_not_others() -> None:
    varied = [STYLE.vary_response(f"답은 {number}입니다.") != f"답은 {number}입니다." for number in range(60)]
    assert 10 < sum(varied) < 55
