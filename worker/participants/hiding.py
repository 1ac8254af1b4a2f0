"""Words that somebody else's `/off 5m` has hidden: their speakers are told, and decide what becomes of them.

Nothing is decided by silence: until its speaker or an administrator erases a line or shows it again, it stays
hidden.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal

import structlog

from context.events.actors import borne_by, participant
from context.events.erasure_target import Target
from context.language.closed_lists import in_words, word_sets, wording
from context.language.commands import slash_parts
from context.language.korean import has_hangul
from context.primitives.guest_identity import is_one_of
from worker.meeting.erasing import TAKING_OUT, TakeOut
from worker.meeting.session import Session
from worker.participants.question_turns import InTurn
from worker.participants.tracks import Own

log = structlog.get_logger(__name__)

_TEXTS: Final = wording("hiding")
_WORDS: Final = word_sets("hidden")


class Hiding:
    """Tells people in the room which of their words are hidden, and carries out what they decide."""

    def __init__(self, session: Session, own: Own, take_out: TakeOut | None, *, in_turn: InTurn) -> None:
        """`take_out` erases words, or shows them again; None: nothing can be hidden here."""
        self._session, self._own, self._take_out = session, own, take_out
        self._in_turn = in_turn

    def tell_speakers(self, since_ms: int, by: str) -> None:
        """Tell each speaker who is present, alone, how many of their words since `since_ms` are hidden."""
        meeting = self._session.manager.meeting
        counts = Counter[str]()
        for utterance in meeting.utterances:
            if utterance.hidden and utterance.end_ms > since_ms:
                # Who spoke may be here by now as somebody else of their browser.
                same = meeting.attendance.same_as(meeting.spoken_by(utterance))
                counts.update(person.user_id for person in same if person.present)
        for who, count in counts.items():
            name = meeting.attendance.name_of(who)
            text = self._text("hidden", by=by, name=name, count=count)
            self._own(self._session.outlet.say(text, to=who), name="hidden-notice")

    def handle_chat(self, identity: str, text: str) -> bool:
        """Obey `/me erase` or `/me show` about one's own hidden words; False: the line is something else."""
        head, rest = slash_parts(text)
        rest, take_out = rest.strip(" .!").lower(), self._take_out
        if head != "/me" or take_out is None or rest not in _WORDS["show"] | _WORDS["erase"]:
            return False
        what: Literal["shown", "erased"] = "shown" if rest in _WORDS["show"] else "erased"

        def decide() -> None:
            self._own(self._decide(what, identity, text, take_out), name=TAKING_OUT)

        self._in_turn(identity, text, decide)
        return True

    async def _decide(
        self, what: Literal["shown", "erased"], identity: str, asked_in: str, take_out: TakeOut
    ) -> None:
        meeting = self._session.manager.meeting
        mine = tuple(
            u.id for u in meeting.utterances if u.hidden and is_one_of(meeting.spoken_by(u), (identity,))
        )
        outcome: str = what if mine else "nothing"
        if mine:
            target = Target(what="utterances", utterances=mine, show=what == "shown")
            actor = participant(identity)
            name = borne_by(actor, meeting.attendance.name_of(identity))
            done = await take_out(target, actor, name)
            outcome = what if done == "done" else done
        text = self._text(outcome, count=len(mine), language="ko" if has_hangul(asked_in) else None)
        await self._session.outlet.say(text, to=identity)

    def _text(self, what: str, *, language: str | None = None, **fields: object) -> str:
        language = language or self._session.manager.meeting.spoken_language
        return in_words(_TEXTS, language, what, **fields)
