"""`MOIM_BUDGETS_FILE`: the documented example is read, and a wrong file never starts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from context.budgets.configuration import BudgetConfig
from context.config import ConfigError
from tests.unit.cases import cases
from worker.__main__ import main
from worker.bootstrap.language_models import model_budget
from worker.configuration.settings import Settings
from worker.diagnostics.diagnosis import diagnose

ROOT = Path(__file__).parents[4]


def documented() -> str:
    """The example of the how-to."""
    text = (ROOT / "docs/how-to/budgets.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    return example


def settings_with(tmp_path: Path, text: str, **more: str) -> Settings:
    path = tmp_path / "budgets.toml"
    path.write_text(text, encoding="utf-8")
    return Settings.from_env({"MOIM_BUDGETS_FILE": str(path), **more})


def test_without_a_file_the_defaults_hold() -> None:
    assert Settings.from_env({}).budgets == BudgetConfig()
    assert Settings.from_env({"MOIM_BUDGETS_FILE": " "}).budgets == BudgetConfig()


def test_the_documented_example_is_read_as_it_is_told(tmp_path: Path) -> None:
    settings = settings_with(tmp_path, documented())
    budgets = settings.budgets
    assert budgets.total_budget == 150_000
    assert budgets.producers["thread"] == "enhanced"
    careful = budgets.workflow_for("SEARCH")
    assert careful.everyone == ("evidence", "transcript", "topics", "thread")
    assert set(careful.critical_agents) == {"evidence", "transcript"}
    assert careful.compressible_agents == ("thread",)
    assert sum(careful.allocation(producers=budgets.producers, limits=budgets.limits).values()) <= 5_000
    assert budgets.purposes["summary"].budget == 6_000
    brief = budgets.topic_templates["level_2_brief"]
    assert brief.format.startswith("{name}:\n- 결정: {decisions}")
    assert brief.target_tokens == BudgetConfig().topic_templates["level_2_brief"].target_tokens
    assert budgets.templates["level_3_key"].format == "[{id}] {decision}"
    project = budgets.cache_levels["project"]
    assert (project.lifetime.days, int(project.level)) == (14, 2)
    assert model_budget(settings, "our-model").window == 32_768


def test_the_window_of_the_environment_goes_before_the_files(tmp_path: Path) -> None:
    settings = settings_with(
        tmp_path, '[windows]\n"m" = 32768', LLM_ENGINE="openai", LLM_MODEL="m", LLM_WINDOW="8192"
    )
    assert model_budget(settings, "m").window == 8_192


@cases
def test_a_wrong_file_never_starts(
    text: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "budgets.toml"
    path.write_text(text, encoding="utf-8")
    monkeypatch.setenv("MOIM_BUDGETS_FILE", str(path))
    monkeypatch.chdir(tmp_path)
    assert main(["check", "--only", "budgets"]) == 2
    said = capsys.readouterr().err.strip()
    assert f"MOIM_BUDGETS_FILE='{path}'" in said
    assert told in said
    assert "\n" not in said


@pytest.mark.parametrize("content", [None, b"\xff\xfe\x00"])
def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "budgets.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"MOIM_BUDGETS_FILE=.* cannot be read: "):
        Settings.from_env({"MOIM_BUDGETS_FILE": str(path)})


async def test_check_says_what_the_file_changes(tmp_path: Path) -> None:
    (finding,) = await diagnose(settings_with(tmp_path, "total_budget = 9000"), ["budgets"])
    assert (finding.state, finding.text.endswith("is read: total_budget of its own")) == ("ok", True)
    (finding,) = await diagnose(Settings.from_env({}), ["budgets"])
    assert finding.text == "the defaults: MOIM_BUDGETS_FILE is not set"
