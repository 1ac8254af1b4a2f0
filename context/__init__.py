"""What a meeting is, as pure code: events in, effects out; no vendor, event loop, clock or random numbers.

Seed 000's public names can be imported from here (§10.2.7)::

    manager = ContextManager(meeting_id="meeting-1")
    await manager.add_utterance(utterance)
    context = ContextBuilder().build_context("IMMEDIATE_RESPONSE", manager)

They are looked up when first used, so that `context.models` alone stays cheap to import.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from context.builder import ContextBuilder
    from context.config import ContextConfig
    from context.models import AgentCallType, AgentContext, Participant, TopicSegment, Utterance
    from context.seeds import StandaloneManager as ContextManager
    from context.seeds import TopicDetector, format_context_as_system_prompt
    from context.speaker_context import SpeakerContext, SpeakerStats
    from context.topic_detector import TopicChangeResult

__all__ = [
    "AgentCallType",
    "AgentContext",
    "ContextBuilder",
    "ContextConfig",
    "ContextManager",
    "Participant",
    "SpeakerContext",
    "SpeakerStats",
    "TopicChangeResult",
    "TopicDetector",
    "TopicSegment",
    "Utterance",
    "format_context_as_system_prompt",
]

_HOMES: Final = {
    "AgentCallType": "models",
    "AgentContext": "models",
    "ContextBuilder": "builder",
    "ContextConfig": "config",
    "ContextManager": "seeds",
    "Participant": "models",
    "SpeakerContext": "speaker_context",
    "SpeakerStats": "speaker_context",
    "TopicChangeResult": "topic_detector",
    "TopicDetector": "seeds",
    "TopicSegment": "models",
    "Utterance": "models",
    "format_context_as_system_prompt": "seeds",
}
"""The module in which each stands. Those that have another name there stand in `_NAMED_THERE`."""
_NAMED_THERE: Final = {"ContextManager": "StandaloneManager"}


def __getattr__(name: str) -> Any:
    if (home := _HOMES.get(name)) is not None:
        return getattr(import_module(f"{__name__}.{home}"), _NAMED_THERE.get(name, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
