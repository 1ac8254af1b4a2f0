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
    setting,
    tenant_name,
    url_of,
    zero_or_a_second,
)


class LiveKitSettings(Group):
    """The LiveKit deployment."""

    url: Annotated[str, url_of("ws", "wss", "http", "https")] = setting(
        "LIVEKIT_URL", "", "LiveKit server, e.g. wss://livekit.example.com"
    )
    api_key: str = setting("LIVEKIT_API_KEY", "", "API key, as everywhere in LiveKit")
    api_secret: SecretStr = setting("LIVEKIT_API_SECRET", SecretStr(""), "API secret")
    join_url: Annotated[str, url_of("ws", "wss")] = setting(
        "MOIM_JOIN_URL",
        "",
        "LiveKit as browsers reach it: the pages let people speak into rooms there; empty: not",
    )


class DatabaseSettings(Group):
    """The record. Postgres 14 or newer."""

    url: Annotated[SecretStr, url_of("postgresql", "postgres")] = setting(
        "DATABASE_URL", SecretStr(""), "postgresql://… of the app's own role: not the owner, no superuser"
    )
    admin_url: Annotated[SecretStr, url_of("postgresql", "postgres")] = setting(
        "DATABASE_ADMIN_URL", SecretStr(""), "postgresql://… of the owner, for `moim migrate`"
    )


class RedisSettings(Group):
    """Invocations, text input, live events."""

    url: Annotated[SecretStr, url_of("redis", "rediss", "unix")] = setting(
        "REDIS_URL", SecretStr(""), "redis://… (Redis 7 or newer, or Valkey)"
    )
    old_keys: bool = setting(
        "MOIM_REDIS_OLD_KEYS",
        True,
        "tenant `default`, in this release: keys without a tenant (moim:in:ID) count, too; 0: no",
    )


class ConsentSettings(Group):
    """What people are told, whether they are asked, and how long their words are kept."""

    mode: Literal["notice", "ask", "off"] = setting(
        "MOIM_CONSENT",
        "notice",
        "notice: who stays agrees; ask: nobody is heard before a yes; off: nobody is asked",
    )
    notice: bool = setting("MOIM_NOTICE", True, "tell everybody who comes in that Moim listens; 0: no")
    text: str = setting("MOIM_NOTICE_TEXT", "", "told instead of Moim's own notice", max_length=2_000)
    lasts: Literal["meeting", "always"] = setting(
        "MOIM_CONSENT_LASTS",
        "meeting",
        "always: what somebody said counts in later meetings, too, where identities are stable",
    )
    redact: Literal["off", "models", "record"] = setting(
        "MOIM_REDACT",
        "off",
        "mask cards, resident numbers, phones, mails: for models and webhooks, or on the record",
    )
    retention_days: int | None = setting(
        "MOIM_RETENTION_DAYS",
        None,
        "words are erased so many days after a meeting's end; unset: they are kept",
        ge=1,
        le=36_500,
    )


class AgentSettings(Group):
    """Who Moim is, and to whom it listens."""

    name: str = setting(
        "MOIM_AGENT_NAME", "moim", "agent name for explicit dispatch", min_length=1, max_length=128
    )
    entity_packs: Annotated[
        tuple[Literal["meeting", "medical"], ...], BeforeValidator(items), Field(min_length=1)
    ] = setting(
        "MOIM_ENTITY_PACKS",
        ("meeting",),
        "what is noted of questions and answers: meeting, or meeting,medical (consultations)",
    )
    medical_concepts: str = setting(
        "MOIM_MEDICAL_CONCEPTS",
        "builtin",
        "of the medical pack: builtin, medcat (extra `medical`), or a MedCAT model pack's path",
        min_length=1,
    )
    wake_words: Csv = setting(
        "MOIM_WAKE_WORDS", ("모임", "Moim"), "spoken and written names, comma-separated"
    )
    language: Literal["ko", "en", "auto"] = setting(
        "MOIM_LANGUAGE", "auto", "language of the meetings: ko, en or auto"
    )
    chat: Literal["questions", "mentions", "all"] = setting(
        "MOIM_CHAT", "questions", "which chat is for Moim: questions, mentions or all"
    )
    answer_sure: float = setting(
        "MOIM_ANSWER_SURE",
        0.82,
        "without a model: so likely right, 0 to 1, quotes are given as the answer",
        ge=0,
        le=1,
    )
    answer_closest: float = setting(
        "MOIM_ANSWER_CLOSEST",
        0.15,
        "… and so likely, as what comes closest; below that nothing is quoted",
        ge=0,
        le=1,
    )
    summary_least_tokens: int = setting(
        "MOIM_SUMMARY_LEAST_TOKENS",
        0,
        "with a model: new tokens for another summary of an open topic; 0: every 25 turns, "
        "2500: less than half of the tokens",
        ge=0,
        le=100_000,
    )
    verify_s: float = setting(
        "MOIM_VERIFY_S",
        2.0,
        "with a model: seconds behind an answer's last word for verifying it",
        gt=0,
        le=30,
    )
    time_zone: Annotated[str, AfterValidator(known_zone)] = setting(
        "MOIM_TIME_ZONE",
        "UTC",
        "in which answers, summaries and minutes tell the time of day, e.g. Asia/Seoul",
    )
    tenant: Annotated[str, AfterValidator(tenant_name), Field(min_length=1, max_length=128)] = setting(
        "MOIM_TENANT",
        "default",
        "tenant of this process; it sees no other tenant's meetings; part of every key in Redis",
    )
    api_token: SecretStr = setting(
        "MOIM_API_TOKEN",
        SecretStr(""),
        "bearer token of the dispatcher's HTTP API, key of signed Redis commands; empty: no API",
    )


