"""Other ways to put a question, from what is known of whoever asks and of what is being talked about.

Each is ranked on its own beside the question and fused with it, so a bad rewriting costs little. Only
what makes the question more its own is added: the topic for one that names no subject ("and how much is
that?"), the asker's name for one that says I or my.
"""

from __future__ import annotations

from typing import Final

from context.corpora.query import Query
from context.language.first_person import says_i
from context.retrieval.questions import topic_words

_FEW_WORDS: Final = 2


def rewritten(query: Query) -> Query:
    """`query` with the rewritings that fit it, those that it has first; at most three."""
    found = list(query.rewritings)
    subject = topic_words(query.text)
    if query.topic and len(subject) < _FEW_WORDS and query.topic not in query.text:
        found.append(f"{query.topic} {query.text}")
    if query.asker_name and query.asker_name not in query.text and says_i(query.text):
        found.append(f"{query.asker_name} {query.text}")
    if subject and len(subject) >= _FEW_WORDS:
        found.append(" ".join(subject))
    kept = [text for text in dict.fromkeys(found) if text and text != query.text]
    return query.model_copy(update={"rewritings": tuple(kept[:3])})
