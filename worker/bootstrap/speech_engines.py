"""Makes the configured speech engine, and starts the machine's shared one where nobody has."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from context.config import ConfigError
from stt.engine.protocol import VERSION
from stt.providers.clova.domains import parse_domain
from stt.rereading import OnReading, uncounted
from stt.segment import SpeechEngine
from worker.configuration.folders import demand_state_folder
from worker.configuration.settings import Settings
from worker.configuration.sockets import socket_path
from worker.errors import InputError


@asynccontextmanager
async def speech_engine(
    settings: Settings,
    *,
    on_reading: OnReading | None = None,
    gives_way: Callable[[], bool] = lambda: False,
) -> AsyncIterator[SpeechEngine | None]:
    """The configured speech engine, closed at the end; None where text comes from elsewhere.

    `on_reading` is told what becomes of the readings that are made for interims; None: none are made, as
    nobody watches (a replay). `gives_way` says whether they have to wait for the machine just now.
    """
    engine = _speech_engine(settings, on_reading, gives_way)
    try:
        yield engine
    finally:
        if engine is not None:
            await engine.aclose()


def _speech_engine(
    settings: Settings, on_reading: OnReading | None, gives_way: Callable[[], bool]
) -> SpeechEngine | None:
    stt = settings.stt
    wanted = {"on"} if stt.engine == "openai" else {"auto", "on"}
    reads = on_reading is not None and stt.interims in wanted
    shown = stt.interims != "off"
    if stt.engine == "none":
        return None
    if stt.engine == "whisper":
        from stt.engine.engine_client import EngineClient

        return EngineClient(
            engine_socket(settings),
            gives_interims=reads,
            on_reading=on_reading or uncounted,
            gives_way=gives_way,
        )
    if stt.engine == "openai":
        from stt.providers.openai_compatible import OpenAICompatible

        key = stt.api_key.get_secret_value()
        return OpenAICompatible(
            base_url=stt.base_url or None,
            api_key=key,
            model=stt.model or "whisper-1",
            gives_interims=reads,
            on_reading=on_reading or uncounted,
            gives_way=gives_way,
        )
    if stt.engine.startswith("livekit:"):
        from stt.providers.livekit_plugin import load_plugin

        plugin = load_plugin(stt.engine, language=settings.agent.language)
        plugin.gives_interims = plugin.gives_interims and shown
        return plugin
    if stt.engine == "clova":
        from stt.providers.clova.engine import ClovaSpeech

        clova = ClovaSpeech([parse_domain(domain.get_secret_value()) for domain in stt.clova_domains])
        clova.gives_interims = shown
        return clova
    raise InputError(f"STT_ENGINE={stt.engine!r} is not available in this version")


def engine_socket(settings: Settings) -> Path:
    """The Unix socket at which the machine's shared speech engine listens: one for each protocol."""
    return socket_path(settings, f"engine-{VERSION}")


def speech_model_is_here(settings: Settings) -> bool:
    """Whether the local Whisper's model is on this machine, and need not be downloaded first."""
    from stt.providers.whisper_weights import is_here

    return is_here(settings.stt.model, settings.process.cache_dir)


@asynccontextmanager
async def local_engine(settings: Settings) -> AsyncIterator[None]:
    """Start the machine's shared speech engine, or join the one that listens; ours ends with the block.

    Nothing is started where speech is recognised elsewhere. Raises `ConfigError` where the engine cannot be
    started with these settings.
    """
    if not settings.stt.is_local:
        yield
        return
    from stt.engine.engine_supervisor import EngineMisconfigured, EngineOptions, EngineSupervisor

    demand_state_folder(settings)  # its socket is there
    stt = settings.stt
    options = EngineOptions(
        model=stt.model or "auto",
        cache_dir=settings.process.cache_dir,
        workers=stt.workers,
        more=("--device", stt.device, "--compute-type", stt.compute_type),
    )
    supervisor = EngineSupervisor(engine_socket(settings), options)
    try:
        await supervisor.start()
        yield
    except EngineMisconfigured as error:
        raise ConfigError(str(error)) from error
    finally:
        await supervisor.aclose()
