"""The cache of producers' outputs (seed 004): sessions whole, projects in detail, and for good the key.

A cache may forget and may be wrong: an entry that is malformed, another producer's or too old counts as
absent. The cache knows no clock (`now` is handed in) and no disk (it uses the port `CacheFiles`, which an
adapter in `worker.adapters` implements).
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
"""The clocks of two machines differ by less; an entry that is dated further ahead counts as absent."""


class TierRule(Frozen, extra="forbid"):
    """Where the entries of a tier are kept, for how long, and at which level."""

    location: Literal["memory", "disk"]
    lifetime: Annotated[timedelta | None, BeforeValidator(lambda value: None if value == "never" else value)]
    """How long an entry is valid: in a file as `"P7D"` (days) or `"never"`, which is None here: for good."""
    level: CompressionLevel


CACHE_LEVELS: Final[Mapping[CacheTier, TierRule]] = {
    "session": TierRule(location="memory", lifetime=None, level=CompressionLevel.FULL),
    "project": TierRule(location="disk", lifetime=timedelta(days=7), level=CompressionLevel.DETAILED),
    "persistent": TierRule(location="disk", lifetime=None, level=CompressionLevel.KEY),
}


class CacheFiles(Protocol):
    """Named texts that outlive the process. No method raises: a cache that fails is an empty one."""

    def read(self, tier: str, name: str) -> str | None:
        """The text of that name in a tier; None where there is none."""
        ...

    def write(self, tier: str, name: str, text: str) -> None:
        """Set the text of that name, whole or not at all."""
        ...

    def names(self, tier: str) -> list[str]:
        """The names in a tier, the newest first."""
        ...

    def forget(self, tier: str, name: str) -> None:
        """Remove the text of that name, if it is there."""
        ...


class CachedOutput(Frozen):
    """One entry of the cache, its fields named as in seed 004."""

    agent_id: str
    timestamp: AwareDatetime
    """When it was saved."""
    content: AgentOutput


class ContextCache:
    """The cache of one project: three tiers of entries, by the producer's id."""

    def __init__(
        self,
        files: CacheFiles | None = None,
        *,
        rules: Mapping[CacheTier, TierRule] = CACHE_LEVELS,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        """Open an empty cache. Without `files` only the tiers that `rules` put into memory are kept."""
        self._files, self._rules = files, rules
        self._tokenizer = tokenizer or EstimateTokenizer()
        self._memory: dict[tuple[CacheTier, str], str] = {}

    def load_from_cache(
        self, agent_id: str, cache_level: CacheTier = "session", *, now: datetime
    ) -> CachedOutput | None:
        """The entry of a producer in a tier, at that tier's level; None where no valid one is there."""
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
        """The newest valid entries (at most `most`) of a tier on disk, where all others are removed."""
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
        """Keep an output in these tiers, each at its level; where that leaves no text, nothing is kept."""
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
