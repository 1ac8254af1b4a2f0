"""Validators of settings' values, the base of all groups of settings, and the flags of seed 002.

A validator gives the value back, or raises `ValueError` with what is allowed ("must be …").
"""

from __future__ import annotations

import re
from ipaddress import ip_network
from typing import Annotated, Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from context.features import FLAGS, Features, Preset
from context.primitives.text import many_lines, one_line
from stt.providers.clova.domains import parse_domain

_PASSWORD: Final = re.compile(
    r"(?P<head>(?:[a-z][a-z0-9+.-]*:)?(?://)?[^\s:/@'\"]*):[^\s@'\"]+@", re.IGNORECASE
)


_SECRET_NAME: Final = re.compile("token|key|secret|pass|sig|auth", re.IGNORECASE)


def hide_password(text: str) -> str:
    """Give `text` with `***` for the password in each address in it, well-formed or not."""
    return _PASSWORD.sub(r"\g<head>:***@", text) if "@" in text else text


def secrets_of_url(url: str) -> set[str]:
    """Give the secrets in an address: its password, as written and unquoted, and tokens in its query."""
    if "://" not in url:
        return set()
    try:
        parts = urlsplit(url)
    except ValueError:
        return set()
    password = parts.password or ""
    tokens = {value for name, value in parse_qsl(parts.query) if _SECRET_NAME.search(name)}
    return {password, unquote(password), *tokens} - {""}


def url_of(*schemes: str) -> AfterValidator:
    """Make the validator of URLs with one of the schemes and a host, or a socket in the query as in libpq."""

    def check(value: Any) -> Any:
        text = value.get_secret_value() if isinstance(value, SecretStr) else value
        if not text:
            return value
        allowed = " or ".join(f"{scheme}://…" for scheme in schemes)
        try:
            parts = urlsplit(text)
            whole = parts.scheme in schemes and bool(parts.hostname or parts.query or "unix" in parts.scheme)
            parts.port  # noqa: B018 - reading it is the check of its range
        except ValueError as error:  # most often a password with one of these cuts the address short
            raise ValueError(
                f"must be a URL {allowed}, its port a number, its password percent-encoded: {ENCODED}"
            ) from error
        if isinstance(value, SecretStr) and _cut_short(text):
            raise ValueError(f"must have its password percent-encoded: {ENCODED}")
        if not whole:
            raise ValueError(f"must be a URL {allowed}")
        return value

    return AfterValidator(check)


ENCODED: Final = "/ ? # @ : % in it are %2F %3F %23 %40 %3A %25"
"""How a password stands in an address."""


def _cut_short(url: str) -> bool:
    """Whether a sign in the password of `url` ends its host too early, or begins it there.

    What a / ? or # has cut off still has the @ that should stand behind the password. Of two @ the first
    begins the host for Postgres' drivers.
    """
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return parts.scheme.startswith("postgres") and parts.netloc.count("@") > 1
    behind = url.partition("://")[2][len(parts.netloc) :]
    ends = re.split(r"[/?#]", behind[1:], maxsplit=1)[0]
    return ":" in parts.netloc and "@" in ends


def split_items(value: Any) -> Any:
    """Split `a, b` into a tuple of non-empty items; what is no text stays as it is."""
    if isinstance(value, str):
        return tuple(item for part in value.split(",") if (item := one_line(part)))
    return value


def canonical(value: Any) -> Any:
    """Give a text in its canonical form, with its line breaks."""
    return many_lines(value).strip() if isinstance(value, str) else value


def known_zone(value: str) -> str:
    """Demand the name of a time zone that this machine knows."""
    try:
        ZoneInfo(value)
    except (ValueError, ZoneInfoNotFoundError, OSError) as error:
        raise ValueError("must be a time zone's name, e.g. Asia/Seoul or UTC") from error
    return value


_NOT_IN_A_TENANT: Final = re.compile(r"[:*?\[\]\\^\s\x00-\x1f\x7f\ud800-\udfff]")


def tenant_name(value: str) -> str:
    """Demand a name that can stand in keys of Redis, and in the patterns of its access rules."""
    if _NOT_IN_A_TENANT.search(value):
        raise ValueError("must hold no blanks, no control characters and none of : * ? [ ] \\ ^")
    return value


def zero_or_a_second(value: float) -> float:
    """Demand 0 (never) or at least 1 second: more often would be a burden."""
    if 0 < value < 1:
        raise ValueError("must be 0 or at least 1")
    return value


def factory_or(*names: str) -> AfterValidator:
    """Make the validator of engines: one of the names, or `livekit:package.module:factory`."""

    def check(value: str) -> str:
        if value in names or re.fullmatch(r"livekit:[A-Za-z_][\w.]*:[A-Za-z_][\w.]*", value):
            return value
        raise ValueError(f"must be {', '.join(names)} or livekit:package.module:factory")

    return AfterValidator(check)


def each_a_domain(pairs: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
    """Demand pairs `invoke_url|secret` for CLOVA Speech."""
    for pair in pairs:
        parse_domain(pair.get_secret_value())
    return pairs


def header_name(value: str) -> str:
    """Demand the name of an HTTP header, or nothing."""
    if value and not re.fullmatch(r"[A-Za-z0-9-]{1,80}", value):
        raise ValueError("must be the name of a header: letters, digits and -")
    return value


def each_a_network(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Demand IP addresses, or networks in CIDR form."""
    for address in addresses:
        try:
            ip_network(address)
        except ValueError as error:
            raise ValueError(f"{error}: use addresses or networks such as 10.1.0.0/16") from error
    return addresses


def _in_a_header(value: SecretStr) -> SecretStr:
    """Demand a key that can be sent in a header: one pasted with its `…` would fail at each request."""
    text = value.get_secret_value()
    if not (text.isascii() and text.isprintable()):
        raise ValueError("must be plain letters, digits and signs (ASCII): is it pasted whole?")
    return value


Key = Annotated[SecretStr, AfterValidator(_in_a_header)]
HttpUrl = Annotated[str, url_of("http", "https")]
Words = Annotated[str, BeforeValidator(canonical)]
"""A text that people read."""
Csv = Annotated[tuple[str, ...], BeforeValidator(split_items), Field(min_length=1)]


def setting(variable: str, default: Any, meaning: str, **bounds: Any) -> Any:
    """Declare a field that is read from `variable`; `meaning` is what `.env.example` says of it."""
    return Field(default, alias=variable, description=meaning, **bounds)


class Group(BaseModel):
    """The base of all groups of settings, whose fields are declared by `setting`. They are frozen."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, extra="forbid")


class FeatureSettings(Features, Group):
    """Steps of an answer, switched on or off to compare them; the defaults did best."""

    model_config = ConfigDict(
        alias_generator=lambda name: f"MOIM_FEATURE_{name.upper()}", populate_by_name=True
    )

    preset: Preset = Field(
        default="product",
        description="what those above that are not set are: product (what did best), or seed (as designed)",
    )

    def features(self) -> Features:
        """Give the flags of the preset, with every flag that was set."""
        given = {name: getattr(self, name) for name in FLAGS if name in self.model_fields_set}
        flags = Features.seed() if self.preset == "seed" else Features()
        return flags.with_overrides(given)
