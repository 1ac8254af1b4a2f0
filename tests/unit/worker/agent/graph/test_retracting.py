"""What does not stand is taken back within two seconds of the last word, and a bad grade ends in a word about it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from context.features import Features
from context.models import Reply
from tests.fakes.llm import ScriptedModel
from tests.fakes.verifiers import Verdicts
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from tests.unit.worker.agent.graph.answers import FakeAnswers, question_context
from tests.unit.worker.agent.meetings import (
    EN,
    KO,
    QUESTION,
    FakeContextSettings,
    Quoted,
    Room,
    asked,
    meeting_of,
    said,
)
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.calls.verifying import Verifier
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.reply.speaking import notice

pytestmark = in_virtual_time

TOLD = {
    "ko": "출시일은 12월 22일로 결정되었습니다. [#3]\n결제 테스트 계획은 최종 승인되었습니다. [#4]\n",
    "en": "They add a second server this week. [#3]\nBen has ordered the server already. [#4]\n",
}
WRONG = {"ko": "최종 승인", "en": "already"}
BACK = {
    "ko": "정정: “결제 테스트 계획은 최종 승인되었습니다.” – 기록과 다릅니다:"
    " **박준호** (14:32:04): 결제 테스트 계획은 금요일까지 공유하겠습니다.",
    "en": "Correction: “Ben has ordered the server already.” – the record says otherwise:"
    " **Ben** (14:32:04): I will order the server tomorrow and report on Thursday.",
}


class Timed(Room):
    """A room that notes when each piece came."""

    def __init__(self) -> None:
        super().__init__()
        self.at: list[tuple[float, str]] = []

    async def open_reply(self, *args: Any, **named: Any) -> Any:
        heard = await super().open_reply(*args, **named)
        loop, write = asyncio.get_running_loop(), heard.write

        async def timed(text: str) -> None:
            self.at.append((loop.time(), text))
            await write(text)

        heard.write = timed  # type: ignore[method-assign]  # the fault
        return heard


async def told(
    language: str,
    verdicts: dict[str, Any] | None = None,
    *,
    after_s: float = 0.0,
    grade: list[Any] | None = None,
    text: str = "",
    prepared: FakeContextSettings | None = None,
    parts: AnswerParts | None = None,
    verifies: bool = True,
) -> tuple[Reply, Timed]:
    room, loop = Timed(), asyncio.get_running_loop()
    answers = CalledModel(ScriptedModel([text or TOLD[language]], [text or TOLD[language]]))
    at_hand = prepared or question_context(language)
    checks = Verifier(CalledModel(Verdicts(verdicts, after_s=after_s)), tokenizer=at_hand.tokenizer)
    answerer = Answerer(
        answers,
        at_hand,
        judge=CalledModel(ScriptedModel(grade)) if grade else None,
        verifier=checks if verifies else None,
        deadlines=Deadlines(verify_s=2.0),
        clock=loop.time,
        parts=parts or AnswerParts(),
        features=Features(llm_based_quality_check=True),
    )
    reply = await answerer.answer(
        asked(QUESTION[language]), meeting_of(()), room.open_reply, now_ms=lambda: 9750
    )
    return reply, room


def grading(overall: float, after_s: float = 0.0) -> list[Any]:
    grade = {"completeness_score": 10 * overall, "overall_quality": overall}
    return [after_s, json.dumps(grade)]


@BOTH
async def test_a_wrong_claim_is_taken_back_within_two_seconds_of_the_last_word(language: str) -> None:
    contradicted = {WRONG[language]: {"verdict": "contradicted"}}
    reply, room = await told(language, contradicted, after_s=1.5, grade=grading(0.9, after_s=4.0))
    last_word = next(at for at, text in room.at if WRONG[language] in text)
    taken_back = next(at for at, text in room.at if BACK[language] in text)
    assert 1.4 < taken_back - last_word < 2.0, "the grader's four seconds don't delay it"
    assert BACK[language] in reply.text
    assert reply.evidence == room.replies[0].closed_with == (3, 4)
    assert (reply.run.verified, reply.run.taken_back) == (True, 1)
    assert {each.purpose for each in reply.run.prompts} == {"answer", "quality", "verification"}
    assert reply.run.quality_score == pytest.approx(0.7), "the verifier found half of it grounded"


@BOTH
async def test_a_late_verdict_leaves_the_answer_unverified_and_says_so(language: str) -> None:
    contradicted = {WRONG[language]: {"verdict": "contradicted"}}
    for after_s, verifies in ((2.5, True), (0.0, False)):
        reply, room = await told(language, contradicted, after_s=after_s, verifies=verifies)
        assert reply.text.endswith(notice("unverified", language))
        assert room.at[-1][0] - room.at[0][0] <= 2.0
        assert (reply.run.verified, reply.run.taken_back) == (False, 0)


@BOTH
async def test_what_was_changed_later_is_named_with_what_holds(language: str) -> None:
    later = {
        "ko": [*KO, ("minji", "김민지", "출시일은 십이월 이십구일로 미루기로 합니다.")],
        "en": [*EN, ("alice", "Alice", "The second server has to wait until next month.")],
    }[language]
    prepared = FakeContextSettings(said(later), Quoted("?"), language=language)
    first = TOLD[language].splitlines()[0]
    reply, _ = await told(language, {first[:10]: {"changed": [6]}}, text=f"{first}\n", prepared=prepared)
    assert later[5][2] in reply.text.partition("정정:" if language == "ko" else "Correction:")[2]
    assert reply.evidence == (6,)


@BOTH
async def test_where_everything_falls_the_record_speaks_or_nothing_is_claimed(language: str) -> None:
    nothing = {"": {"verdict": "not_said"}}
    reply, _ = await told(language, nothing)
    assert reply.text.endswith(question_context(language).answer.text)
    assert (reply.degraded, reply.evidence, reply.certainty) == (True, (3,), "answer")
    none = question_context(language, answer=Quoted("?", (), certainty="none"))
    reply, _ = await told(language, nothing, prepared=none)
    assert reply.text.endswith(notice("not_found", language))
    assert (reply.declined, reply.evidence) == (True, ())


@BOTH
async def test_only_what_is_verified_and_stands_is_kept_for_the_next_asker(language: str) -> None:
    answers = FakeAnswers()
    parts = AnswerParts(answers=answers)
    await told(language, parts=parts, after_s=3.0)
    await told(language, {WRONG[language]: {"verdict": "not_said"}}, parts=parts)
    assert answers.kept == []
    await told(language, parts=parts)
    assert len(answers.kept) == 1


@BOTH
async def test_a_bad_grade_ends_in_a_stated_doubt_even_where_nothing_new_is_found(language: str) -> None:
    reply, _ = await told(language, grade=grading(0.0))
    assert reply.text.endswith(notice("doubt", language))
    assert not reply.run.corrected
    reply, _ = await told(language, grade=grading(0.9))
    assert notice("doubt", language) not in reply.text
