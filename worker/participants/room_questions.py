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
from worker.participants.question_turns import QuestionTurns, Turn
from worker.participants.tracks import Own


class RoomQuestions:
    """What people and programs ask in one meeting."""

    def __init__(self, session: Session, own: Own) -> None:
        """`own` runs work beside the meeting."""
        self._session, self._own = session, own
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
        where it stands in its stream (see `QuestionIntake.ask`): one that waits or is left out is read.
        """
        text = one_line(text)
        flags = {**(features or {}), **(OF_THIS_MEETING if link_of(by) is not None else {})}
        asked = Question(
            id=id_, by=by, via=via, text=text, private=private, features=flags, at_ms=self._session.now_ms()
        )
        turn = self.turns.take(by, via, text)
        if turn is not None and turn.done():
            return self._put(asked, position)
        if position is not None:
            self._session.post(events.InputRead(position=position))
        if turn is not None:
            self._own(self._put_in_turn(asked, turn), name="question-turn")
        return None

    async def _put_in_turn(self, asked: Question, turn: Turn) -> None:
        await turn
        self._put(asked)

    def _put(
        self, asked: Question, position: events.InputPosition | None = None
    ) -> asyncio.Task[None] | None:
        """Put a question to the meeting as it stands now, which may be later than when it was written."""
        session = self._session
        moment = {"at_ms": session.now_ms(), "after_utterance": len(session.manager.meeting.utterances)}
        return session.questions.ask(asked.model_copy(update=moment), position)
