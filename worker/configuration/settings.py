"""The settings of a process: frozen, grouped, bounded, built once from an environment.

This is the only file that touches the process's environment. Job processes build the same settings again,
because what a `.env` file adds is exported before they are started. The files that
`MOIM_BUDGETS_FILE` and `MOIM_MINUTES_TEMPLATE` name are read when the settings are built, and never again.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from ipaddress import ip_address
from operator import attrgetter
from pathlib import Path
from typing import Any, Final, Self
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from context.budgets.configuration import BudgetConfig
from context.config import ALSO_SEPARATOR, PREFIX, ConfigError, ContextConfig, requirement
from context.config import names as context_names
from worker.configuration.setting_engines import EmbedSettings, LlmSettings, SttSettings, TtsSettings
from worker.configuration.setting_groups import (
    AgentSettings,
    ApiSettings,
    BudgetFileSettings,
    ConsentSettings,
    DatabaseSettings,
    DispatchSettings,
    LiveKitSettings,
    MinutesSettings,
    PagesSettings,
    ProcessSettings,
    RecordingSettings,
    RedisSettings,
    ThreadSettings,
    WebhookSettings,
)
from worker.configuration.setting_traces import TraceSettings
from worker.configuration.setting_values import FeatureSettings, Group, hide_password, secrets_of_url

_TOKEN_CHARS: Final = 24
"""A token with fewer characters can be guessed: off loopback it is refused, on loopback a warning says so."""
_TEMPLATE_BYTES: Final = 100_000


class Settings(BaseModel):
    """Everything that a process is told from outside, in groups."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    livekit: LiveKitSettings = LiveKitSettings()
    database: DatabaseSettings = DatabaseSettings()
    redis: RedisSettings = RedisSettings()
    agent: AgentSettings = AgentSettings()
    api: ApiSettings = ApiSettings()
    consent: ConsentSettings = ConsentSettings()
    pages: PagesSettings = PagesSettings()
    recordings: RecordingSettings = RecordingSettings()
    dispatch: DispatchSettings = DispatchSettings()
    process: ProcessSettings = ProcessSettings()
    traces: TraceSettings = TraceSettings()
    webhook: WebhookSettings = WebhookSettings()
    stt: SttSettings = SttSettings()
    llm: LlmSettings = LlmSettings()
    budget_file: BudgetFileSettings = BudgetFileSettings()
    minutes: MinutesSettings = MinutesSettings()
    embed: EmbedSettings = EmbedSettings()
    tts: TtsSettings = TtsSettings()
    thread: ThreadSettings = ThreadSettings()
    features: FeatureSettings = FeatureSettings()
    context: ContextConfig = Field(default_factory=ContextConfig)
    budgets: BudgetConfig = BudgetConfig()
    """What the file of `MOIM_BUDGETS_FILE` says; without one, the defaults."""
    minutes_template: str = ""
    """The text of the file of `MOIM_MINUTES_TEMPLATE`; empty: minutes are in our own form."""
    warnings: tuple[str, ...] = ()
    """Lines for whoever starts the process: names that look like ours and are not, weak tokens."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Build from an environment, in which an empty value means "not set".

        Raises `ConfigError`, which names every wrong value, or the first contradiction between right ones.
        """
        groups: dict[str, Any] = {}
        mistakes: list[str] = []
        for name, group in _groups():
            try:
                groups[name] = _build(group, environ)
            except ConfigError as error:
                mistakes.append(str(error))
        try:
            context = ContextConfig.from_env(environ)
        except ValueError as error:
            mistakes.append(str(error))
        try:
            budgets = read_budgets(groups["budget_file"].path)
        except ConfigError as error:
            mistakes.append(str(error))
        try:
            template = read_template(groups["minutes"].template)
        except ConfigError as error:
            mistakes.append(str(error))
        if mistakes:
            raise ConfigError(ALSO_SEPARATOR.join(mistakes))
        context = context.model_copy(update={"agent_names": groups["agent"].wake_words})
        settings = cls(**groups, context=context, budgets=budgets, minutes_template=template)
        for mistake in settings._contradictions():
            raise ConfigError(mistake)
        weak = tuple(settings._weak_tokens())
        if weak and not settings.on_loopback:
            why = f"MOIM_HTTP_HOST={settings.process.http_host!r}"
            raise ConfigError(f"{weak[0]}; a shorter one is for loopback alone ({why})")
        warnings = (*_unknown_names(environ), *weak)
        return settings.model_copy(update={"warnings": warnings})

    @classmethod
    def load(cls, env_file: Path | None = None) -> Self:
        """Build from this process's environment and a `.env` file; see `export_env_file` and `from_env`."""
        export_env_file(env_file)
        return cls.from_env(os.environ)

    def require(self, *names: str) -> None:
        """Raise `ConfigError` where one of these variables, which a command needs, is not set."""
        paths = _paths()
        missing = [name for name in names if not _plain(attrgetter(paths[name])(self))]
        if missing:
            raise ConfigError(
                f"{', '.join(missing)} not set: put it into the environment or .env (see .env.example)"
            )

    def secrets(self) -> frozenset[str]:
        """Give the plain text of all secrets, also those in addresses, to keep them out of logs."""
        found: set[str] = set()
        for group, name, _, _ in fields():
            value = getattr(getattr(self, group), name)
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, SecretStr) and item.get_secret_value():
                    found.add(item.get_secret_value())
        found |= self.traces.secrets()
        found |= {domain.get_secret_value().partition("|")[2] for domain in self.stt.clova_domains}
        addresses = (self.livekit.url, self.llm.base_url, self.stt.base_url, self.embed.base_url)
        for text in (*found, *addresses, self.webhook.url):
            found |= secrets_of_url(text)
        return frozenset(found)

    @property
    def serves_people(self) -> bool:
        """Whether a token is set with which anybody could use the API or sign in on the pages."""
        return bool(_plain(self.api.token) or _plain(self.pages.token))

    @property
    def on_loopback(self) -> bool:
        """Whether only this machine's own people reach the HTTP server, not through a proxy either."""
        pages = self.pages
        addresses = [self.process.http_host, *((urlsplit(pages.url).hostname or "",) if pages.url else ())]
        return not pages.proxies and all(map(_is_loopback, addresses))

    def _contradictions(self) -> Iterator[str]:
        """Lines about values that are each right and do not go together."""
        stt, llm, agent = self.stt, self.llm, self.agent
        if stt.engine == "clova" and not stt.clova_domains:
            yield "STT_ENGINE='clova' needs CLOVA_SPEECH_DOMAINS=invoke_url|secret"
        if stt.engine == "openai" and not (stt.base_url or _plain(stt.api_key)):
            yield "STT_ENGINE='openai' needs STT_BASE_URL (or STT_API_KEY for OpenAI's own endpoint)"
        if self.webhook.url and not _plain(self.webhook.secret):
            yield "MOIM_WEBHOOK_URL needs MOIM_WEBHOOK_SECRET: pushes are signed, set any long random text"
        yield from self._pages_contradictions()
        yield from self.traces.mistakes()
        if llm.engine != "extractive" and not llm.model:
            yield f"LLM_ENGINE={llm.engine!r} needs LLM_MODEL"
        if llm.engine == "clova":
            yield from self._clova_contradictions()
        if llm.engine == "openai" and not llm.base_url and llm.model.startswith("HCX-"):
            yield (
                f"LLM_MODEL={llm.model!r} is CLOVA Studio's: use LLM_ENGINE=clova, or "
                "LLM_BASE_URL=https://clovastudio.stream.ntruss.com/v1/openai"
            )
        yield from self._embedding_contradictions()
        if agent.answer_closest > agent.answer_sure:
            yield (
                f"MOIM_ANSWER_CLOSEST={agent.answer_closest:g} is above "
                f"MOIM_ANSWER_SURE={agent.answer_sure:g}: make it at most that"
            )
        if self.dispatch.poll_s and not self.dispatch.room_pattern:
            yield f"MOIM_ROOM_POLL_S={self.dispatch.poll_s:g} needs MOIM_ROOM_PATTERN, e.g. standup-*"

    def _pages_contradictions(self) -> Iterator[str]:
        pages = self.pages
        if pages.user_header and not pages.proxies:
            mend = "a header that anybody may send signs nobody in"
            yield f"MOIM_PAGES_USER_HEADER needs MOIM_PAGES_PROXIES: {mend}"
        if pages.user_header and not self.serves_people:
            yield "MOIM_PAGES_USER_HEADER needs MOIM_PAGES_TOKEN (or MOIM_API_TOKEN): without one, no pages"
        if pages.admins and not pages.user_header:
            yield "MOIM_ADMINS needs MOIM_PAGES_USER_HEADER: its names are those that a proxy gives"

    def _embedding_contradictions(self) -> Iterator[str]:
        embed = self.embed
        if embed.engine == "openai" and not embed.model:
            yield "EMBED_ENGINE='openai' needs EMBED_MODEL"
        if embed.engine == "openai" and not (embed.base_url or _plain(embed.api_key)):
            yield "EMBED_ENGINE='openai' needs EMBED_BASE_URL (or EMBED_API_KEY for OpenAI's own endpoint)"
        if embed.engine != "openai" and (embed.model or embed.base_url):
            name = "EMBED_MODEL" if embed.model else "EMBED_BASE_URL"
            value = embed.model or embed.base_url
            yield f"{name}={value!r} is for EMBED_ENGINE=openai, which is {embed.engine!r}"

    def _clova_contradictions(self) -> Iterator[str]:
        llm = self.llm
        if not llm.model.upper().startswith("HCX-"):
            yield f"LLM_MODEL={llm.model!r} must be a model of CLOVA Studio, e.g. HCX-005"
        if not _plain(llm.api_key):
            yield "LLM_ENGINE='clova' needs LLM_API_KEY (nv-…, from CLOVA Studio's console)"
        if llm.base_url.rstrip("/").endswith("/openai"):
            yield (
                f"LLM_BASE_URL={llm.base_url!r} is CLOVA Studio's OpenAI-compatible route: "
                "use LLM_ENGINE=openai with it, or leave it empty"
            )

    def _weak_tokens(self) -> Iterator[str]:
        """Lines about tokens that are too short."""
        tokens = {"MOIM_API_TOKEN": self.api.token, "MOIM_PAGES_TOKEN": self.pages.token}
        for name, secret in tokens.items():
            if 0 < len(_plain(secret)) < _TOKEN_CHARS:
                length = len(_plain(secret))
                yield f"{name} has {length} characters: use {_TOKEN_CHARS} random ones or more"


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def fields() -> Iterator[tuple[str, str, str, FieldInfo]]:
    """Give (group, field, variable, pydantic's field) of every setting but `CONTEXT_*`."""
    for name, group in _groups():
        for field, info in group.model_fields.items():
            yield name, field, info.alias or field, info


