"""The settings in groups, which `worker.configuration.settings` reads from an environment.

The docstring of a group is its heading in `.env.example`, and each description the line above its variable.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from worker.configuration.setting_values import (
    Csv,
    Group,
    HttpUrl,
    Words,
    each_a_network,
    header_name,
    known_zone,
    setting,
    split_items,
    tenant_name,
    url_of,
    zero_or_a_second,
)

VERIFY_S: Final = 8.0
"""Seconds for the verification of an answer (`worker.agent.calls.deadlines`), which one may set otherwise."""


class LiveKitSettings(Group):
    """The LiveKit deployment."""

    url: Annotated[str, url_of("ws", "wss", "http", "https")] = setting(
        "LIVEKIT_URL", "", "address of the LiveKit server, e.g. wss://livekit.example.com"
    )
    api_key: str = setting("LIVEKIT_API_KEY", "", "its API key")
    api_secret: SecretStr = setting("LIVEKIT_API_SECRET", SecretStr(""), "its API secret")
    e2ee_key: SecretStr = setting(
        "MOIM_E2EE_KEY",
        SecretStr(""),
        "passphrase of an end-to-end encrypted room, which `moim dispatch` gives for the meeting it wants; "
        "workers do without it",
    )
    join_url: Annotated[str, url_of("ws", "wss")] = setting(
        "MOIM_JOIN_URL",
        "",
        "address at which browsers reach LiveKit; if empty, people cannot speak from the pages",
    )


class DatabaseSettings(Group):
    """Postgres 14 or newer, which keeps the record."""

    url: Annotated[SecretStr, url_of("postgresql", "postgres")] = setting(
        "DATABASE_URL",
        SecretStr(""),
        "postgresql://… of the app's own role, which is neither the owner nor a superuser",
    )
    admin_url: Annotated[SecretStr, url_of("postgresql", "postgres")] = setting(
        "DATABASE_ADMIN_URL",
        SecretStr(""),
        "postgresql://… of the database's owner; only `moim migrate` needs it",
    )


class RedisSettings(Group):
    """Redis: questions and text from programs, live events for them."""

    url: Annotated[SecretStr, url_of("redis", "rediss", "unix")] = setting(
        "REDIS_URL", SecretStr(""), "redis://… (Redis 7 or newer, or Valkey)"
    )


class ConsentSettings(Group):
    """What people are told, whether they are asked, and how long their words are kept."""

    mode: Literal["notice", "ask", "off"] = setting(
        "MOIM_CONSENT",
        "notice",
        "notice: people are told, and who stays agrees; ask: nobody is heard before a yes; off: neither",
    )
    notice: bool = setting("MOIM_NOTICE", True, "1: everybody who comes in is told that Moim listens")
    text: Words = setting(
        "MOIM_NOTICE_TEXT", "", "text that people are told instead of Moim's own", max_length=2_000
    )
    lasts: Literal["meeting", "always"] = setting(
        "MOIM_CONSENT_LASTS",
        "meeting",
        "meeting: an answer counts in its meeting; always: in later ones, too (needs stable identities)",
    )
    redact: Literal["off", "models", "record"] = setting(
        "MOIM_REDACT",
        "off",
        "where card, resident and phone numbers and mail addresses are masked: off, "
        "models (also webhooks), or record (everywhere)",
    )
    retention_days: int | None = setting(
        "MOIM_RETENTION_DAYS",
        None,
        "words are erased this many days after a meeting's end; if empty, they are kept",
        ge=1,
        le=36_500,
    )


class AgentSettings(Group):
    """The agent: its name and languages, whom it serves, how it answers."""

    name: Words = setting(
        "MOIM_AGENT_NAME", "moim", "the agent's name for explicit dispatch", min_length=1, max_length=128
    )
    entity_packs: Annotated[
        tuple[Literal["meeting", "medical"], ...], BeforeValidator(split_items), Field(min_length=1)
    ] = setting(
        "MOIM_ENTITY_PACKS",
        ("meeting",),
        "what is noted from questions and answers: meeting, or meeting,medical (for consultations)",
    )
    medical_concepts: str = setting(
        "MOIM_MEDICAL_CONCEPTS",
        "builtin",
        "concepts of the medical pack: builtin, medcat (extra `medical`), or a MedCAT model pack's path",
        min_length=1,
    )
    wake_words: Csv = setting(
        "MOIM_WAKE_WORDS",
        ("모임", "Moim"),
        "names by which Moim is addressed, spoken or written, separated by commas",
    )
    language: Literal["ko", "en", "auto"] = setting(
        "MOIM_LANGUAGE", "auto", "language of the meetings: ko, en or auto"
    )
    chat: Literal["questions", "mentions", "all"] = setting(
        "MOIM_CHAT", "questions", "which chat messages are for Moim: questions, mentions (of its name) or all"
    )
    answer_sure: float = setting(
        "MOIM_ANSWER_SURE",
        0.62,
        "without a model: quotes are given as the answer if they are right with this probability",
        ge=0,
        le=1,
    )
    answer_closest: float = setting(
        "MOIM_ANSWER_CLOSEST",
        0.06,
        "without a model: with this probability they are given as what comes closest, below it not at all",
        ge=0,
        le=1,
    )
    summary_least_tokens: int = setting(
        "MOIM_SUMMARY_LEAST_TOKENS",
        0,
        "with a model: new tokens that a topic's next summary waits for; 0: every 25 turns; "
        "2500: at less than half the cost",
        ge=0,
        le=100_000,
    )
    tokens_per_hour: int = setting(
        "MOIM_TOKENS_PER_HOUR",
        0,
        "with a model: tokens of prompts that one meeting may send it in an hour; above them its work is "
        "done without it, and answers say so; 0: no bound",
        ge=0,
    )
    verify_s: float = setting(
        "MOIM_VERIFY_S",
        VERIFY_S,
        "with a model: how many seconds the verification of an answer may take after its last word",
        gt=0,
        le=30,
    )
    time_zone: Annotated[str, AfterValidator(known_zone)] = setting(
        "MOIM_TIME_ZONE", "UTC", "time zone of the times in answers, summaries and minutes, e.g. Asia/Seoul"
    )


class ApiSettings(Group):
    """The dispatcher's HTTP API."""

    token: SecretStr = setting(
        "MOIM_API_TOKEN",
        SecretStr(""),
        "a long random text: bearer token of the dispatcher's HTTP API, key of signed Redis commands, and "
        "sign-in on the pages unless MOIM_PAGES_TOKEN is set; if empty, no API",
    )
    url: Annotated[str, url_of("http", "https")] = setting(
        "MOIM_API_URL",
        "http://127.0.0.1:8080",
        "address at which `moim mcp` reaches it",
        min_length=1,
    )


