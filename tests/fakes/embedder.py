"""Embedders without a model: texts that share words are close."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from context.ports import PortError
from context.primitives.vectors import Vectors
from tests.fakes.openai_embeddings import bag_of_words

DIM = 64


@dataclass
class FakeEmbedder:
    """An `Embedder`; raises `trouble` while there is one."""

    name: str = "fake"
    trouble: PortError | None = None
    seen: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    wanted: list[str] = field(default_factory=list)
    """The texts of `seen` that a question waited for."""

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        if self.trouble is not None:
            raise self.trouble
        self.seen += texts
        if for_question:
            self.wanted += texts
        return bag_of_words(list(texts), DIM)

    async def embed_query(self, text: str) -> Vectors:
        if self.trouble is not None:
            raise self.trouble
        self.asked.append(text)
        row: Vectors = bag_of_words([text], DIM)[0]
        return row

    async def aclose(self) -> None:
        return


@dataclass
class ScriptedModel:
    """The engine's `TextModel`. Texts: `crash` raises, `slow` waits until `released` (or a while)."""

    name: str = "scripted"
    order: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)
    started: threading.Event = field(default_factory=threading.Event)
    pause_s: float = 0.0

    def encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        self.order += texts
        if "crash" in texts:
            raise ValueError("the model fell over")
        if "slow" in texts:
            self.started.set()
            self.released.wait(10)
        if self.pause_s:
            time.sleep(self.pause_s)
        return bag_of_words(list(texts), DIM)


class SlowEmbedder(FakeEmbedder):
    """An embedder of which a question's vector takes `question_s`, and each request for lines `lines_s`."""

    def __init__(self, question_s: float = 0.0, lines_s: float = 0.0) -> None:
        super().__init__(name="multilingual-e5-small-q4")
        self.question_s, self.lines_s = question_s, lines_s

    async def embed(self, texts: Sequence[str], *, for_question: bool = False) -> Vectors:
        await asyncio.sleep(self.lines_s)
        return await super().embed(texts, for_question=for_question)

    async def embed_query(self, text: str) -> Vectors:
        await asyncio.sleep(self.question_s)
        return await super().embed_query(text)
