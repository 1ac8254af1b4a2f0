"""A desk knows what was said up to now."""

from __future__ import annotations

from datetime import timedelta, timezone

import pytest

from context.budget import EstimateTokenizer
from context.manager import ContextManager
from tests.fakes.outlet import FakeOutlet
from tests.unit.agent.meetings import EN, KO, START, asked, meeting_of, say
from tests.unit.cases import cases
from worker.agent.answering import Answerer
from worker.agent.desk import DeskSettings


@pytest.mark.parametrize(
    ("lines", "question", "language", "evidence"),
    [
        (KO, "출시일이 언제로 결정됐어요?", "ko", 3),
        (EN, "What did we decide about the second server?", "en", 3),
    ],
)
async def test_quotes_and_prompt_of_a_small_meeting(
    lines: list[tuple[str, str, str]], question: str, language: str, evidence: int
) -> None:
    desk = DeskSettings(EstimateTokenizer()).desk(asked(question), meeting_of(lines))
    await desk.prepare()
    assert desk.language == language
    quotes = desk.quotes()
    assert evidence in quotes.evidence
    assert not quotes.declined
    assert f"({START:%H:%M}:0{evidence})" in quotes.text
    prompt = desk.prompt()
    assert [said.id for said in prompt.shown] == [1, 2, 3, 4, 5]
    assert question in prompt.messages[1].content


@pytest.mark.parametrize(("lines", "topic"), [(KO, "## 현재 토픽: "), (EN, "## Current topic: ")])
def test_what_a_planner_reads_is_in_the_meetings_language_and_time_zone(
    lines: list[tuple[str, str, str]], topic: str
) -> None:
    zone = timezone(timedelta(hours=9))
    planning = (
        DeskSettings(EstimateTokenizer(), zone=zone).desk(asked("?"), meeting_of(lines)).planning_input(1000)
    )
    assert planning.startswith(topic)
    assert f"[{START.astimezone(zone):%H:%M}:01] {lines[0][1]}" in planning


@pytest.mark.parametrize(
    ("lines", "question", "now"),
    [(KO, "출시일이 언제예요?", "현재 시각: "), (EN, "When is the server ordered?", "Now: ")],
)
async def test_a_prompt_tells_the_moment_of_the_question_and_shows_the_newest_turn(
    lines: list[tuple[str, str, str]], question: str, now: str
) -> None:
    zone = timezone(timedelta(hours=9))
    manager = meeting_of([*lines * 200, ("z", "Zoe", "펭귄 penguins.")])
    desk = DeskSettings(EstimateTokenizer(), zone=zone).desk(
        asked(question).model_copy(update={"at_ms": 7_200_000}), manager
    )
    await desk.prepare()
    prompt = desk.prompt()
    assert f"{now}2026-03-03 01:32:00" in prompt.messages[1].content
    assert 5 * 200 + 1 in {said.id for said in prompt.shown}


async def test_what_is_said_between_two_questions_is_found() -> None:
    manager, settings = meeting_of(EN), DeskSettings(EstimateTokenizer())
    await settings.desk(asked("?"), manager).prepare()
    say(manager, ("zoe", "Zoe", "The penguin exhibition opens on Sunday."))
    desk = settings.desk(asked("When does the penguin exhibition open?"), manager)
    await desk.prepare()
    assert desk.quotes().evidence == (6,)


@cases
def test_call_types(question: str, kind: str) -> None:
    assert DeskSettings(EstimateTokenizer()).desk(asked(question), meeting_of(KO)).call_type == kind


async def test_an_empty_meeting_shows_nothing_and_declines() -> None:
    desk = DeskSettings(EstimateTokenizer()).desk(asked("언제예요?"), ContextManager("m"))
    await desk.prepare()
    assert desk.prompt().shown == ()
    assert desk.quotes().declined


@pytest.mark.parametrize(("lines", "question"), [(KO, "언제예요?"), (EN, "When is it?")])
async def test_without_a_model_the_size_of_what_a_call_sees_is_told_as_well(
    lines: list[tuple[str, str, str]], question: str
) -> None:
    told: list[int] = []
    answerer = Answerer(None, DeskSettings(EstimateTokenizer(), on_prompt=told.append))
    await answerer.answer(asked(question), meeting_of(lines), FakeOutlet().open_reply, now_ms=lambda: 9_000)
    (tokens,) = told
    assert tokens > sum(len(text.split()) for _, _, text in lines)
