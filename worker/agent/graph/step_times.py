"""Which steps an answer took, and how long each: as LangGraph's stream of tasks tells it."""

from __future__ import annotations

from typing import Final, TypeGuard

from langgraph.types import TaskPayload, TaskResultPayload

from worker.agent.graph.run import Run

STREAM: Final = "tasks"
"""The stream of which `StepTimes.see` reads the events: one as a step begins, one when it has ended."""


class StepTimes:
    """Keeps the steps of one run in its record, and tells the metrics of each step.

    A step's time runs from the event that begins it to the event behind it, and so has in it what LangGraph
    itself takes for a step, some 0.4 ms.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._step = ""
        self._began_s = 0.0

    def see(self, event: TaskPayload | TaskResultPayload) -> None:
        """Take the next event of the stream; one step runs at a time."""
        if _is_end(event):
            self.end()
        else:
            self._step, self._began_s = event["name"], self._run.means.clock()
            self._run.on_begin(self._step)

    def end(self) -> None:
        """End the step that runs, if any: of one that is cancelled the stream tells nothing more."""
        step, self._step = self._step, ""
        if not step:
            return
        took_s = self._run.means.clock() - self._began_s
        steps = self._run.account.steps
        steps[step] = round(steps.get(step, 0.0) + 1000 * took_s, 3)
        self._run.means.on_step(step, took_s)


def _is_end(event: TaskPayload | TaskResultPayload) -> TypeGuard[TaskResultPayload]:
    return "result" in event
