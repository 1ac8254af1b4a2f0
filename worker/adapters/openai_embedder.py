"""Any OpenAI-compatible embeddings endpoint as an `Embedder`.

There is no retry and no deadline here: both are the caller's (`worker/embeddings/client.py`). Vectors are
made unit vectors whatever the server sends; that they are as many as the texts, all of one length and made
of numbers, is demanded of each answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import openai
from pydantic import SecretStr

from context.ports import Unavailable
from context.vectors import Vectors
from stt.providers.tls import openai_client
from worker.adapters.openai_errors import translated
from worker.embeddings.e5_models import prefixes_of

_BATCH: Final = 64
"""Texts of one request at most."""
_CHARACTERS: Final = 100_000
"""Characters of one request at most: endpoints bound its tokens, too."""
_LONGEST: Final = 20_000
"""Characters of one text that are sent at most; most models read some thousand tokens."""


class OpenAIEmbedder:
    """An embedding model behind `POST {base_url}/embeddings`.

    Raises `Unavailable` for time-outs, lost connections, 408, 409, 429 (with `retry_after_s`), 5xx and
    unreadable answers; `Refused` for a wrong key, an unknown model and a bad request.
    """

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: SecretStr,
        model: str,
        read_timeout_s: float = 30.0,
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        """`mask` rewrites each text before it is sent (personal data, where that is set)."""
        self.name, self._mask = model, mask
        self._prefixes = prefixes_of(model)
        self._client = openai_client(base_url, api_key.get_secret_value(), read_timeout_s=read_timeout_s)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def embed(
        self,
        texts: Sequence[str],
        *,
        for_question: bool = False,  # noqa: ARG002 - the server does not tell them apart
    ) -> Vectors:
        """See `Embedder.embed`: one unit row per text, from requests of bounded size, one after the other."""
        marked = [self._prefixes.passage + text for text in texts]
        parts = [await self._request(batch) for batch in _batches(marked)]
        if not parts:
            return np.zeros((0, 0), dtype=np.float32)
        if len({part.shape[1] for part in parts}) > 1:
            raise Unavailable(f"{self.name} sent vectors of different lengths")
        return np.concatenate(parts)

    async def embed_query(self, text: str) -> Vectors:
        """See `Embedder.embed_query`: the unit vector of a question."""
        row: Vectors = (await self._request([(self._prefixes.query + text)[:_LONGEST]]))[0]
        return row

    async def _request(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors in the order of the texts: the server's `index` says which is whose."""
        # An empty text is a bad request to most servers; a space is a text.
        sent = [self._mask(text) if text.strip() else " " for text in texts]
        try:
            answer = await self._client.embeddings.create(
                model=self.name, input=sent, encoding_format="float"
            )
        except (openai.OpenAIError, ValueError) as error:
            raise translated(error, "the embedding endpoint") from error
        try:
            data = sorted(answer.data, key=lambda item: item.index)
            complete = [item.index for item in data] == list(range(len(sent)))
            rows = np.array([item.embedding for item in data], dtype=np.float32)
        except (AttributeError, TypeError, ValueError) as error:
            raise Unavailable(f"{self.name} sent something that is no list of vectors") from error
        if not complete or rows.ndim != 2 or not rows.shape[1]:
            raise Unavailable(f"{self.name} sent {len(data)} vectors for {len(sent)} texts")
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise Unavailable(f"{self.name} sent a vector without a direction")
        unit: Vectors = (rows / norms).astype(np.float32)
        return unit


def _batches(texts: Sequence[str]) -> list[list[str]]:
    batches: list[list[str]] = []
    characters = 0
    for text in texts:
        cut = text[:_LONGEST]
        if not batches or len(batches[-1]) == _BATCH or characters + len(cut) > _CHARACTERS:
            batches.append([])
            characters = 0
        batches[-1].append(cut)
        characters += len(cut)
    return batches
