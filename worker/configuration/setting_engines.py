"""The settings of the engines: speech to text, language models, embeddings, speech out."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr

from worker.configuration.setting_values import (
    Group,
    HttpUrl,
    Key,
    each_a_domain,
    factory_or,
    items,
)

LOCAL_ENCODER: Final = "multilingual-e5-small-q4"
"""The local embedder's name beside its vectors, whichever library made them."""


class SttSettings(Group):
    """From sound to text."""

    engine: Annotated[str, factory_or("whisper", "openai", "clova", "none")] = Field(
        "whisper",
        alias="STT_ENGINE",
        description="whisper (local), openai, livekit:package.module:factory, clova, none (text only)",
    )
    model: str = Field(
        "", alias="STT_MODEL", description="model path or name; empty: the engine's own default"
    )
    base_url: HttpUrl = Field("", alias="STT_BASE_URL", description="endpoint of the openai engine, with /v1")
    api_key: Key = Field(SecretStr(""), alias="STT_API_KEY", description="its key")
    clova_domains: Annotated[tuple[SecretStr, ...], BeforeValidator(items), AfterValidator(each_a_domain)] = (
        Field(
            (),
            alias="CLOVA_SPEECH_DOMAINS",
            description="CLOVA Speech: comma-separated invoke_url|secret pairs",
        )
    )
    clova_keywords: Annotated[tuple[str, ...], BeforeValidator(items)] = Field(
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


def _window(tokens: int) -> int:
    """A model that holds less than this has no room for the rules and an answer."""
    if tokens == 0 or tokens >= 4096:
        return tokens
    raise ValueError("must be 0 or at least 4096")


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
    api_key: Key = Field(SecretStr(""), alias="LLM_API_KEY", description="its key")
    model: str = Field(
        "",
        alias="LLM_MODEL",
        description="model name; needed where an endpoint is used; CLOVA Studio: HCX-005, HCX-007, …",
    )
    window: Annotated[int, AfterValidator(_window)] = Field(
        0,
        alias="LLM_WINDOW",
        le=10_000_000,
        description="tokens of LLM_MODEL's window; 0: as known for its name, 8192 for an unknown one",
    )


class EmbedSettings(Group):
    """Texts to vectors, so that what is asked in other words is found as well."""

    engine: Literal["local", "openai", "none"] = Field(
        "local",
        alias="EMBED_ENGINE",
        description="local (multilingual-e5-small, one process per machine), openai or none (words alone)",
    )
    base_url: HttpUrl = Field(
        "",
        alias="EMBED_BASE_URL",
        description="any OpenAI-compatible endpoint, with /v1; empty: OpenAI's own",
    )
    api_key: Key = Field(SecretStr(""), alias="EMBED_API_KEY", description="its key")
    model: str = Field(
        "",
        alias="EMBED_MODEL",
        max_length=200,
        description="model name, needed by openai; another model's vectors are made anew, never mixed",
    )

    @property
    def encoder_name(self) -> str:
        """What stands beside vectors, and in the document's `engines.embeddings`; `none` without any."""
        match self.engine:
            case "local":
                return LOCAL_ENCODER
            case "openai":
                return self.model
            case _:
                return "none"


class TtsSettings(Group):
    """Speech out: public answers are spoken into the room as well."""

    engine: Annotated[str, factory_or("none")] = Field(
        "none",
        alias="TTS_ENGINE",
        description="none, or any TTS plugin of livekit-agents: livekit:package.module:factory",
    )
