"""Answers: streamed, with evidence, in time, and honest about it when they are less than that."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from context.answering.question_meaning import read
from context.budgets.tokens import EstimateTokenizer
from context.events.corrections import UtteranceFix
from context.events.events import Corrected
from context.manager import ContextManager
from context.models import Reply
from context.plain.answer_inputs import QuestionVectors
from context.ports import CutOff, Refused, Unavailable
from context.question import Question
from tests.fakes.llm import Hang, ScriptedModel, letters
from tests.fakes.verifiers import verifier
from tests.fakes.virtual_time import in_virtual_time
from tests.languages import BOTH
from tests.unit.worker.agent.graph.answers import GOOD, question_context
from tests.unit.worker.agent.meetings import (
    KO,
    LINES,
    QUESTION,
    QUOTES,
    FakeContextSettings,
    FixedQuestionContext,
    Quoted,
    Room,
    asked,
    meeting_of,
    put,
    said,
    say,
    superseded,
)
from worker.agent.calls.calling import Breaker, CalledModel
from worker.agent.calls.deadlines import Deadlines
from worker.agent.graph.answering import Answerer
from worker.agent.question.encoder import SameVectors
from worker.agent.question.question_context import QuestionContext, QuestionContextSettings
from worker.agent.reply import speaking
from worker.agent.reply.speaking import notice, unverified_mark

pytestmark = in_virtual_time

QUICK = Deadlines(first_token_s=0.2, answer_s=0.5)


async def answered(
    script: list[Any] | None,
    prepared: FakeContextSettings,
    room: Room | None = None,
    *,
    breaker: Breaker | None = None,
) -> tuple[Reply, Room]:
    room = room or Room()
    model = None if script is None else CalledModel(ScriptedModel(script), breaker)
    answerer = Answerer(
        model,
        prepared,
        deadlines=QUICK,
        clock=asyncio.get_running_loop().time,
        verifier=verifier(),
    )
    return await answerer.answer(asked("?"), meeting_of(()), room.open_reply, now_ms=lambda: 9750), room


@BOTH
async def test_a_model_answers_with_names_and_times(language: str) -> None:
    raw, shown = GOOD[language]
    reply, room = await answered(letters(raw), question_context(language))
    assert reply.text == room.text == shown
    assert reply.evidence == room.replies[0].closed_with == (3,)
    assert room.replies[0].evidence_at_open == ()
    assert (reply.declined, reply.degraded) == (False, False)
    assert (reply.asked_at_ms, reply.answered_at_ms, reply.invocation_id) == (9000, 9750, "q1")


@BOTH
async def test_without_a_model_the_record_speaks_and_nothing_is_degraded(language: str) -> None:
    reply, room = await answered(None, question_context(language))
    assert reply.text == room.text == QUOTES[language].text
    assert room.replies[0].evidence_at_open == room.replies[0].closed_with == reply.evidence == (3,)
    assert not reply.degraded
    assert len(room.replies[0].pieces) > 1, "streamed in sentences"


@BOTH
async def test_declining_is_marked(language: str) -> None:
    prepared = question_context(language)
    prepared.answer = Quoted(notice("not_found", language), (), certainty="none")
    reply, _ = await answered(None, prepared)
    assert reply.declined
    assert reply.evidence == ()


@BOTH
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ([Hang], "late"),
        ([0.5, "늦은 답 late. [#3]"], "late"),
        ([Unavailable("503")], "unavailable"),
        ([Refused("401")], "unavailable"),
        (["근거 없는 말 no citation at all."], "unsupported"),
        (["인용이 없는 발언 quotes nobody. [#99]"], "unsupported"),
        ([], "empty"),
        (["\n", " "], "empty"),
        (['```json\n{"name": "search", "arguments": {"query": "출시일 release"}}\n```'], "tool_call"),
        (["I'm sorry, but I can't help with that."], "refused"),
        (["죄송하지만 그 요청은 도와드릴 수 없습니다."], "refused"),
    ],
)
async def test_a_lesser_answer_says_so_and_quotes(language: str, script: list[Any], why: Any) -> None:
    reply, room = await answered(script, question_context(language))
    assert room.text == f"{notice(why, language)}\n\n{QUOTES[language].text}"
    assert reply.degraded
    assert reply.evidence == room.replies[0].closed_with == (3,)


@BOTH
@pytest.mark.parametrize(
    ("script", "why"),
    [
        ([Hang], "late"),
        ([Unavailable("503")], "unavailable"),
        (["근거 없는 말 no citation at all."], "unsupported"),
        ([], "empty"),
        (['{"tool_calls": []}'], "tool_call"),
        (["I cannot assist with this request."], "refused"),
    ],
)
async def test_a_lesser_answer_with_nothing_to_quote_is_one_sentence(
    language: str, script: list[Any], why: Any
) -> None:
    prepared = question_context(language)
    prepared.answer = Quoted(notice("not_found", language), (), certainty="none")
    reply, room = await answered(script, prepared)
    assert room.text == notice(why, language, quoted=False)
    assert "\n" not in room.text
    assert notice("not_found", language) not in room.text
    assert room.text != notice(why, language), "it announces no quotes"
    assert (reply.declined, reply.degraded, reply.evidence) == (True, True, ())


@BOTH
async def test_what_breaks_off_and_finds_no_quotes_stays_an_answer(language: str) -> None:
    prepared = question_context(language)
    prepared.answer = Quoted(notice("not_found", language), (), certainty="none")
    raw, shown = GOOD[language]
    reply, room = await answered([f"{raw}\n", "그리고 and", Unavailable("cut")], prepared)
    assert room.text.split("\n") == [shown, notice("broke_off", language, quoted=False)]
    assert (reply.declined, reply.evidence) == (False, (3,))


@BOTH
@pytest.mark.parametrize("end", [Unavailable("cut"), CutOff("1000 tokens"), Hang])
async def test_an_answer_that_breaks_off_says_so_and_goes_on_with_quotes(language: str, end: Any) -> None:
    raw, shown = GOOD[language]
    reply, room = await answered([f"{raw}\n", "그리고 and", end], question_context(language))
    assert reply.text == room.text.strip()
    assert room.text.startswith(shown)
    assert room.text.endswith(f"{notice('broke_off', language)}\n\n{QUOTES[language].text}")
    assert reply.degraded


async def test_tokens_that_drip_past_the_deadline_are_late() -> None:
    began = asyncio.get_running_loop().time()
    steps: list[Any] = [step for char in "느린 답변입니다 " * 10 for step in (char, 0.02)]
    reply, _ = await answered(steps, question_context("ko"))
    assert reply.text.startswith(notice("late", "ko"))
    assert asyncio.get_running_loop().time() - began < 1.5, "the drip alone takes 1.8 s"


@BOTH
async def test_the_model_finds_no_answer(language: str) -> None:
    reply, room = await answered(["NO_EVIDENCE"], question_context(language))
    assert room.text == notice("not_found", language)
    assert reply.declined
    assert not reply.degraded


async def test_nothing_to_show_needs_no_model() -> None:
    prepared = FakeContextSettings((), Quoted("아직 기록이 없습니다.", (), certainty="none"))
    scripted = ScriptedModel(["x"])
    answerer = Answerer(CalledModel(scripted), prepared)
    room = Room()
    reply = await answerer.answer(asked("?"), meeting_of(()), room.open_reply, now_ms=lambda: 1)
    assert scripted.calls == []
    assert reply.declined


async def test_a_resting_model_is_not_asked_and_no_prompt_is_built() -> None:
    breaker = Breaker(threshold=1)
    breaker.failed()
    prepared = question_context("ko")
    reply, _ = await answered(["x"], prepared, breaker=breaker)
    assert reply.text.startswith(notice("unavailable", "ko"))
    assert prepared.prompts == 0


async def test_deadlines_that_pass_open_the_breaker() -> None:
    breaker = Breaker(threshold=2)
    for _ in range(2):
        await answered([Hang], question_context("ko"), breaker=breaker)
    assert breaker.is_open


@BOTH
async def test_superseded_while_it_speaks(language: str) -> None:
    raw, shown = GOOD[language]
    scripted = ScriptedModel([f"{raw}\n", "x", Hang])
    prepared, room = question_context(language), Room()
    answerer = Answerer(CalledModel(scripted), prepared)
    await superseded(answerer, room, lambda: bool(room.replies and room.text))
    assert room.text.replace(unverified_mark(language), "").startswith(shown)
    assert room.text.endswith(notice("superseded", language))
    assert room.replies[0].closed_with == (3,)
    assert scripted.closed == 1


async def test_superseded_before_a_word_leaves_no_trace() -> None:
    scripted, room = ScriptedModel([Hang]), Room()
    answerer = Answerer(CalledModel(scripted), question_context("ko"))
    await superseded(answerer, room, lambda: bool(scripted.calls))
    assert room.replies == []
    assert scripted.closed == 1


async def test_a_room_that_is_gone_does_not_cost_the_record_its_answer() -> None:
    reply, room = await answered(letters(GOOD["ko"][0]), question_context("ko"), Room(gone=True))
    assert reply.text == GOOD["ko"][1]
    assert room.replies == []


@BOTH
async def test_a_fault_of_ours_is_told_to_the_asker(language: str) -> None:
    class Broken(FakeContextSettings):
        def quotes(self) -> Quoted:
            raise RuntimeError("a bug")

    prepared = Broken(said(KO), QUOTES[language], language=language)
    room = Room()
    with pytest.raises(RuntimeError):
        await answered(None, prepared, room)
    assert room.text == notice("no_answer", language)
    assert room.replies[0].closed_with == ()


@BOTH
async def test_a_fault_in_reading_the_meeting_is_told_to_the_asker(language: str) -> None:
    class Unread(FixedQuestionContext):
        async def prepare(self) -> None:
            raise RuntimeError("a bug")

    class Broken(FakeContextSettings):
        def question_context(self, invocation: Question, _manager: ContextManager) -> QuestionContext:
            return Unread(invocation, self)

    room = Room()
    with pytest.raises(RuntimeError):
        await answered(None, Broken(said(KO), QUOTES[language], language=language), room)
    assert room.text == notice("no_answer", language)


async def test_a_room_that_hangs_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speaking, "WRITE_S", 0.02)

    class Stuck(Room):
        async def open_reply(self, *args: Any, **named: Any) -> Any:
            await asyncio.Event().wait()

    reply, _ = await answered(None, question_context("ko"), Stuck())
    assert reply.text == QUOTES["ko"].text


async def test_private_answers_go_to_the_asker_alone() -> None:
    room = Room()
    answerer = Answerer(None, question_context("ko"))
    reply = await answerer.answer(asked("?", private=True), meeting_of(()), room.open_reply, now_ms=lambda: 1)
    assert room.replies[0].to == "minji"
    assert reply.private
    assert reply.answered_at_ms == reply.asked_at_ms == 9000, "never before it was asked"


@BOTH
@pytest.mark.parametrize(
    ("script", "why", "within_s"),
    [
        ([Hang], "late", (8, 8.5)),
        ([7.0, "x", Hang], "late", (8, 8.5)),
        ([step for char in "한 글자씩 천천히 나오는 답변" for step in (1.0, char)], "late", (8, 8.5)),
        ([7.0, "CITED", "그리고 and ", Hang], "broke_off", (30, 30.5)),
        ([7.0, "CITED", *[step for _ in range(60) for step in (1.0, "x")]], "broke_off", (30, 30.5)),
    ],
)
async def test_eight_seconds_to_the_first_words_and_thirty_to_the_end(
    language: str, script: list[Any], why: Any, within_s: tuple[float, float]
) -> None:
    """The deadlines as they are, on a clock of their own: hung, slow, one token per second."""
    loop, room = asyncio.get_running_loop(), Room()
    steps = [f"{GOOD[language][0]}\n" if step == "CITED" else step for step in script]
    model = CalledModel(ScriptedModel(steps), Breaker(clock=loop.time))
    answerer = Answerer(model, question_context(language), clock=loop.time, verifier=verifier())
    began_s = loop.time()
    reply = await answerer.answer(asked("?"), meeting_of(()), room.open_reply, now_ms=lambda: 1)
    assert within_s[0] <= loop.time() - began_s <= within_s[1]
    assert reply.degraded
    assert notice(why, language) in reply.text
    assert reply.text.endswith(QUOTES[language].text)


class HangingEncoder:
    """An encoder whose engine does not answer."""

    async def question_vector(self, *_: object) -> None:
        await asyncio.Event().wait()

    async def embed_lines(self, *_: object) -> None:
        await asyncio.Event().wait()

    def want_lines(self, *_: object) -> None:
        raise AssertionError("there is no question's vector")

    def meaning(self, *_: object) -> QuestionVectors:
        raise AssertionError("there is no question's vector")

    def closeness(self, *_: object) -> None:
        raise AssertionError("there is no question's vector")


@BOTH
async def test_vectors_that_do_not_come_take_their_time_of_the_eight_seconds(language: str) -> None:
    loop = asyncio.get_running_loop()
    model = CalledModel(ScriptedModel([Hang]), Breaker(clock=loop.time))
    settings = QuestionContextSettings(EstimateTokenizer(), encoder=HangingEncoder())
    answerer = Answerer(model, settings, clock=loop.time, verifier=verifier())
    began_s = loop.time()
    reply, _ = await put(answerer, meeting_of(LINES[language]), QUESTION[language])
    assert 8 <= loop.time() - began_s <= 8.5
    assert notice("late", language) in reply.text
    assert reply.run is not None
    assert 8000 <= (reply.run.first_words_ms or 0) <= reply.run.latency_ms <= 8500


@BOTH
@pytest.mark.parametrize("encoder", [None, SameVectors()], ids=["words", "vectors"])
async def test_what_is_said_or_put_right_while_an_answer_is_made_does_not_break_it(
    language: str, encoder: SameVectors | None
) -> None:
    manager = meeting_of(LINES[language])
    question_context = QuestionContextSettings(EstimateTokenizer(), encoder=encoder).question_context(
        read(asked(QUESTION[language]), manager.meeting), manager
    )
    await question_context.weigh()
    say(manager, *LINES[language][:2])
    assert 3 in question_context.quotes().evidence
    assert question_context.prompt().shown
    fix = UtteranceFix(of="utterance", utterance=1, text=LINES[language][0][2][1:])
    manager.receive(Corrected(id="c", by="minji", at_ms=0, fix=fix))
    manager.index_more(1)  # read anew in the background, and not through yet
    assert 3 in question_context.quotes().evidence
    assert question_context.prompt().shown
