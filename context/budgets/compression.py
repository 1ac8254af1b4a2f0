"""A block at a lower level: by its template where a decision is known, else its weightiest sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from context.budget import EstimateTokenizer, fit
from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel
from context.budgets.templates import SUMMARY_TEMPLATES, TEMPLATE_OF, SummaryTemplate, TemplateName, filled
from context.language.questions import sentences
from context.ports import Tokenizer

_TOKENS: Final = EstimateTokenizer()
_REMEMBERED_CHARS: Final = 20_000
"""A block that does not fit at one level is tried at the next: its sentences are weighed once."""
_MOST_SENTENCES: Final = 200
"""Of a longer block the first and the last half of so many are weighed."""


def summarize_output(
    output: AgentOutput,
    level: int,
    *,
    tokenizer: Tokenizer = _TOKENS,
    scale: float = 1.0,
    templates: Mapping[TemplateName, SummaryTemplate] = SUMMARY_TEMPLATES,
) -> AgentOutput:
    """`output` at `level`, within the level's tokens times `scale` (levels scale as shares do)."""
    wanted = CompressionLevel(level)
    room = max(1, int(TARGET_TOKENS[wanted] * scale))
    if 0 < wanted <= len(output.shorter) and output.level < wanted:
        text = output.shorter[wanted - 1]
    elif wanted is not CompressionLevel.FULL and output.decision and output.level < wanted:
        template = templates[TEMPLATE_OF[wanted]]
        room = min(room, template.target_tokens)
        text = filled(template, output)
    else:
        text = output.content
    text = compressed(text, room, tokenizer)
    return output.model_copy(update={"content": text, "level": max(output.level, wanted)})


def compressed(text: str, limit: int, tokenizer: Tokenizer = _TOKENS) -> str:
    """`text` within `limit` tokens: whole, else its weightiest sentences in order, else its beginning."""
    if limit <= 0:
        return ""
    if len(text) <= limit * 40 and tokenizer.count(text) <= limit:
        return text
    parts, weights = _remembered(text) if len(text) <= _REMEMBERED_CHARS else _weighed(text)
    chosen: list[int] = []
    used = 0
    for place in sorted(range(len(parts)), key=lambda i: (-weights[i], i)):
        cost = tokenizer.count(parts[place]) + 1
        if used + cost <= limit:
            chosen.append(place)
            used += cost
    kept = " ".join(parts[place] for place in sorted(chosen))
    return kept if kept and tokenizer.count(kept) <= limit else fit(kept or text, limit, tokenizer)


def _weighed(text: str) -> tuple[list[str], list[float]]:
    """Its sentences, and how much each says of the whole."""
    from context.retrieval.evidence import (
        importance,
    )  # brings numpy, which no command needs to read its settings

    parts = [part for line in text.split("\n") for part in sentences(line)]
    if len(parts) > _MOST_SENTENCES:
        parts = parts[: _MOST_SENTENCES // 2] + parts[-_MOST_SENTENCES // 2 :]
    return parts, importance(parts)


_remembered = lru_cache(maxsize=512)(_weighed)