@cache
def _paths() -> dict[str, str]:
    """`group.field` by variable; cached, because a forked job that looks at fields copies their memory."""
    return {alias: f"{group}.{name}" for group, name, alias, _ in fields()}


def export_env_file(env_file: Path | None = None) -> None:
    """Set the variables of a `.env` file that this process's environment does not have yet.

    Without `env_file`, `.env` in the working directory is read where there is one; with /dev/null, none is.
    Raises `ConfigError` where `env_file` does not exist, or the file cannot be read.
    """
    path = env_file or Path(".env")
    if env_file is not None and not path.exists():
        raise ConfigError(f"--env-file {path}: no such file")
    if env_file is not None and path.is_dir():
        raise ConfigError(f"--env-file {path} is a folder: name a file in it")
    if not path.is_file():  # there is none, or it is a device such as /dev/null, which says nothing
        return
    try:
        values = dotenv_values(path, encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read as UTF-8 text: {error}") from error
    for name, value in values.items():
        if value is not None:
            os.environ.setdefault(name, value)


def export(name: str, value: str) -> None:
    """Set a variable for this process and its children."""
    os.environ[name] = value


def unset(name: str) -> None:
    """Take a variable from this process and its children; that it is not set is no fault."""
    os.environ.pop(name, None)


def exported(name: str) -> str:
    """Give a variable of this process that is no setting of ours; empty where it is not set."""
    return os.environ.get(name, "")


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """Give the environment for a child process: this one's, with `overrides`."""
    return {**os.environ, **overrides}


def _groups() -> Iterator[tuple[str, type[Group]]]:
    for name, info in Settings.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            yield name, kind


def _build(group: type[Group], environ: Mapping[str, str]) -> Group:
    names = [info.alias or field for field, info in group.model_fields.items()]
    values = {name: value for name in names if (value := environ.get(name, "").strip())}
    try:
        return group.model_validate(values)
    except ValidationError as error:
        secret = {info.alias for info in group.model_fields.values() if "SecretStr" in str(info.annotation)}
        mistakes: dict[str, str] = {}  # one for each name
        for wrong in error.errors(include_url=False):
            name = str(wrong["loc"][0])
            shown = "***" if name in secret else repr(hide_password(values[name]))
            mistakes.setdefault(name, f"{name}={shown} {requirement(wrong)}")
        raise ConfigError(ALSO_SEPARATOR.join(mistakes.values())) from None


def _known_names() -> set[str]:
    """The names of all settings."""
    return {*_paths()} | {f"{PREFIX}{name.upper()}" for name in context_names()}


def given() -> dict[str, str]:
    """Give the settings that are set in this process's environment, by variable, as they stand there."""
    return {name: os.environ[name] for name in sorted(_known_names()) if os.environ.get(name)}


def _unknown_names(environ: Mapping[str, str]) -> Iterator[str]:
    """Warnings about names that look like ours: a typing mistake would silently mean the default."""
    known = _known_names()
    for name in sorted(environ):
        if name.startswith(("MOIM_", PREFIX, "APP_CONTEXT_")) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.7)
            yield f"{name} is not a setting of Moim and does nothing" + (
                f": did you mean {near[0]}?" if near else ""
            )


