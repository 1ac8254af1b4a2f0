"""Makes the configured language models: for answers, for summaries, for verdicts.

With CLOVA Studio each of the three may be another model: `LLM_MODEL` answers,
`CONTEXT_SUMMARY_MODEL` summarises, `CONTEXT_TOPIC_DETECTION_MODEL` judges. Elsewhere `LLM_MODEL` does all.
Here is also what depends on the model: its tokenizer, its budget, and what masks the texts that go to it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, NamedTuple

from context.budgets.tokens import ExactTokenizer, ModelBudget, custom_budget, encoding_for
from context.ports import LanguageModel, Tokenizer
from worker.adapters.clova_models import BASE_URL, compatible_options, is_clova
from worker.adapters.clova_tokens import ClovaTokenizer
from worker.agent.calls.calling import CalledModel
from worker.agent.calls.usefulness import ReplyListener
from worker.configuration.settings import Settings
from worker.monitoring.metrics import Metrics

if TYPE_CHECKING:
    from worker.adapters.chat_replies import Usage
    from worker.adapters.clova_llm import ClovaLanguageModel


class ModelNames(NamedTuple):
    """The name of the model for each kind of work."""

    answers: str
    summaries: str
    verdicts: str


class LanguageModels(NamedTuple):
    """The model for each kind of work; the same object where it is the same model."""

    answers: CalledModel
    summaries: CalledModel
    verdicts: CalledModel

    @property
    def missed_work(self) -> list[str]:
        """What was done without the models so far, and why (`CalledModel.missed_work`)."""
        return list(dict.fromkeys(line for model in self for line in model.missed_work))

    @property
    def troubles(self) -> list[str]:
        """What is wrong with the models, a line for each that has trouble (`CalledModel.trouble`)."""
        return list(dict.fromkeys(model.trouble for model in self if model.trouble))


def model_names(settings: Settings) -> ModelNames:
    """The names that apply with these settings: `LLM_MODEL` where none of CLOVA's is named for the work."""
    llm, context = settings.llm, settings.context

    def of_work(name: str) -> str:
        return name if llm.engine == "clova" and is_clova(name) else llm.model

    return ModelNames(
        answers=llm.model,
        summaries=of_work(context.summary_model_name),
        verdicts=of_work(context.topic_detection_model_name),
    )


def tokenizer_of(settings: Settings) -> Tokenizer:
    """The tokenizer for `LLM_MODEL`: it counts what the model counts, or more."""
    if settings.llm.engine != "extractive" and is_clova(settings.llm.model):
        return ClovaTokenizer()
    return ExactTokenizer(encoding_for(settings.llm.model))


@asynccontextmanager
async def language_models(settings: Settings, metrics: Metrics) -> AsyncIterator[LanguageModels | None]:
    """The configured models, None for the extractive engine; their connections are closed at the end."""
    if settings.llm.engine == "extractive":
        yield None
        return

    def count(usage: Usage) -> None:
        metrics.llm_usage(
            usage.purpose,
            prompt_tokens=usage.prompt_tokens,
            completion_tokens=usage.completion_tokens,
            cached_tokens=usage.cached_tokens,
        )

    listener = ReplyListener(
        called=metrics.llm_called,
        done=metrics.llm_done,
        failed=metrics.llm_error,
        useless=metrics.llm_useless,
        repaired=metrics.llm_repaired,
        missed=metrics.llm_missed,
    )
    opened = clova_models(settings, count) if settings.llm.engine == "clova" else _openai(settings, count)
    async with opened as make:
        called: dict[str, CalledModel] = {}
        names = model_names(settings)
        for name in names:
            if name not in called:
                model = make(name)
                if settings.consent.redact != "off":
                    from worker.redaction import RedactingModel  # its tables take some MB

                    model = RedactingModel(model)
                called[name] = CalledModel(model, listener=listener)
        yield LanguageModels(*(called[name] for name in names))


@asynccontextmanager
async def _openai(
    settings: Settings, on_usage: Callable[[Usage], None]
) -> AsyncIterator[Callable[[str], LanguageModel]]:
    from worker.adapters.openai_llm import OpenAILanguageModel

    llm = settings.llm
    dialect = compatible_options(llm.model) if is_clova(llm.model) else {}
    model = OpenAILanguageModel(
        base_url=llm.base_url or None, api_key=llm.api_key, model=llm.model, on_usage=on_usage, **dialect
    )
    try:
        yield lambda _name: model
    finally:
        await model.aclose()


def clova_url(settings: Settings) -> str:
    """Give the address of CLOVA Studio: `LLM_BASE_URL`, or NAVER's own."""
    return settings.llm.base_url or BASE_URL


@asynccontextmanager
async def clova_models(
    settings: Settings,
    on_usage: Callable[[Usage], None] | None = None,
    *,
    read_timeout_s: float | None = None,
) -> AsyncIterator[Callable[[str], ClovaLanguageModel]]:
    """Give what makes the models of CLOVA Studio by their names; their connections are closed at the end."""
    from stt.endpoint.endpoint import READ_TIMEOUT_S
    from worker.adapters.clova_llm import ClovaLanguageModel
    from worker.adapters.clova_wire import ClovaWire

    wire = ClovaWire(
        base_url=clova_url(settings),
        api_key=settings.llm.api_key,
        read_timeout_s=read_timeout_s or READ_TIMEOUT_S,
    )
    try:
        yield lambda name: ClovaLanguageModel(wire, model=name, on_usage=on_usage)
    finally:
        await wire.aclose()


def mask_of(settings: Settings, *, record: bool = False) -> Callable[[str], str]:
    """What masks numbers and addresses in a text that leaves Moim; with `record`, in one to be recorded."""
    if settings.consent.redact == "off" or (record and settings.consent.redact != "record"):
        return lambda text: text
    from worker.redaction import redacted  # its tables take some MB

    return redacted


def growing_mask_of(settings: Settings) -> Callable[[str], str]:
    """What masks a text to be recorded while it still grows: a number that may not be whole is left out."""
    if settings.consent.redact != "record":
        return lambda text: text
    from worker.redaction import finished, redacted  # its tables take some MB

    return lambda text: redacted(finished(text))


def model_budget(settings: Settings, model: str) -> ModelBudget:
    """The budget of a model: by `LLM_WINDOW` for `LLM_MODEL`, else by the budgets' file or the table."""
    llm = settings.llm
    if llm.window and model == llm.model:
        return custom_budget(model, llm.window)
    return settings.budgets.budget_for(model)
