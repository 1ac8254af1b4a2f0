"""The settings by what they belong to. `worker.configuration.settings` reads them from an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from worker.configuration.setting_values import (
    Csv,
    Group,
    HttpUrl,
    each_a_network,
    header_name,
    items,
    known_zone,
    tenant_name,
    url_of,
    zero_or_a_second,
)


class LiveKitSettings(Group):
    """The LiveKit deployment."""

    url: Annotated[str, url_of("ws", "wss", "http", "https")] = Field(
        "", alias="LIVEKIT_URL", description="LiveKit server, e.g. wss://livekit.example.com"
    )
    api_key: str = Field("", alias="LIVEKIT_API_KEY", description="API key, as everywhere in LiveKit")
    api_secret: SecretStr = Field(SecretStr(""), alias="LIVEKIT_API_SECRET", description="API secret")
    join_url: Annotated[str, url_of("ws", "wss")] = Field(
        "",
        alias="MOIM_JOIN_URL",
        description="LiveKit as browsers reach it: the pages let people speak into rooms there; empty: not",
    )


class DatabaseSettings(Group):
    """The record. Postgres 14 or newer."""

    url: Annotated[SecretStr, url_of("postgresql", "postgres")] = Field(
        SecretStr(""),
        alias="DATABASE_URL",
        description="postgresql://… of the app's own role: not the owner, no superuser",
    )
    admin_url: Annotated[SecretStr, url_of("postgresql", "postgres")] = Field(
        SecretStr(""),
        alias="DATABASE_ADMIN_URL",
        description="postgresql://… of the owner, for `moim migrate`",
    )


class RedisSettings(Group):
    """Invocations, text input, live events."""

    url: Annotated[SecretStr, url_of("redis", "rediss", "unix")] = Field(
        SecretStr(""), alias="REDIS_URL", description="redis://… (Redis 7 or newer, or Valkey)"
    )
    old_keys: bool = Field(
        default=True,
        alias="MOIM_REDIS_OLD_KEYS",
        description="tenant `default`, in this release: keys without a tenant (moim:in:ID) count, too; 0: no",
    )


class ConsentSettings(Group):
    """What people are told, whether they are asked, and how long their words are kept."""

    mode: Literal["notice", "ask", "off"] = Field(
        "notice",
        alias="MOIM_CONSENT",
        description="notice: who stays agrees; ask: nobody is heard before a yes; off: nobody is asked",
    )
    notice: bool = Field(
        default=True, alias="MOIM_NOTICE", description="tell everybody who comes in that Moim listens; 0: no"
    )
    text: str = Field(
        "", alias="MOIM_NOTICE_TEXT", max_length=2_000, description="told instead of Moim's own notice"
    )
    lasts: Literal["meeting", "always"] = Field(
        "meeting",
        alias="MOIM_CONSENT_LASTS",
        description="always: what somebody said counts in later meetings, too, where identities are stable",
    )
    redact: Literal["off", "models", "record"] = Field(
        "off",
        alias="MOIM_REDACT",
        description="mask cards, resident numbers, phones, mails: for models and webhooks, or on the record",
    )
    retention_days: int | None = Field(
        None,
        alias="MOIM_RETENTION_DAYS",
        ge=1,
        le=36_500,
        description="words are erased so many days after a meeting's end; unset: they are kept",
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
    entity_packs: Annotated[
        tuple[Literal["meeting", "medical"], ...], BeforeValidator(items), Field(min_length=1)
    ] = Field(
        ("meeting",),
        alias="MOIM_ENTITY_PACKS",
        description="what is noted of questions and answers: meeting, or meeting,medical (consultations)",
    )
    medical_concepts: str = Field(
        "builtin",
        alias="MOIM_MEDICAL_CONCEPTS",
        min_length=1,
        description="of the medical pack: builtin, medcat (extra `medical`), or a MedCAT model pack's path",
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
    answer_sure: float = Field(
        0.82,
        alias="MOIM_ANSWER_SURE",
        ge=0,
        le=1,
        description="without a model: so likely right, 0 to 1, quotes are given as the answer",
    )
    answer_closest: float = Field(
        0.15,
        alias="MOIM_ANSWER_CLOSEST",
        ge=0,
        le=1,
        description="… and so likely, as what comes closest; below that nothing is quoted",
    )
    summary_least_tokens: int = Field(
        0,
        alias="MOIM_SUMMARY_LEAST_TOKENS",
        ge=0,
        le=100_000,
        description="with a model: new tokens for another summary of an open topic; 0: every 25 turns, "
        "2500: less than half of the tokens",
    )
    verify_s: float = Field(
        2.0,
        alias="MOIM_VERIFY_S",
        gt=0,
        le=30,
        description="with a model: seconds behind an answer's last word for verifying it",
    )
    time_zone: Annotated[str, AfterValidator(known_zone)] = Field(
        "UTC",
        alias="MOIM_TIME_ZONE",
        description="in which answers, summaries and minutes tell the time of day, e.g. Asia/Seoul",
    )
    tenant: Annotated[str, AfterValidator(tenant_name), Field(min_length=1, max_length=128)] = Field(
        "default",
        alias="MOIM_TENANT",
        description="tenant of this process; it sees no other tenant's meetings; part of every key in Redis",
    )
    api_token: SecretStr = Field(
        SecretStr(""),
        alias="MOIM_API_TOKEN",
        description="bearer token of the dispatcher's HTTP API, key of signed Redis commands; empty: no API",
    )


class PagesSettings(Group):
    """The pages that the dispatcher serves to people."""

    token: SecretStr = Field(
        SecretStr(""),
        alias="MOIM_PAGES_TOKEN",
        description="what people sign in with on the dispatcher's pages; empty: MOIM_API_TOKEN, and without "
        "either no pages",
    )
    url: Annotated[str, url_of("http", "https")] = Field(
        "",
        alias="MOIM_PAGES_URL",
        description="the dispatcher's pages as people reach them, e.g. https://moim.example.com, for links",
    )
    user_header: Annotated[str, AfterValidator(header_name)] = Field(
        "",
        alias="MOIM_PAGES_USER_HEADER",
        description="header in which a proxy names whom it has signed in, e.g. X-Forwarded-User; empty: none",
    )
    proxies: Annotated[tuple[str, ...], BeforeValidator(items), AfterValidator(each_a_network)] = Field(
        (),
        alias="MOIM_PAGES_PROXIES",
        description="addresses that this header is believed from, e.g. 10.0.0.5, 10.1.0.0/16",
    )


class DispatchSettings(Group):
    """Which rooms the dispatcher wants by itself; the LiveKit webhook and polling go by it."""

    room_pattern: Annotated[tuple[str, ...], BeforeValidator(items)] = Field(
        (),
        alias="MOIM_ROOM_PATTERN",
        max_length=100,
        description="rooms' names that Moim joins unasked, comma-separated, with * ? [..]; empty: none",
    )
    poll_s: Annotated[float, AfterValidator(zero_or_a_second)] = Field(
        0.0,
        alias="MOIM_ROOM_POLL_S",
        ge=0,
        le=3600,
        description="every so many seconds the dispatcher looks for such rooms with people in them; 0: never",
    )


class ProcessSettings(Group):
    """How this process runs."""

    http_port: int = Field(
        8080,
        alias="MOIM_HTTP_PORT",
        ge=0,
        le=65535,
        description="/healthz /readyz /metrics; each process of a machine its own; 0 = any free port",
    )
    probe_port: int = Field(
        0,
        alias="MOIM_PROBE_PORT",
        ge=0,
        le=65535,
        description="the probes once more at a port of their own, where no flood of requests for the API "
        "reaches them; 0: at MOIM_HTTP_PORT alone",
    )
    http_host: str = Field(
        "0.0.0.0",  # noqa: S104 - probes and Prometheus come from outside the pod
        alias="MOIM_HTTP_HOST",
        description="address that the HTTP server binds",
    )
    standby: bool = Field(
        default=False,
        alias="MOIM_STANDBY",
        description="1, at the dispatcher: a second job per meeting, elsewhere, to take over without a gap",
    )
    max_meetings: int = Field(
        8, alias="MOIM_MAX_MEETINGS", ge=1, le=10_000, description="meetings in rooms that one worker accepts"
    )
    max_text_meetings: int = Field(
        200,
        alias="MOIM_MAX_TEXT_MEETINGS",
        ge=1,
        le=10_000,
        description="meetings without a room that one `moim worker --text` hosts",
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
    sound_dir: str = Field(
        "auto",
        alias="MOIM_SOUND_DIR",
        min_length=1,
        description=(
            "where a job keeps sound that is no text yet, for its successor here should it be killed:"
            " a folder in memory, none, or auto (/dev/shm; where there is none, MOIM_STATE_DIR)"
        ),
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
    """Transcript push: the dispatcher sends final turns and answers, from the record, in order."""

    url: HttpUrl = Field("", alias="MOIM_WEBHOOK_URL", description="where each is POSTed; empty: nowhere")
    secret: SecretStr = Field(
        SecretStr(""),
        alias="MOIM_WEBHOOK_SECRET",
        description="signs the pushes (HMAC-SHA256); needed with the URL",
    )


class BudgetFileSettings(Group):
    """What prompts may hold: one file, see docs/how-to/budgets.md."""

    path: str = Field(
        "",
        alias="MOIM_BUDGETS_FILE",
        description="TOML: producers, weights, workflows, templates, caches, windows; empty: the defaults",
    )


class ThreadSettings(Group):
    """The agent's own thread: earlier questions and answers, and their summaries."""

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
