"""The questions to the agent that an erasure means: they go, with their answers and the summaries of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from context.events.erasure_target import Erasure
from context.events.events import AnswerGiven, Event, QuestionAsked

if TYPE_CHECKING:
    from context.fold.meeting import Meeting


@dataclass(frozen=True, slots=True)
class ErasedQuestions:
    """The questions to the agent that one erasure means, by id and by their turn in the agent's thread."""

    mark: Erasure
    ids: frozenset[str]
    """Their ids, of those that are known."""
    since: int | None
    """The number of the first public turn that is meant, 0 where it is not known; None: there is none."""
    answered: frozenset[str] = frozenset()
    """The ids of other questions, of which only the answers go: these quote what is erased elsewhere."""

    @classmethod
    def of_meeting(cls, meeting: Meeting, mark: Erasure, spoken: Iterable[str]) -> Self:
        """Find them in a meeting's state. `spoken`: the keys of erased turns, which may have been questions.

        The thread lets go of turns that a summary covers. Where a question that is meant may have been among
        them, every summary is taken to tell of it.
        """
        asked = meeting.invocations
        moments = {
            **{id_: (question.by, question.asked_at_ms) for id_, question in asked.ended.items()},
            **{id_: (question.by, question.at_ms) for id_, question in asked.open.items()},
        }
        by_voice = _by_voice(spoken)
        meant = {id_ for id_, moment in moments.items() if id_ in by_voice or mark.means_question(*moment)}
        answered = {reply.invocation_id for reply in asked.replies if reply.id in mark.answers}
        told_of = meant | answered
        numbers = {turn.id: turn.number for turn in meeting.thread.kept}
        private = {id_ for id_, question in asked.ended.items() if question.private}  # no summary covers them
        let_go = bool(told_of - numbers.keys() - private) or (
            mark.what == "person" and any(not question.by for question in asked.dropped)
        )
        return cls(
            mark,
            frozenset(meant | by_voice),
            0 if let_go else min(filter(None, map(numbers.get, told_of)), default=None),
            frozenset(answered),
        )

    @classmethod
    def of_events(cls, events: Iterable[Event], mark: Erasure, spoken: Iterable[str]) -> Self:
        """Find them in all events of a meeting. `spoken`: the keys of erased turns."""
        happened = list(events)
        replies = (event.reply for event in happened if isinstance(event, AnswerGiven))
        answered = frozenset(reply.invocation_id for reply in replies if reply.id in mark.answers)
        ids, turns, number, known_ids = _by_voice(spoken), set[int](), 0, set[str]()
        for event in happened:
            if not isinstance(event, QuestionAsked) or event.question.id in known_ids:
                continue
            asked = event.question
            known_ids.add(asked.id)
            number += not asked.private
            if asked.id in ids or mark.means_question(asked.by, asked.at_ms):
                ids.add(asked.id)
            if asked.id in ids | answered:
                turns |= set() if asked.private else {number}
        return cls(mark, frozenset(ids), min(turns, default=None), answered)

    def mean(self, id_: str, by: str, at_ms: int) -> bool:
        """Whether a question is meant; tells it also of one that is not folded yet."""
        return id_ in self.ids or self.mark.means_question(by, at_ms)

    def summed_up(self, turns: Iterable[int]) -> bool:
        """Whether a summary of these turns of the thread tells, or may tell, of a question that is meant.

        A summary goes on from the one before it, so that any later one may.
        """
        return self.since is not None and max(turns, default=self.since) >= self.since


def _by_voice(spoken: Iterable[str]) -> set[str]:
    """The ids that questions have which were asked in the turns of speech with these keys."""
    return {f"voice:{key}" for key in spoken}
