"""What is kept when not all fits: the best first, the rest at a lower level, or dropped by name.

Protected blocks (the newest turn, decisions, actions) come before all others and are compressed as far as
they must be, never dropped while there is any room. The sum never exceeds the budget.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from context.budget import EstimateTokenizer
from context.budgets.allocation import as_output, calculate_priority
from context.budgets.compression import compressed, summarize_output
from context.budgets.output import AgentOutput, CompressionLevel
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

    def __init__(self, kept: Iterable[AgentOutput], *, tokens: int, dropped: Sequence[str]) -> None:
        super().__init__(kept)
        self.tokens = tokens
        """Of all kept blocks with their joints."""
        self.dropped = tuple(dropped)
        """Ids of the blocks that did not fit at any level."""


def select_context_to_preserve(
    agent_outputs: Sequence[AgentOutput | Mapping[str, Any]],
    budget: int,
    *,
    tokenizer: Tokenizer = _TOKENS,
    critical: frozenset[str] = frozenset(),
    at_least: CompressionLevel = CompressionLevel.FULL,
    compressible: frozenset[str] = frozenset(),
    scale: float = 1.0,
) -> Preserved:
    """The blocks to keep within `budget` tokens.

    `critical` ids go down level by level, so that they lose as little as can be; `compressible` ones start
    at level 2; `at_least`: the level at which all the others start (compression mode); `scale`: of the
    levels' sizes, for a budget that is a share of a smaller window.
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
        lowest = CompressionLevel.BRIEF if block.agent_id in compressible else at_least
        levels = _CRITICAL if block.agent_id in critical else tuple(v for v in _USUAL if v >= lowest)
        taken = _at_some_level(
            block, levels or (CompressionLevel.KEY,), left - JOINT_TOKENS, tokenizer, scale
        )
        if taken is None:
            dropped.append(block.agent_id)
            continue
        kept[place], cost = taken
        left -= cost + JOINT_TOKENS
    return Preserved(
        (kept[i] for i in order if i in kept), tokens=max(0, budget) - max(0, left), dropped=dropped
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