class PagesSettings(Group):
    """The pages that the dispatcher serves to people."""

    token: SecretStr = setting(
        "MOIM_PAGES_TOKEN",
        SecretStr(""),
        "with this people sign in to the pages; if empty, with MOIM_API_TOKEN; without both, no pages",
    )
    url: Annotated[str, url_of("http", "https")] = setting(
        "MOIM_PAGES_URL",
        "",
        "address at which people reach the pages, for links, e.g. https://moim.example.com",
    )
    user_header: Annotated[str, AfterValidator(header_name)] = setting(
        "MOIM_PAGES_USER_HEADER",
        "",
        "header in which a proxy names whom it has signed in, e.g. X-Forwarded-User; if empty, none",
    )
    proxies: Annotated[tuple[str, ...], BeforeValidator(split_items), AfterValidator(each_a_network)] = (
        setting(
            "MOIM_PAGES_PROXIES",
            (),
            "addresses of proxies in front, e.g. 10.0.0.5, 10.1.0.0/16: this header is believed from them "
            "alone, and who comes through them is not counted by address",
        )
    )
    admins: Annotated[tuple[str, ...], BeforeValidator(split_items)] = setting(
        "MOIM_ADMINS",
        (),
        "who may do what concerns others' words: names from this header, separated by commas",
    )


class RecordingSettings(Group):
    """Recordings and transcripts that people bring on the home page; see docs/how-to/files.md."""

    largest_mb: int = setting(
        "MOIM_RECORDING_MB",
        300,
        "megabytes of the largest recording; a transcript has 16 at most",
        ge=1,
        le=4_000,
    )


class DispatchSettings(Group):
    """Which rooms the dispatcher wants by itself; the LiveKit webhook and polling go by it."""

    room_pattern: Annotated[tuple[str, ...], BeforeValidator(split_items)] = setting(
        "MOIM_ROOM_PATTERN",
        (),
        "names of rooms that Moim joins by itself, separated by commas, with * ? [..]; if empty, none",
        max_length=100,
    )
    poll_s: Annotated[float, AfterValidator(zero_or_a_second)] = setting(
        "MOIM_ROOM_POLL_S",
        0.0,
        "how often the dispatcher looks for such rooms with people in them, in seconds; 0: never",
        ge=0,
        le=3600,
    )


