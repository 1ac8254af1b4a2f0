"""Settings: built once, bounded, and clear about what is wrong."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from context.config import ConfigError
from tests import env_example, feature_table
from tests.unit.cases import cases
from worker.configuration.settings import Settings, export_env_file, fields

ROOT = Path(__file__).parents[4]


def test_an_empty_environment_gives_the_documented_defaults() -> None:
    settings = Settings.from_env({})
    assert settings.agent.wake_words == ("모임", "Moim")
    assert settings.agent.language == "auto"
    assert settings.stt.engine == "whisper"
    assert settings.llm.engine == "extractive"
    assert settings.process.http_port == 8080
    assert settings.context.l0_max_turns == 25
    assert settings.warnings == ()


def test_values_are_read_and_trimmed_and_empty_means_not_set() -> None:
    settings = Settings.from_env(
        {
            "MOIM_WAKE_WORDS": " 모임아, Hey Moim ,",
            "MOIM_LANGUAGE": "ko",
            "MOIM_HTTP_PORT": "0",
            "MOIM_CHAT": "",
            "LIVEKIT_URL": " wss://livekit.example.com ",
            "CONTEXT_SUMMARY_MODEL": "HCX-003",
        }
    )
    assert settings.agent.wake_words == ("모임아", "Hey Moim")
    assert settings.agent.language == "ko"
    assert settings.process.http_port == 0
    assert settings.agent.chat == "questions"
    assert settings.livekit.url == "wss://livekit.example.com"
    assert settings.context.summary_model_name == "HCX-003"


@cases
def test_a_wrong_value_is_one_line_with_name_value_and_what_is_allowed(
    environ: dict[str, str], line: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.from_env(environ)
    assert str(caught.value) == line


def test_all_wrong_values_are_told_at_once() -> None:
    wrong = {
        "LIVEKIT_URL": "foo",
        "MOIM_CHAT": "maybe",
        "MOIM_HTTP_PORT": "x",
        "CONTEXT_L0_MAX_TURNS": "zero",
    }
    with pytest.raises(ConfigError) as caught:
        Settings.from_env(wrong)
    assert [mistake.partition("=")[0] for mistake in str(caught.value).split("; also ")] == [*wrong]
    assert "\n" not in str(caught.value)


def test_a_secret_is_never_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        Settings.from_env({"DATABASE_URL": "mysql://moim:hunter22@db/moim"})
    assert "hunter22" not in str(caught.value)
    assert "DATABASE_URL=***" in str(caught.value)
    settings = Settings.from_env({"LIVEKIT_API_SECRET": "hunter22", "CLOVA_SPEECH_DOMAINS": "https://a|k3y"})
    assert "hunter22" not in repr(settings)
    assert settings.secrets() == {"hunter22", "https://a|k3y", "k3y"}


def test_an_unknown_name_is_told_with_the_nearest_one() -> None:
    settings = Settings.from_env({"MOIM_LANGAGE": "ko", "CONTEXT_L0_TURNS": "3", "PATH": "/bin"})
    assert Settings.from_env({"MOIM_API_URL": "http://127.0.0.1:1"}).warnings == (), "of `moim dev`'s file"
    assert settings.warnings == (
        "CONTEXT_L0_TURNS is not a setting of Moim and does nothing: did you mean CONTEXT_L0_MAX_TURNS?",
        "MOIM_LANGAGE is not a setting of Moim and does nothing: did you mean MOIM_LANGUAGE?",
    )


def test_a_setting_that_is_gone_is_told_and_no_other_is_put_in_its_place() -> None:
    gone = ("CONTEXT_SIMULTANEOUS_WINDOW_MS", "MOIM_DEBUG")
    assert Settings.from_env(dict.fromkeys(gone, "1")).warnings == tuple(
        f"{name} is not a setting of Moim and does nothing" for name in gone
    )


def test_a_token_that_can_be_guessed_is_told_without_showing_it() -> None:
    for name in ("MOIM_API_TOKEN", "MOIM_PAGES_TOKEN"):
        line = f"{name} has 6 characters: use 24 random ones or more"
        for host in ("127.0.0.1", "::1", "localhost"):
            assert Settings.from_env({name: "비밀-123", "MOIM_HTTP_HOST": host}).warnings == (line,)
        for elsewhere in (
            {},
            {"MOIM_HTTP_HOST": "10.0.0.5"},
            {"MOIM_HTTP_HOST": "127.0.0.1", "MOIM_PAGES_URL": "https://moim.example.com"},
        ):
            with pytest.raises(ConfigError, match=line):
                Settings.from_env({name: "비밀-123", **elsewhere})
        assert Settings.from_env({name: "0123456789abcdef01234567"}).warnings == ()


def test_what_is_set_for_other_programs_of_the_environment_is_no_mistake_while_there_are_no_traces() -> None:
    others = {
        "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
        "OTEL_TRACES_SAMPLER": "xray",
        "OTEL_TRACES_EXPORTER": "zipkin",
    }
    assert not Settings.from_env(others).traces.on
    address = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}
    assert Settings.from_env(address).traces.on
    assert not Settings.from_env({**others, **address, "OTEL_SDK_DISABLED": "true"}).traces.on


def test_keys_for_a_collector_are_kept_out_of_logs() -> None:
    headers = {"OTEL_EXPORTER_OTLP_HEADERS": "Authorization=Bearer%20k3y-one, x-key = k3y-two"}
    address = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:k3y-three@c:4318"}
    assert {"Bearer k3y-one", "k3y-one", "k3y-two", "k3y-three"} <= Settings.from_env(
        {**headers, **address}
    ).secrets()


def test_rooms_are_looked_for_by_pattern_alone() -> None:
    settings = Settings.from_env({"MOIM_ROOM_PATTERN": "standup-*, 회의-?", "MOIM_ROOM_POLL_S": "5"})
    assert settings.dispatch.room_pattern == ("standup-*", "회의-?")


def test_missing_variables_are_named_together() -> None:
    settings = Settings.from_env({"LIVEKIT_URL": "ws://127.0.0.1:7880"})
    with pytest.raises(ConfigError, match=r"^LIVEKIT_API_SECRET, DATABASE_URL not set"):
        settings.require("LIVEKIT_URL", "LIVEKIT_API_SECRET", "DATABASE_URL")
    settings.require("LIVEKIT_URL")


def test_settings_are_frozen_and_survive_pickling() -> None:
    settings = Settings.from_env({"LIVEKIT_API_SECRET": "hunter22"})
    with pytest.raises(ValueError, match="frozen"):
        settings.agent.name = "other"
    assert pickle.loads(pickle.dumps(settings)) == settings


def test_an_env_file_fills_holes_and_overrides_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "production.env"
    file.write_text("MOIM_TENANT=회의실\nMOIM_AGENT_NAME=from-file\n# a comment\n", encoding="utf-8")
    monkeypatch.setenv("MOIM_AGENT_NAME", "from-environment")
    monkeypatch.setenv("MOIM_TENANT", "")
    monkeypatch.delenv("MOIM_TENANT")
    settings = Settings.load(file)
    assert settings.process.tenant == "회의실"
    assert settings.agent.name == "from-environment"
    assert os.environ["MOIM_TENANT"] == "회의실", "job processes build the same settings from it"


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://moim:p%40ss%2Fw%23@db:5432/moim?sslmode=require",
        "postgresql://db:5432/moim?application_name=moim",
        "postgresql:///moim?host=/var/run/postgresql&user=a@b",
        "postgresql://moim@db/moim",
    ],
)
def test_an_address_whose_password_is_percent_encoded_is_taken(url: str) -> None:
    assert Settings.from_env({"DATABASE_URL": url}).database.url.get_secret_value() == url


def test_no_env_file_is_read_where_the_device_that_says_nothing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("MOIM_TENANT=of-the-file\n")
    monkeypatch.delenv("MOIM_TENANT", raising=False)
    assert Settings.load(Path("/dev/null")).process.tenant == "default"
    with pytest.raises(ConfigError, match="is a folder"):
        export_env_file(tmp_path)


def test_a_missing_or_broken_env_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        export_env_file(tmp_path / "nowhere.env")
    broken = tmp_path / "broken.env"
    broken.write_bytes(b"MOIM_TENANT=\xff\xfe\n")
    with pytest.raises(ConfigError, match="cannot be read as UTF-8"):
        export_env_file(broken)


def test_every_variable_has_one_meaning_and_one_place() -> None:
    names = [alias for _, _, alias, _ in fields()]
    assert len(names) == len(set(names))
    assert all(info.description for _, _, _, info in fields())


def test_the_env_example_is_in_step() -> None:
    """`make env-example` writes it anew."""
    assert (ROOT / ".env.example").read_text(encoding="utf-8") == env_example.render()


def test_the_table_of_flags_is_in_step() -> None:
    """`make env-example` writes it anew."""
    page = feature_table.PAGE.read_text(encoding="utf-8")
    assert page == feature_table.with_table(page)


def test_the_env_example_uncommented_is_the_default(tmp_path: Path) -> None:
    lines = env_example.render().splitlines()
    pairs = [line[1:].split("=", 1) for line in lines if line.startswith("#") and line[1:2].isupper()]
    assert len(pairs) > 50
    assert Settings.from_env(dict(pairs)) == Settings.from_env({})


def test_the_meeting_knows_what_the_agent_is_called() -> None:
    settings = Settings.from_env({"MOIM_WAKE_WORDS": "비서, Hal"})
    assert settings.context.agent_names == ("비서", "Hal")
    assert settings.context.model_dump() == Settings.from_env({}).context.model_dump()
    misled = Settings.from_env({"CONTEXT_AGENT_NAMES": "Hal"})
    assert misled.context.agent_names == ("모임", "Moim")
    assert "CONTEXT_AGENT_NAMES is not a setting" in " ".join(misled.warnings)
