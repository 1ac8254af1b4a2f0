"""What the agent keeps of its exchanges: working, compressed and semantic tiers; who people are."""

from context.memory.profile import ProfileStore
from context.memory.tiers import CompressedMemory, HierarchicalMemory, MemoryContext
from context.memory.turns import DialogueTurn, importance

__all__ = [
    "CompressedMemory",
    "DialogueTurn",
    "HierarchicalMemory",
    "MemoryContext",
    "ProfileStore",
    "importance",
]
