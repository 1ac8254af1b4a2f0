"""Does CLOVA Studio take the key and know the models? Asked of its token calculator: no word is generated."""

from __future__ import annotations

from typing import Final

from context.ports import ChatMessage, PortError
from worker.configuration.settings import Settings
from worker.engines.language_models import model_names

_SAMPLE: Final = (ChatMessage(role="user", content="내일 서울 날씨 어때?"),)


async def clova_studio(settings: Settings) -> str:
    """What was found, per model that the settings use. Raises as the port, naming the variable at fault."""
    from worker.adapters.clova_llm import ClovaLanguageModel
    from worker.adapters.clova_models import BASE_URL
    from worker.adapters.clova_wire import ClovaWire

    names = model_names(settings)
    variables = {
        "LLM_MODEL": names.answers,
        "CONTEXT_SUMMARY_MODEL": names.summaries,
        "CONTEXT_TOPIC_DETECTION_MODEL": names.topics,
    }
    base_url = settings.llm.base_url or BASE_URL
    wire = ClovaWire(base_url=base_url, api_key=settings.llm.api_key, read_timeout_s=10.0)
    told: dict[str, str] = {}
    try:
        for variable, name in variables.items():
            if name in told:
                continue
            try:
                ours, theirs = await ClovaLanguageModel(wire, model=name).prompt_tokens(_SAMPLE)
            except PortError as error:
                raise type(error)(f"{variable}={name!r} at {base_url}: {error}") from error
            told[name] = f"{name} (a sample of {theirs} tokens, by our bound {ours})"
    finally:
        await wire.aclose()
    return f"{base_url} takes the key and has {', '.join(told.values())}"
