"""Any OpenAI-compatible embeddings endpoint as an `Embedder`.

There is no retry and no deadline here: both are the caller's (`worker/embeddings/embedding_client.py`).
Vectors are made unit vectors whatever the server sends; that they are as many as the texts, all of one length
and made of numbers, is demanded of each answer. Base64, which some servers send unasked, is read as well.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from contextlib import aclosing
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from pydantic import SecretStr

from context.ports import Unavailable
from context.primitives.vectors import Vectors
from stt.endpoint.endpoint import DEADLINE_S, OPENAI_URL, Endpoint
from stt.endpoint.refusals import Named
from worker.embeddings.e5_models import prefixes_of

_BATCH_TEXTS: Final = 64
"""Texts of one request at most."""
_BATCH_CHARACTERS: Final = 100_000
"""Characters of one request at most: endpoints bound its tokens, too."""
_MAX_CHARACTERS: Final = 20_000
"""Characters of one text that are sent at most; most models read some thousand tokens."""


class OpenAIEmbedder:
    """An embedding model behind `POST {base_url}/embeddings`.

    Raises `Unavailable` for time-outs, lost connections, 408, 409, 429 (with `retry_after_s`), 5xx and
    whatever is no list of vectors; `Refused` for a wrong key, an unknown model and a bad request.
    """

    def __init__(
        self,
        *,
        base_url: str | None,
        api_key: SecretStr,
        model: str,
        read_timeout_s: float = 30.0,
        deadline_s: float = DEADLINE_S,
        mask: Callable[[str], str] = lambda text: text,
    ) -> None:
        """`mask` rewrites each text before it is sent (personal data, where that is set)."""
        self.name, self._mask = model, mask
        self._prefixes = prefixes_of(model)
        key = api_key.get_secret_value()
        self._endpoint = Endpoint(
            base_url or OPENAI_URL,
            key,
            Named("the embedding endpoint", "EMBED", key),
            read_timeout_s=read_timeout_s,
            deadline_s=deadline_s,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._endpoint.aclose()

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
        row: Vectors = (await self._request([(self._prefixes.query + text)[:_MAX_CHARACTERS]]))[0]
        return row

    async def _request(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors in the order of the texts: the server's `index` says which is whose."""
        # An empty text is a bad request to most servers; a space is a text.
        sent = [self._mask(text) if text.strip() else " " for text in texts]
        body = {"model": self.name, "input": sent, "encoding_format": "float"}
        async with aclosing(self._endpoint.answers("embeddings", body=body)) as values:
            answers = [value async for value in values]
        rows = _rows(answers[-1] if answers else None, len(sent))
        if rows is None:
            raise Unavailable(f"{self.name} sent no list of {len(sent)} vectors")
        with np.errstate(over="ignore"):
            norms = np.linalg.norm(rows, axis=1, keepdims=True)
        if not np.isfinite(norms).all() or not norms.all():
            raise Unavailable(f"{self.name} sent a vector without a direction")
        unit: Vectors = (rows / norms).astype(np.float32)
        return unit


def _rows(answer: Any, count: int) -> NDArray[np.float64] | None:
    """The vectors of an answer by their `index`; None where these are not `count`, each of one length."""
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list) or len(data) != count or not all(isinstance(item, dict) for item in data):
        return None
    try:
        # A server that numbers none of them sends them in order.
        if any("index" in item for item in data):
            by_index = {item.get("index"): item.get("embedding") for item in data}
        else:
            by_index = {place: item.get("embedding") for place, item in enumerate(data)}
        rows = np.array([_vector(by_index[place]) for place in range(count)], dtype=np.float64)
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return rows if rows.ndim == 2 and rows.shape[1] else None


def _vector(numbers: Any) -> Vectors | list[float]:
    """One vector. Raises `TypeError` or `ValueError` for what is none."""
    if isinstance(numbers, str):
        return np.frombuffer(base64.b64decode(numbers, validate=True), dtype="<f4")
    if not isinstance(numbers, list) or not all(type(number) in (int, float) for number in numbers):
        raise TypeError("no list of numbers")
    return numbers


def _batches(texts: Sequence[str]) -> list[list[str]]:
    batches: list[list[str]] = []
    characters = 0
    for text in texts:
        cut = text[:_MAX_CHARACTERS]
        if not batches or len(batches[-1]) == _BATCH_TEXTS or characters + len(cut) > _BATCH_CHARACTERS:
            batches.append([])
            characters = 0
        batches[-1].append(cut)
        characters += len(cut)
    return batches
