"""Composition of one prompt out of the blocks of many producers, within a budget.

A workflow's stages come one after the other. The producers of a stage share its room by weight
(`BudgetConfig.shared_out`); what they leave goes to the next stage. What must stand (a producer's `least`:
the newest turn, standing decisions) is set aside before anything is shared. A producer that gets less than it
wants is told at its workflow's level. Once `compression_share` of the budget is used, the stages that follow
are in compression mode: all but the workflow's critical producers are told at level 2. The sum never exceeds
the budget, whatever a producer does: one that brings more than its room is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Protocol

from context.budgets.allocation import calculate_priority
from context.budgets.configuration import BudgetConfig
from context.budgets.output import TARGET_TOKENS, AgentOutput, CompressionLevel, level_of
from context.budgets.tracker import ContextBudgetTracker
from context.budgets.workflows import Workflow
from context.models import Frozen


class Told(Frozen):
    """What one producer puts into a prompt, and what that costs; empty where it shows nothing."""

    text: str = ""
    tokens: int = 0
    """The tokens of the text, and of what joins it to others."""
    shows: frozenset[int] = frozenset()
    """The utterance ids that stand in the text and may be cited."""
    said: frozenset[int] = frozenset()
    """Those of them whose utterances stand in the text word for word."""


class Producer(Protocol):
    """A source of one block of a prompt.

    `shown` is everywhere the ids of the utterances that earlier blocks hold word for word, so that none is
    shown twice.
    """

    @property
    def name(self) -> str:
        """Its name in `BudgetConfig.producers` and in the workflows."""
        ...

    @property
    def least(self) -> int:
        """The tokens of what must stand in the prompt; 0 where nothing must."""
        ...

    def wanted(self, level: CompressionLevel, shown: AbstractSet[int]) -> int:
        """The tokens that its block would take at `level` if there were room."""
        ...

    def told(self, room: int, level: CompressionLevel, shown: AbstractSet[int]) -> Told:
        """Its block within `room` tokens, at `level` or shorter; an empty one where that is too little."""
        ...


class ComposedBlock(Frozen):
    """One block as it stands in a prompt."""

    name: str
    text: str
    tokens: int
    level: CompressionLevel


class Composed(Frozen):
    """The blocks of one prompt, in the order in which they were made; empty ones are left out."""

    parts: tuple[ComposedBlock, ...]
    shows: frozenset[int]
    """The utterance ids that stand in a block and may be cited."""
    whole: frozenset[str]
    """The names of the producers that were told in full: of them the prompt lacks nothing."""
    tokens: int
    """The tokens of all blocks; at most the budget."""
    budget: int
    """The tokens that there was room for."""
    level: CompressionLevel
    """The level that the last stage was held to: 2 in compression mode."""

    def text_of(self, name: str) -> str:
        """The text of one producer's block; "" where it has none."""
        return next((part.text for part in self.parts if part.name == name), "")


def compose(
    producers: Sequence[Producer],
    workflow: Workflow,
    budget: int,
    *,
    spare: int = 0,
    config: BudgetConfig,
) -> Composed:
    """Compose the blocks of `producers` within `budget` tokens, and `spare` more for the last stage.

    `total_budget` bounds both together. A producer that is in no stage comes with the last one. What a stage
    shows depends on later stages only through what must stand in them.
    """
    budget = min(max(0, budget), config.total_budget)
    spare = min(max(0, spare), config.total_budget - budget)
    tracker = config.tracker(budget + spare)
    made = _Composition(workflow, budget, tracker, config)
    made.held = config.shared_out(
        {each.name: each.least for each in producers}, int(budget * config.standing_share)
    )
    by_name = {each.name: each for each in producers}
    stages = [
        [by_name.pop(agent) for agent in dict.fromkeys(stage.agents) if agent in by_name]
        for stage in workflow.parts
    ]
    stages[-1].extend(by_name.values())
    held = [sum(made.held[each.name] for each in brought) for brought in stages]
    used = allotted = 0
    for number, (stage, brought) in enumerate(zip(workflow.parts, stages, strict=True)):
        if number < len(stages) - 1:
            allotted += stage.budget * budget // workflow.budget
            most = budget - used - sum(held[number + 1 :])
        else:
            allotted = budget + spare
            most = allotted - used
        used += made.take(brought, max(min(allotted - used, most), min(held[number], most)))
    return Composed(
        parts=tuple(made.parts),
        shows=frozenset(made.cited),
        whole=frozenset(made.whole),
        tokens=used,
        budget=budget + spare,
        level=made.level,
    )