class ProcessSettings(Group):
    """How this process runs: its tenant, ports, capacity, folders, logs."""

    tenant: Annotated[str, AfterValidator(tenant_name), Field(min_length=1, max_length=128)] = setting(
        "MOIM_TENANT",
        "default",
        "the tenant of this process, which sees no other tenant's meetings; part of every key in Redis",
    )
    http_port: int = setting(
        "MOIM_HTTP_PORT",
        8080,
        "port of /healthz, /readyz, /metrics and the API; one for each process; 0: any free one",
        ge=0,
        le=65535,
    )
    probe_port: int = setting(
        "MOIM_PROBE_PORT",
        0,
        "a port for the probes alone, out of reach of floods of API requests; 0: only MOIM_HTTP_PORT",
        ge=0,
        le=65535,
    )
    http_host: str = setting(
        "MOIM_HTTP_HOST",
        "0.0.0.0",  # noqa: S104 - probes and Prometheus come from outside the pod
        "address that the HTTP server binds to",
    )
    standby: bool = setting(
        "MOIM_STANDBY",
        False,
        "1, for the dispatcher: each meeting has a second job on another worker, to take over without a gap",
    )
    max_meetings: int = setting(
        "MOIM_MAX_MEETINGS", 8, "how many meetings in rooms a worker takes", ge=1, le=10_000
    )
    max_text_meetings: int = setting(
        "MOIM_MAX_TEXT_MEETINGS",
        200,
        "how many meetings without a room `moim worker --text` takes",
        ge=1,
        le=10_000,
    )
    drain_s: float = setting(
        "MOIM_DRAIN_SECONDS",
        3600.0,
        "after SIGTERM, if no other worker has a place: how long running meetings may go on",
        ge=0,
        le=86_400,
    )
    cache_dir: Path = setting(
        "MOIM_CACHE_DIR", Path(".cache"), "folder of downloads and builds: models, the LiveKit server"
    )
    state_dir: Path = setting(
        "MOIM_STATE_DIR",
        Path(".cache/state"),
        "folder of this machine's spools and status files, which must outlive a restart",
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
        "MOIM_LOG_LEVEL",
        "info",
        "error, warning, info, or debug: errors show their traceback, and logs may quote words of a meeting",
    )

    @property
    def debug(self) -> bool:
        """Whether somebody looks for a fault: errors show their traceback then, and commands log, too."""
        return self.log_level == "debug"


class WebhookSettings(Group):
    """Transcript push: the dispatcher sends final turns and answers, from the record, in order."""

    url: HttpUrl = setting(
        "MOIM_WEBHOOK_URL", "", "address to which they are POSTed; if empty, nothing is sent"
    )
    secret: SecretStr = setting(
        "MOIM_WEBHOOK_SECRET",
        SecretStr(""),
        "secret that signs them (HMAC-SHA256); needed with MOIM_WEBHOOK_URL",
    )


class BudgetFileSettings(Group):
    """Budgets of prompts, in a file of their own: see docs/how-to/budgets.md."""

    path: str = setting(
        "MOIM_BUDGETS_FILE",
        "",
        "a TOML file with producers, weights, workflows, templates, caches, windows; if empty, the defaults",
    )


class MinutesSettings(Group):
    """Minutes in a form of your own: see docs/how-to/minutes.md."""

    template: str = setting(
        "MOIM_MINUTES_TEMPLATE",
        "",
        "a Jinja2 template of the minutes in Markdown, as they are exported and pushed; "
        "if empty, they are in Moim's own form",
    )


class ThreadSettings(Group):
    """The agent's own thread: earlier questions and answers, and their summaries."""

    enabled: bool = setting(
        "APP_CONTEXT_ENABLED", True, "0: questions are answered without earlier questions and answers"
    )
    threshold: int = setting(
        "APP_CONTEXT_THRESHOLD",
        8000,
        "so many tokens without a summary set one off before its third turn",
        ge=1,
    )
    recent_messages: int = setting(
        "APP_CONTEXT_RECENT_MESSAGES",
        6,
        "this many of the newest messages are shown in their own words, whatever is summarised",
        ge=0,
        le=1000,
    )
