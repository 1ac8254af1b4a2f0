"""Passages made shorter with regard to a question; a model writes the abstracts (seed 002 §3.6.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from context.budgets.compression import Compression, ContextCompressor
from context.budgets.configuration import BudgetConfig
from context.budgets.sent import sent
from context.budgets.tokens import fit, shared
from context.corpora.passage import Passage
from context.features import CompressionStrategy
from context.language.korean import language_of
from context.models import PromptRecord
from context.ports import ChatMessage, Tokenizer, Unavailable
from context.prompts.quoting import quoted, quoted_speech_rule
from context.prompts.thread_prompts import COMPRESSION_PROMPT
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.deadlines import Deadlines

PURPOSE: Final = "compression"
_SHARES: Final[Mapping[str, int]] = BudgetConfig().shares(PURPOSE)
"""Tokens of question and passages by default: a window of 8K holds them, the rules and the abstract."""


class PassageCompressor:
    """`ContextCompressor` with a language model for its abstracts; holds no state of a meeting."""

    def __init__(
        self,
        tokenizer: Tokenizer,
        model: CalledModel | None = None,
        *,
        shares: Mapping[str, int] = _SHARES,
        deadlines: Deadlines | None = None,
        on_compression: Callable[[Compression], None] = lambda _made: None,
    ) -> None:
        """`model` writes abstracts; without one, or while it rests, sentences are extracted.

        `shares`: tokens of the `question` and of the `passages` that the model is shown.
        `on_compression` is told what each compression came to.
        """
        self._tokenizer, self._shares = tokenizer, shares
        self._model, self._on_compression = model, on_compression
        self._within_s = (deadlines or Deadlines()).abstract_s

    async def compress(
        self,
        passages: Sequence[Passage],
        query: str,
        *,
        target_tokens: int,
        strategy: CompressionStrategy,
        on_prompt: Callable[[PromptRecord], None] = lambda _prompt: None,
    ) -> Compression:
        """The passages shortened for `query`, to at most `target_tokens` together.

        Where the model is away or late its part is done by extraction. `on_prompt` is told each prompt that
        the model was sent.
        """
        model = self._model

        async def abstract(texts: Sequence[str], query: str, target_tokens: int) -> str:
            if model is None or model.is_resting:
                raise Unavailable("no model writes abstracts now")
            messages, shown = self._messages(texts, query, target_tokens)
            on_prompt(sent(PURPOSE, messages, self._tokenizer, shown))
            most = min(2 * target_tokens, sum(self._shares.values()) // 2)
            try:
                async with asyncio.timeout(self._within_s):
                    pieces = model.stream(messages, max_tokens=most, name=PURPOSE)
                    return "".join([piece async for piece in pieces])
            except TimeoutError as error:
                model.gave_up(PURPOSE)
                raise Unavailable(f"no abstract within {self._within_s:g} s") from error

        compressor = ContextCompressor(self._tokenizer, abstract if model is not None else None)
        made = await compressor.compress(passages, query, target_tokens, strategy)
        self._on_compression(made)
        return made

    def _messages(
        self, texts: Sequence[str], query: str, target_tokens: int
    ) -> tuple[tuple[ChatMessage, ...], dict[str, str]]:
        """The prompt, and what its producers brought to it."""
        language = language_of(query)
        rules = COMPRESSION_PROMPT[language].format(target_tokens=target_tokens)
        question = fit(quoted(query), self._shares["question"], self._tokenizer)
        lines = shared(
            [f"[{number}] {quoted(text)}" for number, text in enumerate(texts, 1)],
            sum(self._shares.values()) - self._tokenizer.count(question),
            self._tokenizer,
        )
        sources = "\n".join(lines)
        asked = f"<sources>\n{sources}\n</sources>\n<question>{question}</question>"
        messages = (
            ChatMessage(role="system", content=f"{rules}\n\n{quoted_speech_rule(language)}"),
            ChatMessage(role="user", content=asked),
        )
        return messages, {"question": question, "passages": sources}
