"""The local model as an `Embedder`: from the machine's shared engine, or inside this process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from context.ports import Refused, Unavailable
from context.vectors import Vectors
from stt.engine.client import EngineClient
from stt.segment import EngineBusy, EngineFailed
from worker.configuration.setting_engines import LOCAL_ENCODER
from worker.embeddings.e5_file import WeightsMissing
from worker.embeddings.server import MAX_CHARACTERS, MAX_TEXTS

if TYPE_CHECKING:
    from worker.embeddings.e5_models import TextModel

_LONGEST: Final = MAX_CHARACTERS // MAX_TEXTS  # more than the model reads


class _Wire(EngineClient):
    """The speech engine's client with another question."""

    async def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        body = json.dumps([text[:_LONGEST] for text in texts]).encode()
        answer = await self._ask("embed", query=query, body=body)
        rows, dim = int(answer.header.get("rows", -1)), int(answer.header.get("dim", -1))
        if rows != len(texts) or len(answer.body) != 4 * rows * dim:
            raise EngineFailed("the embedding engine sent other vectors than were asked for")
        return np.frombuffer(answer.body, "<f4").reshape(rows, dim).astype(np.float32)


class SharedEmbedder:
    """Vectors by the engine on `socket_path`; holds a connection, no model.

    Raises `Unavailable` where no engine answers in time.
    """

    def __init__(self, socket_path: Path, *, patience_s: float = 0.3, deadline_s: float = 30.0) -> None:
        self.name = LOCAL_ENCODER
        self._socket_path = socket_path
        self._wire = _Wire(socket_path, patience_s=patience_s, deadline_s=deadline_s)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text; a few texts per request, so that others get their turn between them."""
        parts = [
            await self._ask(texts[start : start + MAX_TEXTS], query=False)
            for start in range(0, len(texts), MAX_TEXTS)
        ]
        return np.concatenate(parts) if parts else np.zeros((0, 0), dtype=np.float32)

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question: before all passages in the engine's queue."""
        row: Vectors = (await self._ask([text], query=True))[0]
        return row

    async def aclose(self) -> None:
        """Hang up."""
        await self._wire.aclose()

    async def _ask(self, texts: Sequence[str], *, query: bool) -> Vectors:
        if not self._socket_path.exists():
            raise Unavailable(f"no embedding engine at {self._socket_path}")
        try:
            return await self._wire.embed(texts, query=query)
        except (EngineBusy, EngineFailed) as error:
            raise Unavailable(str(error).replace("speech engine", "embedding engine")) from error


class OwnEmbedder:
    """Vectors by a model in this process, loaded at the first text: for commands that stand alone."""

    def __init__(self, cache_dir: Path, *, fast: bool = False) -> None:
        """`fast`: for many texts; it takes a second to load, and the first time on a machine some more."""
        self.name = LOCAL_ENCODER
        self._cache_dir, self._fast = cache_dir, fast
        self._model: TextModel | None = None
        self._one_at_a_time = asyncio.Lock()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text. Raises `Refused` where the model is not installed."""
        return await self._encode(texts, query=False)

    async def embed_query(self, text: str) -> Vectors:
        """The vector of a question."""
        row: Vectors = (await self._encode([text], query=True))[0]
        return row

    async def aclose(self) -> None:
        """Let go of the model."""
        self._model = None

    async def _encode(self, texts: Sequence[str], *, query: bool) -> Vectors:
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._encode_here, texts, query=query)

    def _encode_here(self, texts: Sequence[str], *, query: bool) -> Vectors:
        if self._model is None:
            from worker.embeddings.e5_models import load

            try:
                self._model = load(self._cache_dir, fast=self._fast)
            except WeightsMissing as error:
                raise Refused(str(error)) from error
        return self._model.encode(texts, query=query)
