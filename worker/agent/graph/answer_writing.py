"""The steps that make an answer: its prompt, its words as they stream, and their grade."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from langgraph.runtime import Runtime

from context.answering.quality import GOOD_QUALITY, Quality, answer_quality, stop
from context.corpora.passage import Passage
from context.statements.checks import sources_of
from worker.agent.graph import responding, retracting
from worker.agent.graph.run import Run
from worker.agent.graph.state import AgentState
from worker.agent.prompt.judging_answers import PURPOSE, AnswerVerdict, verdict_messages
from worker.agent.prompt.producers import Extras
from worker.agent.reply.speaking import notice

_GRADE_TOKENS: Final = 400


async def assemble_context(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Make the prompt where a model may be asked, and shorten the passages where that is on.

    Sets nothing: what is made is in the run.
    """
    run = runtime.context
    docs = await _compressed(state, run)
    if not run.thinks:
        run.note("assemble_context", "no model")
        run.account.tokens_used += sum(
            run.question_context.tokenizer.count(passage.searched) for passage in docs
        )
        return {}
    features = run.features
    feedback = state.get("quality_feedback", {}) if run.speech.begun else {}
    prompt = run.prompt = run.question_context.prompt(
        Extras(
            query=state["query"],
            passages=tuple(docs) if features.include_evidence else (),
            topics=tuple(state.get("required_topics", ())),
            profile=state.get("profile_summary", ""),
            tiers=run.tiers,
            lacking=tuple(feedback.get("missing_info", ())),
            before=run.speech.text,
            history=features.include_history,
            evidence=features.include_evidence,
        )
    )
    run.account.tokens_used += prompt.tokens
    return {}


async def _compressed(state: AgentState, run: Run) -> Sequence[Passage]:
    """The passages, shorter where compression is on."""
    docs, features, compressor = state.get("retrieved_docs", ()), run.features, run.parts.compressor
    if not features.context_compression_enabled or compressor is None or not docs:
        return docs
    before = sum(run.question_context.tokenizer.count(passage.text) for passage in docs)
    made = await compressor.compress(
        docs,
        state["query"],
        target_tokens=max(1, int(before * features.compression_target_ratio)),
        strategy=features.compression_strategy,
        on_prompt=run.prompts.append,
    )
    run.account.compression_applied = made.tokens_after < made.tokens_before
    if run.account.compression_applied:
        run.passages = made.passages
        run.unshortened = {passage.id: passage.text for passage in docs}
    return made.passages


