"""The settings of a process: frozen, grouped, bounded, built once from an environment.

This is the only file that touches the process's environment. Job processes build the same
settings again, because what a `.env` file adds is exported before they are started.
"""

from __future__ import annotations

import difflib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from dotenv import dotenv_values
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr, ValidationError
from pydantic.fields import FieldInfo

from context.config import PREFIX, ContextConfig
from context.config import names as context_names
from stt.providers.clova.domains import parse_domain

_IDLE_GROUPS: Final = frozenset({"webhook", "embed", "tts", "features"})
_IDLE_NAMES: Final = frozenset({"MOIM_API_TOKEN", "MOIM_STANDBY"})
"""Settings of the contract whose parts are not built yet: they are checked, and a line says so."""


class ConfigError(Exception):
    """A setting is missing or wrong: the text names it, its value (never a secret) and the mend."""


def _url(*schemes: str) -> AfterValidator:
    """A URL with one of the schemes and a host; sockets are named by a query, as in libpq."""

    def check(value: Any) -> Any:
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if not text:
            return value
        allowed = " or ".join(f"{scheme}://…" for scheme in schemes)
        try:
            parts = urlsplit(text)
            whole = parts.scheme in schemes and bool(parts.hostname or parts.query or "unix" in parts.scheme)
            parts.port  # noqa: B018 - reading it is the check of its range
        except ValueError:
            whole = False
        if not whole:
            raise ValueError(f"must be a URL {allowed}")
        return value

    return AfterValidator(check)


def _items(value: Any) -> Any:
    """`a, b` as a tuple of non-empty items."""
    if isinstance(value, str):
        return tuple(item.strip() for item in value.split(",") if item.strip())
    return value


def _zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        raise ValueError("must be a time zone's name, e.g. Asia/Seoul or UTC") from error
    return value


def _factory_or(*names: str) -> AfterValidator:
    """One of the names, or `livekit:package.module:factory`."""

    def check(value: str) -> str:
        if value in names or re.fullmatch(r"livekit:[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", value):
            return value
        raise ValueError(f"must be {', '.join(names)} or livekit:package.module:factory")

    return AfterValidator(check)


