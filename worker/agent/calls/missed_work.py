"""What was done without a language model that was to do it, and why: for whoever sits at the terminal."""

from __future__ import annotations

from typing import Final

from worker.monitoring.metric_labels import MissedReason

NAMES: Final[dict[str, str]] = {
    "answer": "answers",
    "plan": "plans",
    "verification": "verdicts on claims",
    "quality": "grades",
    "summary": "summaries",
    "thread_summary": "summaries of the thread",
    "topic_detection": "verdicts on topics",
    "compression": "abstracts",
}
"""What the replies are called that are asked for, by purpose."""
_WHY: Final[dict[MissedReason, str]] = {
    "late": "it did not answer in time",
    "resting": "it was left alone after failures",
    "useless": "its replies could not be used",
}


class MissedWork:
    """Counts what was done without one model, by purpose, with the last reason of each."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._reasons: dict[str, str] = {}
        self.error = ""
        """What the port said last, in full; it names no key."""

    def note(self, purpose: str, why: MissedReason) -> None:
        """Note one piece of work. What the port has said counts for more than that the model rests now."""
        self._counts[purpose] = self._counts.get(purpose, 0) + 1
        known = self.error if why in ("unavailable", "refused", "resting") else ""
        self._reasons[purpose] = known or _WHY.get(why, why)

    @property
    def lines(self) -> list[str]:
        """A line for each reason, with what was done without the model for it; empty where nothing was."""
        by_reason: dict[str, list[str]] = {}
        for purpose, reason in self._reasons.items():
            by_reason.setdefault(reason, []).append(
                f"{NAMES.get(purpose, purpose)} ({self._counts[purpose]})"
            )
        return [f"done without it: {', '.join(work)}: {reason}" for reason, work in by_reason.items()]
