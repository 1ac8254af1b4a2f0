"""What the agent keeps of its exchanges: working, compressed and semantic tiers; who people are."""

from context.memory.tiers import (
    CompressedMemory,
    DialogueTurn,
    HierarchicalMemory,
    MemoryContext,
    ProfileStore,
    importance,
)

__all__ = [
    "CompressedMemory",
    "DialogueTurn",
    "HierarchicalMemory",
    "MemoryContext",
    "ProfileStore",
    "importance",
]