def _clova(pairs: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    for pair in pairs:
        parse_domain(pair.get_secret_value())
    return pairs


HttpUrl = Annotated[str, _url("http", "https")]
Csv = Annotated[tuple[str, ...], BeforeValidator(_items), Field(min_length=1)]


class Group(BaseModel):
    """Settings that belong together. A field's alias is its variable, its description the meaning."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="forbid")


class LiveKitSettings(Group):
    """The LiveKit deployment."""

    url: Annotated[str, _url("ws", "wss", "http", "https")] = Field(
        "", alias="LIVEKIT_URL", description="LiveKit server, e.g. wss://livekit.example.com"
    )
    api_key: str = Field("", alias="LIVEKIT_API_KEY", description="API key, as everywhere in LiveKit")
    api_secret: SecretStr = Field(SecretStr(""), alias="LIVEKIT_API_SECRET", description="API secret")


class DatabaseSettings(Group):
    """The record. Postgres 14 or newer."""

    url: Annotated[SecretStr, _url("postgresql", "postgres")] = Field(
        SecretStr(""),
        alias="DATABASE_URL",
        description="postgresql://… of the app's own role: not the owner, no superuser",
    )
    admin_url: Annotated[SecretStr, _url("postgresql", "postgres")] = Field(
        SecretStr(""),
        alias="DATABASE_ADMIN_URL",
        description="postgresql://… of the owner, for `moim migrate`",
    )


class RedisSettings(Group):
    """Invocations, text input, live events."""

    url: Annotated[SecretStr, _url("redis", "rediss", "unix")] = Field(
        SecretStr(""), alias="REDIS_URL", description="redis://… (Redis 7 or newer, or Valkey)"
    )


class AgentSettings(Group):
    """Who Moim is, and to whom it listens."""

    name: str = Field(
        "moim",
        alias="MOIM_AGENT_NAME",
        min_length=1,
        max_length=128,
        description="agent name for explicit dispatch",
    )
    wake_words: Csv = Field(
        ("모임", "Moim"), alias="MOIM_WAKE_WORDS", description="spoken and written names, comma-separated"
    )
    language: Literal["ko", "en", "auto"] = Field(
        "auto", alias="MOIM_LANGUAGE", description="language of the meetings: ko, en or auto"
    )
    chat: Literal["questions", "mentions", "all"] = Field(
        "questions", alias="MOIM_CHAT", description="which chat is for Moim: questions, mentions or all"
    )
    time_zone: Annotated[str, AfterValidator(_zone)] = Field(
        "UTC",
        alias="MOIM_TIME_ZONE",
        description="in which answers and summaries tell the time of day, e.g. Asia/Seoul",
    )
    tenant: str = Field(
        "default",
        alias="MOIM_TENANT",
        min_length=1,
        max_length=128,
        description="tenant of this process; it sees no other tenant's meetings",
    )
    api_token: SecretStr = Field(
        SecretStr(""),
        alias="MOIM_API_TOKEN",
        description="bearer token for HTTP and signed Redis commands (accepted; no effect in this version)",
    )


class ProcessSettings(Group):
    """How this process runs."""

    http_port: int = Field(
        8080,
        alias="MOIM_HTTP_PORT",
        ge=0,
        le=65535,
        description="/healthz /readyz /metrics; 0 = any free port",
    )
    http_host: str = Field(
        "0.0.0.0",  # noqa: S104 - probes and Prometheus come from outside the pod
        alias="MOIM_HTTP_HOST",
        description="address that the HTTP server binds",
    )
    standby: bool = Field(
        default=False,
        alias="MOIM_STANDBY",
        description="1: a second job per meeting, ready to take over (accepted; no effect in this version)",
    )
    max_meetings: int = Field(
        8, alias="MOIM_MAX_MEETINGS", ge=1, le=10_000, description="meetings in rooms that one worker accepts"
    )
    drain_s: float = Field(
        3600.0,
        alias="MOIM_DRAIN_SECONDS",
        ge=0,
        le=86_400,
        description="after SIGTERM: how long running meetings may go on before they are handed over",
    )
    cache_dir: Path = Field(
        Path(".cache"), alias="MOIM_CACHE_DIR", description="downloads and builds: models, the LiveKit server"
    )
    state_dir: Path = Field(
        Path(".cache/state"),
        alias="MOIM_STATE_DIR",
        description="spool and status files of this machine's jobs; must outlive a restart",
    )
    livekit_server: Path | None = Field(
        None,
        alias="MOIM_LIVEKIT_SERVER",
        description="path of a livekit-server binary for `moim dev`, the demo and the tests",
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", alias="MOIM_LOG_LEVEL", description="debug, info, warning or error"
    )
    log_format: Literal["auto", "json", "pretty"] = Field(
        "auto", alias="MOIM_LOG_FORMAT", description="json, pretty, or auto: pretty on a terminal"
    )
    debug: bool = Field(default=False, alias="MOIM_DEBUG", description="1: errors show their traceback")


class WebhookSettings(Group):
    """Transcript push (accepted; no effect in this version)."""

    url: HttpUrl = Field(
        "", alias="MOIM_WEBHOOK_URL", description="where each utterance is POSTed; empty: nowhere"
    )
    secret: SecretStr = Field(
        SecretStr(""), alias="MOIM_WEBHOOK_SECRET", description="signs the pushes (HMAC-SHA256)"
    )


class SttSettings(Group):
    """From sound to text."""

    engine: Annotated[str, _factory_or("whisper", "openai", "clova", "none")] = Field(
        "whisper",
        alias="STT_ENGINE",
        description="whisper (local), openai, livekit:package.module:factory, clova, none (text only)",
    )
    model: str = Field(
        "", alias="STT_MODEL", description="model path or name; empty: the engine's own default"
    )
    base_url: HttpUrl = Field("", alias="STT_BASE_URL", description="endpoint of the openai engine, with /v1")
    api_key: SecretStr = Field(SecretStr(""), alias="STT_API_KEY", description="its key")
    clova_domains: Annotated[tuple[SecretStr, ...], BeforeValidator(_items), AfterValidator(_clova)] = Field(
        (), alias="CLOVA_SPEECH_DOMAINS", description="CLOVA Speech: comma-separated invoke_url|secret pairs"
    )
    clova_keywords: Annotated[tuple[str, ...], BeforeValidator(_items)] = Field(
        (),
        alias="CLOVA_SPEECH_KEYWORDS",
        description="terms that CLOVA Speech is to prefer, beside wake words and participants' names",
    )
    clova_keyword_weight: float = Field(
        2.0,
        alias="CLOVA_SPEECH_KEYWORD_WEIGHT",
        ge=0,
        le=5,
        description="how much it prefers them, 0 to 5; 0: not at all",
    )


class LlmSettings(Group):
    """Summaries and answers."""

    engine: Literal["extractive", "openai", "clova"] = Field(
        "extractive", alias="LLM_ENGINE", description="extractive (quotes only, no network), openai or clova"
    )
    base_url: HttpUrl = Field(
        "",
        alias="LLM_BASE_URL",
        description="any OpenAI-compatible endpoint, with /v1; empty: OpenAI's own, or CLOVA Studio's",
    )
    api_key: SecretStr = Field(SecretStr(""), alias="LLM_API_KEY", description="its key")
    model: str = Field(
        "",
        alias="LLM_MODEL",
        description="model name; needed where an endpoint is used; CLOVA Studio: HCX-005, HCX-007, …",
    )


class EmbedSettings(Group):
    """Texts to vectors (accepted; no effect in this version)."""

    engine: Literal["local", "openai", "none"] = Field(
        "local", alias="EMBED_ENGINE", description="local, openai or none"
    )
    base_url: HttpUrl = Field(
        "", alias="EMBED_BASE_URL", description="endpoint of the openai engine, with /v1"
    )
    api_key: SecretStr = Field(SecretStr(""), alias="EMBED_API_KEY", description="its key")
    model: str = Field("", alias="EMBED_MODEL", description="model name")


class TtsSettings(Group):
    """Speech out (accepted; no effect in this version)."""

    engine: Annotated[str, _factory_or("none")] = Field(
        "none", alias="TTS_ENGINE", description="none or livekit:package.module:factory"
    )


class ThreadSettings(Group):
    """The agent's own thread: earlier questions and answers, and their summaries (seed 003)."""

    enabled: bool = Field(
        default=True, alias="APP_CONTEXT_ENABLED", description="0: a question is answered without its thread"
    )
    threshold: int = Field(
        8000,
        alias="APP_CONTEXT_THRESHOLD",
        ge=1,
        description="unsummarised tokens that set off a summary before its third turn",
    )
    recent_messages: int = Field(
        6,
        alias="APP_CONTEXT_RECENT_MESSAGES",
        ge=0,
        le=1000,
        description="newest messages that are shown raw whatever is summarised",
    )


class FeatureSettings(Group):
    """Seed 002's flags, under its names and defaults (accepted; no effect in this version)."""

    self_refine_enabled: bool = Field(
        default=True, alias="MOIM_FEATURE_SELF_REFINE_ENABLED", description="check and mend an answer"
    )
    max_refine_iterations: int = Field(
        2, alias="MOIM_FEATURE_MAX_REFINE_ITERATIONS", ge=0, le=5, description="times at most"
    )
    llm_based_quality_check: bool = Field(
        default=True, alias="MOIM_FEATURE_LLM_BASED_QUALITY_CHECK", description="the LLM grades"
    )
    dynamic_query_rewrite: bool = Field(
        default=True, alias="MOIM_FEATURE_DYNAMIC_QUERY_REWRITE", description="search again in other words"
    )
    active_retrieval_enabled: bool = Field(
        default=False, alias="MOIM_FEATURE_ACTIVE_RETRIEVAL_ENABLED", description="search only where needed"
    )
    simple_query_k: int = Field(
        3, alias="MOIM_FEATURE_SIMPLE_QUERY_K", ge=1, le=100, description="passages, simple question"
    )
    moderate_query_k: int = Field(
        8, alias="MOIM_FEATURE_MODERATE_QUERY_K", ge=1, le=100, description="passages, moderate question"
    )
    complex_query_k: int = Field(
        15, alias="MOIM_FEATURE_COMPLEX_QUERY_K", ge=1, le=100, description="passages, complex question"
    )
    retrieval_mode: Literal["hybrid", "bm25", "faiss"] = Field(
        "hybrid", alias="MOIM_FEATURE_RETRIEVAL_MODE", description="hybrid, bm25 or faiss"
    )
    budget_aware_retrieval: bool = Field(
        default=True, alias="MOIM_FEATURE_BUDGET_AWARE_RETRIEVAL", description="stop when the budget is full"
    )
    context_compression_enabled: bool = Field(
        default=False, alias="MOIM_FEATURE_CONTEXT_COMPRESSION_ENABLED", description="compress passages"
    )
    compression_strategy: Literal["extractive", "abstractive", "hybrid"] = Field(
        "extractive",
        alias="MOIM_FEATURE_COMPRESSION_STRATEGY",
        description="extractive, abstractive or hybrid",
    )
    compression_target_ratio: float = Field(
        0.5, alias="MOIM_FEATURE_COMPRESSION_TARGET_RATIO", gt=0, le=1, description="share that is kept"
    )
    hierarchical_memory_enabled: bool = Field(
        default=False, alias="MOIM_FEATURE_HIERARCHICAL_MEMORY_ENABLED", description="three memory tiers"
    )
    working_memory_capacity: int = Field(
        5, alias="MOIM_FEATURE_WORKING_MEMORY_CAPACITY", ge=1, le=100, description="turns kept verbatim"
    )
    compression_threshold: int = Field(
        5, alias="MOIM_FEATURE_COMPRESSION_THRESHOLD", ge=1, le=100, description="turns per compressed span"
    )
    response_cache_enabled: bool = Field(
        default=True, alias="MOIM_FEATURE_RESPONSE_CACHE_ENABLED", description="reuse verified answers"
    )
    cache_similarity_threshold: float = Field(
        0.85, alias="MOIM_FEATURE_CACHE_SIMILARITY_THRESHOLD", ge=0, le=1, description="cosine of a cache hit"
    )
    style_variation_level: float = Field(
        0.3,
        alias="MOIM_FEATURE_STYLE_VARIATION_LEVEL",
        ge=0,
        le=1,
        description="how much a reused answer varies",
    )
    include_history: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_HISTORY", description="the thread goes into the prompt"
    )
    include_profile: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_PROFILE", description="the profile goes into the prompt"
    )
    include_evidence: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_EVIDENCE", description="passages go into the prompt"
    )
    include_personalization: bool = Field(
        default=True, alias="MOIM_FEATURE_INCLUDE_PERSONALIZATION", description="answers suit the asker"
    )


