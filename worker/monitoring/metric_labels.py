"""The values that the labels of metrics may have, for whoever counts and whoever exposes them."""

from __future__ import annotations

from typing import Final, Literal, get_args

from context.budgets.workflows import PURPOSES as OTHER_PURPOSES

PURPOSES: Final = ("answer", *OTHER_PURPOSES)
"""What models are called for: the `name` of a call, and the `purpose` of its prompt on the record."""
Check = Literal["json", "evidence", "verdicts"]
"""What a model's reply failed at: `json`, the shape that was asked for; `evidence`, a statement that what it
cites bears out; `verdicts`, a verdict on one claim at least."""
CHECKS: Final[tuple[Check, ...]] = get_args(Check)
MissedReason = Literal["late", "unavailable", "refused", "resting", "useless"]
"""Why work was done without the model that was to do it: `resting` is spared calls after it has failed."""
MISSED_REASONS: Final[tuple[MissedReason, ...]] = get_args(MissedReason)
SpeechState = Literal["heard", "transcribed", "wordless", "lost", "unheard"]
"""What became of a stretch of sound: speech that was `heard` is transcribed, wordless or lost in the end;
`unheard` is time in which nobody listened."""
STEPS: Final = (
    "check_similarity",
    "classify_intent",
    "plan_topics",
    "extract_slots",
    "store_memory",
    "classify_complexity",
    "plan_tokens",
    "retrieve",
    "grade",
    "refine",
    "assemble_context",
    "generate_answer",
    "quality_check",
    "store_response",
)
"""The steps of an answer's graph, in their order (`worker.agent.graph`; most names are seed 002's)."""
