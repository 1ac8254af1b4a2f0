"""What is looked for, by whom, and where."""

from __future__ import annotations

from typing import Literal

from context.corpora.passage import Corpus
from context.models import Frozen

ALL_CORPORA: tuple[Corpus, ...] = ("meeting", "earlier", "document")


class Query(Frozen):
    """A question on its way to the corpora."""

    text: str
    """The question as it was asked."""
    meeting_id: str = ""
    """The meeting in which it is asked; its passages are the corpus `meeting`, never `earlier`."""
    tenant: str = "default"
    asker: str = ""
    """The asker's participant id: decides which private meetings may be looked into."""
    asker_name: str = ""
    topic: str = ""
    """What is being talked about as it is asked."""
    rewritings: tuple[str, ...] = ()
    """Other ways to put it (see `rewriting.rewritten`); each is ranked beside the question, then fused."""
    corpora: tuple[Corpus, ...] = ALL_CORPORA
    mode: Literal["hybrid", "bm25", "faiss"] = "hybrid"
    """Seed 002's names: by words and vectors, by words alone, by vectors alone."""
