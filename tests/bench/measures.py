"""The measures by name, in the order in which they run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from tests.bench import (
    ablation,
    answer_cache,
    answer_steps,
    answers,
    budgets,
    core,
    cpu,
    decisions,
    dispatch,
    doubt,
    elsewhere,
    evidence,
    exchanges,
    interims,
    key_points,
    languages,
    latency,
    learnt,
    llm_tokens,
    memory,
    microphones,
    needed,
    plain_sentences,
    question,
    search,
    terms,
    topic_judge,
    topics,
    trials,
    turns,
    ways_to_ask,
)
from tests.bench.figures import Figure
from tests.bench.pages import pages

SPEED: Final[Mapping[str, core.Measure]] = {
    **core.MEASURES,
    "latency": latency.latency,
    "interims": interims.interims,
    "question": question.question,
    "dispatch": dispatch.dispatch,
    "memory": memory.memory,
    "cpu": cpu.cpu,
    "microphones": microphones.microphones,
    "pages": lambda: asyncio.run(pages()),
}
QUALITY: Final[Mapping[str, Callable[[Path | None], list[Figure]]]] = {
    "learnt": learnt.learnt,
    "decisions": decisions.decisions,
    "key_points": key_points.key_points,
    "ablation": ablation.ablation,
    "needed": needed.needed,
    "exchanges": exchanges.exchanges,
    "plain": plain_sentences.plain_sentences,
    "elsewhere": elsewhere.elsewhere,
    "search": search.search,
    "trials": trials.trials,
    "answer-cache": answer_cache.answer_cache,
    "answer-steps": answer_steps.answer_steps,
    "llm-tokens": llm_tokens.llm_tokens,
    "budgets": budgets.budgets,
    "answers": answers.answers,
    "evidence": evidence.evidence,
    "topics": topics.topics,
    "ko-topics": topics.ko_topics,
    "topic-judge": topic_judge.topic_judge,
    "languages": lambda _data: languages.languages(),
    "terms": terms.terms,
    "turns": lambda _data: turns.turns(),
    "doubt": lambda _data: doubt.doubt(),
    "ways-to-ask": lambda _data: ways_to_ask.ways_to_ask(),
}
"""Those of what comes out rather than how fast; each is given the folder of `--data`."""
