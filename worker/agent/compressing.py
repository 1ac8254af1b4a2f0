"""Compression at work: the graph's `Compressor`, with a model for the abstract step where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from context.budget import fit, shared
from context.budgets.configuration import BudgetConfig
from context.budgets.sent import sent
from context.compression import Compression, ContextCompressor
from context.corpora.passage import Passage
from context.features import CompressionStrategy
from context.language.korean import language_of
from context.models import PromptRecord
from context.ports import ChatMessage, Tokenizer, Unavailable
from context.prompts.thread import COMPRESSION_PROMPT
from worker.agent.calling import CalledModel
from worker.agent.graph.parts import Compressed
from worker.agent.quoting import quoted, quoted_speech_rule

PURPOSE: Final = "compression"
_SHARES: Final[Mapping[str, int]] = BudgetConfig().shares(PURPOSE)
"""Where nobody says otherwise: a window of 8K holds them, rules and abstract."""
WITHIN_S: Final = 4.0
"""Of the 8 s until an answer's first words; what takes longer is extracted."""


class PassageCompressor:
    """A `Compressor` over `ContextCompressor`; of no meeting."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        model: CalledModel | None = None,
        *,
        shares: Mapping[str, int] = _SHARES,
        within_s: float = WITHIN_S,
        on_compression: Callable[[Compression], None] = lambda _made: None,
    ) -> None:
        """`model`: writes abstracts; None, or one that rests, leaves extraction.

        `shares`: tokens of the question and of the passages that it is shown.
        """
        self._tokenizer, self._shares = tokenizer, shares
        self._model, self._within_s, self._on_compression = model, within_s, on_compression

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        *,
        target_tokens: int,
        strategy: CompressionStrategy,
        on_prompt: Callable[[PromptRecord], None] = lambda _prompt: None,
    ) -> Compressed:
        """At most `target_tokens` together; where the model is away, or late, by extraction."""
        abstract = partial(self._abstract, on_prompt) if self._model is not None else None
        made = await ContextCompressor(self._tokenizer, abstract).compress(
            passages, query, target_tokens, strategy
        )
        self._on_compression(made)
        return Compressed(
            passages=made.passages, tokens_before=made.tokens_before, tokens_after=made.tokens_after
        )

    async def _abstract(
        self,
        on_prompt: Callable[[PromptRecord], None],
        texts: Sequence[str],
        query: str,
        target_tokens: int,
    ) -> str:
        """Raises `Unavailable` where the model is away or takes too long."""
        if self._model is None or self._model.is_resting:
            raise Unavailable("no model writes abstracts now")
        language = language_of(query)
        told = COMPRESSION_PROMPT[language].format(target_tokens=target_tokens)
        question = fit(quoted(query), self._shares["question"], self._tokenizer)
        shown = sum(self._shares.values())
        lines = shared(
            [f"[{number}] {quoted(text)}" for number, text in enumerate(texts, 1)],
            shown - self._tokenizer.count(question),
            self._tokenizer,
        )
        sources = "\n".join(lines)
        asked = f"<sources>\n{sources}\n</sources>\n<question>{question}</question>"
        most = min(2 * target_tokens, shown // 2)
        messages = (
            ChatMessage(role="system", content=f"{told}\n\n{quoted_speech_rule(language)}"),
            ChatMessage(role="user", content=asked),
        )
        on_prompt(sent(PURPOSE, messages, self._tokenizer, {"question": question, "passages": sources}))
        try:
            async with asyncio.timeout(self._within_s):
                pieces = [
                    piece async for piece in self._model.stream(messages, max_tokens=most, name="compression")
                ]
        except TimeoutError as error:
            self._model.gave_up("compression")
            raise Unavailable(f"no abstract within {self._within_s:g} s") from error
        return "".join(pieces)
