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
    from context.builder import ContextBuilder, format_context_as_system_prompt
    from context.config import ContextConfig
    from context.manager import ContextManager
    from context.models import AgentCallType, AgentContext, Participant, TopicSegment, Utterance
    from context.speaker_context import SpeakerContext, SpeakerStats
    from context.topic_detector import TopicChangeResult, TopicDetector

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

_HOMES: Final = ("models", "config", "manager", "builder", "speaker_context", "topic_detector")


def __getattr__(name: str) -> Any:
    if name in __all__:
        homes = (import_module(f"{__name__}.{home}") for home in _HOMES)
        return next(getattr(home, name) for home in homes if name in vars(home))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