class Settings(BaseModel):
    """Everything that a process is told from outside."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    livekit: LiveKitSettings = LiveKitSettings()
    database: DatabaseSettings = DatabaseSettings()
    redis: RedisSettings = RedisSettings()
    agent: AgentSettings = AgentSettings()
    process: ProcessSettings = ProcessSettings()
    webhook: WebhookSettings = WebhookSettings()
    stt: SttSettings = SttSettings()
    llm: LlmSettings = LlmSettings()
    embed: EmbedSettings = EmbedSettings()
    tts: TtsSettings = TtsSettings()
    thread: ThreadSettings = ThreadSettings()
    features: FeatureSettings = FeatureSettings()
    context: ContextConfig = Field(default_factory=ContextConfig)
    warnings: tuple[str, ...] = ()
    """Lines about names that look like ours and are not."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> Self:
        """Build from an environment; an empty value means "not set". Raises `ConfigError`."""
        groups = {name: _build(group, environ) for name, group in _groups()}
        warnings = (*_unknown_names(environ), *_idle_names(groups))
        settings = cls(**groups, context=_build_context(environ), warnings=warnings)
        settings._check_engines()
        return settings

    @classmethod
    def load(cls, env_file: Path | None = None) -> Self:
        """Build from this process's environment, after a `.env` file has filled its holes.

        `env_file` must exist; without it, `.env` in the working directory is read where there is one.
        """
        export_env_file(env_file)
        return cls.from_env(os.environ)

    def require(self, *names: str) -> None:
        """Raise `ConfigError` naming the variables that a command needs and that are not set."""
        values = {alias: getattr(getattr(self, group), name) for group, name, alias, _ in fields()}
        missing = [name for name in names if not _plain(values[name])]
        if missing:
            raise ConfigError(
                f"{', '.join(missing)} not set: put it into the environment or .env (see .env.example)"
            )

    def secrets(self) -> frozenset[str]:
        """The plain text of all secrets, for redaction."""
        found: set[str] = set()
        for group, name, _, _ in fields():
            value = getattr(getattr(self, group), name)
            for item in value if isinstance(value, tuple) else (value,):
                if isinstance(item, SecretStr) and item.get_secret_value():
                    found.add(item.get_secret_value())
        found |= {domain.get_secret_value().partition("|")[2] for domain in self.stt.clova_domains}
        return frozenset(found)

    def _check_engines(self) -> None:
        if self.stt.engine == "clova" and not self.stt.clova_domains:
            raise ConfigError("STT_ENGINE='clova' needs CLOVA_SPEECH_DOMAINS=invoke_url|secret")
        if self.stt.engine == "openai" and not (self.stt.base_url or _plain(self.stt.api_key)):
            raise ConfigError(
                "STT_ENGINE='openai' needs STT_BASE_URL (or STT_API_KEY for OpenAI's own endpoint)"
            )
        if self.llm.engine != "extractive" and not self.llm.model:
            raise ConfigError(f"LLM_ENGINE={self.llm.engine!r} needs LLM_MODEL")
        if self.llm.engine == "clova":
            self._check_clova_studio()
        if self.llm.engine == "openai" and not self.llm.base_url and self.llm.model.startswith("HCX-"):
            raise ConfigError(
                f"LLM_MODEL={self.llm.model!r} is CLOVA Studio's: use LLM_ENGINE=clova, or "
                "LLM_BASE_URL=https://clovastudio.stream.ntruss.com/v1/openai"
            )
        if self.embed.engine == "openai" and not self.embed.model:
            raise ConfigError("EMBED_ENGINE='openai' needs EMBED_MODEL")

    def _check_clova_studio(self) -> None:
        if not self.llm.model.upper().startswith("HCX-"):
            raise ConfigError(f"LLM_MODEL={self.llm.model!r} must be a model of CLOVA Studio, e.g. HCX-005")
        if not _plain(self.llm.api_key):
            raise ConfigError("LLM_ENGINE='clova' needs LLM_API_KEY (nv-…, from CLOVA Studio's console)")
        if self.llm.base_url.rstrip("/").endswith("/openai"):
            raise ConfigError(
                f"LLM_BASE_URL={self.llm.base_url!r} is CLOVA Studio's OpenAI-compatible route: "
                "use LLM_ENGINE=openai with it, or leave it empty"
            )


