"""Where the time of an answer goes, step by step, with the extractive engine.

`python -m tests.bench answer-steps`: questions to a meeting of 300 utterances, each asked for the first time and then
again; with `--data DIR` the labelled questions of real meetings too. CPU time of the loop's thread, on which
the steps are measured: of a busy machine only the caches that it shares show, not the waiting. A step's time
has LangGraph's own in it; that is what a run costs whose steps do nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import thread_time
from typing import Any, Final

from langgraph.runtime import Runtime

from context.budgets.tokens import ExactTokenizer
from context.events import events
from context.fold.meeting import Meeting
from context.manager import ContextManager
from context.models import AnswerRun
from context.question import Question
from tests.bench.ablation import folded
from tests.bench.corpus import spoken
from tests.bench.figures import Figure, percentile
from tests.bench.lives import grown
from tests.bench.processes import load
from tests.bench.qmsum import held_back
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.graph.graph import NODES, Step, built
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.graph.step_times import STREAM
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.outlets import SilentOutlet

_UTTERANCES: Final = 300
_ROUNDS: Final = 12
_MEETINGS: Final = 6
_WARMING: Final = 2
_IDLE_RUNS: Final = 200
_ASKED: Final = (
    "출시일이 언제로 결정됐지?",
    "서버 비용은 얼마나 늘었어?",
    "How much would server number {n} cost?",
    "결제 기능 테스트는 며칠이나 걸려?",
    "When will the server be ordered?",
    "우리가 출시일을 {n}일로 결정하지 않았나요?",
    "할 일을 정리해 줘.",
)


def answer_steps(data: Path | None = None) -> list[Figure]:
    """p95 and median of each step, of the first words and of the whole."""
    figures = [*_figures("", *asyncio.run(_scripted())), asyncio.run(_idle())]
    if data is not None:
        figures += _figures("real meetings: ", *asyncio.run(_real(data)))
    return figures


async def _scripted() -> tuple[list[AnswerRun], list[AnswerRun]]:
    """The first time and again. What is said between two questions is new each time, as in a room."""
    tokenizer = ExactTokenizer()
    meeting = grown(_UTTERANCES, tokenizer)
    talk = spoken(_ROUNDS * len(_ASKED), first=_UTTERANCES + 1)
    first: list[AnswerRun] = []
    again: list[AnswerRun] = []
    for number in range(_ROUNDS):
        question_context = _QuestionContext(
            meeting, tokenizer
        )  # nothing is kept from round to round: each has its first time
        await question_context.ask("무슨 이야기를 했나요?")  # the index of what was said before is built once
        questions = [text.format(n=number) for text in _ASKED]
        for text in questions:
            meeting.receive(next(talk))
            run = await question_context.ask(text)
            if number >= _WARMING:
                first.append(run)
        again += [await question_context.ask(text) for text in questions if number >= _WARMING]
    return first, again


async def _real(data: Path) -> tuple[list[AnswerRun], list[AnswerRun]]:
    tokenizer = ExactTokenizer()
    first: list[AnswerRun] = []
    again: list[AnswerRun] = []
    for labelled in held_back(data)[:_MEETINGS]:
        question_context = _QuestionContext(folded(labelled), tokenizer)
        await question_context.ask("What did we decide?")  # the index of all that was said is built once
        first += [await question_context.ask(question.text) for question in labelled.questions]
        again += [await question_context.ask(question.text) for question in labelled.questions]
    return first, again


class _QuestionContext:
    """One meeting, an asker and the extractive engine."""

    def __init__(self, meeting: Meeting, tokenizer: ExactTokenizer) -> None:
        self._meeting = meeting
        self._manager = ContextManager(meeting.meeting_id, meeting=meeting)
        packs = EntityPacks()
        self._answerer = Answerer(
            None,
            QuestionContextSettings(tokenizer),
            parts=AnswerParts(
                answers=CachedAnswers(maker="extractive"),
                slots=packs,
                memory=ThreadMemory(packs, tokenizer),
            ),
            clock=thread_time,
        )

    async def ask(self, text: str) -> AnswerRun:
        at_ms = self._meeting.utterances[-1].end_ms + 1
        number = len(self._meeting.replies)
        asked = Question(id=f"q{number}", by="asker", via="chat", text=text, at_ms=at_ms)
        self._meeting.receive(events.QuestionAsked(question=asked))
        reply = await self._answerer.answer(
            asked, self._manager, SilentOutlet().open_reply, now_ms=lambda: at_ms
        )
        self._meeting.receive(events.AnswerGiven(reply=reply))
        assert reply.run is not None
        return reply.run


async def _idle() -> Figure:
    """LangGraph alone: runs whose steps do nothing but find their way."""
    sets = {"check_similarity": {"cache_hit": False}} | {
        name: {"stopped_because": "good"} for name in ("grade", "quality_check")
    }
    graph = built({name: _idle_step(sets.get(name, {})) for name in NODES})
    took_ms: list[float] = []
    for _ in range(_IDLE_RUNS):
        began_s, steps = thread_time(), 0
        async for event in graph.astream(AgentState(user_text="?", query="?"), stream_mode=STREAM):
            steps += "result" in event
        took_ms.append(1000 * (thread_time() - began_s))
    return _row(f"LangGraph alone, {steps} steps", took_ms[_IDLE_RUNS // 10 :], len(took_ms))


def _idle_step(sets: dict[str, Any]) -> Step:
    async def step(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
        del state, runtime
        return sets

    return step


def _figures(of: str, first: Sequence[AnswerRun], again: Sequence[AnswerRun]) -> list[Figure]:
    hits = [run for run in again if run.cache_hit]
    names = dict.fromkeys(name for run in first for name in run.steps)
    rows = [
        _row(f"{of}question to first words", (run.first_words_ms or 0.0 for run in first), len(first)),
        _row(f"{of}… to the end", (run.latency_ms for run in first), len(first)),
        *(
            _row(f"{of}step: {name}", (run.steps.get(name, 0.0) for run in first), len(first))
            for name in names
        ),
    ]
    if hits:
        rows.append(
            _row(
                f"{of}asked again, out of the cache, to first words",
                (run.first_words_ms or 0.0 for run in hits),
                len(hits),
            )
        )
    return rows


def _row(name: str, values_ms: Iterable[float], count: int) -> Figure:
    values = list(values_ms)
    note = f"{count} questions, CPU time, {load()}" if "first words" in name else ""
    return Figure(
        f"{name}, p95", percentile(values, 0.95), "ms", None, "its median", percentile(values, 0.5), note
    )
