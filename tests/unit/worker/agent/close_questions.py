"""Questions in two wordings, and an embedder to which all are close."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from context.answer_cache.likeness import CALIBRATIONS
from context.primitives.vectors import Vectors
from tests.fakes.embedder import FakeEmbedder

ASKED = {
    "ko": ("출시일이 언제로 결정됐지?", "출시일은 언제로 결정됐어?"),
    "en": ("Who is ordering the server?", "Who's ordering the server?"),
}
ENCODER = CALIBRATIONS[0].encoder


@dataclass
class Close(FakeEmbedder):
    """To which all questions are as close as .99."""

    name: str = ENCODER

    async def embed_query(self, text: str) -> Vectors:
        await super().embed_query(text)
        first = any(text == one for one, _ in ASKED.values())
        return np.array([1.0, 0.0] if first else [0.99, math.sqrt(1 - 0.99**2)], dtype=np.float32)
