"""Digits of a claim are found again in spoken number words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from context.evidence.figures import days_heard, figures_heard
from context.language.numbers import heard, stated
from tests.unit.cases import cases

SINO = "영일이삼사오육칠팔구"


def korean(number: int) -> str:
    """Sino-Korean numerals as they are read aloud, up to 99,999,999."""
    if number >= 10_000:
        high, low = divmod(number, 10_000)
        return ("" if high == 1 else korean(high)) + "만" + (korean(low) if low else "")
    text = ""
    for value, name in ((1000, "천"), (100, "백"), (10, "십")):
        digit, number = divmod(number, value)
        if digit:
            text += ("" if digit == 1 else SINO[digit]) + name
    return text + (SINO[number] if number else "")


@given(st.integers(min_value=1, max_value=99_999_999))
def test_every_korean_numeral_is_heard(number: int) -> None:
    assert float(number) in heard(f"예산은 {korean(number)} 원입니다")


@cases
def test_claims_in_digits_match_speech_in_words(claim: str, speech: str) -> None:
    assert stated(claim) <= heard(speech)


@cases
def test_another_number_does_not_match(claim: str, speech: str) -> None:
    assert not stated(claim) <= heard(speech)


@pytest.mark.parametrize("month", ["유월", "시월", "6월", "June"])
def test_a_month_that_nobody_said_does_not_stand(month: str) -> None:
    assert not days_heard(f"출시일은 {month}", "출시일은 삼월 이십일로 결정하겠습니다.")
    assert not days_heard(f"The release is in {month}", "We release in March.")
    assert days_heard(f"출시일은 {month}", "출시일은 나중에 정하겠습니다."), (
        "no month was named: a verifier's to say"
    )


@given(st.text(max_size=200))
def test_never_raises_and_hears_what_is_stated(text: str) -> None:
    assert stated(text) <= heard(text) | stated(text)


@pytest.mark.parametrize(
    ("claim", "spoken"),
    [
        ("It costs $4.10.", "Four dollars ten."),
        ("It lasts 23.5 hours.", "About twenty-three and a half."),
        ("The gap is 0.4 mm.", "Zero point four millimetres."),
        ("It starts at 15:30.", "We begin at half past three."),
        ("It starts at 3.30 pm.", "We begin at half past three."),
        ("Lunch is at 12:00.", "Lunch is at noon."),
        ("They order 24 chairs.", "Two dozen chairs, please."),
        ("It costs 500,000.", "Half a million, they said."),
        ("It is room 302.", "Room three oh two."),
        ("It is due in 2026.", "By twenty twenty six."),
        ("값은 1,800만 원입니다.", "천8백이면 된대요."),
        ("간격은 0.4밀리입니다.", "영점 사 밀리예요."),
        ("2.5시간 걸립니다.", "두 시간 반 걸려요."),
        ("기간은 3개월입니다.", "석 달이에요."),
        ("점심은 12시입니다.", "점심은 정오예요."),
    ],
)
def test_figures_are_heard_as_they_are_spoken(claim: str, spoken: str) -> None:
    assert figures_heard(claim, spoken, counts=())
    assert not figures_heard(claim, "It is about the red tiles. 빨간 타일 얘기예요.", counts=())


@pytest.mark.timeout(10)
@pytest.mark.parametrize("unit", ["9", "구", "9점", "천8", "one point ", "'a", "“a", "[", "3:3"])
def test_no_speech_costs_more_than_its_length_or_raises(unit: str) -> None:
    spoken = unit * (8000 // len(unit)) + "점 3"
    assert figures_heard("3.", spoken, counts=())
    assert figures_heard(spoken, spoken), "what was said was heard"


@pytest.mark.parametrize(
    ("claim", "spoken", "heard"),
    [
        ("It is on Thursday.", "See you Thurs.", True),
        ("수요일과 목요일입니다.", "수목은 어때요?", True),
        ("토요일입니다.", "주말에 하죠.", True),
        ("화요일입니다.", "주말에 하죠.", False),
        ("It is on Tuesday.", "At the weekend.", False),
        ("첫 안건은 앱 출시 일정입니다.", "앱을 언제 낼지부터 보죠.", True),
    ],
)
def test_days_are_heard_in_short_and_together(claim: str, spoken: str, heard: bool) -> None:
    assert days_heard(claim, spoken) is heard


@given(st.text(alphabet=f"{SINO}십백천만 \t\n\u00a0", max_size=12))
def test_any_run_of_numerals_is_read(text: str) -> None:
    assert heard(text) >= {value for line in text.splitlines() for value in heard(line)}


def test_two_lines_are_no_one_number() -> None:
    assert heard("백이\n십삼") == heard("백이") | heard("십삼")
