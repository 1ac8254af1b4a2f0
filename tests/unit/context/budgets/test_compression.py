"""Compression keeps to its target, its order, its speakers, and to what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from context.budgets.compression import WEIGHTS, Compression, ContextCompressor, lines_of, weights
from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Passage
from context.features import CompressionStrategy
from context.ports import Unavailable
from tests.fakes.passages import passages_of
from tests.languages import BOTH
from tests.unit.cases import cases
from tests.unit.context.samples import load_lines, names, utter

TOKENS = EstimateTokenizer()
SCRIPTS = {"ko": "ko-release-planning", "en": "en-sprint-review"}
QUESTIONS = {"ko": "출시일이 언제로 결정됐지?", "en": "When do we build the export?"}


def meeting(language: str) -> list[Passage]:
    called = names(SCRIPTS[language])
    lines = load_lines(SCRIPTS[language])
    return passages_of(
        [utter(n, who, text, name=called[who]) for n, (who, text) in enumerate(lines, 1)], "m1", "회의"
    )


def compressed(
    passages: Sequence[Passage],
    query: str,
    target: int,
    strategy: CompressionStrategy = "extractive",
    compressor: ContextCompressor | None = None,
) -> Compression:
    return asyncio.run((compressor or ContextCompressor(TOKENS)).compress(passages, query, target, strategy))


def count(passages: Sequence[Passage]) -> int:
    return sum(TOKENS.count(passage.text) for passage in passages)


@BOTH
@settings(max_examples=25, deadline=None)
@given(target=st.integers(1, 1200))
def test_never_above_the_target_in_the_original_order_and_words(language: str, target: int) -> None:
    passages = meeting(language)
    made = compressed(passages, QUESTIONS[language], target)
    assert count(made.passages) == made.tokens_after <= max(target, 0)
    assert [passage.position for passage in made.passages] == sorted(
        passage.position for passage in made.passages
    )
    by_place = {passage.position: passage for passage in passages}
    for passage in made.passages:
        whole = by_place[passage.position]
        assert (passage.first, passage.last, passage.prefix) == (whole.first, whole.last, whole.prefix)
        at = 0
        for line in passage.text.replace("…", "").split("\n"):
            spoken = line.split(": ", 1)[-1].strip()
            found = whole.text.find(spoken, at)
            assert found >= at
            at = found + 1


@BOTH
def test_the_decision_that_answers_stays_with_its_speaker(language: str) -> None:
    passages = meeting(language)
    made = compressed(passages, QUESTIONS[language], count(passages) // 4)
    text = "\n".join(passage.text for passage in made.passages)
    assert {"ko": "출시일은 십이월 이십이일로 결정하겠습니다", "en": "We will build the export"}[
        language
    ] in text
    assert made.tokens_after * 3 < made.tokens_before
    assert compressed(passages, QUESTIONS[language], count(passages)).passages == tuple(passages), "what fits"
    assert compressed(passages, QUESTIONS[language], 0).passages == ()
    people = set(names(SCRIPTS[language]).values())
    assert all(passage.text.split(": ", 1)[0] in people for passage in made.passages)


def one(text: str, speakers: tuple[str, ...] = ()) -> Passage:
    return Passage(source_id="d", position=0, text=text, speakers=speakers)


@cases
def test_a_decision_without_a_subject_keeps_the_sentence_before(
    text: str, speakers: tuple[str, ...], query: str, needed: tuple[str, ...]
) -> None:
    passages = [one(text, speakers)]
    for target in range(4, count(passages)):
        made = compressed(passages, query, target)
        kept = " ".join(passage.text for passage in made.passages)
        for both in needed:
            second = both.split(". ", 1)[1]
            assert "…" in kept or second not in kept or both in kept.replace("\n", " ")


def test_citations_stay_with_their_sentence() -> None:
    made = compressed([one("The price is 40. [#12] The colour is blue. [#13] It was sunny.")], "price", 16)
    assert made.passages[0].text == "The price is 40. [#12]"


def test_the_seeds_weights() -> None:
    assert WEIGHTS == {"query": 0.4, "entities": 0.3, "position": 0.2, "entropy": 0.1}
    lines = lines_of([one("민지: 안녕하세요. 예산은 3천만 원입니다. 서버는 두 대예요.", ("민지",))])
    greeting, budget, rest = weights(lines, "예산이 얼마야?", ("민지",))
    assert budget > rest > greeting == 0
    assert all(0 <= weight <= 1 for weight in (greeting, budget, rest))


# Abstracts


class Writer:
    """A model that writes what it is told to, or fails."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.shown: Sequence[str] = ()

    async def __call__(self, texts: Sequence[str], query: str, target_tokens: int) -> str:
        self.shown = texts
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


LONG = {
    "ko": "민지: 출시일은 12월 22일로 결정했습니다. 점심은 김밥이었습니다. 날씨도 좋았습니다. 산책도 했습니다.",
    "en": "Ben: We decided to launch on December 22. Lunch was sandwiches. The weather was fine. We took a walk.",
}
SHORT = {"ko": "[1] 민지: 출시일은 12월 22일.", "en": "[1] Ben: Launch on December 22."}
WRONG = {"ko": "[1] 민지: 출시일은 12월 24일.", "en": "[1] Ben: Launch on December 24."}


def abstracted(
    language: str, answer: str | Exception, strategy: CompressionStrategy = "abstractive"
) -> tuple[Compression, int, Writer]:
    """What is made of an answer, the tokens that it may have, and what the model was shown."""
    passages = [one(LONG[language], ({"ko": "민지", "en": "Ben"}[language],))]
    target, writer = count(passages) // (2 if strategy == "abstractive" else 3), Writer(answer)
    compressor = ContextCompressor(TOKENS, writer)
    return compressed(passages, QUESTIONS[language], target, strategy, compressor), target, writer


@BOTH
def test_an_abstract_that_stands_is_used(language: str) -> None:
    made, target, _ = abstracted(language, SHORT[language])
    assert made.strategy == "abstractive"
    assert made.passages[0].text == SHORT[language].removeprefix("[1] ")
    assert made.tokens_after <= target


@BOTH
@pytest.mark.parametrize("fault", ["wrong", "foreign", "unmarked", "unknown", "empty", "long", "away"])
def test_one_that_does_not_is_not(language: str, fault: str) -> None:
    answers: dict[str, str | Exception] = {
        "wrong": WRONG[language],
        "foreign": {"ko": "[1] Everybody agreed to fire him.", "en": "[1] 모두 해고하기로 했다."}[language],
        "unmarked": SHORT[language].removeprefix("[1] "),
        "unknown": SHORT[language].replace("[1]", "[7]"),
        "empty": "",
        "long": f"[1] {LONG[language]}",
        "away": Unavailable("down"),
    }
    made, target, _ = abstracted(language, answers[fault])
    assert made.strategy == "extractive"
    assert made.tokens_after <= target
    assert "22" in made.passages[0].text


@BOTH
def test_hybrid_extracts_sixty_percent_and_abstracts_the_rest(language: str) -> None:
    made, _, writer = abstracted(language, SHORT[language], "hybrid")
    assert made.strategy == "hybrid"
    assert sum(TOKENS.count(text) for text in writer.shown) <= 0.6 * made.tokens_before