def fields() -> Iterator[tuple[str, str, str, FieldInfo]]:
    """(group, field, variable, description of the field) of every setting but `CONTEXT_*`."""
    for name, group in _groups():
        for field, info in group.model_fields.items():
            yield name, field, info.alias or field, info


def export_env_file(env_file: Path | None = None) -> None:
    """Put a `.env` file's values where the environment has none. Raises `ConfigError`."""
    path = env_file or Path(".env")
    if env_file is not None and not path.is_file():
        raise ConfigError(f"--env-file {path}: no such file")
    if not path.is_file():
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


def exported(name: str) -> str:
    """A variable of this process that belongs to somebody else's library; empty where unset."""
    return os.environ.get(name, "")


def child_environment(overrides: Mapping[str, str]) -> dict[str, str]:
    """The environment for a child process: this one's, with `overrides`."""
    return {**os.environ, **overrides}


def _groups() -> Iterator[tuple[str, type[Group]]]:
    for name, info in Settings.model_fields.items():
        kind = info.annotation
        if isinstance(kind, type) and issubclass(kind, Group):
            yield name, kind


def _build(group: type[Group], environ: Mapping[str, str]) -> Group:
    values = {
        info.alias: environ[info.alias]
        for info in group.model_fields.values()
        if info.alias and environ.get(info.alias, "").strip()
    }
    try:
        return group.model_validate({name: value.strip() for name, value in values.items()})
    except ValidationError as error:
        raise ConfigError(_one_line(error, values, _secret_names(group))) from None


