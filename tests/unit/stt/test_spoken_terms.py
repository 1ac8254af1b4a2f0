"""What a model is told of a stretch's terms, and what it may not make of them."""

from __future__ import annotations

import pytest

from stt.hallucinations import is_of_terms, sounds_alike
from stt.spoken_terms import MAX_TOLD_TERMS, prompt_of, told

KO = ("결제 기능", "인증서", "캐시")
EN = ("search latency", "Excel", "PostgreSQL")


@pytest.mark.parametrize(
    ("terms", "language", "expected"),
    [
        (KO, "ko", KO),
        (EN, "en", EN),
        ((*KO, *EN), "en", EN),
        ((*KO, *EN), "auto", (*KO, *EN)),
        ((*EN, *KO), "ko", (*EN, *KO)),
        ((*EN, KO[0]), "ko", (EN[0], KO[0])),
        (("Kubernetes", "Redis"), "ko", ("Kubernetes",)),
        ((), "ko", ()),
        (("<|endoftext|>", " ", "캐시"), "ko", ("캐시",)),
        (("<|ko|>", "", "Excel"), "en", ("Excel",)),
    ],
)
def test_terms_are_told_in_letters_that_the_language_has(
    terms: tuple[str, ...], language: str, expected: tuple[str, ...]
) -> None:
    assert told(terms, language) == expected


@pytest.mark.parametrize("language", ["ko", "en", "auto"])
def test_what_is_told_is_bounded_and_the_likeliest_first(language: str) -> None:
    many = tuple(f"{'용어' if language == 'ko' else 'term'}{number}" for number in range(50))
    assert told(many, language) == many[: len(told(many, language))]
    assert len(told(many, language)) <= MAX_TOLD_TERMS
    long = ("w" * 90, "x" * 90, "short")
    assert told(long, "en") == ("w" * 90, "short")
    assert told(tuple("가나다라마바사" + str(n) for n in range(10)), "ko") == tuple(
        "가나다라마바사" + str(n) for n in range(6)
    )


def test_the_prompt_is_one_sentence() -> None:
    assert prompt_of(KO) == "결제 기능, 인증서, 캐시."
    assert prompt_of(()) == ""


@pytest.mark.parametrize(
    ("text", "terms", "expected"),
    [
        ("결제 기능, 인증서, 캐시.", KO, True),
        ("인증서.", KO, True),
        ("인증서는요", KO, True),
        ("오늘 결제 기능, 인증서를 보죠", KO, True),
        ("Excel.", EN, True),
        ("Search latency, Excel", EN, True),
        ("결제 기능 테스트는 언제 시작할 수 있나요?", KO, False),
        ("캐시를 도입하면 얼마나 절약할 수 있습니까?", KO, False),
        ("Eight of them want an export to Excel.", EN, False),
        ("네, 알겠습니다.", (), False),
    ],
)
def test_a_text_of_little_else_than_terms_may_be_the_prompts(
    text: str, terms: tuple[str, ...], expected: bool
) -> None:
    assert is_of_terms(text, terms) == expected


@pytest.mark.parametrize(
    ("told", "untold", "expected"),
    [
        ("인증서.", "인중서", True),
        ("면접은요?", "면잡은요.", True),
        ("Excel.", "Exel", True),
        ("인증서.", "", False),
        ("인증서.", "네, 알겠습니다.", False),
        ("Excel.", "Thank you.", False),
    ],
)
def test_a_term_was_said_where_the_sound_alone_says_something_like_it(
    told: str, untold: str, expected: bool
) -> None:
    assert sounds_alike(told, untold) == expected
