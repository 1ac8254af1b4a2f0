"""What is kept when not all fits: the best first, the rest at a lower level, or dropped by name.

Protected blocks (the newest turn, decisions, actions) come before all others and are compressed as far as
they must be, never dropped while there is any room. The sum never exceeds the budget. A block comes to a
lower level by its template where a decision is known, else by its weightiest sentences.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final

from context.budget import EstimateTokenizer, fit
from context.budgets.allocation import as_output, calculate_priority
from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel
from context.budgets.templates import SUMMARY_TEMPLATES, TEMPLATE_OF, filled
from context.language.questions import sentences
from context.ports import Tokenizer

JOINT: Final = "\n\n"
JOINT_TOKENS: Final = 2
"""Between two blocks, at most."""
_TOKENS: Final = EstimateTokenizer()
_USUAL: Final = (CompressionLevel.FULL, CompressionLevel.BRIEF, CompressionLevel.KEY)
"""Seed 004: what does not fit is replaced by its level 2: then it descends further."""
_CRITICAL: Final = tuple(CompressionLevel)


class Preserved(list[AgentOutput]):
    """The kept blocks, best first."""

    def __init__(self, kept: Mapping[int, AgentOutput], *, tokens: int, dropped: Sequence[str]) -> None:
        """`kept`: by their place among all blocks."""
        super().__init__(kept.values())
        self._places = tuple(kept)
        self.tokens = tokens
        """Of all kept blocks with their joints."""
        self.dropped = tuple(dropped)
        """Ids of the blocks that did not fit at any level."""

    def in_order(self) -> list[AgentOutput]:
        """The kept blocks as they stood among all."""
        return [block for _, block in sorted(zip(self._places, self, strict=True), key=itemgetter(0))]


def select_context_to_preserve(
    agent_outputs: Sequence[AgentOutput | Mapping[str, Any]],
    budget: int,
    *,
    tokenizer: Tokenizer = _TOKENS,
    critical: frozenset[str] = frozenset(),
    at_least: CompressionLevel = CompressionLevel.FULL,
    scale: float = 1.0,
) -> Preserved:
    """The blocks to keep within `budget` tokens.

    `critical` ids go down level by level, so that they lose as little as can be; `at_least`: the level at
    which all the others start (compression mode); `scale`: of the levels' sizes, for a budget that is a share
    of a smaller window.
    """
    blocks = [as_output(output) for output in agent_outputs]
    order = sorted(range(len(blocks)), key=lambda i: (-calculate_priority(blocks[i]), i))
    kept: dict[int, AgentOutput] = {}
    left = _keep_protected([i for i in order if blocks[i].protected], blocks, budget, tokenizer, kept)
    dropped: list[str] = []
    for place in order:
        block = blocks[place]
        if block.protected:
            continue
        levels = _CRITICAL if block.agent_id in critical else tuple(v for v in _USUAL if v >= at_least)
        taken = _at_some_level(
            block, levels or (CompressionLevel.KEY,), left - JOINT_TOKENS, tokenizer, scale
        )
        if taken is None:
            dropped.append(block.agent_id)
            continue
        kept[place], cost = taken
        left -= cost + JOINT_TOKENS
    return Preserved(
        {i: kept[i] for i in order if i in kept}, tokens=max(0, budget) - max(0, left), dropped=dropped
    )


def _keep_protected(
    order: Sequence[int],
    blocks: Sequence[AgentOutput],
    budget: int,
    tokenizer: Tokenizer,
    kept: dict[int, AgentOutput],
) -> int:
    """Keep these whatever it takes; who comes later is left an equal share of what there is. The rest."""
    left = max(0, budget)
    for done, place in enumerate(order):
        block = blocks[place]
        share = left // (len(order) - done) - JOINT_TOKENS
        whole = tokenizer.count(block.content)
        others = sum(tokenizer.count(blocks[i].content) + JOINT_TOKENS for i in order[done + 1 :])
        room = share if whole + others + JOINT_TOKENS > left else left - JOINT_TOKENS
        text = compressed(block.content, room, tokenizer)
        if not text:
            continue
        kept[place] = block if text == block.content else block.model_copy(
            update={"content": text, "level": CompressionLevel.KEY}
        )  # fmt: skip
        left -= tokenizer.count(text) + JOINT_TOKENS
    return left


def _at_some_level(
    block: AgentOutput,
    levels: Sequence[CompressionLevel],
    room: int,
    tokenizer: Tokenizer,
    scale: float,
) -> tuple[AgentOutput, int] | None:
    """The block at the first of `levels` at which it fits."""
    if room <= 0:
        return None
    for level in levels:
        candidate = (
            block
            if level <= block.level
            else summarize_output(block, level, tokenizer=tokenizer, scale=scale)
        )
        tokens = tokenizer.count(candidate.content)
        if tokens <= room:
            return (candidate, tokens) if candidate.content else None
    return None


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
) -> AgentOutput:
    """`output` at `level`, within the level's tokens times `scale` (levels scale as shares do)."""
    wanted = CompressionLevel(level)
    room = max(1, int(TARGET_TOKENS[wanted] * scale))
    if 0 < wanted <= len(output.shorter) and output.level < wanted:
        text = output.shorter[wanted - 1]
    elif wanted is not CompressionLevel.FULL and output.decision and output.level < wanted:
        template = SUMMARY_TEMPLATES[TEMPLATE_OF[wanted]]
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


def assemble(
    outputs: Sequence[AgentOutput | Mapping[str, Any]],
    limit: int,
    tokenizer: Tokenizer,
    *,
    at_least: CompressionLevel = CompressionLevel.FULL,
) -> list[AgentOutput]:
    """What `select_context_to_preserve` keeps, in its own order and, joined, within `limit` tokens."""
    standing = select_context_to_preserve(outputs, limit, tokenizer=tokenizer, at_least=at_least).in_order()
    while len(standing) > 1 and tokenizer.count(JOINT.join(block.content for block in standing)) > limit:
        # Joined, byte pairs may merge otherwise than apart: the least block leaves, a protected one last.
        standing.remove(min(standing, key=lambda block: (block.protected, calculate_priority(block))))
    return standing
