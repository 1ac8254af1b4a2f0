"""Vectors of texts by the packaged encoder, kept between runs: a thousand texts take half a minute."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from functools import cache
from hashlib import sha1
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from worker.embeddings.embedding_client import OwnEmbedder

_AT_ONCE = 64


def embedded(texts: Sequence[str], *, query: bool = False) -> NDArray[np.float32]:
    """One unit vector a text [texts, dimensions]."""
    file = Path(os.environ.get("MOIM_CACHE_DIR", ".cache")) / "training-vectors.npz"
    known = _kept(file)
    missing = sorted({text for text in texts if _key(text, query) not in known})
    if missing:
        made = asyncio.run(_made(missing, query=query))
        known.update({_key(text, query): row for text, row in zip(missing, made, strict=True)})
        file.parent.mkdir(parents=True, exist_ok=True)
        np.savez(file, **known)
    return np.stack([known[_key(text, query)] for text in texts]).astype(np.float32)


@cache
def _kept(path: Path) -> dict[str, NDArray[np.float32]]:
    """What the file holds, read once: it has thousands of arrays, and is asked for each meeting."""
    return dict(np.load(path)) if path.exists() else {}


async def _made(texts: Sequence[str], *, query: bool) -> NDArray[np.float32]:
    embedder = OwnEmbedder(Path(os.environ.get("MOIM_CACHE_DIR", ".cache")), fast=True)
    try:
        if query:
            return np.stack([await embedder.embed_query(text) for text in texts])
        parts = [await embedder.embed(texts[i : i + _AT_ONCE]) for i in range(0, len(texts), _AT_ONCE)]
        return np.concatenate(parts)
    finally:
        await embedder.aclose()


def _key(text: str, query: bool) -> str:
    return sha1(f"{'q' if query else 'p'}:{text}".encode()).hexdigest()
