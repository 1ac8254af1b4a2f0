"""The prompt: the meeting's briefing, topics, the thread, and what the steps before have found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from context.corpora import Passage
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.material import Extras


async def assemble_context(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `compression_stats`, and where a model is up `context_prompt` and what went into it."""
    docs, stats = await _compressed(state.get("retrieved_docs", ()), state, run)
    if not run.thinks:
        run.note("assemble_context", "no model")
        run.record.tokens_used += sum(run.desk.tokenizer.count(each.searched) for each in docs)
        return {"compression_stats": stats}
    feedback = state.get("quality_feedback", {}) if run.speech.begun else {}
    run.prompt = run.desk.prompt(
        Extras(
            query=state["query"],
            passages=(*docs, *await _earlier(state, run)) if run.features.include_evidence else (),
            topics=tuple(state.get("required_topics", ())),
            profile=state.get("profile_summary", ""),
            memory=_tiers(state, "semantic", "compressed", "working"),
            lacking=tuple(feedback.get("missing_info", ())),
            before=run.speech.text,
            history=run.features.include_history,
            evidence=run.features.include_evidence,
        )
    )
    run.record.tokens_used += run.prompt.tokens
    return {
        "context_prompt": "\n\n".join(message.content for message in run.prompt.messages),
        "meeting_context": run.prompt.context,
        "session_context": "\n".join(filter(None, (run.prompt.thread, _tiers(state, "working")))),
        "profile_context": state.get("profile_summary", ""),
        "longterm_context": _tiers(state, "semantic", "compressed"),
        "compression_stats": stats,
    }


async def _earlier(state: AgentState, run: Run) -> Sequence[Passage]:
    """What earlier meetings of the room left behind, for questions that may be about them.

    A summary and a list of tasks are of this meeting alone.
    """
    if run.parts.earlier is None or run.desk.call_type in ("SUMMARY", "ACTION_EXTRACTION"):
        return ()
    asked = run.invocation
    return await run.parts.earlier.passages(
        run.manager,
        state["query"],
        reader=asked.by if asked.private else "",
        within=state["token_plan"].for_docs,
    )


async def _compressed(
    docs: Sequence[Passage], state: AgentState, run: Run
) -> tuple[tuple[Passage, ...], dict[str, Any]]:
    """The passages, shorter where that is on, and what it came to."""
    features = run.features
    if not features.context_compression_enabled or run.parts.compressor is None or not docs:
        return tuple(docs), {}
    before = sum(run.desk.tokenizer.count(each.text) for each in docs)
    made = await run.parts.compressor.compress(
        docs,
        state["query"],
        target_tokens=max(1, int(before * features.compression_target_ratio)),
        strategy=features.compression_strategy,
        on_prompt=run.record.prompts.append,
    )
    run.record.compression_applied = made.tokens_after < made.tokens_before
    if run.record.compression_applied:
        run.passages = made.passages
    return made.passages, {
        "tokens_before": made.tokens_before,
        "tokens_after": made.tokens_after,
        "ratio": made.tokens_after / made.tokens_before if made.tokens_before else 1.0,
    }


def _tiers(state: AgentState, *names: str) -> str:
    tiers = state.get("hierarchical_contexts", {})
    return "\n".join(text for name in names if (text := tiers.get(name, "")))
