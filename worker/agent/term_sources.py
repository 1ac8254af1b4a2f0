"""What documents and earlier meetings hold that this meeting may talk of, too.

Only what everybody of the tenant may read is read, and of documents only the passages that have most to do
with the title and with what is being said. The store is asked each time, so erased words are not among them.
"""

from __future__ import annotations

from typing import Final

from context.corpora.sources import asked_terms, ranked_by_words
from context.fold.meeting import Meeting
from context.terms import EARLIER_WEIGHT, WRITTEN_WEIGHT, Term, spoken_last, written_terms
from worker.passages.passage_store import PassageStore, Scope, Search

_MATCHED_PASSAGES: Final = 40
_NOTE_PASSAGES: Final = 80
"""So many passages of notes are read, the newest meetings'."""
_DOCUMENT_PASSAGES: Final = 3
"""So many passages of documents are read for terms."""
_NEAR_BEST_SHARE: Final = 0.5
"""None is read whose score is a smaller share of the best one's."""


class TermSources:
    """The `WrittenTerms` of one tenant."""

    def __init__(self, passages: PassageStore) -> None:
        self._passages = passages

    async def written(self, meeting: Meeting) -> list[Term]:
        """See `WrittenTerms.written`."""
        return [
            *written_terms(await self._documents(meeting), WRITTEN_WEIGHT),
            *written_terms(await self._earlier(meeting), EARLIER_WEIGHT, least_lines=2),
        ]

    async def _earlier(self, meeting: Meeting) -> list[str]:
        """What was noted of the topics of the newest earlier meetings in this room."""
        room = meeting.opened.room if meeting.opened is not None else None
        if room is None:
            return []
        scope = Scope(kinds=("meeting",), room=room, without=(meeting.meeting_id,), notes="alone")
        return [note.text for note in await self._passages.readable(scope, limit=_NOTE_PASSAGES)]

    async def _documents(self, meeting: Meeting) -> list[str]:
        title = meeting.opened.title if meeting.opened is not None else None
        asked = asked_terms("\n".join([title or "", *spoken_last(meeting)]))
        if not asked:
            return []
        scope = Scope(kinds=("document",), reader=None)
        (matches,) = await self._passages.matches([Search(tuple(asked), scope)], k=_MATCHED_PASSAGES)
        ranked = ranked_by_words(asked, matches.passages, matches.frequencies, matches.total)
        near = _NEAR_BEST_SHARE * max((score for _, score in ranked), default=0.0)
        best = [matches.passages[place] for place, score in ranked[:_DOCUMENT_PASSAGES] if score >= near]
        return [f"{passage.title}\n{passage.topic}\n{passage.text}" for passage in best]
