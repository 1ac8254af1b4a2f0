"""The settings of the engines: speech to text, language models, embeddings, speech out."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, SecretStr

from worker.configuration.setting_values import (
    Group,
    HttpUrl,
    Key,
    each_a_domain,
    factory_or,
    setting,
    split_items,
)

LOCAL_ENCODER: Final = "multilingual-e5-small-q4"
"""The name that stands beside the local embedder's vectors, whichever library made them."""


ComputeType = Literal[
    "auto",
    "int8",
    "int8_float32",
    "int8_float16",
    "int8_bfloat16",
    "int16",
    "float16",
    "bfloat16",
    "float32",
]
"""What CTranslate2 can compute with; which of it a machine can, is found out when the engine starts."""


class SttSettings(Group):
    """Speech to text."""

    engine: Annotated[str, factory_or("whisper", "openai", "clova", "none")] = setting(
        "STT_ENGINE",
        "whisper",
        "whisper (local), openai, clova, livekit:package.module:factory, or none (text only)",
    )
    model: str = setting(
        "STT_MODEL", "", "name of the model, or its path; if empty, the engine's own default"
    )
    device: Literal["cpu", "cuda", "auto"] = setting(
        "STT_DEVICE",
        "cpu",
        "where the local Whisper runs: cpu, cuda (an NVIDIA GPU), or auto (a GPU where there is one)",
    )
    compute_type: ComputeType = setting(
        "STT_COMPUTE_TYPE",
        "auto",
        "numbers that it computes with: auto (int8 on the CPU, the fastest on a GPU), int8, int8_float32, "
        "int8_float16, int8_bfloat16, int16, float16, bfloat16 or float32",
    )
    workers: int = setting(
        "STT_WORKERS",
        2,
        "stretches of speech that the local Whisper works on at once; on the CPU each takes one core",
        ge=1,
        le=64,
    )
    base_url: HttpUrl = setting(
        "STT_BASE_URL", "", "address of the openai engine, with /v1; if empty, OpenAI's own"
    )
    api_key: Key = setting("STT_API_KEY", SecretStr(""), "its key")
    interims: Literal["auto", "on", "off"] = setting(
        "STT_INTERIMS",
        "auto",
        "words while somebody speaks: auto (on, but off for openai, where it takes a request a second), "
        "on, or off",
    )
    terms: Annotated[tuple[str, ...], BeforeValidator(split_items)] = setting(
        "STT_TERMS",
        (),
        "names and terms that your meetings use and an engine may mishear, separated by commas; those of a"
        " meeting itself (its title, people, documents, corrections, earlier meetings) need not be named",
    )
    kept_mb: int = setting(
        "STT_KEPT_MB",
        128,
        "MB of sound per meeting that wait in memory while the engine is slow or away; 128 are an hour of"
        " speech, and what is more is lost, oldest first",
        ge=4,
        le=4096,
    )
    clova_domains: Annotated[
        tuple[SecretStr, ...], BeforeValidator(split_items), AfterValidator(each_a_domain)
    ] = setting("CLOVA_SPEECH_DOMAINS", (), "CLOVA Speech: pairs of invoke_url|secret, separated by commas")

    @property
    def is_local(self) -> bool:
        """Whether speech is recognised on this machine, by one process that all its meetings share."""
        return self.engine == "whisper"

    @property
    def is_packaged(self) -> bool:
        """Whether speech is recognised by Whisper `base`, which is packaged: the smallest of use."""
        return self.is_local and self.model in {"", "auto", "base"}


def _window(tokens: int) -> int:
    """Raise `ValueError` for a window that has no room for the rules and an answer."""
    if tokens == 0 or tokens >= 4096:
        return tokens
    raise ValueError("must be 0 or at least 4096")


class LlmSettings(Group):
    """The language model of summaries and answers."""

    engine: Literal["extractive", "openai", "clova"] = setting(
        "LLM_ENGINE",
        "extractive",
        "extractive (quotes only, no network), or openai or clova, which need LLM_MODEL and mostly "
        "LLM_API_KEY",
    )
    base_url: HttpUrl = setting(
        "LLM_BASE_URL",
        "",
        "any OpenAI-compatible endpoint, with /v1; if empty, OpenAI's own, or CLOVA Studio's",
    )
    api_key: Key = setting("LLM_API_KEY", SecretStr(""), "its key")
    model: str = setting(
        "LLM_MODEL", "", "name of the model, needed for openai and clova (HCX-005, HCX-007, …)"
    )
    window: Annotated[int, AfterValidator(_window)] = setting(
        "LLM_WINDOW",
        0,
        "tokens of that model's window; 0: what is known of its name, 8192 if nothing is",
        le=10_000_000,
    )


class EmbedSettings(Group):
    """Embeddings: texts to vectors, so that what is asked in other words is found as well."""

    engine: Literal["local", "openai", "none"] = setting(
        "EMBED_ENGINE",
        "local",
        "local (multilingual-e5-small, one process per machine), openai, or none (search by words alone)",
    )
    base_url: HttpUrl = setting(
        "EMBED_BASE_URL", "", "any OpenAI-compatible endpoint, with /v1; if empty, OpenAI's own"
    )
    api_key: Key = setting("EMBED_API_KEY", SecretStr(""), "its key")
    model: str = setting(
        "EMBED_MODEL",
        "",
        "name of the model, needed for openai; after a change vectors are made anew, never mixed",
        max_length=200,
    )

    @property
    def encoder_name(self) -> str:
        """The name that stands beside vectors, and in the document's `engines.embeddings`; else `none`."""
        match self.engine:
            case "local":
                return LOCAL_ENCODER
            case "openai":
                return self.model
            case _:
                return "none"


class TtsSettings(Group):
    """Text to speech: public answers are spoken into the room as well."""

    engine: Annotated[str, factory_or("none")] = setting(
        "TTS_ENGINE", "none", "none, or livekit:package.module:factory of any TTS plugin for livekit-agents"
    )
