"""Passages from elsewhere in a prompt: earlier meetings and documents, under ids of their own.

A model cites `[#900001]` as it cites an utterance; the same filter checks it (numbers, dates, names,
negation, quotation marks). In the answer it stands as the passage's citation: `**Price list p. 3**`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final

from context.corpora import Passage
from context.inert import inert_name
from context.models import Utterance
from worker.agent.quoting import quoted

FIRST_FOREIGN: Final = 900_001
"""No meeting has so many utterances."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class Foreign:
    """The passages of one prompt that are not of its meeting."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        self.passages = tuple(each for each in passages if each.corpus != "meeting")

    @property
    def cited_as(self) -> Mapping[int, str]:
        """How each is named."""
        return {FIRST_FOREIGN + place: cited(each) for place, each in enumerate(self.passages)}

    def stand_ins(self) -> list[Utterance]:
        """One for each, to be cited and checked as an utterance is."""
        return [
            Utterance(
                id=FIRST_FOREIGN + place,
                speaker_id=each.id,
                speaker_name=each.citation,
                text=each.text,
                start_ms=0,
                end_ms=0,
                absolute_timestamp=each.said_at or _EPOCH,
            )
            for place, each in enumerate(self.passages)
        ]

    def lines(self) -> list[str]:
        """As they stand in the prompt."""
        return [
            f"[#{FIRST_FOREIGN + place}] ({quoted(each.citation)}) {quoted(each.text)}"
            for place, each in enumerate(self.passages)
        ]


def cited(passage: Passage) -> str:
    """`**Price list p. 3**`."""
    return f"**{inert_name(passage.citation)}**"
