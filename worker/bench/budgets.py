"""How many of 100,000 generated contexts count more than their model allows. The goal is none.

Most are blocks of all sorts (Korean, English, rare syllables, emoji, one word of 5,000 characters; up to some
ten times the budget) put together for a random model, call type and compression level; some are whole
prompts of meetings with threads, by the code that answers questions. Counted with the model's own
tokenizer, after the fact. Seeded: the same contexts every time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Final, get_args

from context import events
from context.budget import BUDGETS, ExactTokenizer, ModelBudget, custom_budget, encoding_for
from context.budgets.assembly import assemble
from context.budgets.levels import MEETING_PRODUCERS, CompressionLevel
from context.budgets.output import AgentOutput
from context.effects import SummariseThread
from context.manager import ContextManager
from context.models import AgentCallType, Invocation, Reply
from worker.agent.desk import MeetingDesks
from worker.bench.corpus import spoken
from worker.bench.figures import Figure
from worker.clock import now_utc

SEED: Final = 20_261_122
CONTEXTS: Final = 100_000
PROMPTS: Final = 1_000
"""So many of them are whole prompts."""
_CALL_TOKENS: Final[dict[AgentCallType, int]] = {
    "IMMEDIATE_RESPONSE": 1_500,
    "SUMMARY": 1_750,
    "ACTION_EXTRACTION": 4_000,
    "SEARCH": 1_750,
}
"""Seed 000's sizes; a model with less room has less."""
_QUESTIONS: Final[dict[AgentCallType, tuple[str, ...]]] = {
    "IMMEDIATE_RESPONSE": (
        "출시일이 언제로 결정됐지?",
        "How much would the second server cost?",
        "그건 누가 하죠?",
    ),
    "SUMMARY": ("지금까지 요약해 줘", "Summarise the meeting so far"),
    "ACTION_EXTRACTION": ("할 일을 정리해 줘", "What are the action items?"),
    "SEARCH": ("지난 회의에서 예산 얘기를 찾아 줘", "Search for the budget"),
}
_ODD: Final = (
    "뷁쉙꿻 " * 60,
    "🎉👩‍👩‍👧 " * 80,
    "x" * 5_000,
    "가" * 2_000,
    "\n\n\n",
    "",
    "\u202e<|endoftext|> [#1]",
)
_MODELS: Final = (*BUDGETS, *(custom_budget(f"custom-{size}", size) for size in (2_048, 4_096, 16_384)))
_WHOLE_WINDOW: Final = 400
"""One context in so many may fill all that a window up to 32K leaves."""
_LEAST_LIMIT: Final = 256


def budgets(data: Path | None = None) -> list[Figure]:
    """The number above budget, beside that of the same blocks put together without a budget."""
    del data  # generated, not read
    dice = Random(SEED)  # a seeded generator of test cases
    above = unbounded = lost = 0
    for model, limit, blocks, level in _contexts(dice, CONTEXTS - PROMPTS):
        counter = _counter(encoding_for(model.model))
        made = assemble(blocks, limit, counter, at_least=level)
        above += counter.exact.count(made.text) > limit
        unbounded += sum(counter.count(block.content) for block in blocks) > limit
        kept = {block.agent_id for block in made.kept}
        lost += any(b.protected and b.content.strip() and b.agent_id not in kept for b in blocks)
    above += _prompts_above(dice, PROMPTS)
    return [
        Figure(
            "generated contexts above budget",
            above,
            f"of {CONTEXTS:,}",
            0,
            "the same blocks without a budget",
            unbounded,
            f"seed {SEED}; {PROMPTS:,} of them whole prompts with thread and briefing",
        ),
        Figure("contexts without newest turn, decision or action", lost, f"of {CONTEXTS - PROMPTS:,}", 0),
    ]


class _Counter:
    """A tokenizer that remembers what it has counted: the generator repeats itself."""

    def __init__(self, encoding: str) -> None:
        self.name = encoding
        self.exact = ExactTokenizer(encoding)
        self.count = lru_cache(maxsize=50_000)(self.exact.count)


@lru_cache
def _counter(encoding: str) -> _Counter:
    return _Counter(encoding)


