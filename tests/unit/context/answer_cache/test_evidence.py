"""An answer stands as long as what it rests on does, and nothing newer was said on its subject."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from context.answer_cache.entry import MeetingWitness, Occasion
from context.answer_cache.kept_answers import ResponseCache
from context.models import Utterance
from tests.languages import BOTH
from tests.unit.cases import cases
from tests.unit.context.samples import utter

NOW = datetime(2026, 11, 20, 10, tzinfo=UTC)
HERE = Occasion(meeting_id="m1", at=NOW, asker="minji", names=("민지", "준호", "Ben", "Chloe"))

TALK = {
    "ko": [
        utter(1, "민지", "출시일을 정하겠습니다."),
        utter(2, "준호", "출시일은 12월 22일로 하겠습니다."),
        utter(3, "민지", "네, 좋습니다."),
    ],
    "en": [
        utter(1, "Ben", "Let's fix the launch date."),
        utter(2, "Chloe", "We launch on December 22."),
        utter(3, "Ben", "Okay, good."),
    ],
}
ASKED = {"ko": "출시일이 언제로 결정됐지?", "en": "When is the launch date?"}


def served_after(
    language: str,
    *more: Utterance,
    question: str = "",
    utterances: list[Utterance] | None = None,
) -> bool:
    """Whether an answer that rests on utterance 2 is given again once `more` was said."""
    talk = TALK[language]
    asked = question or ASKED[language]
    cache = ResponseCache()
    then = MeetingWitness(talk)
    entry = cache.store(
        asked, "22", HERE, verified=True, evidence=then.marks((2,)), after_utterance=len(talk)
    )
    assert entry is not None
    assert list(entry.evidence) == [2]
    now = MeetingWitness([*(utterances or talk), *more])
    return cache.find_similar(asked, HERE, witness=now) is not None


@BOTH
def test_it_stands_while_nothing_is_said(language: str) -> None:
    assert served_after(language)


@cases
def test_talk_of_other_things_leaves_it_standing(language: str, text: str) -> None:
    assert served_after(language, utter(4, "준호", text))


@cases
def test_something_newer_on_the_subject_ends_it(language: str, text: str) -> None:
    assert not served_after(language, utter(4, "준호", text))


@BOTH
def test_changed_or_missing_evidence_ends_it(language: str) -> None:
    talk = TALK[language]
    other = [talk[0], talk[1].model_copy(update={"text": "…"}), talk[2]]
    assert not served_after(language, utterances=other)
    assert not served_after(language, utterances=talk[:1])


@cases
def test_an_answer_on_the_whole_meeting_ends_with_anything_of_weight(language: str, question: str) -> None:
    assert served_after(language, utter(4, "민지", {"ko": "네.", "en": "Okay."}[language]), question=question)
    said = {"ko": "채용 공고는 수요일에 올리겠습니다.", "en": "I'll post the job ad on Wednesday."}[language]
    assert not served_after(language, utter(4, "준호", said), question=question)


@pytest.mark.parametrize(
    ("language", "question"), [("ko", "방금 민지가 뭐라고 했어?"), ("en", "What did Ben just say?")]
)
def test_as_of_now_means_now(language: str, question: str) -> None:
    assert served_after(language, question=question)
    assert not served_after(
        language, utter(4, "민지", {"ko": "네.", "en": "Okay."}[language]), question=question
    )


def test_without_a_witness_only_answers_that_rest_on_nothing_are_given() -> None:
    cache = ResponseCache()
    cache.store("출시일이 언제야?", "22일", HERE, verified=True, evidence={2: "x"})
    assert cache.find_similar("출시일이 언제야?", HERE) is None
    assert cache.statistics.as_dict()["guarded"] == {"evidence": 1}
