"""The steps that make an answer: its prompt, its words as they stream, and their grade."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC
from functools import partial
from typing import Any, Final

from context.answering.quality import GOOD, Quality, answer_quality, stop
from context.corpora.passage import Passage
from context.ports import PortError
from worker.agent import structured
from worker.agent.graph import taking_back, telling
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.judging_answers import AnswerVerdict, verdict_messages
from worker.agent.producers import Extras
from worker.agent.prompting import Prompt
from worker.agent.speaking import notice


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


CHECK_S: Final = 5.0
CORRECT_S: Final = 4.0
"""A correction is begun only while so much time remains."""
_TOKENS: Final = 400


async def quality_check(state: AgentState, run: Run) -> dict[str, Any]:
    """Sets `quality_score`, `quality_feedback`, `quality_score_history` and `stopped_because`."""
    async with asyncio.TaskGroup() as both:
        # The grader reads the answer as it is now, before anything is taken back in it.
        grading = both.create_task(_judged(state, run))
        both.create_task(taking_back.verify_told(run))
    graded = grading.result()
    judged = graded is not None
    quality = _grounded(graded or _by_words(state, run), run)
    run.poor = run.poor or (judged and _worst(quality) < GOOD)
    run.record.quality_score = quality.overall_quality
    scores = [*state.get("quality_score_history", ()), quality.overall_quality]
    run.record.quality_gain = round(scores[-1] - scores[0], 4)
    stopped = _stopped(quality, judged, state, run)
    if stopped:
        run.record.stopped_because = run.record.stopped_because or stopped
        await _doubt(run)
    return {
        "quality_score": quality.overall_quality,
        "quality_feedback": quality.model_dump(),
        "quality_score_history": scores,
        "stopped_because": stopped or "",
    }


def _worst(quality: Quality) -> float:
    return min(quality.overall_quality, quality.completeness_score / 10)


def _grounded(quality: Quality, run: Run) -> Quality:
    """Whether what was said stands is the verifier's to say, where it was asked."""
    if run.grounding is None:
        return quality
    grounding = round(10 * run.grounding, 2)
    overall = min(quality.overall_quality, round((grounding + quality.completeness_score) / 20, 4))
    return quality.model_copy(update={"grounding_score": grounding, "overall_quality": overall})


async def _doubt(run: Run) -> None:
    """A bad grade that led to no correction is told to whoever asked."""
    if run.poor and not (run.record.corrected or run.outcome.declined or run.outcome.degraded):
        await telling.tell(run, f"\n\n{notice('doubt', run.desk.language)}")


def _stopped(quality: Quality, judged: bool, state: AgentState, run: Run) -> str | None:
    """Why there is no (further) correction; None where there is one."""
    features = run.features
    if not features.self_refine_enabled or not run.thinks or run.outcome.degraded:
        return "off"
    if run.corrections:
        return "corrected"
    if _worst(quality) >= GOOD:
        return "good"
    if run.whole.remaining_s < CORRECT_S:
        return "deadline"
    if not judged and not run.outcome.declined:
        return "by_words"  # words alone convict nobody: a paraphrase is no mistake
    if quality.needs_retrieval or run.outcome.declined:
        if run.parts.retriever is None or not features.dynamic_query_rewrite:
            return "off"
        return stop(
            _worst(quality),
            rewrites=state.get("iteration_count", 0),
            most_rewrites=features.max_refine_iterations,
            documents=state.get("retrieved_docs_history", ()),
            scores=(),
            remaining_s=run.whole.remaining_s,
            needed_s=CORRECT_S,
        )
    return None


async def _judged(state: AgentState, run: Run) -> Quality | None:
    """The model's verdict; None where there is none to be had."""
    features = run.features
    wanted = features.self_refine_enabled and features.llm_based_quality_check and not run.corrections
    if not wanted or not run.judges or run.outcome.degraded or run.outcome.declined:
        return None
    assert run.judge is not None
    if run.prompt is None or not run.prompt.shown:
        return None
    messages = verdict_messages(
        state["user_text"],
        run.speech.text,
        run.prompt,
        run.desk.language,
        cited=run.outcome.evidence,
        shares=run.shares("quality"),
        tokenizer=run.desk.tokenizer,
        zone=run.zone or UTC,
        on_prompt=run.record.prompts.append,
    )
    try:
        async with asyncio.timeout(min(CHECK_S, run.whole.remaining_s)):
            verdict = await structured.ask(
                run.judge,
                messages,
                AnswerVerdict,
                name="quality",
                max_tokens=_TOKENS,
                on_repair=partial(run.sent_again, "quality"),
            )
    except (PortError, TimeoutError) as error:
        if isinstance(error, TimeoutError):
            run.judge.gave_up("quality")
        run.note("quality_check", f"by words: {type(error).__name__}")
        return None
    run.record.tokens_used += sum(run.desk.tokenizer.count(message.content) for message in messages)
    return verdict.quality()


def _by_words(state: AgentState, run: Run) -> Quality:
    if run.outcome.declined:
        return Quality(
            grounding_score=10.0, completeness_score=0.0, overall_quality=0.0, needs_retrieval=True
        )
    evidence = run.outcome.evidence
    return answer_quality(
        state["user_text"], run.speech.text, evidence, run.desk.sources(evidence), names=run.desk.names()
    )
