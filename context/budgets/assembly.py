"""Blocks put together into one text that never counts more than it may."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from context.budget import fit
from context.budgets.allocation import as_output, calculate_priority
from context.budgets.output import AgentOutput, CompressionLevel
from context.budgets.preservation import JOINT, select_context_to_preserve
from context.models import Frozen
from context.ports import Tokenizer


class Assembled(Frozen):
    """A context as the model gets it."""

    text: str
    tokens: int
    """Of the whole text, by the tokenizer that it was made with."""
    kept: tuple[AgentOutput, ...]
    """In the order in which they stand."""
    dropped: tuple[str, ...]
    """Ids of blocks that found no room."""


def assemble(
    outputs: Sequence[AgentOutput | Mapping[str, Any]],
    limit: int,
    tokenizer: Tokenizer,
    *,
    critical: frozenset[str] = frozenset(),
    compressible: frozenset[str] = frozenset(),
    at_least: CompressionLevel = CompressionLevel.FULL,
) -> Assembled:
    """The blocks that `select_context_to_preserve` keeps, in their own order, within `limit` tokens."""
    blocks = [as_output(output) for output in outputs]
    numbered = [
        block.model_copy(update={"agent_id": f"{n}\n{block.agent_id}"}) for n, block in enumerate(blocks)
    ]
    kept = select_context_to_preserve(
        numbered,
        limit,
        tokenizer=tokenizer,
        critical=_numbered(numbered, critical),
        compressible=_numbered(numbered, compressible),
        at_least=at_least,
    )
    standing = sorted(kept, key=_number)
    dropped = list(kept.dropped)
    text = JOINT.join(block.content for block in standing)
    tokens = tokenizer.count(text)
    while tokens > limit and len(standing) > 1:
        # Joined, byte pairs may merge otherwise than apart: the least block leaves, a protected one last.
        least = min(standing, key=lambda block: (block.protected, calculate_priority(block)))
        standing.remove(least)
        dropped.append(least.agent_id)
        text = JOINT.join(block.content for block in standing)
        tokens = tokenizer.count(text)
    if tokens > limit:
        text = fit(text, limit, tokenizer)
        tokens = tokenizer.count(text)
    return Assembled(
        text=text,
        tokens=tokens,
        kept=tuple(block.model_copy(update={"agent_id": _id(block.agent_id)}) for block in standing),
        dropped=tuple(_id(name) for name in dropped),
    )


def _numbered(blocks: Sequence[AgentOutput], ids: frozenset[str]) -> frozenset[str]:
    return frozenset(block.agent_id for block in blocks if _id(block.agent_id) in ids)


def _number(block: AgentOutput) -> int:
    return int(block.agent_id.partition("\n")[0])


def _id(numbered: str) -> str:
    return numbered.partition("\n")[2]
