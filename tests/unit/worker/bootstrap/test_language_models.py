"""Which model does which work."""

from __future__ import annotations

import pytest

from context.budgets.tokens import ExactTokenizer
from context.config import ConfigError
from tests.unit.cases import cases
from worker.adapters.clova_tokens import ClovaTokenizer
from worker.bootstrap.language_models import ModelNames, language_models, model_names, tokenizer_of
from worker.configuration.settings import Settings
from worker.monitoring.metrics import Metrics

CLOVA = {"LLM_ENGINE": "clova", "LLM_MODEL": "HCX-005", "LLM_API_KEY": "nv-x"}


def test_with_clova_each_work_has_its_model() -> None:
    assert model_names(Settings.from_env(CLOVA)) == ModelNames("HCX-005", "HCX-007", "HCX-003")
    environ = {**CLOVA, "CONTEXT_SUMMARY_MODEL": "HCX-DASH-002", "CONTEXT_TOPIC_DETECTION_MODEL": "HCX-007"}
    assert model_names(Settings.from_env(environ)) == ModelNames("HCX-005", "HCX-DASH-002", "HCX-007")


def test_a_name_of_another_maker_falls_back_to_the_model_of_the_answers() -> None:
    settings = Settings.from_env({**CLOVA, "CONTEXT_SUMMARY_MODEL_NAME": "gpt-4o"})
    assert model_names(settings).summaries == "HCX-005"


def test_elsewhere_one_model_does_all() -> None:
    settings = Settings.from_env({"LLM_ENGINE": "openai", "LLM_MODEL": "gpt-4o"})
    assert model_names(settings) == ModelNames("gpt-4o", "gpt-4o", "gpt-4o")


async def test_the_same_name_is_the_same_model() -> None:
    settings = Settings.from_env({**CLOVA, "CONTEXT_SUMMARY_MODEL": "HCX-005"})
    async with language_models(settings, Metrics()) as models:
        assert models.answers is models.summaries
        assert models.verdicts.name == "HCX-003"
        for _ in range(5):
            models.verdicts.breaker.failed()
        assert [trouble.split()[0] for trouble in models.troubles] == ["HCX-003"], (
            "one model's failures rest no other"
        )


async def test_the_extractive_engine_has_none() -> None:
    async with language_models(Settings.from_env({}), Metrics()) as models:
        assert models is None


def test_each_maker_s_tokens_are_counted_its_way() -> None:
    assert isinstance(tokenizer_of(Settings.from_env(CLOVA)), ClovaTokenizer)
    assert isinstance(tokenizer_of(Settings.from_env({})), ExactTokenizer)
    route = {"LLM_ENGINE": "openai", "LLM_MODEL": "HCX-005", "LLM_BASE_URL": "http://x/v1/openai"}
    assert isinstance(tokenizer_of(Settings.from_env(route)), ClovaTokenizer)


@cases
def test_wrong_settings_say_how_to_mend_them(change: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.from_env({**CLOVA, **change})
    assert str(caught.value).endswith(said)
    assert str(caught.value).startswith("LLM_")
