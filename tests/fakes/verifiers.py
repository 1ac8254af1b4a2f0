"""A verifier's model: it finds everything supported, but for the claims that it is told otherwise of."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from context.budgets.tokens import EstimateTokenizer
from context.ports import ChatMessage
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.verifying import Verifier

_CLAIM = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)


class Verdicts:
    """A `LanguageModel` for verification. `otherwise`: by a part of the claim, what is found of it."""

    name = "verdicts"

    def __init__(
        self, otherwise: Mapping[str, Mapping[str, Any]] | None = None, *, after_s: float = 0
    ) -> None:
        self._otherwise, self._after_s = otherwise or {}, after_s
        self.calls: list[Sequence[ChatMessage]] = []

    def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[str]:
        raise NotImplementedError

    async def structured(
        self, messages: Sequence[ChatMessage], *, schema: dict[str, Any], name: str, max_tokens: int
    ) -> str:
        self.calls.append(messages)
        await asyncio.sleep(self._after_s)
        return all_supported(messages[-1].content, self._otherwise)


def all_supported(prompt: str, otherwise: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """The verdicts on the claims of a verification prompt."""
    found = []
    for number, text in _CLAIM.findall(prompt.rpartition("<claims>")[2]):
        told = next((verdict for part, verdict in (otherwise or {}).items() if part in text), {})
        found.append({"claim": int(number), "verdict": "supported", **told})
    return json.dumps({"verdicts": found})


def verifier(otherwise: Mapping[str, Mapping[str, Any]] | None = None, *, after_s: float = 0) -> Verifier:
    """A verifier over `Verdicts`."""
    return Verifier(CalledModel(Verdicts(otherwise, after_s=after_s)), tokenizer=EstimateTokenizer())
