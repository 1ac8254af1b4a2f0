"""The trials of `moim check` for the language model: each kind of request that a meeting makes, made once.

A trial gives one line: that it works, what the endpoint had to be asked without, and what that means for
whoever reads answers and minutes. Where it does not work it raises the reason, with what is done instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Final

from context.events.effects import Summarise
from context.models import TopicSegment, Utterance
from context.ports import ChatMessage, PortError, Unavailable
from context.statements.verdicts import Claim
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.verifying import Verifier
from worker.agent.summaries.summarising import EXTRACTIVE, Summariser
from worker.bootstrap.language_models import LanguageModels, language_models, tokenizer_of
from worker.clock import monotonic_s
from worker.configuration.settings import Settings
from worker.monitoring.metrics import Metrics

TRIAL_S: Final = 60.0
"""The most that one trial may take; a local model may have to be loaded first."""
_MEANS: Final = {
    "stream": "answers are shown only when they are whole",
    "stream_options": "the tokens of answers are not counted",
    "system": "the rules stand in the question, and hold less firmly",
    "json_schema": "JSON is asked for without its schema, and needs repair more often",
    "json_object": "JSON is asked for in words, and needs repair more often",
    "schema": "JSON is asked for in words, and needs repair more often",
    "max_tokens": "the limit is called max_completion_tokens",
}
"""What it means that a feature was given up."""
_SAMPLE_TALK: Final = {
    "ko": (
        ("민지", "출시일을 오늘 정해야 합니다. 12월 15일은 가능한가요?"),
        ("준호", "조금 위험합니다. 12월 22일을 제안합니다."),
        ("민지", "좋습니다. 출시일은 12월 22일로 결정하겠습니다."),
        ("준호", "결제 테스트 계획은 금요일까지 제가 공유하겠습니다."),
    ),
    "en": (
        ("Alice", "We have to set the release date today. Is December 15 possible?"),
        ("Ben", "That is a little risky. I propose December 22."),
        ("Alice", "Good. Then we decide: we release on December 22."),
        ("Ben", "I will share the plan for the payment tests by Friday."),
    ),
}
_CLAIM: Final = {"ko": "출시일은 12월 22일로 결정되었다.", "en": "The release is on December 22."}
_QUESTION: Final = {
    "ko": "출시일은 언제인가요? 한 문장으로 답하세요.",
    "en": "When is the release? Answer in one sentence.",
}
_RULES: Final = {"ko": "회의 기록으로만 답합니다.", "en": "Answer from the record of the meeting only."}

Trial = Callable[[LanguageModels, Settings], Awaitable[str]]


async def _stream(models: LanguageModels, settings: Settings) -> str:
    """An answer, streamed."""
    language = _language(settings)
    record = "\n".join(f"{name}: {text}" for name, text in _SAMPLE_TALK[language])
    messages = (
        ChatMessage(role="system", content=_RULES[language]),
        ChatMessage(role="user", content=f"{record}\n\n{_QUESTION[language]}"),
    )
    began_s, first_s, pieces = monotonic_s(), None, 0
    try:
        async with aclosing(models.answers.stream(messages, max_tokens=_ANSWER_TOKENS)) as answer:
            async for piece in answer:
                pieces += 1
                first_s = first_s if first_s is not None or not piece.strip() else monotonic_s() - began_s
    except PortError as error:
        raise type(error)(f"{error}: answers are quotes of what was said") from error
    whole_s = monotonic_s() - began_s
    how = f"first words after {first_s or 0.0:.1f} s, whole after {whole_s:.1f} s"
    return _works(models.answers, how if pieces > 1 else f"{how}, in one piece")


async def _summary(models: LanguageModels, settings: Settings) -> str:
    """A summary, in JSON."""
    model, lines, began_s = models.summaries, _sample_lines(_language(settings)), monotonic_s()
    topic = TopicSegment(id="check", name="", start_utterance_id=1, end_utterance_id=len(lines))
    effect = Summarise(topic=topic, version=1, reason="topic_change", utterances=lines)
    summariser = Summariser(model, tokenizer=tokenizer_of(settings))
    made = await summariser.summarise(effect, language=_language(settings))
    if getattr(made, "engine", EXTRACTIVE) == EXTRACTIVE:
        raise Unavailable(f"{_why(model)}: minutes quote what was said instead of summarising it")
    return _works(model, f"a summary in JSON after {monotonic_s() - began_s:.1f} s")


async def _verdict(models: LanguageModels, settings: Settings) -> str:
    """A verdict on a claim."""
    model, language, began_s = models.verdicts, _language(settings), monotonic_s()
    verifier = Verifier(model, tokenizer=tokenizer_of(settings))
    claim = Claim(text=_CLAIM[language], evidence=(3,), kind="decision")
    (verdict,) = await verifier.verify([claim], _sample_lines(language), language=language, within_s=TRIAL_S)
    took_s, most_s = monotonic_s() - began_s, settings.agent.verify_s
    if verdict is None:
        raise Unavailable(f"{_why(model)}: what a model writes is marked as not verified")
    how = f"a verdict ({verdict.support}) after {took_s:.1f} s"
    if verdict.support != "supported":
        how += ", and it should be supported: right sentences will be taken back"
    if took_s > most_s:
        how += f", later than MOIM_VERIFY_S={most_s:g}: answers stay unverified"
    return _works(model, how)


def _works(model: CalledModel, how: str) -> str:
    """The line of a trial that worked, with what had to be given up for it."""
    lost = [f"without {name} ({why}): {_MEANS.get(name, name)}" for name, why in model.given_up.items()]
    return "; ".join([f"{model.name}: {how}", *lost])


def _why(model: CalledModel) -> str:
    return "; ".join(model.missed_work) or f"{model.name} gave nothing that could be used"


def _language(settings: Settings) -> str:
    return "en" if settings.agent.language == "en" else "ko"


def _sample_lines(language: str) -> tuple[Utterance, ...]:
    return tuple(
        Utterance(
            id=id_,
            speaker_id=name,
            speaker_name=name,
            text=text,
            start_ms=id_ * 1000,
            end_ms=id_ * 1000 + 900,
            absolute_timestamp=datetime(2026, 3, 2, 14, 32, id_, tzinfo=UTC),
        )
        for id_, (name, text) in enumerate(_SAMPLE_TALK[language], 1)
    )


_ANSWER_TOKENS: Final = 1_000
_TRIALS: Final[dict[str, Trial]] = {
    "llm stream": _stream,
    "llm summary": _summary,
    "llm verdict": _verdict,
}


def trials(settings: Settings) -> dict[str, Callable[[Settings], Awaitable[str]]]:
    """The trials of the configured model by the names of their findings; none without one."""

    def alone(trial: Trial) -> Callable[[Settings], Awaitable[str]]:
        async def probe(settings: Settings) -> str:
            # Each with models of its own: what one trial had to do without, the next finds out by itself.
            async with language_models(settings, Metrics()) as models:
                assert models is not None
                return await trial(models, settings)

        return probe

    if settings.llm.engine == "extractive":
        return {}
    return {name: alone(trial) for name, trial in _TRIALS.items()}