def _plain(value: Any) -> Any:
    return value.get_secret_value() if isinstance(value, SecretStr) else value


def read_budgets(path: str) -> BudgetConfig:
    """Read budgets from a TOML file over the defaults; an empty `path` gives these. Raises `ConfigError`."""
    if not path:
        return BudgetConfig()
    where = f"MOIM_BUDGETS_FILE={path!r}"
    try:
        given = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no UTF-8 text"
        raise ConfigError(f"{where} cannot be read: {why}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{where} is no TOML: {error}") from error
    try:
        return BudgetConfig.from_mapping(given)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def read_template(path: str) -> str:
    """Read the template of the minutes; an empty `path` gives "". Raises `ConfigError`.

    Whether it can be filled in is tried by who writes minutes (`worker.minutes.minutes_writing`).
    """
    if not path:
        return ""
    where = f"MOIM_MINUTES_TEMPLATE={path!r}"
    try:
        with Path(path).open("rb") as file:
            data = file.read(_TEMPLATE_BYTES + 1)
        text = data.decode("utf-8-sig")
    except OSError as error:
        raise ConfigError(
            f"{where} cannot be read: {error.strerror}: name a file that this user may read"
        ) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{where} is no UTF-8 text: save it as UTF-8") from error
    if len(data) > _TEMPLATE_BYTES:
        raise ConfigError(
            f"{where} has more than {_TEMPLATE_BYTES:,} bytes: a template is a page or two of text"
        )
    if not text.strip():
        raise ConfigError(f"{where} is empty: docs/how-to/minutes.md has examples")
    return text
