"""The answer of one run while it grows: what it rests on, and what has become of its claims."""

from __future__ import annotations

from dataclasses import dataclass, field

from context.plain.answer import Certainty
from context.statements.verdicts import Claim


@dataclass(slots=True)
class GrowingAnswer:
    """What is known of an answer beside its words, which are the `Speech`'s."""

    evidence: tuple[int, ...] = ()
    """The utterances of this meeting that it rests on so far."""
    sources: tuple[str, ...] = ()
    """What it rests on outside this meeting, as it is cited."""
    elsewhere: bool = False
    """Whether what was said so far rests, or may rest, on other meetings or documents."""
    certainty: Certainty = "answer"
    degraded: bool = False
    """Whether quotes took the place of what the model could not say."""
    claims: list[Claim] = field(default_factory=list)
    """The claims of the model that wait to be verified."""
    standing: list[Claim] = field(default_factory=list)
    """The claims of the model that were not taken back."""
    grounding: float | None = None
    """The share of the model's claims that stood, 0 to 1; None while there are no verdicts."""
    poor: bool = False
    """Whether a model graded it badly."""
    corrections: int = 0
    """How many second answers were tried: one at most."""

    @property
    def declined(self) -> bool:
        """Whether it is that there is none."""
        return self.certainty == "none"