def _contexts(
    dice: Random, count: int
) -> Iterator[tuple[ModelBudget, int, list[AgentOutput], CompressionLevel]]:
    texts = _texts(dice)
    for number in range(count):
        model = dice.choice(_MODELS)
        call = dice.choice(get_args(AgentCallType))
        limit = max(_LEAST_LIMIT, min(_CALL_TOKENS[call], model.l0 + model.l1))
        if number % _WHOLE_WINDOW == 0 and model.window <= 32_000:
            limit = model.window - model.answer - model.system
        blocks = [_block(dice, texts, place) for place in range(dice.randrange(0, 15))]
        level = CompressionLevel.BRIEF if dice.random() < 0.2 else CompressionLevel.FULL
        yield model, limit, blocks, level


def _texts(dice: Random) -> list[str]:
    """Stretches of talk of 1 to 120 lines, and what else people bring."""
    lines = [event.text for event in spoken(4_000)]
    texts = [*_ODD]
    for _ in range(400):
        first = dice.randrange(len(lines) - 120)
        texts.append(
            dice.choice((" ", "\n")).join(lines[first : first + dice.choice((1, 2, 5, 10, 30, 120))])
        )
    return texts


def _block(dice: Random, texts: Sequence[str], place: int) -> AgentOutput:
    producer = dice.choice(tuple(MEETING_PRODUCERS))
    decided = dice.random() < 0.2
    return AgentOutput(
        agent_id=f"{producer}-{place}",
        content=dice.choice(texts),
        vs_level=MEETING_PRODUCERS[producer],
        recency_score=dice.random(),
        confidence=dice.random(),
        has_dependents=dice.random() < 0.3,
        relevance_score=dice.random(),
        protected=dice.random() < 0.15,
        decision="출시일은 12월 22일" if decided else "",
        reasons=("결제 테스트가 그때 끝난다",) if decided else (),
    )


def _prompts_above(dice: Random, count: int) -> int:
    """Whole prompts above what their model's budget allows for them."""
    managers = [
        _meeting(dice, size, turns) for size, turns in ((0, 3), (3, 0), (40, 5), (300, 20), (1_500, 60))
    ]
    desks = {model.model: _desks(model, managers) for model in _MODELS}
    above = 0
    models = cycle(_MODELS)
    for number in range(count):
        model = next(models)
        counter = _counter(encoding_for(model.model))
        questions = _QUESTIONS[dice.choice(get_args(AgentCallType))]
        question = dice.choice((*questions, *_ODD)) if dice.random() < 0.2 else dice.choice(questions)
        asked = Invocation(
            id=f"new-{number}", by="a", via="chat", text=question, private=dice.random() < 0.1, at_ms=0
        )
        prompt = desks[model.model](asked, dice.choice(managers)).prompt()
        size = sum(counter.exact.count(message.content) for message in prompt.messages)
        above += size > min(model.system + model.l0 + model.l1, model.window - model.answer)
    return above


def _desks(model: ModelBudget, managers: Sequence[ContextManager]) -> MeetingDesks:
    desks = MeetingDesks(_counter(encoding_for(model.model)), budget=model)
    for manager in managers:
        asyncio.run(desks.read_up(manager.meeting))
    return desks


def _meeting(dice: Random, size: int, turns: int) -> ContextManager:
    """A meeting of `size` utterances that was asked `turns` questions, some with very long answers."""
    manager = ContextManager(f"bench-{size}")
    manager.receive(events.MeetingStarted(at=now_utc()))
    for event in spoken(size):
        manager.receive(event)
    for number in range(turns):
        asked = Invocation(id=f"q{number}", by="ab"[number % 2], via="chat", text="출시일이 언제죠?", at_ms=0)
        manager.receive(events.QuestionAsked(invocation=asked))
        text = (
            dice.choice(_ODD) if dice.random() < 0.3 else "12월 22일로 결정했습니다. " * dice.randrange(1, 40)
        )
        reply = Reply(
            id=f"r{number}", invocation_id=asked.id, by=asked.by, via="chat", question=asked.text,
            text=text, call_type="IMMEDIATE_RESPONSE", asked_at_ms=0, answered_at_ms=0,
        )  # fmt: skip
        for effect in manager.receive(events.AnswerGiven(reply=reply)):
            if isinstance(effect, SummariseThread) and dice.random() < 0.8:
                manager.receive(_summary(effect))
    return manager


def _summary(effect: SummariseThread) -> events.ThreadSummaryReady:
    return events.ThreadSummaryReady(
        version=effect.version,
        turns=effect.turns,
        text="출시일을 물었고 12월 22일이라고 답했다. " * 6,
        original_chars=effect.original_chars,
        compression_rate=effect.compression_rate,
        engine="bench",
    )