async def generate_answer(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Say the answer, or behind a first one its correction. Sets nothing: what was said is in the run."""
    run = runtime.context
    model, prompt = run.model, run.prompt
    if courtesy := state.get("response"):
        await responding.tell(run, courtesy)
    elif cached := state.get("cached_response"):
        for chunk in run.speech.sentences(cached):
            await responding.tell(run, chunk, evidence=run.answer.evidence)
    elif run.speech.begun:
        run.answer.corrections += 1
        if model is not None and prompt is not None and prompt.shown:
            run.prompts.append(prompt.record)
            run.account.corrected |= await responding.correct(run, model, prompt)
    elif model is None or (prompt is not None and not prompt.shown):
        await responding.quote(run)
    elif prompt is None:
        await responding.degrade(run, "spent" if run.is_spent else "unavailable")
    else:
        run.prompts.append(prompt.record)
        if (trouble := await responding.by_model(run, model, prompt)) is not None:
            await responding.degrade(run, trouble)
    return {}


async def quality_check(state: AgentState, runtime: Runtime[Run]) -> dict[str, Any]:
    """Verify the answer, take back what does not stand, and grade it, by the judge or by words.

    Sets `quality_score`, `quality_feedback`, `quality_score_history`, and `stopped_because`: why there is no
    (further) correction, or "". A bad grade that leads to no correction is told to the asker.
    """
    run = runtime.context
    async with asyncio.TaskGroup() as both:
        # The grader reads the answer as it is now, before anything is taken back in it.
        grading = both.create_task(_judged(state, run))
        both.create_task(retracting.verify_told(run))
    graded = grading.result()
    quality = graded or _by_words(state, run)
    if (
        run.answer.grounding is not None
    ):  # whether what was said stands is the verifier's to say, where it was asked
        grounding = round(10 * run.answer.grounding, 2)
        overall = min(quality.overall_quality, round((grounding + quality.completeness_score) / 20, 4))
        quality = quality.model_copy(update={"grounding_score": grounding, "overall_quality": overall})
    worst = min(quality.overall_quality, quality.completeness_score / 10)
    run.answer.poor = run.answer.poor or (graded is not None and worst < GOOD_QUALITY)
    run.account.quality_score = quality.overall_quality
    scores = [*state.get("quality_score_history", ()), quality.overall_quality]
    run.account.quality_gain = round(scores[-1] - scores[0], 4)
    stopped = _stopped(
        worst, needs_search=quality.needs_retrieval, judged=graded is not None, state=state, run=run
    )
    if stopped:
        run.account.stopped_because = run.account.stopped_because or stopped
        if run.answer.poor and not (run.account.corrected or run.answer.declined or run.answer.degraded):
            await responding.tell(run, f"\n\n{notice('doubt', run.question_context.language)}")
    return {
        "quality_score": quality.overall_quality,
        "quality_feedback": quality.model_dump(),
        "quality_score_history": scores,
        "stopped_because": stopped or "",
    }


def _stopped(worst: float, *, needs_search: bool, judged: bool, state: AgentState, run: Run) -> str | None:
    """Why there is no (further) correction, or None. `worst`: the answer's lowest score, 0 to 1."""
    features = run.features
    if not features.self_refine_enabled or not run.thinks or run.answer.degraded:
        return "off"
    if run.answer.corrections:
        return "corrected"
    if worst >= GOOD_QUALITY:
        return "good"
    if run.whole.remaining_s < run.means.deadlines.correct_s:
        return "deadline"
    if not judged and not run.answer.declined:
        return "by_words"  # words alone convict nobody: a paraphrase is no mistake
    if not (needs_search or run.answer.declined):
        return None
    if run.parts.retriever is None or not features.dynamic_query_rewrite:
        return "off"
    return stop(
        worst,
        rewrites=state.get("iteration_count", 0),
        most_rewrites=features.max_refine_iterations,
        documents=state.get("retrieved_docs_history", ()),
        scores=(),
        remaining_s=run.whole.remaining_s,
        needed_s=run.means.deadlines.correct_s,
    )


async def _judged(state: AgentState, run: Run) -> Quality | None:
    """The judge's grade of a model's answer; None where it is not asked, or gives none."""
    features, prompt = run.features, run.prompt
    wanted = features.self_refine_enabled and features.llm_based_quality_check and not run.answer.corrections
    by_model = not (run.answer.degraded or run.answer.declined)
    if not (wanted and run.judges and by_model) or prompt is None or not prompt.shown:
        return None
    messages, shown = verdict_messages(
        state["user_text"],
        run.speech.text,
        prompt,
        run.question_context.language,
        cited=run.answer.evidence,
        shares=run.shares(PURPOSE),
        tokenizer=run.question_context.tokenizer,
        zone=run.question_context.settings.zone,
        timestamps=run.question_context.meeting.config.l0_include_timestamps,
    )
    verdict = await run.judged(
        "quality_check",
        PURPOSE,
        messages,
        AnswerVerdict,
        shown=shown,
        within_s=min(run.means.deadlines.grade_s, run.whole.remaining_s),
        max_tokens=_GRADE_TOKENS,
    )
    if verdict is None:
        return None
    run.account.tokens_used += sum(
        run.question_context.tokenizer.count(message.content) for message in messages
    )
    return Quality(**verdict.model_dump())


def _by_words(state: AgentState, run: Run) -> Quality:
    if run.answer.declined:
        return Quality(
            grounding_score=10.0, completeness_score=0.0, overall_quality=0.0, needs_retrieval=True
        )
    archive = run.question_context.meeting.utterances
    cited = [archive[id_ - 1] for id_ in run.answer.evidence if 0 < id_ <= len(archive)]
    sources = sources_of(cited, wake_words=run.question_context.meeting.config.agent_names)
    return answer_quality(
        state["user_text"], run.speech.text, run.answer.evidence, sources, names=run.question_context.names()
    )
