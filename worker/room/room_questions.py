"""The questions that are put in a room: each becomes a `Question`, in its asker's turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from context.events import events
from context.features import OF_THIS_MEETING
from context.models import QuestionChannel
from context.primitives.guest_identity import link_of
from context.primitives.text import one_line
from context.question import Question
from worker.meeting.session import Session
from worker.room.question_turns import QuestionTurns
from worker.room.tracks import Own


class RoomQuestions:
    """What people and programs ask in one meeting."""

    def __init__(self, session: Session, own: Own) -> None:
        """`own` runs work beside the meeting."""
        self._session = session
        self.turns = QuestionTurns(own, lambda text, to: session.outlet.say(text, to=to))

    def ask(
        self,
        id_: str,
        by: str,
        text: str,
        *,
        via: QuestionChannel,
        private: bool,
        features: Mapping[str, str] | None = None,
        position: events.InputPosition | None = None,
    ) -> asyncio.Task[None] | None:
        """Put a question to the agent, in its asker's turn; the same id counts once.

        `features`: its own flags (seed 002). A guest of this meeting is answered from it alone. `position` is
        where it stands in its stream (see `Questions.ask`): one that waits, or is left out, counts as read.
        """
        text = one_line(text)
        flags = {**(features or {}), **(OF_THIS_MEETING if link_of(by) is not None else {})}

        def put(position: events.InputPosition | None = None) -> asyncio.Task[None] | None:
            asked = Question(
                id=id_,
                by=by,
                via=via,
                text=text,
                private=private,
                features=flags,
                at_ms=self._session.now_ms(),
                after_utterance=len(self._session.manager.meeting.utterances),
            )
            return self._session.questions.ask(asked, position)

        if self.turns.admit(by, via, text, put):
            return put(position)
        if position is not None:
            self._session.post(events.InputRead(position=position))
        return None
