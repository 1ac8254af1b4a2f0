"""What an answer is doing, as people are told it: its steps in four words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from worker.outlets import Stage

STAGES: Final[Mapping[str, Stage]] = {
    "check_similarity": "reading",
    "classify_intent": "reading",
    "plan_topics": "reading",
    "extract_slots": "reading",
    "store_memory": "reading",
    "classify_complexity": "reading",
    "plan_tokens": "reading",
    "retrieve": "looking",
    "grade": "looking",
    "refine": "looking",
    "assemble_context": "writing",
    "generate_answer": "writing",
    "quality_check": "checking",
    "store_response": "checking",
}
"""The stage of each step: the page has words for each (`doing_…` in static/words.js)."""
