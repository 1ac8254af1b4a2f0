"""The answer goes out as it is made."""

from __future__ import annotations

from typing import Any

from worker.agent.graph import telling
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.material import Prompt


async def generate_answer(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `answer`, `evidence`, `declined`, `degraded`; behind a first answer, `corrected`."""
    courtesy, cached = state.get("response"), state.get("cached_response")
    corrected = False
    if courtesy:
        await telling.tell(run, courtesy)
    elif cached:
        evidence = run.outcome.evidence
        for chunk in run.speech.sentences(cached):
            await telling.tell(run, chunk, evidence=evidence)
    elif run.speech.begun:
        run.corrections += 1
        corrected = await _again(run)
    else:
        await _speak(run)
    run.record.corrected = run.record.corrected or corrected
    outcome = run.outcome
    return {
        "answer": run.speech.text,
        "evidence": outcome.evidence,
        "declined": outcome.declined,
        "degraded": outcome.degraded,
        "corrected": run.record.corrected,
    }


async def _speak(run: Run) -> None:
    if run.model is None:
        await telling.quote(run)
    elif run.prompt is None:
        await telling.degrade(run, "unavailable")
    elif not run.prompt.shown:
        await telling.quote(run)
    elif (trouble := await telling.by_model(run, run.model, _sent(run, run.prompt))) is not None:
        await telling.degrade(run, trouble)


async def _again(run: Run) -> bool:
    if run.model is None or run.prompt is None or not run.prompt.shown:
        return False
    return await telling.correct(run, run.model, _sent(run, run.prompt))


def _sent(run: Run, prompt: Prompt) -> Prompt:
    """The prompt, on the record as it goes out."""
    if prompt.record is not None:
        run.record.prompts.append(prompt.record)
    return prompt
