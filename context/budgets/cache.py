"""What producers said before, in three tiers: a session whole, a project detailed, for ever the key.

A cache may forget and may be wrong: what is malformed, foreign or too old counts as absent. It knows no
clock (the moment is handed in) and no disk (`CacheFiles` is the door; `worker.adapters` has one).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal, Protocol

from pydantic import AwareDatetime, BeforeValidator, ValidationError

from context.budget import EstimateTokenizer
from context.budgets.allocation import as_output
from context.budgets.output import AgentOutput, CompressionLevel
from context.budgets.preservation import summarize_output
from context.models import Frozen
from context.ports import Tokenizer

CacheTier = Literal["session", "project", "persistent"]
_FUTURE: Final = timedelta(minutes=5)
"""Clocks of two machines differ by less; an entry from further ahead is not believed."""


class TierRule(Frozen, extra="forbid"):
    """Where a tier lives, for how long, at which level."""

    location: Literal["memory", "disk"]
    lifetime: Annotated[timedelta | None, BeforeValidator(lambda value: None if value == "never" else value)]
    """None, in a file `"never"`: as long as the location lasts; else days as `"P7D"`."""
    level: CompressionLevel


CACHE_LEVELS: Final[Mapping[CacheTier, TierRule]] = {
    "session": TierRule(location="memory", lifetime=None, level=CompressionLevel.FULL),
    "project": TierRule(location="disk", lifetime=timedelta(days=7), level=CompressionLevel.DETAILED),
    "persistent": TierRule(location="disk", lifetime=None, level=CompressionLevel.KEY),
}


class CacheFiles(Protocol):
    """Named texts that outlive the process. No method raises: a cache that fails is an empty one."""

    def read(self, tier: str, name: str) -> str | None:
        """Read a block's text; None where there is none."""
        ...

    def write(self, tier: str, name: str, text: str) -> None:
        """Replace it, whole or not at all."""
        ...

    def names(self, tier: str) -> list[str]:
        """The names in a tier, the newest first."""
        ...

    def forget(self, tier: str, name: str) -> None:
        """It is not there any more."""
        ...


class CachedOutput(Frozen):
    """One entry, under the seed's three names."""

    agent_id: str
    timestamp: AwareDatetime
    content: AgentOutput


class ContextCache:
    """The three tiers of one project."""

    def __init__(
        self,
        files: CacheFiles | None = None,
        *,
        rules: Mapping[CacheTier, TierRule] = CACHE_LEVELS,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        """Without `files` only what `rules` put into memory is kept."""
        self._files, self._rules = files, rules
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._memory: dict[tuple[CacheTier, str], str] = {}

    def load_from_cache(
        self, agent_id: str, cache_level: CacheTier = "session", *, now: datetime
    ) -> CachedOutput | None:
        """A producer's output as the tier keeps it; None where there is none that is still valid."""
        rule = self._rules[cache_level]
        if rule.location == "memory":
            text = self._memory.get((cache_level, agent_id))
        else:
            text = self._files.read(cache_level, agent_id) if self._files is not None else None
        try:
            cached = CachedOutput.model_validate_json(text or "")
        except ValidationError:
            return None
        age = now - cached.timestamp
        young = rule.lifetime is None or age <= rule.lifetime
        return cached if cached.agent_id == agent_id and age > -_FUTURE and young else None

    def newest(self, cache_level: CacheTier, *, most: int, now: datetime) -> list[CachedOutput]:
        """What of a tier on disk is valid, the newest first; what is not, or too much, is forgotten."""
        if self._files is None or self._rules[cache_level].location == "memory":
            return []
        kept: list[CachedOutput] = []
        for name in self._files.names(cache_level):
            cached = self.load_from_cache(name, cache_level, now=now) if len(kept) < most else None
            if cached is None:
                self._files.forget(cache_level, name)
            else:
                kept.append(cached)
        return kept

    def save_to_cache(
        self,
        agent_id: str,
        output: AgentOutput | Mapping[str, Any],
        levels: Sequence[CacheTier] = ("session",),
        *,
        now: datetime,
    ) -> None:
        """Keep an output in these tiers, each at its level; where that leaves nothing, there is no entry."""
        block = as_output({"agent_id": agent_id, **output} if isinstance(output, Mapping) else output)
        for tier in levels:
            rule = self._rules[tier]
            content = summarize_output(block, rule.level, tokenizer=self._tokenizer) if rule.level else block
            if not content.content:
                continue
            entry = CachedOutput(agent_id=agent_id, timestamp=now, content=content)
            text = json.dumps(entry.model_dump(mode="json"), ensure_ascii=False)
            if rule.location == "memory":
                self._memory[tier, agent_id] = text
            elif self._files is not None:
                self._files.write(tier, agent_id, text)
