"""Each of seed 002's 23 flags: read from its variable, and seen in what an answer's steps do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from context.budgets.compression import Compression
from context.budgets.tokens import EstimateTokenizer
from context.corpora.passage import Passage, Query, Retrieved
from context.features import FLAGS, CompressionStrategy, Features
from context.manager import ContextManager
from tests.fakes.llm import ScriptedModel
from tests.languages import BOTH
from tests.unit.cases import beside
from tests.unit.worker.agent.close_questions import ASKED, Close
from tests.unit.worker.agent.meetings import GOOD, LINES, answered, meeting_of, put
from worker.agent.calls.calling import CalledModel
from worker.agent.graph.answer_parts import AnswerParts
from worker.agent.graph.answering import Answerer
from worker.agent.question.answer_memory import CachedAnswers
from worker.agent.question.question_context import QuestionContextSettings
from worker.agent.question.remembering import EntityPacks, ThreadMemory
from worker.configuration.settings import Settings

OTHER: dict[str, Any] = {
    "self_refine_enabled": False,
    "max_refine_iterations": 1,
    "llm_based_quality_check": False,
    "dynamic_query_rewrite": False,
    "active_retrieval_enabled": False,
    "simple_query_k": 2,
    "moderate_query_k": 7,
    "complex_query_k": 9,
    "retrieval_mode": "bm25",
    "budget_aware_retrieval": False,
    "context_compression_enabled": False,
    "compression_strategy": "hybrid",
    "compression_target_ratio": 0.25,
    "hierarchical_memory_enabled": False,
    "working_memory_capacity": 2,
    "compression_threshold": 2,
    "response_cache_enabled": False,
    "cache_similarity_threshold": 1.0,
    "style_variation_level": 1.0,
    "include_history": False,
    "include_profile": False,
    "include_evidence": False,
    "include_personalization": False,
}
"""A value of each flag that is neither the product's nor that of `ALL_ON`."""
ALL_ON = {
    "llm_based_quality_check": True,
    "active_retrieval_enabled": True,
    "context_compression_enabled": True,
    "hierarchical_memory_enabled": True,
}
QUESTIONS = beside(__file__)["QUESTIONS"]
"""A simple, a moderate and a complex one."""
POOR = json.dumps(
    {
        "completeness_score": 3, "overall_quality": 0.3,
        "missing_info": ["who"], "needs_retrieval": True, "suggested_query": "",
    }
)  # fmt: skip


def test_there_is_another_value_for_each() -> None:
    assert tuple(OTHER) == FLAGS
    assert len(FLAGS) == 23


@pytest.mark.parametrize("flag", FLAGS)
def test_each_is_read_from_its_variable(flag: str) -> None:
    value = OTHER[flag]
    written = str(int(value)) if isinstance(value, bool) else str(value)
    read = Settings.from_env({f"MOIM_FEATURE_{flag.upper()}": written}).features.features()
    if flag in ALL_ON:  # off is the product's own
        assert read == Features()
        written = "1"
        read = Settings.from_env({f"MOIM_FEATURE_{flag.upper()}": written}).features.features()
        value = True
    assert read == Features().with_overrides({flag: value})
    assert read != Features()


@dataclass
class Shelves:
    """Finds other passages at each search, none of which says much; remembers what was asked."""

    asked: list[tuple[Query, int, int]] = field(default_factory=list)

    async def retrieve(self, query: Query, *, k: int = 8, budget_tokens: int = 900) -> Retrieved:
        self.asked.append((query, k, budget_tokens))
        first = 20 * len(self.asked)
        found = (
            Passage(corpus="document", source_id="d", position=n, text=f"무관한 쪽 unrelated {n}. 끝 end.")
            for n in range(first, first + k)
        )
        return Retrieved(passages=tuple(found))


@dataclass
class Press:
    """Leaves the passages as they are; remembers what was wanted."""

    wanted: list[tuple[int, str]] = field(default_factory=list)

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        *,
        target_tokens: int,
        strategy: CompressionStrategy,
        on_prompt: object = None,
    ) -> Compression:
        self.wanted.append((target_tokens, strategy))
        return Compression(passages=tuple(passages), tokens_before=2, tokens_after=1, strategy=strategy)


def meeting(language: str, earlier: int) -> ContextManager:
    """Some lines, and exchanges of Minji's before."""
    manager = meeting_of(LINES[language], people={"minji": "김민지"})
    for number in range(1, earlier + 1):
        question = f"{number}번 안건 비용은?" if language == "ko" else f"Cost of item {number}?"
        answered(
            manager, question, f"{number}만 원입니다." if language == "ko" else f"It is {number}0 dollars."
        )
    return manager


async def traced(language: str, flags: dict[str, Any]) -> dict[str, Any]:
    """Everything that the steps do for three questions with a model, and for a question asked twice without."""
    model = ScriptedModel([GOOD[language]])
    judge, shelves, press = ScriptedModel([POOR]), Shelves(), Press()
    packs = EntityPacks()
    features = Features().with_overrides({**ALL_ON, **flags})
    tokenizer = EstimateTokenizer()
    memory = ThreadMemory(packs, tokenizer)
    thinking = Answerer(
        CalledModel(model),
        QuestionContextSettings(tokenizer),
        judge=CalledModel(judge),
        parts=AnswerParts(retriever=shelves, slots=packs, memory=memory, compressor=press),
        features=features,
    )
    replies = await _asked(thinking, meeting(language, 13), QUESTIONS[language], "minji")
    quoting = Answerer(
        None,
        QuestionContextSettings(tokenizer),
        parts=AnswerParts(answers=CachedAnswers(Close())),
        features=features,
    )
    first, again = ASKED[language]
    kept = await _asked(quoting, meeting(language, 0), (first, first, again), "hana")
    return {
        "prompts": [[message.content for message in call] for call in model.calls],
        "graded": len(judge.calls),
        "searched": shelves.asked,
        "compressed": press.wanted,
        "replies": replies,
        "kept": kept,
    }


async def _asked(
    answerer: Answerer, manager: ContextManager, questions: Sequence[str], by: str
) -> list[tuple[str, bool, bool]]:
    told = []
    for number, text in enumerate(questions):
        reply, _ = await put(answerer, manager, text, by, at_ms=20_000 + number)
        told.append((reply.text, reply.run.cache_hit, reply.run.corrected))
    return told


@pytest.fixture(scope="module")
def plain() -> dict[str, dict[str, Any]]:
    """In each language, what is done with nothing changed."""
    return {language: asyncio.run(traced(language, {})) for language in QUESTIONS}


@BOTH
async def test_the_same_flags_do_the_same(language: str, plain: dict[str, dict[str, Any]]) -> None:
    assert await traced(language, {}) == plain[language]


@BOTH
@pytest.mark.parametrize("flag", FLAGS)
async def test_each_is_seen_in_what_the_steps_do(
    language: str, flag: str, plain: dict[str, dict[str, Any]]
) -> None:
    assert await traced(language, {flag: OTHER[flag]}) != plain[language]