class PagesSettings(Group):
    """The pages that the dispatcher serves to people."""

    token: SecretStr = setting(
        "MOIM_PAGES_TOKEN",
        SecretStr(""),
        "what people sign in with on the dispatcher's pages; empty: MOIM_API_TOKEN, and without "
        "either no pages",
    )
    url: Annotated[str, url_of("http", "https")] = setting(
        "MOIM_PAGES_URL",
        "",
        "the dispatcher's pages as people reach them, e.g. https://moim.example.com, for links",
    )
    user_header: Annotated[str, AfterValidator(header_name)] = setting(
        "MOIM_PAGES_USER_HEADER",
        "",
        "header in which a proxy names whom it has signed in, e.g. X-Forwarded-User; empty: none",
    )
    proxies: Annotated[tuple[str, ...], BeforeValidator(items), AfterValidator(each_a_network)] = setting(
        "MOIM_PAGES_PROXIES", (), "addresses that this header is believed from, e.g. 10.0.0.5, 10.1.0.0/16"
    )


class DispatchSettings(Group):
    """Which rooms the dispatcher wants by itself; the LiveKit webhook and polling go by it."""

    room_pattern: Annotated[tuple[str, ...], BeforeValidator(items)] = setting(
        "MOIM_ROOM_PATTERN",
        (),
        "rooms' names that Moim joins unasked, comma-separated, with * ? [..]; empty: none",
        max_length=100,
    )
    poll_s: Annotated[float, AfterValidator(zero_or_a_second)] = setting(
        "MOIM_ROOM_POLL_S",
        0.0,
        "every so many seconds the dispatcher looks for such rooms with people in them; 0: never",
        ge=0,
        le=3600,
    )


class ProcessSettings(Group):
    """How this process runs."""

    http_port: int = setting(
        "MOIM_HTTP_PORT",
        8080,
        "/healthz /readyz /metrics; each process of a machine its own; 0 = any free port",
        ge=0,
        le=65535,
    )
    probe_port: int = setting(
        "MOIM_PROBE_PORT",
        0,
        "the probes once more at a port of their own, where no flood of requests for the API "
        "reaches them; 0: at MOIM_HTTP_PORT alone",
        ge=0,
        le=65535,
    )
    http_host: str = setting(
        "MOIM_HTTP_HOST",
        "0.0.0.0",  # noqa: S104 - probes and Prometheus come from outside the pod
        "address that the HTTP server binds",
    )
    standby: bool = setting(
        "MOIM_STANDBY",
        False,
        "1, at the dispatcher: a second job per meeting, elsewhere, to take over without a gap",
    )
    max_meetings: int = setting(
        "MOIM_MAX_MEETINGS", 8, "meetings in rooms that one worker accepts", ge=1, le=10_000
    )
    max_text_meetings: int = setting(
        "MOIM_MAX_TEXT_MEETINGS",
        200,
        "meetings without a room that one `moim worker --text` hosts",
        ge=1,
        le=10_000,
    )
    drain_s: float = setting(
        "MOIM_DRAIN_SECONDS",
        3600.0,
        "after SIGTERM: how long running meetings may go on before they are handed over",
        ge=0,
        le=86_400,
    )
    cache_dir: Path = setting(
        "MOIM_CACHE_DIR", Path(".cache"), "downloads and builds: models, the LiveKit server"
    )
    state_dir: Path = setting(
        "MOIM_STATE_DIR",
        Path(".cache/state"),
        "spool and status files of this machine's jobs; must outlive a restart",
    )
    sound_dir: str = setting(
        "MOIM_SOUND_DIR",
        "auto",
        "where a job keeps sound that is no text yet, for its successor here should it be killed:"
        " a folder in memory, none, or auto (/dev/shm; where there is none, MOIM_STATE_DIR)",
        min_length=1,
    )
    livekit_server: Path | None = setting(
        "MOIM_LIVEKIT_SERVER", None, "path of a livekit-server binary for `moim dev`, the demo and the tests"
    )
    log_level: Literal["debug", "info", "warning", "error"] = setting(
        "MOIM_LOG_LEVEL", "info", "debug, info, warning or error"
    )
    log_format: Literal["auto", "json", "pretty"] = setting(
        "MOIM_LOG_FORMAT", "auto", "json, pretty, or auto: pretty on a terminal"
    )
    debug: bool = setting("MOIM_DEBUG", False, "1: errors show their traceback")


class WebhookSettings(Group):
    """Transcript push: the dispatcher sends final turns and answers, from the record, in order."""

    url: HttpUrl = setting("MOIM_WEBHOOK_URL", "", "where each is POSTed; empty: nowhere")
    secret: SecretStr = setting(
        "MOIM_WEBHOOK_SECRET", SecretStr(""), "signs the pushes (HMAC-SHA256); needed with the URL"
    )


class BudgetFileSettings(Group):
    """What prompts may hold: one file, see docs/how-to/budgets.md."""

    path: str = setting(
        "MOIM_BUDGETS_FILE",
        "",
        "TOML: producers, weights, workflows, templates, caches, windows; empty: the defaults",
    )


class ThreadSettings(Group):
    """The agent's own thread: earlier questions and answers, and their summaries."""

    enabled: bool = setting("APP_CONTEXT_ENABLED", True, "0: a question is answered without its thread")
    threshold: int = setting(
        "APP_CONTEXT_THRESHOLD",
        8000,
        "unsummarised tokens that set off a summary before its third turn",
        ge=1,
    )
    recent_messages: int = setting(
        "APP_CONTEXT_RECENT_MESSAGES",
        6,
        "newest messages that are shown raw whatever is summarised",
        ge=0,
        le=1000,
    )
