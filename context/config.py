"""The settings `CONTEXT_*`: how a meeting is kept in memory, with seed 000's names and defaults (§7).

Constructing a `ContextConfig` never looks at the environment; `worker.configuration` calls
`ContextConfig.from_env` with what it has read. Two settings, the names of models, have two spellings each,
because seed 000 promises both (`CONTEXT_SUMMARY_MODEL_NAME` in §7, `CONTEXT_SUMMARY_MODEL` in §10.5).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from context.language.addressing import DEFAULT_WAKE_WORDS

_NO_SETTINGS: Final = frozenset({"agent_names"})
"""Fields that are no `CONTEXT_` setting: the environment sets them under another name."""
PREFIX: Final = "CONTEXT_"
"""Every setting's environment name is this and the field's name in capitals."""
_OTHER_SPELLINGS: Final = {
    "summary_model": "summary_model_name",
    "topic_detection_model": "topic_detection_model_name",
}
"""The second spelling of a setting in the environment (lower case, no prefix), and the field that it sets."""
ALSO_SEPARATOR: Final = "; also "
"""What joins several mistakes in one line."""


class ConfigError(ValueError):
    """A setting is missing or wrong: the text names it, its value (never a secret) and what is allowed."""


class ContextConfig(BaseSettings):
    """How much of a meeting is kept raw, when it is summarised, and by which models."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="forbid", validate_default=True)

    l0_max_turns: int = Field(default=25, ge=1, le=1000)
    """Utterances in the raw window."""
    l0_max_tokens: int = Field(default=3000, ge=100, le=1_000_000)
    """Tokens in the raw window; the oldest leave first."""
    l0_include_timestamps: bool = True
    """Whether a line that a model is shown carries its time of day; the raw window counts its tokens then."""
    l0_topic_buffer_max_turns: int = Field(default=100, ge=2, le=10_000)
    """Utterances of the current topic kept raw; what leaves is summarised before."""
    l0_topic_buffer_max_tokens: int = Field(default=10_000, ge=100, le=1_000_000)
    """Tokens of the current topic kept raw."""

    l1_topic_check_interval_turns: int = Field(default=5, ge=1, le=100)
    """A model is asked whether a topic began at most once in so many turns, and 40 times in an hour."""
    l1_update_turn_threshold: int = Field(default=25, ge=1, le=1000)
    """So many unsummarised utterances are summarised (`turn_limit`)."""
    l1_update_interval_minutes: float = Field(default=15.0, gt=0, le=24 * 60)
    """Unsummarised utterances older than this are summarised (`time_limit`)."""
    l1_min_new_utterances_for_time_trigger: int = Field(default=5, ge=1, le=1000)
    """The time trigger waits for at least so many."""
    l1_summary_max_tokens: int = Field(default=500, ge=50, le=8000)
    """A topic's summary is stored within this."""

    summary_model_name: str = "HCX-007"
    """Model for summaries where the engine is CLOVA."""
    topic_detection_model_name: str = "HCX-003"
    """Model that judges a suspected change of topic where the engine is CLOVA."""
    topic_quick_check_enabled: bool = True
    """Whether cue phrases are looked for."""

    speaker_buffer_max_per_speaker: int = Field(default=25, ge=1, le=1000)
    """Utterances kept per speaker in `speaker_buffers`, for whoever uses `context` alone."""

    agent_names: tuple[str, ...] = Field(default=DEFAULT_WAKE_WORDS, exclude=True)
    """What the agent is called; not a `CONTEXT_` setting, the bootstrap takes it from `MOIM_WAKE_WORDS`."""

    db_sync_interval_seconds: float = Field(default=5.0, gt=0, le=3600)
    """A snapshot at least so often."""
    db_sync_utterance_threshold: int = Field(default=10, ge=1, le=10_000)
    """A snapshot after so many utterances."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003  the signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003  the same
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003  the same
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003  the same
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Take only what the caller passes: no environment, no files."""
        return (init_settings,)

    @classmethod
    def from_env(cls, environ: Mapping[str, str]) -> ContextConfig:
        """The settings that `environ` asks for; names without the prefix are not ours.

        An empty value counts as unset. Raises `ConfigError` on a wrong value.
        """
        known = names()
        given: dict[str, Any] = {}
        for name, value in environ.items():
            # Under our prefix there may be another program's, or a slip of the pen: `unknown` tells.
            field = known.get(name.removeprefix(PREFIX).lower()) if name.startswith(PREFIX) else None
            if field is None or not (said := value.strip()):
                continue
            if given.setdefault(field, said) != said:
                raise ConfigError(f"{name}={value!r}: its other spelling says {given[field]!r}; keep one")
        try:
            return cls(**given)
        except ValidationError as error:
            wrong = (
                f"{PREFIX}{str(each['loc'][0]).upper()}={each['input']!r} {requirement(each)}"
                for each in error.errors()
            )
            raise ConfigError(ALSO_SEPARATOR.join(wrong)) from None


def names() -> dict[str, str]:
    """Every accepted spelling of a setting (lower case, no prefix) and the field that it sets."""
    fields = (name for name in ContextConfig.model_fields if name not in _NO_SETTINGS)
    return {name: name for name in fields} | _OTHER_SPELLINGS


def requirement(wrong: ErrorDetails) -> str:
    """What is allowed where pydantic found this mistake, as the end of a sentence: "must be a number"."""
    match wrong["type"]:
        case "bool_parsing" | "bool_type":
            return "must be 0 or 1"
        case "int_parsing" | "int_type" | "int_from_float":
            return "must be a whole number"
        case "float_parsing" | "float_type":
            return "must be a number"
        case "too_short":
            return "must name at least one"
        case _:
            said = wrong["msg"].removeprefix("Value error, ")
            return re.sub(r"^(Input|String) should", "must", said)