def _build_context(environ: Mapping[str, str]) -> ContextConfig:
    """`ContextConfig` knows its own prefix and both spellings of seed 000."""
    try:
        return ContextConfig.from_env(environ)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _secret_names(group: type[Group]) -> frozenset[str]:
    return frozenset(
        info.alias or name for name, info in group.model_fields.items() if "SecretStr" in str(info.annotation)
    )


def _one_line(error: ValidationError, values: Mapping[str, str], secret: Iterable[str]) -> str:
    """`NAME='value' must be …`, of the first mistake."""
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0])
    shown = "***" if name in secret else repr(values[name])
    return f"{name}={shown} {_wish(first['type'], first['msg'])}"


def _wish(kind: str, said: str) -> str:
    """What is allowed, in our words."""
    match kind:
        case "bool_parsing":
            return "must be 0 or 1"
        case "int_parsing":
            return "must be a whole number"
        case "float_parsing":
            return "must be a number"
        case "too_short":
            return "must name at least one"
        case _:
            said = said.removeprefix("Value error, ")
            return re.sub(r"^(Input|String) should", "must", said)


def _unknown_names(environ: Mapping[str, str]) -> Iterator[str]:
    """A typing mistake in a name would otherwise silently mean the default."""
    known = {alias for _, _, alias, _ in fields()} | {f"{PREFIX}{name.upper()}" for name in context_names()}
    for name in sorted(environ):
        if name.startswith(("MOIM_", PREFIX, "APP_CONTEXT_")) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=0.6)
            yield f"{name} is not a setting of Moim and does nothing" + (
                f": did you mean {near[0]}?" if near else ""
            )


def _idle_names(groups: Mapping[str, Group]) -> Iterator[str]:
    """Whoever sets what nothing acts on yet should not believe otherwise."""
    for group, field, name, info in fields():
        idle = group in _IDLE_GROUPS or name in _IDLE_NAMES
        if idle and getattr(groups[group], field) != info.default:
            yield f"{name} is accepted and has no effect in this version"


def _plain(value: Any) -> Any:
    return value.get_secret_value() if isinstance(value, SecretStr) else value
