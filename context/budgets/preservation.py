"""Selection of blocks (seed 004): the best are kept first, the rest at a lower level or dropped.

Protected blocks (the newest turn, decisions, actions) come before all others and are compressed as far as
they must be, never dropped while there is any room. The sum never exceeds the budget. A block comes to a
lower level by its template where a decision is known, else by its weightiest sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from context.budgets.allocation import as_output, calculate_priority
from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel
from context.budgets.templates import SUMMARY_TEMPLATES, TEMPLATE_OF, filled
from context.budgets.tokens import EstimateTokenizer, fit
from context.language.questions import sentences
from context.ports import Tokenizer

JOINT_TOKENS: Final = 2
"""Most tokens that the joint between two blocks takes."""
_TOKENS: Final = EstimateTokenizer()
_ALL_LEVELS: Final = tuple(CompressionLevel)
_USUAL_LEVELS: Final = (CompressionLevel.FULL, CompressionLevel.BRIEF, CompressionLevel.KEY)
"""Seed 004: what does not fit is replaced by its level 2; then it descends further."""
_MOST_SENTENCES: Final = 200
"""Most sentences of a block that are weighed; of a longer one, half from its start and half from its end."""


class Preserved(list[AgentOutput]):
    """The kept blocks: the protected ones and then the others, each of them best first."""

    def __init__(self, kept: Mapping[int, AgentOutput], dropped: Sequence[str]) -> None:
        """Note the kept blocks, by their place among all blocks, and the ids of the dropped ones."""
        super().__init__(kept.values())
        self._by_place = kept
        self.dropped = tuple(dropped)
        """Ids of the blocks that did not fit at any level."""

    def in_order(self) -> list[AgentOutput]:
        """The kept blocks in the order in which they stood among all blocks."""
        return [block for _, block in sorted(self._by_place.items())]


def select_context_to_preserve(
    agent_outputs: Sequence[AgentOutput | Mapping[str, Any]],
    budget: int,
    *,
    tokenizer: Tokenizer = _TOKENS,
    critical: frozenset[str] = frozenset(),
    scale: float = 1.0,
) -> Preserved:
    """Choose the blocks to keep within `budget` tokens (seed 004), protected ones first.

    `critical`: ids of blocks that go down level by level, so that they lose as little as can be. `scale`: a
    factor of the levels' sizes, for a budget that is a share of a smaller window. Raises `ValueError` on a
    dictionary of a wrong shape.
    """
    blocks = [as_output(output) for output in agent_outputs]
    order = sorted(range(len(blocks)), key=lambda i: (-calculate_priority(blocks[i]), i))
    protected = [place for place in order if blocks[place].protected]
    costs = [tokenizer.count(blocks[place].content) + JOINT_TOKENS for place in protected]
    kept: dict[int, AgentOutput] = {}
    left = max(0, budget)
    for done, place in enumerate(protected):
        # Where not all fit whole, each of those that are left gets an equal share.
        share = left if sum(costs[done:]) <= left else left // (len(protected) - done)
        text = compressed(blocks[place].content, share - JOINT_TOKENS, tokenizer)
        if text == blocks[place].content and text:
            kept[place] = blocks[place]
        elif text:
            kept[place] = blocks[place].model_copy(update={"content": text, "level": CompressionLevel.KEY})
        left -= tokenizer.count(text) + JOINT_TOKENS if text else 0
    dropped: list[str] = []
    for place in order:
        block = blocks[place]
        if block.protected:
            continue
        levels = _ALL_LEVELS if block.agent_id in critical else _USUAL_LEVELS
        room = left - JOINT_TOKENS
        fitting = _fitting(block, levels, room, tokenizer, scale)
        if fitting is None or not fitting.content:
            dropped.append(block.agent_id)
        else:
            kept[place] = fitting
            left = room - tokenizer.count(fitting.content)
    return Preserved(kept, dropped)


def _fitting(
    block: AgentOutput, levels: Iterable[CompressionLevel], room: int, tokenizer: Tokenizer, scale: float
) -> AgentOutput | None:
    """The block at the first of `levels` at which it fits into `room` tokens; None where it fits at none."""
    candidates = (
        summarize_output(block, level, tokenizer=tokenizer, scale=scale) if level > block.level else block
        for level in levels
    )
    return next((each for each in candidates if tokenizer.count(each.content) <= room), None)


def summarize_output(
    output: AgentOutput, level: int, *, tokenizer: Tokenizer = _TOKENS, scale: float = 1.0
) -> AgentOutput:
    """Bring a block to `level`, within that level's tokens times `scale`.

    Its text is the producer's own for that level, else the level's template where a decision is known, else
    its weightiest sentences. A block that is at this level or a higher one is only cut to size.
    """
    wanted = CompressionLevel(level)
    room = max(1, int(TARGET_TOKENS[wanted] * scale))
    text = output.content
    if output.level < wanted <= len(output.shorter):
        text = output.shorter[wanted - 1]
    elif output.level < wanted and output.decision:
        template = SUMMARY_TEMPLATES[TEMPLATE_OF[wanted]]
        room = min(room, template.target_tokens)
        text = filled(template, output)
    text = compressed(text, room, tokenizer)
    return output.model_copy(update={"content": text, "level": max(output.level, wanted)})


def compressed(text: str, limit: int, tokenizer: Tokenizer = _TOKENS) -> str:
    """Shorten a text to `limit` tokens: its weightiest sentences in their order, else its beginning.

    A text that fits is returned whole; for a limit of 0 or less the result is empty.
    """
    if limit <= 0:
        return ""
    if len(text) <= limit * 40 and tokenizer.count(text) <= limit:
        return text
    parts, weights = _weighed(text)
    chosen: list[int] = []
    used = 0
    for place in sorted(range(len(parts)), key=lambda i: (-weights[i], i)):
        cost = tokenizer.count(parts[place]) + 1
        if used + cost <= limit:
            chosen.append(place)
            used += cost
    kept = " ".join(parts[place] for place in sorted(chosen))
    return fit(kept or text, limit, tokenizer)


@lru_cache(maxsize=64)
def _weighed(text: str) -> tuple[list[str], list[float]]:
    """The sentences of a text, and how much each says of the whole; cached, as several levels ask for it."""
    from context.retrieval.evidence import importance  # brings numpy, which no command needs for its settings

    parts = [part for line in text.split("\n") for part in sentences(line)]
    if len(parts) > _MOST_SENTENCES:
        parts = parts[: _MOST_SENTENCES // 2] + parts[-_MOST_SENTENCES // 2 :]
    return parts, importance(parts)
