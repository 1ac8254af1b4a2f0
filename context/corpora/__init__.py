"""What can be looked up: this meeting, earlier meetings, documents; one shape for all of them."""

from context.corpora.cutting import PassageCutter, passages_of
from context.corpora.passage import Corpus, Passage, Query, Retrieved, Retriever

__all__ = ["Corpus", "Passage", "PassageCutter", "Query", "Retrieved", "Retriever", "passages_of"]
