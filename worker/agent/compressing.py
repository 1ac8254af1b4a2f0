"""Compression at work: the graph's `Compressor`, with a model for the abstract step where there is one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from context.budget import shared
from context.compression import Compression, CompressionStatistics, ContextCompressor
from context.corpora import Passage
from context.features import CompressionStrategy
from context.language.korean import language_of
from context.ports import ChatMessage, Tokenizer, Unavailable
from context.prompts.compression import COMPRESSION_PROMPT
from worker.agent.calling import CalledModel
from worker.agent.graph.ports import Compressed
from worker.agent.quoting import quoted, quoted_speech_rule
from worker.clock import monotonic_s

PROMPT_TOKENS: Final = 4_000
"""Of the passages that are shown: a window of 8K holds them, rules and abstract."""
WITHIN_S: Final = 4.0
"""Of the 8 s until an answer's first words; what takes longer is extracted."""


class PassageCompressor:
    """A `Compressor` over `ContextCompressor`; of no meeting."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        model: CalledModel | None = None,
        *,
        prompt_tokens: int = PROMPT_TOKENS,
        within_s: float = WITHIN_S,
        on_compression: Callable[[Compression], None] = lambda _made: None,
    ) -> None:
        """`model`: writes abstracts; None, or one that rests, leaves extraction.

        `prompt_tokens`: of the passages that it is shown.
        """
        self._tokenizer, self._prompt_tokens = tokenizer, prompt_tokens
        self._model, self._within_s, self._on_compression = model, within_s, on_compression
        self._compressor = ContextCompressor(
            tokenizer, self._abstract if model is not None else None, clock=monotonic_s
        )

    @property
    def statistics(self) -> CompressionStatistics:
        """Since the process began."""
        return self._compressor.statistics

    async def compress(
        self, passages: Sequence[Passage], query: str, *, target_tokens: int, strategy: CompressionStrategy
    ) -> Compressed:
        """At most `target_tokens` together; where the model is away, or late, by extraction."""
        made = await self._compressor.compress(passages, query, target_tokens, strategy)
        self._on_compression(made)
        return Compressed(
            passages=made.passages, tokens_before=made.tokens_before, tokens_after=made.tokens_after
        )

    async def _abstract(self, texts: Sequence[str], query: str, target_tokens: int) -> str:
        """Raises `Unavailable` where the model is away or takes too long."""
        if self._model is None or self._model.is_resting:
            raise Unavailable("no model writes abstracts now")
        language = language_of(query)
        told = COMPRESSION_PROMPT[language].format(target_tokens=target_tokens)
        question, *lines = shared(
            [quoted(query), *(f"[{number}] {quoted(text)}" for number, text in enumerate(texts, 1))],
            self._prompt_tokens,
            self._tokenizer,
        )
        sources = "\n".join(lines)
        asked = f"<sources>\n{sources}\n</sources>\n<question>{question}</question>"
        most = min(2 * target_tokens, self._prompt_tokens // 2)
        messages = (
            ChatMessage(role="system", content=f"{told}\n\n{quoted_speech_rule(language)}"),
            ChatMessage(role="user", content=asked),
        )
        try:
            async with asyncio.timeout(self._within_s):
                pieces = [piece async for piece in self._model.stream(messages, max_tokens=most)]
        except TimeoutError as error:
            self._model.gave_up()
            raise Unavailable(f"no abstract within {self._within_s:g} s") from error
        return "".join(pieces)
