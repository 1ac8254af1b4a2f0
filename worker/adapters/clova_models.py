"""What each model of CLOVA Studio can do: the one place to change when NAVER changes it.

The windows are those of the table of budgets; the rest is NAVER's documentation of August 2026
(docs/decisions/0029).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from context.budget import budget_for
from worker.adapters.clova_schema import simplified

BASE_URL: Final = "https://clovastudio.stream.ntruss.com"


@dataclass(frozen=True, slots=True)
class ClovaModel:
    """One model's dialect and limits, in tokens."""

    name: str
    old: bool
    """Chat Completions v1 (HCX-003, HCX-DASH-001): other names for the same parameters and results."""
    window: int
    """Input and output together."""
    max_input: int
    max_output: int
    reasons: bool
    """Thinks before it answers unless told not to, and names its token limit otherwise."""
    structured: bool
    """Holds to a JSON schema by itself."""

    @property
    def chat_path(self) -> str:
        """Where it answers."""
        return f"/{'v1' if self.old else 'v3'}/chat-completions/{self.name}"

    @property
    def tokens_path(self) -> str:
        """Where its tokens are counted."""
        return f"/{'v1' if self.old else 'v3'}/api-tools/chat-tokenize/{self.name}"


def is_clova(name: str) -> bool:
    """Is this the name of a model of CLOVA Studio?"""
    return name.upper().startswith("HCX-")


def clova_model(name: str) -> ClovaModel:
    """The model of that name; one that we don't know is taken for a newer one without special gifts."""
    known = name.upper()
    old = known.startswith(("HCX-003", "HCX-DASH-001"))
    window = budget_for(name).window
    reasons = known.startswith("HCX-007")
    max_input = {"HCX-003": 7600, "HCX-DASH-001": 3500}.get(known, window)
    return ClovaModel(
        name=name,
        old=old,
        window=window,
        max_input=min(max_input, window),
        max_output=32768 if reasons else 4096,
        reasons=reasons,
        structured=reasons,
    )


def compatible_options(name: str) -> dict[str, Any]:
    """How the OpenAI-compatible route has to be spoken to for this model: see `OpenAILanguageModel`."""
    model = clova_model(name)
    return {
        "json_mode": "json_schema" if model.structured else "prompt",
        "schema_dialect": simplified,
        "options": {"reasoning_effort": "none"} if model.reasons else {},
    }
