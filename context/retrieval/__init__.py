"""Finding again what was said."""

from context.retrieval.lexical import LexicalIndex

__all__ = ["LexicalIndex"]
