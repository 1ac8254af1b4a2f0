"""Answers about the two small meetings: as a model writes them, as people read them, and kept ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.unit.worker.agent.meetings import EN, KO, QUOTES, FakeContextSettings, said
from worker.agent.question.answer_memory import CachedAnswer

GOOD = {
    "ko": ("출시일은 12월 22일로 결정되었습니다. [#3]", "출시일은 12월 22일로 결정되었습니다. — **김민지** (14:32:03)"),
    "en": ("They add a second server this week. [#3]", "They add a second server this week. — **Alice** (14:32:03)"),
}  # fmt: skip


@dataclass
class FakeAnswers:
    hit: CachedAnswer | None = None
    kept: list[tuple[int, ...]] = field(default_factory=list)
    """The evidence of what is kept."""
    texts: list[str] = field(default_factory=list)
    """The words of what is kept."""

    async def find(self, *_: Any) -> CachedAnswer | None:
        return self.hit

    async def keep(self, *_: Any, text: str, evidence: tuple[int, ...], **__: Any) -> None:
        self.texts.append(text)
        self.kept.append(evidence)


def question_context(language: str, **more: Any) -> FakeContextSettings:
    lines = KO if language == "ko" else EN
    return FakeContextSettings(said(lines), more.pop("answer", QUOTES[language]), language=language, **more)
