"""The settings of traces, by OpenTelemetry's own names: its SDK reads them from the same environment."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final
from urllib.parse import unquote

from pydantic import SecretStr

from worker.configuration.setting_values import Group, HttpUrl, secrets_of_url, setting

_RATIO: Final = ("traceidratio", "parentbased_traceidratio")
_SAMPLERS: Final = (
    *("always_on", "always_off", *_RATIO),
    *("parentbased_always_on", "parentbased_always_off"),
)


class TraceSettings(Group):
    """Traces, by OpenTelemetry: where the time of turns, answers and takeovers went, without words."""

    endpoint: HttpUrl = setting(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "",
        "address of a collector (OTLP over HTTP), e.g. http://127.0.0.1:4318; if empty, there are no traces",
    )
    headers: SecretStr = setting(
        "OTEL_EXPORTER_OTLP_HEADERS",
        SecretStr(""),
        "what it is sent with each request: name=value,name=value",
    )
    protocol: str = setting("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf", "http/protobuf, and no other")
    service: str = setting("OTEL_SERVICE_NAME", "moim", "name of this service there", min_length=1)
    sampler: str = setting(
        "OTEL_TRACES_SAMPLER",
        "parentbased_always_on",
        "which traces are sent: always_on, always_off, traceidratio, or one of these behind parentbased_",
    )
    sampler_arg: str = setting("OTEL_TRACES_SAMPLER_ARG", "", "for traceidratio: the share of them, 0 to 1")
    exporter: str = setting("OTEL_TRACES_EXPORTER", "otlp", "otlp, or none: there are no traces")
    disabled: bool = setting("OTEL_SDK_DISABLED", False, "1: there are no traces")

    @property
    def on(self) -> bool:
        """Whether there are traces."""
        return bool(self.endpoint) and not self.disabled and self.exporter != "none"

    def mistakes(self) -> Iterator[str]:
        """Lines about wrong values. What is for other programs of the same environment is none of ours."""
        if not self.on:
            return
        if self.protocol != "http/protobuf":
            yield f"OTEL_EXPORTER_OTLP_PROTOCOL={self.protocol!r} must be 'http/protobuf' (port 4318, mostly)"
        if self.exporter != "otlp":
            yield f"OTEL_TRACES_EXPORTER={self.exporter!r} must be 'otlp' or 'none'"
        sampler = self.sampler.lower()
        if sampler not in _SAMPLERS:
            yield f"OTEL_TRACES_SAMPLER={self.sampler!r} must be one of {', '.join(_SAMPLERS)}"
        if sampler in _RATIO and not _is_share(self.sampler_arg):
            yield (
                f"OTEL_TRACES_SAMPLER_ARG={self.sampler_arg!r} must be a number from 0 to 1 for "
                f"OTEL_TRACES_SAMPLER={self.sampler}"
            )

    def secrets(self) -> set[str]:
        """The secrets in the headers, as they are written and as they are sent, and in the address."""
        values = {pair.partition("=")[2].strip() for pair in self.headers.get_secret_value().split(",")}
        sent = {unquote(value) for value in values}
        return {*values, *sent, *(value.rpartition(" ")[2] for value in sent)} - {""} | secrets_of_url(
            self.endpoint
        )


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False