class _Composition:
    """One prompt in the making."""

    def __init__(
        self, workflow: Workflow, budget: int, tracker: ContextBudgetTracker, config: BudgetConfig
    ) -> None:
        self._workflow, self._tracker, self._config = workflow, tracker, config
        self.level = CompressionLevel.FULL
        """The level that the present stage is held to."""
        self._scale = min(1.0, budget / TARGET_TOKENS[CompressionLevel.FULL])
        self.held: Mapping[str, int] = {}
        """Tokens by producer that are set aside for what must stand."""
        self.parts: list[ComposedBlock] = []
        self.cited: set[int] = set()
        self.whole: set[str] = set()
        self._said: set[int] = set()

    def take(self, producers: Sequence[Producer], room: int) -> int:
        """Add the blocks of one stage within `room` tokens; return the tokens that it took."""
        self.level = self._tracker.level_for_next()
        levels = {each.name: self._level_of(each, room) for each in producers}
        shares, wants = self._given(producers, levels, room)
        pressed = [name for name in wants if shares[name] < wants[name]]
        if pressed:
            for name in pressed:
                levels[name] = max(levels[name], self._workflow.level_after(name))
            shares, wants = self._given(producers, levels, room)
        crumbs = room - sum(shares.values())
        used = 0
        for producer in sorted(producers, key=self._priority):  # the last one has what the others leave
            name = producer.name
            most = min(shares[name] + crumbs, max(shares[name], wants[name]))
            if levels[name] is CompressionLevel.FULL and producer.wanted(levels[name], self._said) <= most:
                self.whole.add(name)
            block = producer.told(most, levels[name], self._said) if most > 0 else Told()
            if block.tokens > most:
                block = Told()
            crumbs += shares[name] - block.tokens
            used += block.tokens
            self._tracker.track(name, block.tokens)
            self._said |= block.said
            self.cited |= block.shows
            if block.text:
                self.parts.append(
                    ComposedBlock(name=name, text=block.text, tokens=block.tokens, level=levels[name])
                )
        return used

    def _level_of(self, producer: Producer, room: int) -> CompressionLevel:
        """The level of a producer's block: the stage's, or in detail where it exceeds `summary_threshold`.

        The latter only where it makes the block shorter: what people said is not summed up, but shown or not.
        A critical producer is not held to the stage's.
        """
        critical = producer.name in self._workflow.critical_agents
        level = CompressionLevel.FULL if critical else self.level
        whole = producer.wanted(level, self._said)
        detailed = max(level, CompressionLevel.DETAILED)
        above = min(whole, room) > self._config.limits_of(producer.name).summary_threshold
        return detailed if above and producer.wanted(detailed, self._said) < whole else level

    def _given(
        self, producers: Sequence[Producer], levels: Mapping[str, CompressionLevel], room: int
    ) -> tuple[dict[str, int], dict[str, int]]:
        """The tokens that each producer gets of `room`, and those that it wants at its level, both by name.

        It wants at most what its class and its level allow (seed 004), or what must stand.
        """
        wants: dict[str, int] = {}
        for each in producers:
            level = levels[each.name]
            most = self._config.limits_of(each.name).max_output
            if level is not CompressionLevel.FULL:
                most = min(most, int(TARGET_TOKENS[level] * self._scale))
            wants[each.name] = min(each.wanted(level, self._said), max(most, self.held[each.name]))
        held = self._config.shared_out({name: min(self.held[name], wants[name]) for name in wants}, room)
        beside = {name: wants[name] - held[name] for name in wants}
        more = self._config.shared_out(beside, room - sum(held.values()))
        return {name: held[name] + more[name] for name in wants}, wants

    def _priority(self, producer: Producer) -> float:
        critical = producer.name in self._workflow.critical_agents
        block = AgentOutput(
            agent_id=producer.name,
            vs_level=level_of(producer.name, self._config.producers),
            has_dependents=critical,
            relevance_score=1.0 if critical else 0.5,
        )
        return calculate_priority(block)
