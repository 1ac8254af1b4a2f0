"""The values that the labels of metrics may have: whoever counts and whoever exposes agree on them here."""

from __future__ import annotations

from typing import Final, Literal, get_args

from context.budgets.workflows import PURPOSES as OTHER_PURPOSES

PURPOSES: Final = ("answer", *OTHER_PURPOSES)
"""What models are asked for: the `name` of their calls, the `purpose` of their prompts' records."""
Check = Literal["json", "evidence", "verdicts"]
"""json: it has the asked-for shape · evidence: something of it is borne out by what it cites · verdicts: one
claim at least got one."""
CHECKS: Final[tuple[Check, ...]] = get_args(Check)
Missed = Literal["late", "unavailable", "refused", "resting", "useless"]
"""Why a piece of work was done without the model that was asked for it."""
MISSED: Final[tuple[Missed, ...]] = get_args(Missed)
SpeechState = Literal["heard", "transcribed", "wordless", "lost", "unheard"]
"""What became of a second of sound: speech that was heard is transcribed, wordless or lost in the end;
unheard is time in which nobody listened."""
STEPS: Final = (
    *("check_similarity", "classify_intent", "plan_topics", "extract_slots", "store_memory"),
    *("classify_complexity", "plan_tokens", "retrieve", "grade", "refine", "assemble_context"),
    *("generate_answer", "quality_check", "attribute", "store_response"),
)
"""Of an answer, in their order (`worker.agent.graph`)."""
